import { createHash } from 'node:crypto'
import { float8Array, int4Array, int8Array, textArray, timestampArray } from '../../base/db/arrays.ts'
import { byShard, untilFull, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import type { ShardPart } from '../../base/db/placement.ts'
import { prepared, type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'
import { newHiddenId } from '../../base/ids.ts'
import { type PackedTally, packTally, unpackTally } from './pack-tally.ts'
import { slotMs, slotUs, type Tally } from './tally.ts'

/** Returns the bucket of a subject, the first 12 bits of its hash. */
function bucketOf(subject: string): number {
  return Number.parseInt(createHash('md5').update(subject).digest('hex').slice(0, 3), 16)
}

/** Adds to tallies, in one row: those that many transactions add to at the same time would wait for each other. */
export async function insertTallyChange(tx: Tx, tally: Tally): Promise<void> {
  if (tally.subjects.length === 0) return
  const change_id = newHiddenId()
  const { subjects, parts, entries } = packTally(tally)
  await tx.query(
    prepared(sql`
    insert into tally_change (bucket, change_id, subjects, parts, entries) values (
      ${Number.parseInt(change_id.slice(0, 3), 16)}, ${change_id}, ${textArray(subjects)}::text[], ${textArray(parts)}::text[],
      ${entries}::bytea)`),
  )
}

/** The bucket of a subject, as `bucketOf` returns it. */
const bucketOfSubject = sql`('x' || substr(md5(subject), 1, 3))::bit(12)::int4`

/** The changes that a transaction moves. */
export type LockedChanges = readonly { readonly bucket: number; readonly change_id: string }[]

/** Locks changes that no other process has locked, until the end of the transaction. */
export function lockTallyChanges(tx: Tx, rowsMax: number): Promise<LockedChanges> {
  const lock = (part: ShardPart, taken: LockedChanges) =>
    sql`select bucket, change_id from tally_change c where true ${withinPart(part, 'c')}
      limit ${rowsMax - taken.length} for update skip locked`
  return untilFull<LockedChanges[number]>(tx, lock, (taken) => taken.length >= rowsMax)
}

/** Reads changes. */
export function readTallyChanges(tx: Tx, changes: LockedChanges): Promise<PackedTally[]> {
  return byShard<PackedTally, LockedChanges[number]>(tx, changes, (part) =>
    prepared(sql`
    select c.subjects, c.parts, c.entries from tally_change c
    join ${columnsOf(part.items)} v(bucket, change_id) on c.bucket = v.bucket and c.change_id = v.change_id
    where true ${withinPart(part, 'c')}`),
  )
}

export async function deleteTallyChanges(tx: Tx, changes: LockedChanges): Promise<void> {
  await byShard<unknown, LockedChanges[number]>(tx, changes, (part) =>
    prepared(sql`
    delete from tally_change c using ${columnsOf(part.items)} v(bucket, change_id)
    where c.bucket = v.bucket and c.change_id = v.change_id ${withinPart(part, 'c')}`),
  )
}

function columnsOf(changes: LockedChanges): Sql {
  const [buckets, ids] = [changes.map(({ bucket }) => bucket), changes.map(({ change_id }) => change_id)]
  return sql`unnest(${int4Array(buckets)}::int4[], ${textArray(ids)}::text[]::uuid[])`
}

export async function addToTallies(tx: Tx, { subjects, parts, columns }: Tally): Promise<void> {
  const { subject, part, slot, count, amount } = columns
  if (subject.length === 0) return
  const slotsUs = slot.map((each) => each * slotUs)
  await tx.query(sql`
    insert into tally as t (bucket, subject, slot, part, count, amount)
    select ${bucketOfSubject} as bucket, subject, slot, part, count, amount
    from unnest(
      ${textArray(subject.map((position) => subjects[position]!))}::text[], ${timestampArray(slotsUs)}::timestamptz[],
      ${textArray(part.map((position) => parts[position]!))}::text[],
      ${int8Array(count.map(String))}::int8[], ${float8Array(amount)}::float8[])
      v(subject, slot, part, count, amount)
    order by bucket, subject, slot, part
    on conflict (bucket, subject, slot, part) do update set count = t.count + excluded.count, amount = t.amount + excluded.amount`)
}

export type TallySum = {
  readonly part: string
  readonly position: number
  readonly count: number
  readonly amount: number
}

/** A row of a statement that reads tallies and their changes at the same moment: a sum, or a change. */
type SumOrChange<Sum> = (Sum & { readonly entries: null }) | PackedTally

const noChange = sql`null::text[] as subjects, null::text[] as parts, null::bytea as entries`

/**
 * Sums the parts of a tally between moments (epoch milliseconds, ascending): position 0 is what happened before the first, and n what
 * happened from the n-th on. From the last on nothing counts, and before the first nothing unless `fromMs` is earlier. Without `part`, all
 * parts of the subject are returned.
 */
export async function sumTally(
  tx: Tx,
  subject: string,
  startsMs: readonly number[],
  { part, fromMs = startsMs[0]! }: { readonly part?: string; readonly fromMs?: number } = {},
): Promise<TallySum[]> {
  const endMs = startsMs.at(-1)!
  const rows = await tx.query<SumOrChange<TallySum>>(sql`
    select t.part, width_bucket(t.slot, ${timestampArray(startsMs.map((ms) => ms * 1000))}::timestamptz[])::int4 as position,
      sum(t.count)::float8 as count, sum(t.amount)::float8 as amount, ${noChange}
    from tally t
    where t.bucket = ${bucketOf(subject)} and t.subject = ${subject}
      and t.slot >= ${timestampFromMs(fromMs)} and t.slot < ${timestampFromMs(endMs)}
      and (${part === undefined} or t.part = ${part ?? ''})
    group by t.part, position
    union all
    select null, null, null, null, c.subjects, c.parts, c.entries from tally_change c where ${subject} = any(c.subjects)`)
  const sums = new SumsByKey()
  for (const row of rows) {
    if (row.entries === null) {
      sums.add(row.part, row.position, row.count, row.amount)
      continue
    }
    const wanted = row.subjects.indexOf(subject)
    unpackTally(row, (of, partAt, slot, count, amount) => {
      const atMs = slot * slotMs
      const name = row.parts[partAt]!
      if (of !== wanted || atMs < fromMs || atMs >= endMs || (part !== undefined && part !== name)) return
      sums.add(name, positionAmong(startsMs, atMs), count, amount)
    })
  }
  return sums.rows
}

/** Returns how many of some ascending moments are not after a moment. */
function positionAmong(startsMs: readonly number[], atMs: number): number {
  let [from, to] = [0, startsMs.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (startsMs[middle]! <= atMs) from = middle + 1
    else to = middle
  }
  return from
}

/** Sums by part and position. */
class SumsByKey {
  readonly rows: { part: string; position: number; count: number; amount: number }[] = []
  readonly #rowAt = new Map<string, Map<number, number>>()

  add(part: string, position: number, count: number, amount: number): void {
    let rowAt = this.#rowAt.get(part)
    if (rowAt === undefined) {
      rowAt = new Map()
      this.#rowAt.set(part, rowAt)
    }
    const row = rowAt.get(position)
    if (row === undefined) {
      rowAt.set(position, this.rows.length)
      this.rows.push({ part, position, count, amount })
    } else {
      this.rows[row]!.count += count
      this.rows[row]!.amount += amount
    }
  }
}

type SubjectSum = { readonly subject: string; readonly part: string; readonly count: number }

/** Sums the parts of several tallies from a moment on (epoch milliseconds). */
export async function sumSubjects(tx: Tx, subjects: readonly string[], fromMs: number): Promise<SubjectSum[]> {
  const wanted = textArray(subjects)
  const rows = await tx.query<SumOrChange<SubjectSum>>(sql`
    select t.subject, t.part, sum(t.count)::float8 as count, ${noChange}
    from unnest(${int4Array(subjects.map(bucketOf))}::int4[], ${wanted}::text[]) w(bucket, subject)
    join tally t on t.bucket = w.bucket and t.subject = w.subject and t.slot >= ${timestampFromMs(fromMs)}
    group by t.subject, t.part
    union all
    select null, null, null, c.subjects, c.parts, c.entries from tally_change c where c.subjects && ${wanted}::text[]`)
  const sums = new Map(subjects.map((subject) => [subject, new SumsByKey()]))
  for (const row of rows) {
    if (row.entries === null) {
      sums.get(row.subject)!.add(row.part, 0, row.count, 0)
      continue
    }
    unpackTally(row, (of, partAt, slot, count) => {
      if (slot * slotMs >= fromMs) sums.get(row.subjects[of]!)?.add(row.parts[partAt]!, 0, count, 0)
    })
  }
  return [...sums].flatMap(([subject, { rows }]) => rows.map(({ part, count }) => ({ subject, part, count })))
}

/** Deletes tallies of before a moment, but not those with such a beginning. */
export async function deleteTalliesBefore(tx: Tx, beforeMs: number, keptBeginning: string): Promise<void> {
  await tx.query(sql`
    delete from tally where slot < ${timestampFromMs(beforeMs)} and not starts_with(subject, ${keptBeginning})`)
}
