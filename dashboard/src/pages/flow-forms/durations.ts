/** The units in which durations are edited. Months and years have no fixed length, so flows do not have them. */
export const durationUnits = [
  { value: 'S', label: 'seconds' },
  { value: 'M', label: 'minutes' },
  { value: 'H', label: 'hours' },
  { value: 'D', label: 'days' },
  { value: 'W', label: 'weeks' },
] as const
export type DurationUnit = (typeof durationUnits)[number]['value']

export type Duration = { readonly count: string; readonly unit: DurationUnit }

/** Reads a duration of one unit, such as `P3D`; undefined for any other text. Pure. */
export function readDuration(text: string): Duration | undefined {
  const [, days, ofDays, time, ofTime] = /^P(?:(\d+)([WD])|T(\d+)([HMS]))$/.exec(text) ?? []
  const count = days ?? time
  return count === undefined ? undefined : { count, unit: (ofDays ?? ofTime) as DurationUnit }
}

/** Writes a duration as ISO 8601 has it. Pure. */
export function writeDuration({ count, unit }: Duration): string {
  return unit === 'W' || unit === 'D' ? `P${count}${unit}` : `PT${count}${unit}`
}
