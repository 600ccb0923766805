/**
 * Tallies say how often something happened, in slots of a quarter of an hour: the days and hours of every time zone begin with a slot.
 * A tally has a subject, such as an event, and parts, such as its apps. The subject of an event or a product is the id of its name.
 */
export const slotMs = 15 * 60_000
export const slotUs = slotMs * 1000

/** What is counted of a workspace. The parts of all but `new_users` are ids of names of apps. */
export type Measure = 'purchases' | 'sessions' | 'new_users' | 'uninstalls' | 'dau' | 'mau'

/** Returns the subject of what is counted of a workspace. */
export function measureSubject(workspace_id: number, measure: Measure): string {
  return `${measure} ${workspace_id}`
}

/** The beginning of subjects that are kept by days of the workspace: their slots become noons. */
const dailyBeginning = 'daily '

/** Returns the subject of something in a workspace that nobody reads by hours, so that it needs fewer rows. */
export function dailySubject(workspace_id: number, what: string): string {
  return `${dailyBeginning}${workspace_id} ${what}`
}

/** Returns the workspace of a daily subject, and undefined for all other subjects. */
export function workspaceOfDaily(subject: string): number | undefined {
  return subject.startsWith(dailyBeginning) ? Number(subject.split(' ', 2)[1]) : undefined
}

/** One array per column. `subject` and `part` are positions in the lists of a tally, `slot` is in quarters of an hour since 1970. */
export type TallyColumns = {
  readonly subject: number[]
  readonly part: number[]
  readonly slot: number[]
  readonly count: number[]
  readonly amount: number[]
}

/** Positions of parts are below this. */
const partEnd = 2 ** 31

/** Gathers what a transaction adds to tallies, one row for each subject, slot and part. */
export class Tally {
  /** Each subject and each part once; the part is empty for what has none. */
  readonly subjects: string[] = []
  readonly parts: string[] = []
  readonly columns: TallyColumns = { subject: [], part: [], slot: [], count: [], amount: [] }
  readonly #subjectAt = new Map<number | string, number>()
  readonly #partAt = new Map<number | string | null, number>()
  /** The rows of each subject, by slot and part. */
  readonly #rows: Map<number, number>[] = []

  /** Counts what happened at a moment (epoch microseconds). */
  add(subject: number | string, part: number | string | null, timeUs: number, count = 1, amount = 0): void {
    this.addAt(this.positionOf(subject), this.partPositionOf(part), Math.floor(timeUs / slotUs), count, amount)
  }

  /** Counts something of a subject and a part at these positions in a slot. */
  addAt(subject: number, part: number, slot: number, count: number, amount: number): void {
    const rows = this.#rows[subject]!
    const key = slot * partEnd + part
    const row = rows.get(key)
    const { columns } = this
    if (row !== undefined) {
      columns.count[row]! += count
      columns.amount[row]! += amount
      return
    }
    rows.set(key, columns.subject.length)
    columns.subject.push(subject)
    columns.part.push(part)
    columns.slot.push(slot)
    columns.count.push(count)
    columns.amount.push(amount)
  }

  /** Returns the position of a subject, which is appended when it is new. */
  positionOf(subject: number | string): number {
    const position =
      this.#subjectAt.get(subject) ?? positionIn(this.subjects, this.#subjectAt, subject, String(subject))
    if (position === this.#rows.length) this.#rows.push(new Map())
    return position
  }

  /** Returns the position of a part, which is appended when it is new. */
  partPositionOf(part: number | string | null): number {
    return this.#partAt.get(part) ?? positionIn(this.parts, this.#partAt, part, String(part ?? ''))
  }
}

/** Returns where a list has a text. A number and its text are the same. */
function positionIn<Key>(list: string[], positions: Map<Key | string, number>, key: Key, text: string): number {
  const position = positions.get(text) ?? list.length
  if (position === list.length) list.push(text)
  positions.set(text, position)
  positions.set(key, position)
  return position
}
