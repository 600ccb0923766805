/**
 * Tallies say how often something happened, in slots of a quarter of an hour: the days and hours of every time zone begin with a slot.
 * A tally has a subject, such as an event, and parts, such as its apps. The subject of an event or a product is the id of its name.
 */
export const slotMs = 15 * 60_000
const slotUs = slotMs * 1000

/** What is counted of a workspace. The parts of all but `new_users` are ids of names of apps. */
export type Measure = 'purchases' | 'sessions' | 'new_users' | 'uninstalls' | 'dau' | 'mau'

/** Returns the subject of what is counted of a workspace. */
export function measureSubject(workspace_id: number, measure: Measure): string {
  return `${measure} ${workspace_id}`
}

/** The beginning of subjects that are kept by days of the workspace: their slots become noons. */
export const dailyBeginning = 'daily '

/** Returns the subject of something in a workspace that nobody reads by hours, so that it needs fewer rows. */
export function dailySubject(workspace_id: number, what: string): string {
  return `${dailyBeginning}${workspace_id} ${what}`
}

/** Returns the workspace of a daily subject, and undefined for all other subjects. */
export function workspaceOfDaily(subject: string): number | undefined {
  return subject.startsWith(dailyBeginning) ? Number(subject.split(' ', 2)[1]) : undefined
}

/** One array per column; `part` is empty for what has none. */
export type TallyColumns = {
  readonly subject: string[]
  readonly part: string[]
  readonly slotUs: number[]
  readonly count: number[]
  readonly amount: number[]
}

/** Part ids are below this. */
const partEnd = 2 ** 31

/** Gathers what a transaction adds to tallies, one row for each subject, slot and part. */
export class Tally {
  readonly columns: TallyColumns = { subject: [], part: [], slotUs: [], count: [], amount: [] }
  readonly #places = new Map<number | string, Map<number | string, number>>()

  /** Counts what happened at a moment (epoch microseconds). */
  add(subject: number | string, part: number | string | null, timeUs: number, count = 1, amount = 0): void {
    let places = this.#places.get(subject)
    if (places === undefined) {
      places = new Map()
      this.#places.set(subject, places)
    }
    const slot = Math.floor(timeUs / slotUs)
    const key = typeof part === 'string' ? `${slot} ${part}` : slot * partEnd + (part ?? 0)
    const place = places.get(key)
    const { columns } = this
    if (place !== undefined) {
      columns.count[place]! += count
      columns.amount[place]! += amount
      return
    }
    places.set(key, columns.subject.length)
    columns.subject.push(String(subject))
    columns.part.push(String(part ?? ''))
    columns.slotUs.push(slot * slotUs)
    columns.count.push(count)
    columns.amount.push(amount)
  }
}
