import type { Call } from '../../base/call.ts'
import { conflict, invalid, notFound } from '../../base/errors.ts'
import { readLimit, readNonEmpty } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import { nextProfileId, uuidToHex } from '../../base/ids.ts'
import type { Wakeups } from '../../base/work/wakeups.ts'
import { person } from '../../people/identity/person.ts'
import { recordAudit } from '../../workspace/audit/record.ts'
import { resendVisits } from '../messages/message.ts'
import { insertMessages } from '../messages/message-store.ts'
import { lockOrder } from '../orders/order-store.ts'
import { resendableStates, type UncertainReply, uncertainPageDefault, uncertainPageMax } from './uncertain-schema.ts'
import { findUncertain, listUncertain, type UncertainCursor } from './uncertain-store.ts'

export type UncertainServices = {
  readonly serviceName: string
  readonly wakeups: Wakeups
  formatServiceId(profile_id: string): string
}

/** Returns a page of messages that are uncertain or were set aside, newest first. The operator decides which of them are sent again. */
export async function readUncertain(
  { db }: Call,
  workspace_id: number,
  query: Query,
  { serviceName, formatServiceId }: UncertainServices,
): Promise<UncertainReply> {
  const given = readNonEmpty(query, 'state')
  const state = resendableStates.find((one) => one === given)
  if (!state) throw invalid(`'state' must be one of: ${resendableStates.join(', ')}`)
  const limit = readLimit(query, uncertainPageDefault, uncertainPageMax)
  const rows = await listUncertain(db, workspace_id, state, readCursor(query), limit + 1, resendVisits)
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    messages: page.map(({ message_id, profile_id, external_id, cause, channel, ...row }) => ({
      message_id,
      dispatch_id: uuidToHex(cause),
      [`${serviceName}_id`]: formatServiceId(profile_id),
      external_id,
      channel,
      class: row.class,
      address: row.address,
      subject: row.subject,
      response: row.response,
      planned_at: row.planned_at.toISOString(),
      ended_at: row.ended_at.toISOString(),
    })),
    ...(last && rows.length > limit && { cursor: cursorAfter(last.ended_us, last.message_id) }),
  }
}

const idForm = /^\d{1,19}$/
const idMax = 2n ** 63n - 1n

/**
 * Sends a message that is uncertain or was set aside as a new message: a later visit of the same cause, with its own outcome. The first
 * message does not change. Throws 404 if there is none, 409 if it was sent again before.
 */
export async function resendUncertain(
  call: Call,
  workspace_id: number,
  given: string,
  { wakeups }: UncertainServices,
): Promise<{ message_id: string }> {
  const { db, clock } = call
  const message_id = await db.transaction(async (tx) => {
    const isId = idForm.test(given) && BigInt(given) <= idMax
    const uncertain = isId ? await findUncertain(tx, workspace_id, given) : undefined
    if (!uncertain) throw notFound(`There is no uncertain message ${JSON.stringify(given)}`)
    const { bucket, cause, channel, step, visit, flow_id, flow_version, variant } = uncertain
    const state = (await lockOrder(tx, workspace_id, cause))?.state ?? 'active'
    if (state !== 'active') throw conflict(`The dispatch is ${state}`)
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
    if (inserted.size === 0) throw conflict('The message was sent again already')
    const target = { kind: 'message', id: given }
    const after = { message_id: again.message_id }
    await recordAudit(tx, call, { action: 'message.resend', target, after, workspace_id })
    return again.message_id
  })
  wakeups.wake('delivery')
  return { message_id }
}

function cursorAfter(endedUs: string, message_id: string): string {
  return Buffer.from(`${endedUs}.${message_id}`).toString('base64url')
}

const cursorForm = /^(\d{1,18})\.(\d{1,19})$/

function readCursor(query: Query): UncertainCursor | undefined {
  const given = readNonEmpty(query, 'cursor')
  if (given === undefined) return undefined
  const [, endedUs, message_id] = cursorForm.exec(Buffer.from(given, 'base64url').toString('latin1')) ?? []
  if (!endedUs || !message_id || BigInt(message_id) > idMax) throw invalid("'cursor' is not valid")
  return { endedUs, message_id }
}
