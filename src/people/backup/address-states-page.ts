import { bucketCount } from '../../base/db/buckets.ts'
import type { Tx } from '../../base/db/db.ts'
import { listAllGroups, type WorkspaceRow } from '../../workspace/settings/store.ts'
import type { HashAddress } from '../identity/person.ts'
import type { BackupCursor, StatePosition } from './backup-cursor.ts'
import type { BackupLine } from './backup-lines.ts'
import { type HashedStateRow, listHashedStates } from './backup-store.ts'
import { addressStateColumns } from './backup-tables.ts'
import { formatRow } from './line-rows.ts'

/** The most states of addresses in one line. A page has one line. */
const statesMax = 500
/** The most buckets that one statement reads, and the most statements of one page. */
const bucketsMax = 512
const statementsMax = 20

/** The services that reading a page needs. */
export type BackupReading = {
  tx: Tx
  workspace: WorkspaceRow
  hashAddress: HashAddress
  /** The installation's secret, which signs links. */
  secret: Buffer
}
/** `next` is undefined after the last page. */
export type BackupPage = { lines: readonly BackupLine[]; next: BackupCursor | undefined }

/**
 * Returns an id of the secret with which this installation and workspace hashes addresses. Hashes with another secret cannot be used here.
 */
export function hashingKey(hashAddress: HashAddress, workspace_id: number): string {
  return hashAddress(workspace_id, 'email', '').slice(0, 16)
}

/** Returns the buckets that the n-th statement of a page reads: 1, 2, 4, ... buckets, beginning with `bucket`. */
export function bucketRange(bucket: number, n: number): number[] {
  const width = Math.min(2 ** n, bucketsMax, bucketCount - bucket)
  return Array.from({ length: width }, (_, i) => bucket + i)
}

/** Reads a page of states of addresses, including addresses without an owner. */
export async function statesPage(
  { tx, workspace, hashAddress }: BackupReading,
  after: StatePosition,
): Promise<BackupPage> {
  const { workspace_id } = workspace
  const rows: HashedStateRow[] = []
  let bucket = after.bucket
  let next: StatePosition | undefined
  for (let n = 0; n < statementsMax && bucket < bucketCount && !next; n++) {
    const buckets = bucketRange(bucket, n)
    rows.push(...(await listHashedStates(tx, workspace_id, buckets, after, statesMax - rows.length)))
    bucket += buckets.length
    if (rows.length === statesMax) next = rows.at(-1)
    else if (n + 1 === statementsMax && bucket < bucketCount) next = { bucket, kind: '', value: '', group_id: 0 }
  }
  if (rows.length === 0) return { lines: [], next: next && { stage: 'states', after: next } }
  const groups = new Map((await listAllGroups(tx)).map((group) => [group.group_id, group.id]))
  const states = rows.map(({ group_id, bucket, value, ...row }) => ({
    bucket,
    hash: value,
    ...formatRow(addressStateColumns, { ...row, group_id: groups.get(group_id) ?? null }),
  }))
  return {
    lines: [{ address_states: states, key: hashingKey(hashAddress, workspace_id) }],
    next: next && { stage: 'states', after: next },
  }
}
