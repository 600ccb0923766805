/** Returns the name of a person in lines: the first 16 hexadecimal digits of the `service_id`. */
export function personText(profile_id: string): string {
  return BigInt(profile_id).toString(16).padStart(16, '0')
}

export function readPersonText(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^[0-7][0-9a-f]{15}$/.test(value)) return undefined
  const profile_id = BigInt(`0x${value}`)
  return profile_id === 0n ? undefined : profile_id.toString()
}
