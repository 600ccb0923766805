import { int4Array, jsonbArray, textArray } from '../../base/db/arrays.ts'
import { byShard, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromMs, timestampFromUs, timestampFromUsText } from '../../base/db/timestamps.ts'
import { bucketOfId, type Person, person } from '../identity/person.ts'
import type { WorkItem, WorkKind, WorkOutcome, WorkState } from './work-schema.ts'

/** An item to accept. `person_hashes` are hashes of the people that it names (`person-hash.ts`). */
export type NewWorkItem = Pick<WorkItem, 'workspace_id' | 'kind' | 'asked'> & { person_hashes: readonly string[] }

type WorkItemKey = Pick<WorkItem, 'bucket' | 'request_id' | 'position'>

/** The first 12 bits of a request's id are its bucket. */
export function requestBucket(request_id: string): number {
  return Number.parseInt(request_id.slice(0, 3), 16)
}

function itemsOf(items: readonly WorkItemKey[]): Sql {
  return sql`unnest(
    ${int4Array(items.map((item) => item.bucket))}::int4[], ${textArray(items.map((item) => item.request_id))}::text[]::uuid[],
    ${int4Array(items.map((item) => item.position))}::int4[])`
}

/**
 * Stores the items of a request. Their stamp is later than that of all waiting items. So a request that is answered before another one
 * arrives is carried out first, even when the clocks of two processes differ.
 */
export async function insertItems(
  tx: Tx,
  request_id: string,
  items: readonly NewWorkItem[],
  stampUs: number,
): Promise<void> {
  await tx.query(
    prepared(sql`
    insert into work (bucket, request_id, position, workspace_id, kind, asked, person_hashes, state, accepted_at)
    select ${requestBucket(request_id)}, ${request_id}::uuid, v.n - 1, v.workspace_id, v.kind, v.asked,
      array(select jsonb_array_elements_text(v.person_hashes)), 'waiting', greatest(${timestampFromUs(stampUs)}, l.accepted_at)
    from unnest(
      ${int4Array(items.map((item) => item.workspace_id))}::int4[], ${textArray(items.map((item) => item.kind))}::text[],
      ${jsonbArray(items.map((item) => JSON.stringify(item.asked)))}::jsonb[],
      ${jsonbArray(items.map((item) => JSON.stringify(item.person_hashes)))}::jsonb[])
      with ordinality v(workspace_id, kind, asked, person_hashes, n)
    cross join (
      select max(accepted_at) + interval '1 microsecond' as accepted_at from work where state <> 'done') l`),
  )
}

/** A waiting item. `scrubbed`: a person that it names was deleted meanwhile, so the finished item keeps no request. */
export type ClaimedItem = WorkItem & { scrubbed: boolean }

/**
 * Returns the oldest waiting items in the order of acceptance, or undefined while another process carries out work. No other process can
 * claim items until the transaction ends.
 */
export async function claimItems(tx: Tx, limit: number): Promise<ClaimedItem[] | undefined> {
  const [lock, items] = await Promise.all([
    tx.query(sql`select 1 from version where name = 'work' for update skip locked`),
    tx.query<ClaimedItem>(sql`
      select bucket, request_id, position, workspace_id, kind, asked, person_hashes = '{}' as scrubbed
      from work where state = 'waiting' order by accepted_at, request_id, position limit ${limit}`),
  ])
  return lock.length === 0 ? undefined : items
}

/** A finished item with its outcome. `person_hashes` are hashes of its people. */
export type FinishedItem = {
  item: WorkItem
  outcome: WorkOutcome
  /** Whether history is still to be moved or deleted. */
  moving: boolean
  from: Person | undefined
  into: Person | undefined
  /** The profiles that were merged into a deleted person earlier. */
  mergedProfiles: readonly Person[]
  person_hashes: readonly string[]
}

/** Finishes items. They keep their request, except deletions that did not fail, and items that name a deleted person. */
export async function finishItems(tx: Tx, finished: readonly FinishedItem[], stampUs: number): Promise<void> {
  if (finished.length === 0) return
  await byShard<unknown, FinishedItem>(
    tx,
    finished,
    (part) =>
      prepared(sql`
    update work w set state = case when v.moving then 'moving' else 'done' end, outcome = v.outcome,
      asked = case when w.person_hashes = '{}' or (w.kind = 'delete' and v.outcome <> 'failed') then null else w.asked end,
      person_hashes = case when w.person_hashes = '{}' then w.person_hashes
        else w.person_hashes || array(select jsonb_array_elements_text(v.person_hashes)) end,
      from_bucket = v.from_bucket, from_id = v.from_id, into_bucket = v.into_bucket, into_id = v.into_id,
      merged_ids = array(select jsonb_array_elements_text(v.merged)::int8),
      finished_at = case when v.moving then null else ${timestampFromUs(stampUs)} end
    from (select i.*, r.* from ${itemsOf(part.items.map(({ item }) => item))} with ordinality i(bucket, request_id, position, n)
      join jsonb_to_recordset(${recordsOf(part.items)}::jsonb) r(nth int8, outcome text, moving boolean, from_bucket int,
        from_id int8, into_bucket int, into_id int8, merged jsonb, person_hashes jsonb) on r.nth = i.n) v
    where w.bucket = v.bucket and w.request_id = v.request_id and w.position = v.position ${withinPart(part, 'w')}`),
    ({ item }) => item.bucket,
  )
}

