import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'
import type { WebhookKey } from './delivery-store.ts'

/** How the delivery to a webhook is going. Positions are decimal texts; times are machine time. */
export type DeliveryRow = {
  readonly id: string
  readonly name: string
  readonly url: string
  readonly state: 'active' | 'paused'
  readonly position: string
  readonly last_position: string
  readonly failures: number
  readonly failing_since: Date | null
  readonly due_at: Date
  readonly delivered_at: Date | null
  readonly set_aside_at: Date | null
  readonly set_aside_because: string | null
  readonly previous_until: Date | null
  readonly lost_positions: string
}

/** Lists the deliveries to the webhooks of a workspace, oldest webhook first; with `id` that of one webhook. */
export function listDeliveries(tx: Tx, workspace_id: number, id?: string): Promise<DeliveryRow[]> {
  return tx.query<DeliveryRow>(sql`
    select h.id, h.name, h.url, h.state, h.position, greatest(f.last_position, h.position) as last_position, h.failures, h.failing_since,
      h.due_at, h.delivered_at, h.set_aside_at, h.set_aside_because, h.previous_until, h.lost_positions
    from webhook h left join feed f on f.workspace_id = h.workspace_id
    where h.workspace_id = ${workspace_id} and (${id === undefined} or h.id = ${id ?? ''}) order by h.created_at, h.id collate "C"`)
}

/** An attempt as it is stored. */
export type AttemptRow = {
  readonly attempt_id: string
  readonly event_id: string
  readonly type: string
  readonly position: string | null
  readonly at: Date
  readonly duration_ms: number
  readonly status: number | null
  readonly error: string | null
  readonly answer: string | null
}

/** Lists attempts, newest first. */
export function listAttempts(tx: Tx, { workspace_id, id }: WebhookKey, limit: number): Promise<AttemptRow[]> {
  return tx.query<AttemptRow>(sql`
    select attempt_id, event_id, type, position, at, duration_ms, status, error, answer from webhook_attempt
    where workspace_id = ${workspace_id} and webhook_id = ${id} order by at desc, attempt_id limit ${limit}`)
}

/** Lets a webhook that was set aside or waits send at once, as if nothing had failed. */
export async function resumeDelivery(tx: Tx, { workspace_id, id }: WebhookKey): Promise<void> {
  await tx.query(sql`
    update webhook set set_aside_at = null, set_aside_because = null, failures = 0, failing_since = null, due_at = 'epoch'
    where workspace_id = ${workspace_id} and id = ${id}`)
}

/**
 * Moves a webhook back to a position, so that everything behind it is sent again, and then what came since. It never moves forward: that
 * would leave out events. Returns the position.
 */
export async function moveBack(tx: Tx, { workspace_id, id }: WebhookKey, position: bigint): Promise<bigint> {
  const [row] = await tx.query<{ position: string }>(sql`
    update webhook set position = least(position, ${position.toString()}::int8), ahead = '{}', turn = turn + 1, due_at = 'epoch'
    where workspace_id = ${workspace_id} and id = ${id} returning position`)
  return BigInt(row!.position)
}

/** Counts webhooks by their state, for metrics. */
export async function countSetAside(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    sql`select count(*)::int4 as count from webhook where set_aside_at is not null`,
  )
  return row!.count
}
