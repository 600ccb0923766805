import { int8Array, textArray, timestampArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'
import { getSealingKey } from '../../workspace/settings/installation-store.ts'
import type { EventType } from '../feed/event-types.ts'
import { unsealSecret } from './config-store.ts'

/** A webhook whose delivery a worker has leased, with readable secrets. */
export type LeasedWebhook = {
  readonly workspace_id: number
  readonly id: string
  readonly name: string
  readonly url: string
  readonly event_types: readonly EventType[]
  readonly secrets: readonly string[]
  readonly position: bigint
  readonly ahead: readonly bigint[]
  readonly turn: number
  readonly failures: number
  readonly failingSinceMs: number | undefined
  readonly lease: string
}

type LeasedRow = {
  workspace_id: number
  id: string
  name: string
  url: string
  event_types: EventType[]
  secret: Buffer
  previous_secret: Buffer | null
  position: string
  ahead: string[]
  turn: number
  failures: number
  failing_since: Date | null
}

/** The key of a webhook. */
export type WebhookKey = { readonly workspace_id: number; readonly id: string }

const leasedColumns = sql`h.workspace_id, h.id, h.name, h.url, h.event_types, h.secret, h.position, h.ahead, h.turn, h.failures,
      h.failing_since`

/** Webhooks that are due and have something to send, as `o`. */
function dueWebhooks(nowMs: number): Sql {
  const now = timestampFromMs(nowMs)
  return sql`webhook o join feed f on f.workspace_id = o.workspace_id
      where o.state = 'active' and o.set_aside_at is null and o.due_at <= ${now} and o.position < f.last_position
        and (o.leased_until is null or o.leased_until <= ${now})`
}

/** Has a row when a webhook is due and has something to send. `nowMs` is machine time. */
export function dueWebhookProbe(nowMs: number): Sql {
  return sql`select 1 from ${dueWebhooks(nowMs)}`
}

/** Leases webhooks that are due and have something to send. Times are machine time. */
export async function claimWebhooks(
  tx: Tx,
  limit: number,
  lease: string,
  nowMs: number,
  untilMs: number,
): Promise<LeasedWebhook[]> {
  const now = timestampFromMs(nowMs)
  const rows = await tx.query<LeasedRow>(
    prepared(sql`
    with due as materialized (
      select o.workspace_id, o.id from ${dueWebhooks(nowMs)}
      order by o.due_at, o.workspace_id, o.id limit ${limit} for update of o skip locked)
    update webhook h set lease = ${lease}::uuid, leased_until = ${timestampFromMs(untilMs)}
    from due d where h.workspace_id = d.workspace_id and h.id = d.id
    returning ${leasedColumns}, case when h.previous_until > ${now} then h.previous_secret end as previous_secret`),
  )
  if (rows.length === 0) return []
  const key = await getSealingKey(tx)
  return rows.map(({ secret, previous_secret, position, ahead, failing_since, ...row }) => {
    const sealed = [secret, ...(previous_secret ? [previous_secret] : [])]
    return {
      ...row,
      lease,
      secrets: sealed.map((each) => unsealSecret(each, row.workspace_id, row.id, key)),
      position: BigInt(position),
      ahead: ahead.map(BigInt),
      failingSinceMs: failing_since?.getTime(),
    }
  })
}

/** Returns a webhook without a lease, for a test; undefined when there is none. */
export async function findForTest(
  tx: Tx,
  { workspace_id, id }: WebhookKey,
  nowMs: number,
): Promise<{ url: string; secrets: string[] } | undefined> {
  const [row] = await tx.query<{ url: string; secret: Buffer; previous_secret: Buffer | null }>(sql`
    select url, secret, case when previous_until > ${timestampFromMs(nowMs)} then previous_secret end as previous_secret
    from webhook where workspace_id = ${workspace_id} and id = ${id}`)
  if (!row) return undefined
  const key = await getSealingKey(tx)
  const sealed = [row.secret, ...(row.previous_secret ? [row.previous_secret] : [])]
  return { url: row.url, secrets: sealed.map((each) => unsealSecret(each, workspace_id, id, key)) }
}

/** What a worker stores of a delivery. Times are machine time. */
export type DeliveryProgress = {
  readonly position: bigint
  readonly ahead: readonly bigint[]
  readonly failures: number
  readonly failingSinceMs: number | undefined
  readonly dueMs: number
  readonly deliveredMs: number | undefined
  /** Why it is set aside now. */
  readonly setAside?: { readonly atMs: number; readonly because: string } | undefined
  /** How many positions were passed over. */
  readonly lost: bigint
  /** Until when the worker goes on; undefined when it gives the lease back. */
  readonly leasedUntilMs: number | undefined
}

/**
 * Stores progress. Returns false, and stores nothing, when the lease is another one, or when the position was set by hand meanwhile, or
 * the webhook was deleted.
 */
export async function writeProgress(tx: Tx, webhook: LeasedWebhook, progress: DeliveryProgress): Promise<boolean> {
  const { workspace_id, id, lease, turn } = webhook
  const { position, ahead, failures, failingSinceMs, dueMs, deliveredMs, setAside, lost, leasedUntilMs } = progress
  const rows = await tx.query(
    prepared(sql`
    update webhook h set position = ${position.toString()}::int8, ahead = ${int8Array(ahead)}::int8[], failures = ${failures},
      failing_since = ${momentOrNull(failingSinceMs)}, due_at = ${timestampFromMs(dueMs)},
      delivered_at = coalesce(${momentOrNull(deliveredMs)}, h.delivered_at),
      set_aside_at = coalesce(h.set_aside_at, ${momentOrNull(setAside?.atMs)}),
      set_aside_because = coalesce(h.set_aside_because, ${setAside?.because ?? null}),
      lost_positions = h.lost_positions + ${lost.toString()}::int8, leased_until = ${momentOrNull(leasedUntilMs)},
      lease = case when ${leasedUntilMs !== undefined} then h.lease end
    where h.workspace_id = ${workspace_id} and h.id = ${id} and h.lease = ${lease}::uuid and h.turn = ${turn} returning h.id`),
  )
  return rows.length > 0
}

function momentOrNull(ms: number | undefined): Sql {
  return ms === undefined ? sql`null::timestamptz` : timestampFromMs(ms)
}

/** Gives a lease back without progress. */
export async function releaseWebhook(tx: Tx, { workspace_id, id, lease }: LeasedWebhook): Promise<void> {
  await tx.query(sql`
    update webhook set lease = null, leased_until = null
    where workspace_id = ${workspace_id} and id = ${id} and lease = ${lease}::uuid`)
}

/** Lets a lease last longer. Returns false when it is another one, or the webhook must not send any more. */
export async function renewLease(tx: Tx, webhook: LeasedWebhook, untilMs: number): Promise<boolean> {
  const { workspace_id, id, lease, turn } = webhook
  const rows = await tx.query(
    prepared(sql`
    update webhook set leased_until = ${timestampFromMs(untilMs)}
    where workspace_id = ${workspace_id} and id = ${id} and lease = ${lease}::uuid and turn = ${turn} and state = 'active'
      and set_aside_at is null returning id`),
  )
  return rows.length > 0
}

/** A request that was made. `position` and `subject_id` are null for a test. Machine time. */
export type NewAttempt = {
  readonly attempt_id: string
  readonly event_id: string
  readonly type: string
  readonly position: string | null
  readonly subject_id: string | null
  readonly atMs: number
  readonly durationMs: number
  readonly status: number | null
  readonly error: string | null
  readonly answer: string | null
}

/**
 * Stores attempts, even if another worker has the lease by now, and deletes all but the newest. Attempts of a webhook that was deleted
 * are not stored.
 */
export async function insertAttempts(
  tx: Tx,
  { workspace_id, id }: WebhookKey,
  attempts: readonly NewAttempt[],
  kept: number,
): Promise<void> {
  if (attempts.length === 0) return
  await tx.query(
    prepared(sql`
    insert into webhook_attempt (workspace_id, webhook_id, attempt_id, event_id, type, position, subject_id, at, duration_ms, status, error,
      answer)
    select h.workspace_id, h.id, v.attempt_id::uuid, v.event_id::uuid, v.type, v.position::int8, v.subject_id::int8, v.at,
      v.duration_ms::int4, v.status::int4, v.error, v.answer
    from webhook h cross join unnest(
      ${textArray(attempts.map((each) => each.attempt_id))}::text[], ${textArray(attempts.map((each) => each.event_id))}::text[],
      ${textArray(attempts.map((each) => each.type))}::text[], ${textArray(attempts.map((each) => each.position))}::text[],
      ${textArray(attempts.map((each) => each.subject_id))}::text[],
      ${timestampArray(attempts.map((each) => Math.round(each.atMs * 1000)))}::timestamptz[],
      ${textArray(attempts.map((each) => String(Math.round(each.durationMs))))}::text[],
      ${textArray(attempts.map((each) => (each.status === null ? null : String(each.status))))}::text[],
      ${textArray(attempts.map((each) => each.error))}::text[], ${textArray(attempts.map((each) => each.answer))}::text[])
      v(attempt_id, event_id, type, position, subject_id, at, duration_ms, status, error, answer)
    where h.workspace_id = ${workspace_id} and h.id = ${id} on conflict do nothing`),
  )
  await tx.query(
    prepared(sql`
    delete from webhook_attempt a where a.workspace_id = ${workspace_id} and a.webhook_id = ${id} and a.attempt_id in (
      select o.attempt_id from webhook_attempt o where o.workspace_id = ${workspace_id} and o.webhook_id = ${id}
      order by o.at desc, o.attempt_id offset ${kept})`),
  )
}

export async function deleteAttemptsBefore(tx: Tx, beforeMs: number): Promise<void> {
  await tx.query(sql`delete from webhook_attempt where at < ${timestampFromMs(beforeMs)}`)
}

/** Removes what attempts tell about people who are deleted. */
export async function forgetSubjects(tx: Tx, profile_ids: readonly string[]): Promise<void> {
  await tx.query(
    prepared(sql`
    update webhook_attempt set subject_id = null, answer = null
    where subject_id = any(${int8Array(profile_ids)}::int8[])`),
  )
}