function recordsOf(finished: readonly FinishedItem[]): string {
  return JSON.stringify(
    finished.map(({ outcome, moving, from, into, mergedProfiles, person_hashes }, i) => ({
      nth: i + 1,
      outcome,
      moving,
      from_bucket: from?.bucket ?? null,
      from_id: from?.profile_id ?? null,
      into_bucket: into?.bucket ?? null,
      into_id: into?.profile_id ?? null,
      merged: mergedProfiles.map(({ profile_id }) => profile_id),
      person_hashes,
    })),
  )
}

/**
 * Removes the request and the people from every item with one of these hashes. A waiting item keeps its request until it is carried out. A
 * moving item keeps its people until its history is moved.
 */
export async function scrubItems(tx: Tx, person_hashes: readonly string[]): Promise<void> {
  await tx.query(sql`
    update work set person_hashes = '{}', asked = case when state = 'waiting' then asked end,
      from_bucket = case when state = 'moving' then from_bucket end, from_id = case when state = 'moving' then from_id end,
      into_bucket = case when state = 'moving' then into_bucket end, into_id = case when state = 'moving' then into_id end
    where person_hashes && ${textArray(person_hashes)}::text[]`)
}

/** An item that is done except for its history. */
export type MovingItem = Pick<WorkItem, 'bucket' | 'request_id' | 'position' | 'workspace_id' | 'kind'> & {
  from: Person
  into: Person | undefined
  mergedProfiles: readonly Person[]
}

type MovingRow = Omit<MovingItem, 'from' | 'into' | 'mergedProfiles'> & {
  from_bucket: number
  from_id: string
  into_bucket: number | null
  into_id: string | null
  merged_ids: string[] | null
}

export async function listMoving(tx: Tx, limit: number): Promise<MovingItem[]> {
  const rows = await tx.query<MovingRow>(sql`
    select bucket, request_id, position, workspace_id, kind, from_bucket, from_id, into_bucket, into_id, merged_ids
    from work where state = 'moving' order by accepted_at, request_id, position limit ${limit}`)
  return rows.map(({ from_bucket, from_id, into_bucket, into_id, merged_ids, ...row }) => ({
    ...row,
    from: person(from_bucket, from_id),
    into: into_bucket === null || into_id === null ? undefined : person(into_bucket, into_id),
    mergedProfiles: (merged_ids ?? []).map((id) => person(bucketOfId(id), id)),
  }))
}

/** Finishes items whose history was moved or deleted. Items without a request keep no people either. */
export async function finishMoving(tx: Tx, items: readonly WorkItemKey[], stampUs: number): Promise<void> {
  await byShard<unknown, WorkItemKey>(tx, items, (part) =>
    prepared(sql`
    update work w set state = 'done', finished_at = ${timestampFromUs(stampUs)}, merged_ids = null,
      from_bucket = case when asked is not null then from_bucket end, from_id = case when asked is not null then from_id end,
      into_bucket = case when asked is not null then into_bucket end, into_id = case when asked is not null then into_id end
    from ${itemsOf(part.items)} v(bucket, request_id, position)
    where w.bucket = v.bucket and w.request_id = v.request_id and w.position = v.position and w.state = 'moving' ${withinPart(part, 'w')}`),
  )
}

/** Has a row when an item is in a state. */
export function workProbe(state: 'waiting' | 'moving'): Sql {
  return state === 'waiting'
    ? sql`select 1 from work where state = 'waiting' order by accepted_at limit 1`
    : sql`select 1 from work where state = 'moving' order by accepted_at limit 1`
}

/** Returns whether any item waits. */
export async function isAnyWaiting(tx: Tx): Promise<boolean> {
  const rows = await tx.query(workProbe('waiting'))
  return rows.length > 0
}

/** Returns whether an item of this request waits. */
export async function isWaiting(tx: Tx, request_id: string): Promise<boolean> {
  const rows = await tx.query(sql`
    select 1 from work where bucket = ${requestBucket(request_id)} and request_id = ${request_id}::uuid and state = 'waiting' limit 1`)
  return rows.length > 0
}

