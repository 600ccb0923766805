const browsers = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const
const systems = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
] as const

/** Returns the browser and the system that a `User-Agent` names, as far as they are known. */
export function deviceOf(agent: string): string {
  const browser = browsers.find(([sign]) => agent.includes(sign))?.[1]
  const system = systems.find(([sign]) => agent.includes(sign))?.[1]
  if (browser === undefined) return agent === '' ? 'unknown browser' : agent.slice(0, 40)
  return system === undefined ? browser : `${browser} on ${system}`
}
