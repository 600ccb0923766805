import { byShard, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, raw, type Sql, sql } from '../../base/db/sql.ts'
import type { Move, Person } from '../identity/person.ts'
import { moveRows, personRows } from '../identity/person-store.ts'
import type { MergeState } from './fold.ts'
import { type ColumnType, fromMoment, listColumns, stateColumns } from './state-store.ts'

const mergeColumns: Record<keyof MergeState, ColumnType> = {
  ...stateColumns,
  external_id: 'text',
  session_count: 'int',
  total_revenue: 'float8',
  attributed_campaign: 'text',
  attributed_source: 'text',
  attributed_adgroup: 'text',
  attributed_ad: 'text',
}

const { names, recordColumns, fromRecord, toState } = listColumns(mergeColumns)

export type MergeRow = MergeState & {
  readonly bucket: number
  readonly profile_id: string
  readonly workspace_id: number
}

/** Locks people who are neither merged nor deleted, in lock order, and loads the columns that a merge reads. */
export function lockMergeStates(tx: Tx, people: readonly Person[]): Promise<MergeRow[]> {
  return selectMergeStates(tx, people, sql`for update of p`)
}

/** Loads the same columns without a lock. */
export function listMergeStates(tx: Tx, people: readonly Person[]): Promise<MergeRow[]> {
  return selectMergeStates(tx, people, sql``)
}

async function selectMergeStates(tx: Tx, people: readonly Person[], lock: Sql): Promise<MergeRow[]> {
  return byShard<MergeRow, Person>(tx, people, (part) =>
    prepared(sql`
    select p.bucket, p.profile_id, p.workspace_id, ${toState}
    from ${personRows(part.items)} w(bucket, profile_id)
    join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id
    where p.merged_into is null ${withinPart(part, 'p')} order by p.bucket, p.profile_id ${lock}`),
  )
}

/** The state to save of a profile. `into`: the profile it was merged into; null for the kept one. */
export type SavedMerge = { person: Person; state: MergeState; into: Person | null; stampUs: number }

/** Writes every column of the states, whose rows are locked. */
export async function saveMergeStates(tx: Tx, saved: readonly SavedMerge[]): Promise<void> {
  const records = saved.map(({ person: { bucket, profile_id }, state, into, stampUs }) => ({
    ...state,
    bucket,
    profile_id,
    into_bucket: into?.bucket,
    into_id: into?.profile_id,
    stamp: stampUs,
  }))
  await byShard<unknown, (typeof records)[number]>(tx, records, (part) =>
    prepared(sql`
    update profile p set (${names}, merged_bucket, merged_into, updated_at)
      = row(${fromRecord}, v.into_bucket, v.into_id, greatest(p.updated_at, ${fromStamp}))
    from jsonb_to_recordset(${JSON.stringify(part.items)}::jsonb)
      v(bucket int, profile_id int8, into_bucket int, into_id int8, stamp float8, ${recordColumns})
    where p.bucket = v.bucket and p.profile_id = v.profile_id ${withinPart(part, 'p')}`),
  )
}

const fromStamp = raw(fromMoment('stamp'))

/** Makes the rows of profiles that were merged earlier point at the current kept profile. */
export async function repointMergedProfiles(tx: Tx, moves: readonly Move[]): Promise<void> {
  if (moves.length === 0) return
  await byShard<unknown, Move>(
    tx,
    moves,
    (part) =>
      prepared(sql`
    update profile p set merged_bucket = w.into_bucket, merged_into = w.into_id
    from ${moveRows(part.items)} w(bucket, profile_id, into_bucket, into_id)
    where p.bucket = w.bucket and p.profile_id = w.profile_id ${withinPart(part, 'p')}`),
    ({ from }) => from.bucket,
  )
}