/** Counts waiting items, up to `countMax`. */
export async function countWaiting(tx: Tx, countMax: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::int as count from (select 1 from work where state = 'waiting' limit ${countMax}) w`)
  return row!.count
}

/** Selects items; undefined selects all. */
export type WorkFilter = {
  workspace_id: number
  kind: WorkKind | undefined
  state: WorkState | undefined
  outcome: WorkOutcome | undefined
  request_id: string | undefined
}

function matchesFilter({ workspace_id, kind, state, outcome, request_id }: WorkFilter): Sql {
  const bucket = request_id === undefined ? null : requestBucket(request_id)
  return sql`w.workspace_id = ${workspace_id} and w.kind = coalesce(${kind ?? null}::text, w.kind)
      and w.state = coalesce(${state ?? null}::text, w.state)
      and (${outcome ?? null}::text is null or w.outcome = ${outcome ?? null}::text)
      and (${bucket}::int is null or w.bucket = ${bucket}::int and w.request_id = ${request_id ?? null}::uuid)`
}

/** A page begins after this item. */
export type WorkCursor = { acceptedUs: string; request_id: string; position: number }

export type WorkRow = Omit<WorkItem, 'bucket' | 'asked'> & {
  asked: WorkItem['asked'] | null
  state: WorkState
  outcome: WorkOutcome | null
  from_id: string | null
  into_id: string | null
  accepted_at: Date
  accepted_us: string
  finished_at: Date | null
}

const workColumns = sql`w.request_id, w.position, w.workspace_id, w.kind, w.asked, w.state, w.outcome, w.from_id, w.into_id,
      w.accepted_at, (extract(epoch from w.accepted_at) * 1000000)::int8 as accepted_us, w.finished_at`

/** Lists items, newest first. */
export async function listItems(
  tx: Tx,
  filter: WorkFilter,
  after: WorkCursor | undefined,
  limit: number,
): Promise<WorkRow[]> {
  const page = after
    ? sql`and (w.accepted_at, w.request_id, w.position) < (${timestampFromUsText(after.acceptedUs)},
        ${after.request_id}::uuid, ${after.position}::int)`
    : sql``
  return tx.query<WorkRow>(sql`
    select ${workColumns} from work w where ${matchesFilter(filter)} ${page}
    order by w.workspace_id desc, w.accepted_at desc, w.request_id desc, w.position desc limit ${limit}`)
}

/** Waits until no process carries out work, and lets none begin until the transaction ends. */
export async function lockWork(tx: Tx): Promise<void> {
  await tx.query(sql`select 1 from version where name = 'work' for update`)
}

export async function findItem(
  tx: Tx,
  workspace_id: number,
  request_id: string,
  position: number,
): Promise<WorkRow | undefined> {
  const [row] = await tx.query<WorkRow>(sql`
    select ${workColumns} from work w where w.bucket = ${requestBucket(request_id)} and w.request_id = ${request_id}::uuid
      and w.position = ${position} and w.workspace_id = ${workspace_id}`)
  return row
}

/** Makes a finished item wait again. It keeps its place among the others. */
export async function reopenItem(tx: Tx, { request_id, position }: Pick<WorkItem, 'request_id' | 'position'>) {
  await tx.query(sql`
    update work set state = 'waiting', outcome = null, finished_at = null, from_bucket = null, from_id = null,
      into_bucket = null, into_id = null
    where bucket = ${requestBucket(request_id)} and request_id = ${request_id}::uuid and position = ${position}
      and state = 'done' and asked is not null`)
}

/** Ends a waiting item without an effect. A request that names a deleted person is not kept. */
export async function discardItem(
  tx: Tx,
  { request_id, position }: Pick<WorkItem, 'request_id' | 'position'>,
  stampUs: number,
): Promise<void> {
  await tx.query(sql`
    update work set state = 'done', outcome = 'discarded', finished_at = ${timestampFromUs(stampUs)},
      asked = case when person_hashes <> '{}' then asked end
    where bucket = ${requestBucket(request_id)} and request_id = ${request_id}::uuid and position = ${position}
      and state = 'waiting'`)
}

export type WorkCount = { state: WorkState; outcome: WorkOutcome | null; count: number }

/** Counts the newest items by state and outcome. */
export async function countItems(tx: Tx, filter: WorkFilter, newest: number): Promise<WorkCount[]> {
  return tx.query<WorkCount>(sql`
    select n.state, n.outcome, count(*)::int as count from (
      select w.state, w.outcome from work w where ${matchesFilter({ ...filter, state: undefined, outcome: undefined })}
      order by w.workspace_id desc, w.accepted_at desc, w.request_id desc, w.position desc limit ${newest}) n
    group by n.state, n.outcome`)
}

/** Deletes up to `limit` finished items that were accepted before `beforeMs`. Returns how many. */
export async function deleteItems(tx: Tx, workspace_id: number, beforeMs: number, limit: number): Promise<number> {
  const deleted = await tx.query(sql`
    delete from work w using (
      select bucket, request_id, position from work
      where workspace_id = ${workspace_id} and accepted_at < ${timestampFromMs(beforeMs)} and state = 'done'
      order by accepted_at limit ${limit}) o
    where w.bucket = o.bucket and w.request_id = o.request_id and w.position = o.position returning 1`)
  return deleted.length
}
