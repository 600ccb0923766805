import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { conflict, invalid } from '../../base/errors.ts'
import { parseInstant } from '../../base/http/query.ts'
import type { Request } from '../../base/http/route.ts'
import { recordAudit } from '../../workspace/audit/record.ts'
import { elapsedMs } from '../../workspace/settings/duration.ts'
import { findFeed } from '../feed/number-store.ts'
import { readFeedCursor } from '../feed/read-feed.ts'
import { findPositionBefore } from '../feed/read-store.ts'
import { isObject } from '../values/values.ts'
import { replaceSecret } from './config-store.ts'
import type { WebhookKey } from './delivery-store.ts'
import { type DeliveryReply, getDelivery, keyIn } from './list-deliveries.ts'
import { overlapDaysMax, overlapDefault } from './schema.ts'
import { newSecret } from './sign.ts'
import { moveBack, resumeDelivery } from './state-store.ts'

const dayMs = 86_400_000

/** Lets a webhook that was set aside, or waits after a failure, send at once. Throws 404. */
export function resumeWebhook(call: Call, request: Request): Promise<{ delivery: DeliveryReply }> {
  return change(call, request, 'resume', async (tx, key) => {
    await resumeDelivery(tx, key)
    return {}
  })
}

/**
 * Sends events again: those since a time, or behind a cursor. What comes meanwhile follows in order. Throws 400 for what is ahead of the
 * webhook, 404, and 410 for a cursor whose events are no longer kept.
 */
export function replayEvents(call: Call, request: Request): Promise<{ delivery: DeliveryReply }> {
  const wanted = readReplay(request.body)
  return change(call, request, 'replay', async (tx, key) => {
    const feed = await findFeed(tx, key.workspace_id)
    if (!feed) throw conflict('The feed has no events yet')
    const delivery = await getDelivery(tx, key, call.clock.elapsed())
    const current = BigInt(delivery.cursor)
    const position =
      'cursor' in wanted
        ? readFeedCursor(wanted.cursor, feed)
        : ((await findPositionBefore(tx, key.workspace_id, wanted.fromMs)) ?? current)
    if ('cursor' in wanted && position > current)
      throw invalid("'cursor' must not be ahead of the cursor of the webhook: events would be left out")
    await moveBack(tx, key, position)
    return {}
  })
}

/** Makes a new secret, which is returned once. The one before signs as well for a while. Throws 400 and 404. */
export function rotateSecret(call: Call, request: Request): Promise<{ delivery: DeliveryReply; secret: string }> {
  const overlapMs = readOverlap(request.body)
  const secret = newSecret()
  return change(call, request, 'rotate', async (tx, { workspace_id, id }) => {
    await replaceSecret(tx, workspace_id, id, secret, call.clock.elapsed() + overlapMs)
    return { secret }
  })
}

/** Changes a webhook in one transaction with its audit row. Throws 404 before the change. */
async function change<More extends object>(
  call: Call,
  request: Request,
  verb: 'resume' | 'replay' | 'rotate',
  work: (tx: Tx, key: WebhookKey) => Promise<More>,
): Promise<{ delivery: DeliveryReply } & More> {
  const key = await keyIn(call, request)
  const nowMs = call.clock.elapsed()
  return call.db.transaction(async (tx) => {
    const before = await getDelivery(tx, key, nowMs)
    const more = await work(tx, key)
    const after = await getDelivery(tx, key, nowMs)
    await recordAudit(tx, call, {
      action: `webhook.${verb}`,
      target: { kind: 'webhook', id: key.id, name: before.name },
      before: auditedOf(before),
      after: auditedOf(after),
      workspace_id: key.workspace_id,
    })
    return { delivery: after, ...more }
  })
}

/** What the audit keeps of a delivery. */
function auditedOf({ state, cursor, previous_secret_until }: DeliveryReply): object {
  return { state, cursor, previous_secret_until }
}

type Replay = { readonly cursor: string } | { readonly fromMs: number }

function readReplay(body: unknown): Replay {
  const { from, cursor, ...others } = isObject(body) ? body : {}
  const unknown = Object.keys(others)[0]
  if (unknown !== undefined) throw invalid(`'${unknown}' is not known; the body has from or cursor`)
  if ((from === undefined) === (cursor === undefined)) throw invalid("The body must have one of 'from' and 'cursor'")
  if (cursor !== undefined) {
    if (typeof cursor !== 'string') throw invalid("'cursor' is not valid")
    return { cursor }
  }
  const fromMs = typeof from === 'string' ? parseInstant(from) : undefined
  if (fromMs === undefined) {
    throw invalid("'from' must be an ISO 8601 instant with offset such as 2030-01-31T09:00:00Z")
  }
  return { fromMs }
}

function readOverlap(body: unknown): number {
  const { overlap = overlapDefault, ...others } = isObject(body) ? body : {}
  const unknown = Object.keys(others)[0]
  if (unknown !== undefined) throw invalid(`'${unknown}' is not known; the body may have overlap`)
  const ms = typeof overlap === 'string' ? elapsedMs(overlap) : undefined
  if (ms === undefined || ms > overlapDaysMax * dayMs) {
    throw invalid(`'overlap' must be a length of time of at most ${overlapDaysMax} days, such as P1D or PT0S`)
  }
  return ms
}
