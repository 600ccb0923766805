import type { Tx } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import type { StandingReply } from '../../src/messaging/inspect/schema.ts'
import type { Item } from './people.ts'

type Entry = {
  readonly external_id: string
  readonly step: string
  /** `deleted`: it was open when its person was deleted. */
  readonly state: string
  readonly ended: string | null
  readonly held: boolean
  readonly trail: readonly (readonly [step: string, ms: number, path: string])[]
}
type Decision = { readonly external_id: string; readonly step: string; readonly reason: string }

/** The rows of a canvas that say how its people went: entries with their trails, and the decisions about messages. */
export type StepRows = { readonly entries: readonly Entry[]; readonly decisions: readonly Decision[] }

export async function readStepRows(tx: Tx, id: string): Promise<StepRows> {
  const entries = await tx.query<Entry>(sql`
    select p.external_id, e.step, e.state, e.ended, e.held, e.trail from entry e join flow f on f.flow_id = e.flow_id
      left join profile p on p.bucket = e.bucket and p.profile_id = e.profile_id
    where f.id = ${id} and not (e.state = 'ended' and e.visit = 0)`)
  const decisions = await tx.query<Decision>(sql`
    select p.external_id, d.step, d.reason from decision d join flow f on f.flow_id = d.flow_id
      left join profile p on p.bucket = d.bucket and p.profile_id = d.profile_id
    where f.id = ${id} and d.channel <> ''`)
  return { entries, decisions }
}

/** Returns the rows of people who were deleted after these were read: what was counted of them stays counted, but nobody waits. */
export function deletedRows({ entries, decisions }: StepRows, deleted: ReadonlySet<string>): StepRows {
  return {
    entries: entries
      .filter(({ external_id }) => deleted.has(external_id))
      .map((entry) => ({ ...entry, state: entry.state === 'ended' ? 'ended' : 'deleted' })),
    decisions: decisions.filter(({ external_id }) => deleted.has(external_id)),
  }
}

type Counts = Record<'by' | 'paths' | 'left' | 'reasons', Record<string, number>> &
  Record<'waiting' | 'held' | 'passed' | 'sent' | 'failed', number>

type Step = { readonly id: string; readonly paths?: readonly { readonly name: string }[] }

/** Counts what rows say of a canvas with these steps, in the form of `standing`. */
export function countStepRows({ entries, decisions }: StepRows, given: readonly Item[]) {
  const steps = given as unknown as readonly Step[]
  const counts = new Map(steps.map(({ id }) => [id, noCounts()]))
  // Rows name a path by its place in the definition.
  const names = new Map(steps.flatMap(({ id, paths = [] }) => paths.map(({ name }, i) => [`${id} ${i}`, name])))
  for (const { step, state, ended, held, trail } of entries) {
    for (const [i, [to, , path]] of trail.slice(1).entries()) {
      const from = counts.get(trail[i]![0])!
      from.passed++
      add(from.by, to)
      if (path !== '') add(from.paths, names.get(`${trail[i]![0]} ${path}`) ?? path)
    }
    const at = counts.get(step)!
    if (state === 'ended' && ended === 'completed') {
      at.passed++
      add(at.by, '')
    } else if (state === 'ended') add(at.left, ended!)
    else if (state !== 'deleted') {
      at.waiting++
      if (held) at.held++
    }
  }
  for (const { step, reason } of decisions) {
    const at = counts.get(step)!
    if (reason === 'sent') at.sent++
    else {
      at.failed++
      add(at.reasons, reason)
    }
  }
  return {
    entered: entries.length,
    ended: entries.filter(({ state }) => state === 'ended').length,
    steps: Object.fromEntries(counts),
  }
}

/** Returns the members of `standing` that rows say as well. */
export function countsOfStanding({ entered, ended, steps }: Pick<StandingReply, 'entered' | 'ended' | 'steps'>) {
  const each = Object.entries(steps).map(([id, step]) => {
    const { waiting, held, passed, sent, failed, by, paths, left, reasons } = step
    const counts: Counts = {
      ...{ waiting, held, passed, sent, failed },
      ...{ by: { ...by }, paths: { ...paths }, left: { ...left }, reasons: { ...reasons } },
    }
    return [id, counts] as const
  })
  return { entered, ended, steps: Object.fromEntries(each) }
}

function noCounts(): Counts {
  return { waiting: 0, held: 0, passed: 0, sent: 0, failed: 0, by: {}, paths: {}, left: {}, reasons: {} }
}

function add(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1
}
