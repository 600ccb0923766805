import type { Static } from 'typebox'
import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { notFound } from '../../base/errors.ts'
import { readLimit } from '../../base/http/query.ts'
import type { Request } from '../../base/http/route.ts'
import { selectedId } from '../../workspace/settings/selected.ts'
import type { NewAttempt, WebhookKey } from './delivery-store.ts'
import { type Attempt, attemptsDefault, attemptsKept, type Delivery } from './schema.ts'
import { type AttemptRow, type DeliveryRow, listAttempts, listDeliveries } from './state-store.ts'

export type DeliveryReply = Static<typeof Delivery>
export type AttemptReply = Static<typeof Attempt>

/** Lists how the deliveries to all webhooks of a workspace are going. */
export async function readDeliveries(call: Call, request: Request): Promise<{ deliveries: DeliveryReply[] }> {
  const rows = await listDeliveries(call.db, await selectedId(call, request))
  return { deliveries: rows.map((row) => describeDelivery(row, call.clock.elapsed())) }
}

/** Reads how the delivery to one webhook is going, with the newest attempts. Throws 404. */
export async function readAttempts(
  call: Call,
  request: Request,
): Promise<{ delivery: DeliveryReply; attempts: AttemptReply[] }> {
  const limit = readLimit(request.query, attemptsDefault, attemptsKept)
  const key = await keyIn(call, request)
  const delivery = await getDelivery(call.db, key, call.clock.elapsed())
  const attempts = await listAttempts(call.db, key, limit)
  return { delivery, attempts: attempts.map(describeStored) }
}

/** Returns the key of the webhook that a request names. */
export async function keyIn(call: Call, request: Request): Promise<WebhookKey> {
  return { workspace_id: await selectedId(call, request), id: request.params.id! }
}

/** Reads the delivery to a webhook. Throws 404. */
export async function getDelivery(tx: Tx, { workspace_id, id }: WebhookKey, nowMs: number): Promise<DeliveryReply> {
  const [row] = await listDeliveries(tx, workspace_id, id)
  if (!row) throw unknownWebhook(id)
  return describeDelivery(row, nowMs)
}

export function unknownWebhook(id: string): Error {
  return notFound(`There is no webhook ${JSON.stringify(id)}`)
}

/** Describes a delivery. `nowMs`: machine time. Pure. */
export function describeDelivery(row: DeliveryRow, nowMs: number): DeliveryReply {
  const { id, name, url, position, last_position, failures, due_at, set_aside_at, previous_until } = row
  const state = set_aside_at === null ? row.state : 'set_aside'
  const isWaiting = state === 'active' && failures > 0
  return {
    ...{ id, name, url, state, cursor: position, failures },
    waiting: Number(BigInt(last_position) - BigInt(position)),
    failing_since: textOf(row.failing_since),
    next_attempt_at: isWaiting ? due_at.toISOString() : null,
    delivered_at: textOf(row.delivered_at),
    set_aside_at: textOf(set_aside_at),
    set_aside_because: row.set_aside_because,
    previous_secret_until: previous_until && previous_until.getTime() > nowMs ? previous_until.toISOString() : null,
    lost: Number(row.lost_positions),
  }
}

function textOf(time: Date | null): string | null {
  return time?.toISOString() ?? null
}

function describeStored(row: AttemptRow): AttemptReply {
  const { attempt_id: id, event_id, type, position: cursor, at, duration_ms, status, error, answer } = row
  return { id, event_id, type, cursor, at: at.toISOString(), duration_ms, status, error, answer }
}

/** Describes an attempt that was just made. Pure. */
export function describeMade(made: NewAttempt): AttemptReply {
  const { attempt_id: id, event_id, type, position: cursor, atMs, durationMs, status, error, answer } = made
  const at = new Date(atMs).toISOString()
  return { id, event_id, type, cursor, at, duration_ms: Math.round(durationMs), status, error, answer }
}
