/** The zone in which times are shown: that of the workspace, that of this browser, or UTC. */
export const zoneChoices = ['workspace', 'mine', 'utc'] as const
export type ZoneChoice = (typeof zoneChoices)[number]

const dayMs = 86_400_000

export function zoneOf(choice: ZoneChoice, workspaceZone: string): string {
  if (choice === 'utc') return 'UTC'
  return choice === 'mine' ? Intl.DateTimeFormat().resolvedOptions().timeZone : workspaceZone
}

/** The short name of a zone at a moment, such as CET. */
export function zoneName(zone: string, at: Date): string {
  const parts = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeZoneName: 'short' }).formatToParts(at)
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? zone
}

/** A moment as a list shows it: the time on the same day, else day and month, with the year when it is another one. */
export function formatMoment(iso: string, zone: string, now: Date): string {
  const at = new Date(iso)
  if (Number.isNaN(at.getTime())) return iso
  const [day, today] = [dayIn(zone, at), dayIn(zone, now)]
  const time = format(zone, at, { hour: '2-digit', minute: '2-digit' })
  if (day === today) return time
  if (day.slice(0, 4) === today.slice(0, 4)) return `${format(zone, at, { day: 'numeric', month: 'short' })} ${time}`
  return format(zone, at, { day: 'numeric', month: 'short', year: 'numeric' })
}

/** A day, given as `2030-01-31`: `31 Jan 2030`. */
export function formatDay(day: string): string {
  const at = new Date(`${day}T00:00:00Z`)
  return Number.isNaN(at.getTime()) ? day : format('UTC', at, { day: 'numeric', month: 'short', year: 'numeric' })
}

/** A moment in full, to the second. */
export function formatFullMoment(iso: string, zone: string): string {
  const at = new Date(iso)
  if (Number.isNaN(at.getTime())) return iso
  const day = format(zone, at, { day: 'numeric', month: 'short', year: 'numeric' })
  return `${day}, ${format(zone, at, { hour: '2-digit', minute: '2-digit', second: '2-digit' })} ${zoneName(zone, at)}`
}

/** The time of day in a zone: `14:05`. Undefined for a zone that this browser does not know. */
export function formatTimeIn(zone: string, at: Date): string | undefined {
  try {
    return format(zone, at, { hour: '2-digit', minute: '2-digit' })
  } catch {
    // An old browser lacks a new zone.
    return undefined
  }
}

/** How long ago a moment was: `3 d 4 h`, `12 min`. The two largest units. */
export function formatAge(iso: string, now: Date): string {
  const ms = now.getTime() - new Date(iso).getTime()
  if (ms < 0) return `in ${formatDuration(-ms)}`
  return ms < 1_000 ? 'now' : `${formatDuration(ms)} ago`
}

const units: readonly (readonly [string, number])[] = [
  ['d', dayMs],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
]

export function formatDuration(ms: number): string {
  const first = units.findIndex(([, size]) => ms >= size)
  if (first < 0) return `${Math.round(ms)} ms`
  let rest = ms
  return units
    .slice(first, first + 2)
    .flatMap(([name, size]) => {
      const count = Math.floor(rest / size)
      rest -= count * size
      return count === 0 ? [] : [`${count} ${name}`]
    })
    .join(' ')
}

/** `2030-01-31`, in a zone. */
function dayIn(zone: string, at: Date): string {
  return format(zone, at, { year: 'numeric', month: '2-digit', day: '2-digit' }, 'sv-SE')
}

function format(zone: string, at: Date, options: Intl.DateTimeFormatOptions, locale = 'en-GB'): string {
  return new Intl.DateTimeFormat(locale, { ...options, timeZone: zone, hourCycle: 'h23' }).format(at)
}

/**
 * The instant of a local time in a zone, as ISO 8601 in UTC. `local`: `2030-01-31T09:00`. Of an hour that occurs twice it is the first; a
 * time in a gap becomes the time after it.
 */
export function instantIn(zone: string, local: string): string {
  const asUtc = Date.parse(`${local}Z`)
  const offsets = [asUtc - dayMs, asUtc + dayMs].map((ms) => offsetMs(zone, ms))
  const found = offsets.map((offset) => asUtc - offset).filter((ms) => ms + offsetMs(zone, ms) === asUtc)
  const ms = found.length > 0 ? Math.min(...found) : asUtc - offsets[0]!
  return new Date(ms).toISOString()
}

/** How far the clocks of a zone are ahead of UTC at an instant. */
function offsetMs(zone: string, ms: number): number {
  const at = new Date(ms)
  const time = format(zone, at, { hour: '2-digit', minute: '2-digit', second: '2-digit' })
  return Date.parse(`${dayIn(zone, at)}T${time}Z`) - Math.floor(ms / 1000) * 1000
}

/** A moment in a zone as the browser's field for a time takes it: `2030-01-31T09:00`. */
export function fieldTimeIn(zone: string, at: Date): string {
  return `${dayIn(zone, at)}T${format(zone, at, { hour: '2-digit', minute: '2-digit' })}`
}
