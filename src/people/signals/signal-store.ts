import { int4Array, int8Array, textArray, timestampArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import { fedWorkspaces } from '../feed/write-store.ts'
import { laneOf, type NewSignal, type SignalKind, type Watched, type WatchedRow } from './signals.ts'

/** The versions of what a copy has: the table `watched`, and the workspaces with their settings and webhooks. */
export type RecordedVersions = { readonly watched: number; readonly workspace: number }

/** Updates a copy to the versions that this transaction has read. Sends no statement if they are the same. */
export async function refreshWatched(tx: Tx, copy: Watched, { watched, workspace }: RecordedVersions): Promise<void> {
  // Both only rise, so their sum is the same only when both are.
  const version = watched + workspace
  if (version === copy.version) return
  const rows = await tx.query<WatchedRow>(sql`select workspace_id, kind, name, signals from watched`)
  const fed = await tx.query<{ workspace_id: number }>(sql`select distinct f.workspace_id from (${fedWorkspaces}) f`)
  copy.refresh(
    version,
    rows,
    fed.map(({ workspace_id }) => workspace_id),
  )
}

/** Reads the versions with which a copy is compared. */
export async function findRecordedVersions(tx: Tx): Promise<RecordedVersions> {
  const rows = await tx.query<{ name: keyof RecordedVersions; number: string }>(
    sql`select name, number from version where name in ('watched', 'workspace')`,
  )
  const number = (wanted: keyof RecordedVersions) => Number(rows.find(({ name }) => name === wanted)!.number)
  return { watched: number('watched'), workspace: number('workspace') }
}

/** Returns the names of a kind that produce a signal. */
export function listWatchedNames(tx: Tx, kind: SignalKind): Promise<Pick<WatchedRow, 'workspace_id' | 'name'>[]> {
  return tx.query(prepared(sql`select workspace_id, name from watched where kind = ${kind} and signals`))
}

/** Returns the version of the table `watched`. */
export async function findWatchedVersion(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ number: string }>(sql`select number from version where name = 'watched'`)
  return Number(row!.number)
}

/** Writes signals; their ids are unique. */
export async function insertSignals(tx: Tx, rows: readonly NewSignal[]): Promise<void> {
  if (rows.length === 0) return
  await tx.query(sql`
    insert into signal (bucket, profile_id, signal_id, workspace_id, lane, kind, name, time, at, properties, amount, message_id)
    select bucket, profile_id, signal_id, workspace_id, lane::int2, kind, name, time, at, properties,
      amount::float8, nullif(message_id, 0)
    from unnest(
      ${int4Array(rows.map((row) => row.bucket))}::int4[], ${int8Array(rows.map((row) => row.profile_id))}::int8[],
      ${int8Array(rows.map((row) => row.signal_id))}::int8[], ${int4Array(rows.map((row) => row.workspace_id))}::int4[],
      ${int4Array(rows.map((row) => laneOf(row.bucket)))}::int4[], ${textArray(rows.map((row) => row.kind))}::text[],
      ${textArray(rows.map((row) => row.name))}::text[], ${timestampArray(rows.map((row) => row.timeUs))}::timestamptz[],
      ${timestampArray(rows.map((row) => row.atUs))}::timestamptz[],
      ${textArray(rows.map((row) => row.properties ?? null))}::text[],
      ${textArray(rows.map((row) => (typeof row.amount === 'number' ? String(row.amount) : null)))}::text[],
      ${int8Array(rows.map((row) => row.message_id ?? '0'))}::int8[])
      v(bucket, profile_id, signal_id, workspace_id, lane, kind, name, time, at, properties, amount, message_id)`)
}
