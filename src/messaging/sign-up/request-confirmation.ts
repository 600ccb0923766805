import type { Clock } from '../../base/clock.ts'
import type { Db, Tx } from '../../base/db/db.ts'
import { shortLockTimeout } from '../../base/db/transaction-settings.ts'
import { newUuid } from '../../base/ids.ts'
import type { Wakeups } from '../../base/work/wakeups.ts'
import type { Confirmation, ConfirmationSource } from '../../people/confirmations/confirmation.ts'
import { lockConfirmation, updateSent, upsertConfirmation } from '../../people/confirmations/confirmation-store.ts'
import { type NoQuestion, type PlannedQuestion, planRequest } from '../../people/confirmations/plan-request.ts'
import type { Person } from '../../people/identity/person.ts'
import { lockKept } from '../../people/profile/kept-people-store.ts'
import { listStatuses, type StatusServices } from '../../people/subscription/user-status.ts'
import { activeDoubleOptIn, type DoubleOptIn } from '../../workspace/settings/double-opt-in.ts'
import type { GroupRow } from '../../workspace/settings/store.ts'
import { acceptOrder } from '../orders/accept-order.ts'
import { findOwnerState } from './owner-state-store.ts'
import { questionChannels } from './question-channel.ts'
import { defaultLanguage } from './wording.ts'

export type RequestServices = StatusServices & {
  readonly db: Db
  readonly clock: Clock
  readonly wakeups: Wakeups
  newId(bucket: number): string
}

/** A question to a person: to be in a group, at this address. */
export type ConfirmationRequest = {
  readonly workspace_id: number
  readonly person: Person
  /** The normalised address, which the person has. */
  readonly address: string
  readonly group: GroupRow
  readonly source: ConfirmationSource
  readonly form_id?: string | null
  /** Of the built-in wording; that of the group when absent. */
  readonly language?: string
  /** The network of the person who asks; null when it is not known. */
  readonly from: string | null
  /** An administrator asks: the pause after the last mail or text does not count. */
  readonly isForced?: boolean
}

/**
 * What a request has done. `sent`: a mail or text is ordered. `unneeded`: the person is in the group and gets its messages. `closed`: the
 * group is archived, or has no double opt-in. `gone`: the person was deleted, or has another address now.
 */
export type RequestOutcome = 'sent' | 'unneeded' | 'closed' | 'gone' | NoQuestion

/**
 * Asks a person to confirm that they want to be in a group: stores the question and orders the mail or text in one transaction. It is an
 * ordinary transactional message, in the ledger, the inbox and the answer to why. Nothing of the person changes. `besides` runs in
 * the same transaction when one is ordered.
 */
export async function requestConfirmation(
  request: ConfirmationRequest,
  services: RequestServices,
  besides: (tx: Tx) => Promise<void> = async () => {},
): Promise<RequestOutcome> {
  const optIn = request.group.archived ? undefined : activeDoubleOptIn(request.group)
  if (!optIn) return 'closed'
  const outcome = await services.db.transaction(
    async (tx) => {
      const done = await ask(tx, request, optIn, services)
      if (done === 'sent') await besides(tx)
      return done
    },
    { settings: shortLockTimeout },
  )
  if (outcome === 'sent') services.wakeups.wake('expansion')
  return outcome
}

async function ask(
  tx: Tx,
  request: ConfirmationRequest,
  optIn: DoubleOptIn,
  services: RequestServices,
): Promise<RequestOutcome> {
  const { workspace_id, group, address } = request
  const person = (await lockKept(tx, workspace_id, [request.person])).get(request.person.profile_id)
  const owner = person && (await findOwnerState(tx, person))
  const channel = questionChannels[group.channel]
  if (!person || !owner || channel.addressOf(owner) !== address) return 'gone'
  if (channel.isReached(owner) && (await isIn(tx, request, person, services))) return 'unneeded'
  const before = await lockConfirmation(tx, person, group.group_id)
  const plan = planRequest(before, address, optIn, services.clock.now(), request.isForced)
  if (typeof plan === 'string') return plan
  await order(tx, { ...request, person }, optIn, plan, before, services)
  return 'sent'
}

/** Returns whether the person is in the group. */
async function isIn(
  tx: Tx,
  { workspace_id, group }: ConfirmationRequest,
  person: Person,
  services: RequestServices,
): Promise<boolean> {
  const groups = new Map([[group.group_id, group]])
  const [listed] = await listStatuses({ db: tx, workspace_id }, [person], groups, services)
  return listed?.subscription_groups[0]?.status === 'Subscribed'
}

async function order(
  tx: Tx,
  { workspace_id, person, address, group, source, form_id = null, language, from }: ConfirmationRequest,
  optIn: DoubleOptIn,
  { isNew, sentCount, expiresMs }: PlannedQuestion,
  before: Confirmation | undefined,
  { clock, newId }: RequestServices,
): Promise<void> {
  const { bucket, profile_id } = person
  const spoken = language ?? (isNew ? undefined : before?.language) ?? optIn.language ?? defaultLanguage
  const confirmation_id = isNew || !before ? newId(bucket) : before.confirmation_id
  const dispatch_id = newUuid()
  const channel = questionChannels[group.channel]
  const keyword = channel.keywordOf(optIn)
  const sending = {
    recipients: [{ profile_id }],
    broadcast: false,
    recipient_subscription_state: 'all',
    override_frequency_capping: true,
    ...channel.contentsOf(optIn, { confirmation_id, group, language: spoken }),
  } as const
  await acceptOrder(tx, { workspace_id, clock }, { sending, class: 'transactional', dispatch_id })
  const atMs = clock.now()
  if (!isNew) return updateSent(tx, person, group.group_id, { dispatch_id, keyword, sentCount, atMs, expiresMs })
  const row = { bucket, profile_id, group_id: group.group_id, confirmation_id, workspace_id, address, source, form_id }
  const sent = { dispatch_id, sent_count: sentCount, atMs, expiresMs }
  await upsertConfirmation(tx, { ...row, keyword, language: spoken, requested_from: from, ...sent })
}
