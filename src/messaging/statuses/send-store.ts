import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'

/** A send of a transactional campaign. `dispatch_id` is a UUID. */
export type TransactionalSend = {
  readonly dispatch_id: string
  readonly campaign_id: string
  readonly external_send_id: string | null
  readonly accepted_at: Date
}

/** Machine times: now, until when its id sends nothing again, and when its status is looked at first, if it is told to anybody. */
export type SendTimes = { readonly nowMs: number; readonly expiresMs: number; readonly dueMs: number | undefined }

/** Returns the send that a request with this id gets as its answer. */
export async function findSend(
  tx: Tx,
  workspace_id: number,
  external_send_id: string,
  nowMs: number,
): Promise<TransactionalSend | undefined> {
  const [row] = await tx.query<TransactionalSend>(
    prepared(sql`
    select dispatch_id, campaign_id, external_send_id, accepted_at from transactional_send
    where workspace_id = ${workspace_id} and external_send_id = ${external_send_id} and is_current
      and expires_at > ${timestampFromMs(nowMs)}`),
  )
  return row
}

/** Inserts a send. Waits for a request with the same id. Returns false when that has sent. */
export async function insertSend(
  tx: Tx,
  workspace_id: number,
  { dispatch_id, campaign_id, external_send_id, accepted_at }: TransactionalSend,
  { nowMs, expiresMs, dueMs }: SendTimes,
): Promise<boolean> {
  if (external_send_id !== null) {
    await tx.query(
      prepared(sql`
      update transactional_send set is_current = false
      where workspace_id = ${workspace_id} and external_send_id = ${external_send_id} and is_current
        and expires_at <= ${timestampFromMs(nowMs)}`),
    )
  }
  const due = dueMs === undefined ? sql`null` : timestampFromMs(dueMs)
  const rows = await tx.query(
    prepared(sql`
    insert into transactional_send (dispatch_id, workspace_id, campaign_id, external_send_id, is_current, expires_at, accepted_at, due_at)
    values (${dispatch_id}::uuid, ${workspace_id}, ${campaign_id}, ${external_send_id}, ${external_send_id !== null},
      ${timestampFromMs(expiresMs)}, ${timestampFromMs(accepted_at.getTime())}, ${due})
    on conflict do nothing returning 1`),
  )
  return rows.length > 0
}

/** Deletes sends whose id has expired before this machine time. */
export async function deleteSends(tx: Tx, beforeMs: number): Promise<void> {
  await tx.query(sql`delete from transactional_send where expires_at <= ${timestampFromMs(beforeMs)}`)
}
