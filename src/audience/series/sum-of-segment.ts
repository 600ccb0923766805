import type { Db, Tx } from '../../base/db/db.ts'
import { invalid } from '../../base/errors.ts'
import type { Person } from '../../people/identity/person.ts'
import type { SeriesRange } from '../../workspace/tallies/read-range.ts'
import { emptyPoints, rounded, type TallyPoint } from '../../workspace/tallies/read-tally.ts'
import { pagePeople } from '../conditions/select-people.ts'
import type { Tree } from '../conditions/tree.ts'
import type { HistorySum } from './segment-series-store.ts'

/** The most people of a segment whose history is summed. */
export const summedPeopleMax = 200_000
/** People whose history is summed by one statement. */
const peopleAtOnce = 1_000

/** A segment, and when its people are looked up. */
export type SummedSegment = { readonly workspace_id: number; readonly tree: Tree; readonly nowMs: number }

/**
 * Sums the history of the people who are in a segment now, page by page, so that other work runs between them. `sum` sums that of some
 * people. Throws 400 when there are more than `peopleMax`.
 */
export async function sumOfSegment(
  db: Db,
  { workspace_id, tree, nowMs }: SummedSegment,
  { times }: SeriesRange,
  sum: (tx: Tx, people: readonly Person[]) => Promise<HistorySum[]>,
  peopleMax = summedPeopleMax,
): Promise<TallyPoint[]> {
  const points = emptyPoints(times)
  let found = 0
  for (let after: Person | undefined, more = true; more; more = after !== undefined) {
    const page = await pagePeople(db, workspace_id, tree, nowMs, { ...(after && { after }), limit: peopleAtOnce })
    found += page.people.length
    if (found > peopleMax) {
      throw invalid(`The segment has more than ${peopleMax} people: what they did is counted only for smaller segments`)
    }
    for (const { position, count, amount } of page.people.length > 0 ? await sum(db, page.people) : []) {
      points[position]!.count += Number(count)
      points[position]!.amount += amount
    }
    after = page.next
  }
  return points.map((point) => ({ ...point, amount: rounded(point.amount) }))
}
