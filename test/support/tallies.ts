import { type PackedTally, unpackTally } from '../../src/workspace/tallies/pack-tally.ts'

type Sum = { subject: string; part: string; count: number }
type SumOrChange = (Sum & { entries: null }) | PackedTally
type Name = { name_id: number; kind: string; name: string }
/** What was counted of a part of a subject at all times, with the name of an event, a product or an app. */
export type CountedPart = Sum & { kind?: string; name?: string }

/** Returns all tallies, also what is not yet added to them. */
export async function listTallies(query: (text: string) => Promise<unknown[]>): Promise<CountedPart[]> {
  const rows = (await query(`
    select subject, part, sum(count)::float8 as count, null::text[] as subjects, null::text[] as parts, null::bytea as entries
    from tally group by subject, part
    union all
    select null, null, null, subjects, parts, entries from tally_change`)) as SumOrChange[]
  const names = new Map(
    ((await query('select name_id, kind, name from name')) as Name[]).map((name) => [String(name.name_id), name]),
  )
  const sums = new Map<string, Sum>()
  const add = (subject: string, part: string, count: number) => {
    const key = JSON.stringify([subject, part])
    const sum = sums.get(key) ?? { subject, part, count: 0 }
    sum.count += count
    sums.set(key, sum)
  }
  for (const row of rows) {
    if (row.entries === null) add(row.subject, row.part, row.count)
    else unpackTally(row, (subject, part, _slot, count) => add(row.subjects[subject]!, row.parts[part]!, count))
  }
  return [...sums.values()].map((sum) => {
    const { kind, name } = names.get(sum.subject) ?? {}
    return { ...sum, ...(kind !== undefined && { kind }), ...(name !== undefined && { name }) }
  })
}

/** Returns how often events happened, all of them or those of one name. */
export async function countTalliedEvents(query: (text: string) => Promise<unknown[]>, name?: string): Promise<number> {
  const events = (await listTallies(query)).filter(
    (each) => each.kind === 'event' && (name === undefined || each.name === name),
  )
  return events.reduce((sum, { count }) => sum + count, 0)
}
