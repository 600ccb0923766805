import { createHash } from 'node:crypto'
import { float8Array, int4Array, int8Array, textArray, timestampArray } from '../../base/db/arrays.ts'
import { byShard, untilFull, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import type { ShardPart } from '../../base/db/placement.ts'
import { prepared, type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'
import { newHiddenId } from '../../base/ids.ts'
import { Tally, type TallyColumns } from './tally.ts'

/** Returns the bucket of a subject, the first 12 bits of its hash. */
function bucketOf(subject: string): number {
  return Number.parseInt(createHash('md5').update(subject).digest('hex').slice(0, 3), 16)
}

/** Adds to tallies, in one row: those that many transactions add to at the same time would wait for each other. */
export async function insertTallyChange(tx: Tx, { subject, part, slotUs, count, amount }: TallyColumns): Promise<void> {
  if (subject.length === 0) return
  const change_id = newHiddenId()
  await tx.query(
    prepared(sql`
    insert into tally_change (bucket, change_id, subjects, parts, slots, counts, amounts) values (
      ${Number.parseInt(change_id.slice(0, 3), 16)}, ${change_id}, ${textArray(subject)}::text[], ${textArray(part)}::text[],
      ${timestampArray(slotUs)}::timestamptz[], ${int8Array(count.map(String))}::int8[], ${float8Array(amount)}::float8[])`),
  )
}

/** What was added to a tally in a slot. */
export type TallyChange = {
  readonly subject: string
  readonly part: string
  readonly slot: Date
  readonly count: string
  readonly amount: number
}

/** The bucket of a subject, as `bucketOf` returns it. */
const bucketOfSubject = sql`('x' || substr(md5(subject), 1, 3))::bit(12)::int4`
const addToTally = sql`
  on conflict (bucket, subject, slot, part) do update set count = t.count + excluded.count, amount = t.amount + excluded.amount`

/** The changes that a transaction moves. */
export type LockedChanges = readonly { readonly bucket: number; readonly change_id: string }[]

/** Locks changes that no other process has locked, until the end of the transaction. */
export function lockTallyChanges(tx: Tx, rowsMax: number): Promise<LockedChanges> {
  const lock = (part: ShardPart, taken: LockedChanges) =>
    sql`select bucket, change_id from tally_change c where true ${withinPart(part, 'c')}
      limit ${rowsMax - taken.length} for update skip locked`
  return untilFull<LockedChanges[number]>(tx, lock, (taken) => taken.length >= rowsMax)
}

/**
 * Adds changes to the tallies, without those whose subjects have a beginning: these are returned, and the caller adds them. The rows stay
 * in the database, because a busy minute has very many.
 */
export function addChanges(tx: Tx, changes: LockedChanges, returnedBeginning: string): Promise<TallyChange[]> {
  if (tx.placement !== undefined) return addSums(tx, changes, returnedBeginning)
  return tx.query<TallyChange>(sql`
    with changed as materialized (${sumsOf({ items: changes }, returnedBeginning)}),
    added as (
      insert into tally as t (bucket, subject, slot, part, count, amount)
      select ${bucketOfSubject} as bucket, subject, slot, part, count, amount from changed where not is_returned
      order by bucket, subject, slot, part
      ${addToTally})
    select subject, part, slot, count, amount from changed where is_returned`)
}

type ChangeSum = TallyChange & { readonly is_returned: boolean }

function sumsOf(part: ShardPart<LockedChanges[number]>, returnedBeginning: string): Sql {
  return sql`
      select u.subject, u.slot, u.part, sum(u.count)::int8 as count, sum(u.amount)::float8 as amount,
        starts_with(u.subject, ${returnedBeginning}::text) as is_returned
      from ${columnsOf(part.items)} v(bucket, change_id)
      join tally_change c on c.bucket = v.bucket and c.change_id = v.change_id ${withinPart(part, 'c')}
      cross join lateral unnest(c.subjects, c.parts, c.slots, c.counts, c.amounts) u(subject, part, slot, count, amount)
      group by u.subject, u.slot, u.part`
}

/** Does the same in two steps: a tally is on another shard than its changes, and all are locked in one order. */
async function addSums(tx: Tx, changes: LockedChanges, returnedBeginning: string): Promise<TallyChange[]> {
  const sums = await byShard<ChangeSum, LockedChanges[number]>(tx, changes, (part) => sumsOf(part, returnedBeginning))
  const added = new Tally()
  for (const { subject, part, slot, count, amount, is_returned } of sums)
    if (!is_returned) added.add(subject, part, slot.getTime() * 1000, Number(count), amount)
  await addToTallies(tx, added.columns)
  return sums.filter(({ is_returned }) => is_returned)
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

export async function addToTallies(tx: Tx, { subject, part, slotUs, count, amount }: TallyColumns): Promise<void> {
  if (subject.length === 0) return
  await tx.query(sql`
    insert into tally as t (bucket, subject, slot, part, count, amount)
    select ${bucketOfSubject} as bucket, subject, slot, part, count, amount
    from unnest(
      ${textArray(subject)}::text[], ${timestampArray(slotUs)}::timestamptz[], ${textArray(part)}::text[],
      ${int8Array(count.map(String))}::int8[], ${float8Array(amount)}::float8[])
      v(subject, slot, part, count, amount)
    order by bucket, subject, slot, part
    ${addToTally}`)
}

export type TallySum = {
  readonly part: string
  readonly position: number
  readonly count: string
  readonly amount: number
}

/**
 * Sums the parts of a tally between moments (epoch milliseconds, ascending): position 0 is what happened before the first, and n what
 * happened from the n-th on. From the last on nothing counts, and before the first nothing unless `fromMs` is earlier. Without `part`, all
 * parts of the subject are returned.
 */
export function sumTally(
  tx: Tx,
  subject: string,
  startsMs: readonly number[],
  { part, fromMs = startsMs[0]! }: { readonly part?: string; readonly fromMs?: number } = {},
): Promise<TallySum[]> {
  const isWanted = (row: Sql) => sql`
    ${row}.subject = ${subject} and ${row}.slot >= ${timestampFromMs(fromMs)} and ${row}.slot < ${timestampFromMs(startsMs.at(-1)!)}
      and (${part === undefined} or ${row}.part = ${part ?? ''})`
  return tx.query<TallySum>(sql`
    select r.part, width_bucket(r.slot, ${timestampArray(startsMs.map((ms) => ms * 1000))}::timestamptz[])::int4 as position,
      sum(r.count)::int8 as count, sum(r.amount)::float8 as amount
    from (
      select t.part, t.slot, t.count, t.amount from tally t where t.bucket = ${bucketOf(subject)} and ${isWanted(sql`t`)}
      union all
      select u.part, u.slot, u.count, u.amount
      from tally_change c cross join lateral unnest(c.subjects, c.parts, c.slots, c.counts, c.amounts) u(subject, part, slot, count, amount)
      where ${isWanted(sql`u`)}) r
    group by r.part, position`)
}

/** Sums the parts of several tallies from a moment on (epoch milliseconds). */
export function sumSubjects(
  tx: Tx,
  subjects: readonly string[],
  fromMs: number,
): Promise<{ subject: string; part: string; count: string }[]> {
  const wanted = textArray(subjects)
  const from = timestampFromMs(fromMs)
  return tx.query(sql`
    select r.subject, r.part, sum(r.count)::int8 as count
    from (
      select t.subject, t.part, t.count
      from unnest(${int4Array(subjects.map(bucketOf))}::int4[], ${wanted}::text[]) w(bucket, subject)
      join tally t on t.bucket = w.bucket and t.subject = w.subject and t.slot >= ${from}
      union all
      select u.subject, u.part, u.count
      from tally_change c cross join lateral unnest(c.subjects, c.parts, c.slots, c.counts) u(subject, part, slot, count)
      where u.subject = any(${wanted}::text[]) and u.slot >= ${from}) r
    group by r.subject, r.part`)
}

/** Deletes tallies of before a moment, but not those with such a beginning. */
export async function deleteTalliesBefore(tx: Tx, beforeMs: number, keptBeginning: string): Promise<void> {
  await tx.query(sql`
    delete from tally where slot < ${timestampFromMs(beforeMs)} and not starts_with(subject, ${keptBeginning})`)
}
