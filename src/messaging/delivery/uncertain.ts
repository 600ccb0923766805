import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { conflict, notFound } from '../../base/errors.ts'
import { nextProfileId } from '../../base/ids.ts'
import type { Wakeups } from '../../base/work/wakeups.ts'
import { person } from '../../people/identity/person.ts'
import { recordAudit } from '../../workspace/audit/record.ts'
import { findLeft, hasLaterVisit, leaveMessage } from '../messages/left-store.ts'
import { resendVisits } from '../messages/message.ts'
import { insertMessages } from '../messages/message-store.ts'
import { lockOrder } from '../orders/order-store.ts'
import { findUncertain, type UncertainRow } from './uncertain-store.ts'

export type UncertainServices = { readonly wakeups: Wakeups }

const idForm = /^\d{1,19}$/
const idMax = 2n ** 63n - 1n

/**
 * Sends a message that is uncertain or was set aside as a new message: a later visit of the same cause, with its own outcome. The first
 * message does not change. Throws 404 if there is none, 409 if it was sent again before, or left as it is.
 */
export async function resendUncertain(
  call: Call,
  workspace_id: number,
  given: string,
  { wakeups }: UncertainServices,
): Promise<{ message_id: string }> {
  const { db, clock } = call
  const message_id = await db.transaction(async (tx) => {
    const uncertain = await getUncertain(tx, workspace_id, given)
    const { bucket, cause, channel, step, visit, flow_id, flow_version, variant } = uncertain
    const state = (await lockOrder(tx, workspace_id, cause))?.state ?? 'active'
    if (state !== 'active') throw conflict(`The dispatch is ${state}`)
    await refuseLeft(tx, uncertain)
    const nowMs = clock.now()
    const again = {
      person: person(bucket, uncertain.profile_id),
      message_id: nextProfileId(bucket, clock.elapsed()),
      step,
      visit: visit + resendVisits,
    }
    const times = { plannedMs: nowMs, dueMs: nowMs }
    const inserted = await insertMessages(
      tx,
      { workspace_id, cause, channel, class: uncertain.class, flow_id, flow_version, variant, ...times },
      [again],
    )
    if (inserted.size === 0) throw conflict(sentAgain)
    const target = { kind: 'message', id: given }
    const after = { message_id: again.message_id }
    await recordAudit(tx, call, { action: 'message.resend', target, after, workspace_id })
    return again.message_id
  })
  wakeups.wake('delivery')
  return { message_id }
}

/**
 * Leaves a message that is uncertain or was set aside as it is: nobody is asked about it any more. Throws 404 if there is none, 409 if it
 * was sent again or left before.
 */
export function leaveUncertain(
  call: Call,
  workspace_id: number,
  given: string,
): Promise<{ message_id: string; left_at: string }> {
  const { db, clock } = call
  return db.transaction(async (tx) => {
    const uncertain = await getUncertain(tx, workspace_id, given)
    await refuseLeft(tx, uncertain)
    if (await hasLaterVisit(tx, uncertain, resendVisits)) throw conflict(sentAgain)
    const leftMs = clock.now()
    await leaveMessage(tx, uncertain, leftMs)
    const left_at = new Date(leftMs).toISOString()
    await recordAudit(tx, call, {
      action: 'message.leave',
      target: { kind: 'message', id: given },
      after: { left_at },
      workspace_id,
    })
    return { message_id: given, left_at }
  })
}

const sentAgain = 'The message was sent again already'

async function getUncertain(tx: Tx, workspace_id: number, given: string): Promise<UncertainRow> {
  const isId = idForm.test(given) && BigInt(given) <= idMax
  const found = isId ? await findUncertain(tx, workspace_id, given) : undefined
  if (!found) throw notFound(`There is no uncertain message ${JSON.stringify(given)}`)
  return found
}

/** Locks a message until the end of the transaction: one of two decisions about it comes first. Throws 409 when it was left as it is. */
async function refuseLeft(tx: Tx, uncertain: UncertainRow): Promise<void> {
  if (await findLeft(tx, uncertain)) throw conflict('It was decided already that the message is left as it is')
}
