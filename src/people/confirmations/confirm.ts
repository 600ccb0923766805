import type { Clock } from '../../base/clock.ts'
import type { Db, Tx } from '../../base/db/db.ts'
import { shortLockTimeout } from '../../base/db/transaction-settings.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { hashedPhone } from '../addresses/mark-invalid-phones.ts'
import type { TokenTarget } from '../addresses/message-token.ts'
import type { OptInServices } from '../addresses/opt-in-address.ts'
import { type Person, person } from '../identity/person.ts'
import { lockKept } from '../profile/kept-people-store.ts'
import { listGroupsInState } from '../subscription/address-state-store.ts'
import { type Confirmation, stateOf } from './confirmation.ts'
import {
  type AskedNumber,
  deleteOpenOfNumber,
  findByLink,
  findLinkOwner,
  listGivenOfNumber,
  listPendingOfNumber,
  lockConfirmation,
  updateConfirmed,
} from './confirmation-store.ts'
import { groupOf } from './group-of.ts'
import { subscribeConfirmed } from './subscribe-confirmed.ts'

export type ConfirmServices = OptInServices & {
  readonly db: Db
  readonly clock: Clock
  readonly workspaces: Pick<Workspaces, 'get'>
}

/**
 * What pressing the button has done. `confirmed`: the person is subscribed now. `again`: the link was used before, and nothing has
 * changed. `expired`: the link is too old. `closed`: the group takes no people any more.
 */
export type ConfirmOutcome = 'confirmed' | 'again' | 'expired' | 'closed'

/** The most confirmations that one reply gives. Those beyond them wait for another reply. */
export const repliedTogetherMax = 100

/** What a link is about. `linkHash`: the hash of its token when another installation has signed it. */
export type LinkTarget = TokenTarget & { readonly linkHash?: string }

/** Returns the confirmation of a link. Undefined when the person was deleted or the link was replaced. */
export async function findConfirmation(
  { db }: Pick<ConfirmServices, 'db'>,
  target: LinkTarget,
): Promise<Confirmation | undefined> {
  const found = await findLinkOwner(db, target.profile_id)
  return found && findLinked(db, found.owner, target)
}

/** A link of another installation works for a person who was imported with it. */
async function findLinked(
  tx: Tx,
  owner: Person,
  { message_id, linkHash }: LinkTarget,
): Promise<Confirmation | undefined> {
  const found = await findByLink(tx, owner, message_id)
  return linkHash === undefined || found?.link_hashes.includes(linkHash) ? found : undefined
}

/**
 * Confirms what a link asks, in one transaction: the person is subscribed, and the row has the time and the network. May be repeated: a
 * second press changes nothing, also when the person has left the group meanwhile.
 */
export async function confirm(
  target: LinkTarget,
  from: string | null,
  services: ConfirmServices,
): Promise<{ confirmation: Confirmation; outcome: ConfirmOutcome } | undefined> {
  return services.db.transaction(
    async (tx) => {
      const found = await findLinkOwner(tx, target.profile_id)
      const kept = found && (await lockKept(tx, found.workspace_id, [found.owner])).get(found.owner.profile_id)
      const asked = kept && (await findLinked(tx, kept, target))
      const confirmation = asked && (await lockConfirmation(tx, kept, asked.group_id))
      if (!confirmation || confirmation.confirmation_id !== target.message_id) return undefined
      return { confirmation, outcome: await give(tx, kept, confirmation, from, services) }
    },
    { settings: shortLockTimeout },
  )
}

/**
 * Confirms everything that a number was asked with this keyword and may still confirm, in one transaction: a person who replies cannot say
 * which text they mean.
 */
export async function confirmByReply(
  number: Omit<AskedNumber, 'bucket'>,
  keyword: string,
  services: ConfirmServices,
): Promise<void> {
  const asked = numberOf(number, services)
  await services.db.transaction(
    async (tx) => {
      const pending = await listPendingOfNumber(tx, asked, keyword, services.clock.now(), repliedTogetherMax)
      const people = pending.map(({ bucket, profile_id }) => person(bucket, profile_id))
      const kept = await lockKept(tx, number.workspace_id, people)
      for (const { profile_id, group_id, confirmation_id } of pending) {
        const owner = kept.get(profile_id)
        const locked = owner && (await lockConfirmation(tx, owner, group_id))
        if (locked?.confirmation_id === confirmation_id) await give(tx, owner!, locked, null, services)
      }
    },
    { settings: shortLockTimeout },
  )
}

/** Returns what a number can still confirm with this keyword. */
export function listPendingReplies(
  number: Omit<AskedNumber, 'bucket'>,
  keyword: string,
  services: ConfirmServices,
): Promise<Confirmation[]> {
  const nowMs = services.clock.now()
  return listPendingOfNumber(services.db, numberOf(number, services), keyword, nowMs, repliedTogetherMax)
}

/** A reply that a provider repeats within this time, or a person, gets the same answer. */
export const repeatedMs = 10 * 60_000

/** Returns what a number has confirmed a moment ago with this keyword, if it is subscribed to it still. */
export async function listLastReplied(
  number: Omit<AskedNumber, 'bucket'>,
  keyword: string,
  { db, clock, hashAddress }: ConfirmServices,
): Promise<Confirmation[]> {
  const asked = numberOf(number, { hashAddress })
  const sinceMs = clock.now() - repeatedMs
  const given = await listGivenOfNumber(db, asked, keyword, sinceMs, repliedTogetherMax)
  const last = given.filter(({ confirmed_at }) => confirmed_at!.getTime() === given[0]!.confirmed_at!.getTime())
  const key = { ...hashedPhone(number.workspace_id, number.phone, hashAddress), kind: 'phone' } as const
  const ids = last.map(({ group_id }) => group_id)
  const subscribed = new Set(await listGroupsInState(db, key, ids, 'subscribed'))
  return last.filter(({ group_id }) => subscribed.has(group_id))
}

/** Withdraws what a number was asked and has not confirmed: its owner wants no texts. */
export function withdrawByReply(number: Omit<AskedNumber, 'bucket'>, services: ConfirmServices): Promise<void> {
  return deleteOpenOfNumber(services.db, numberOf(number, services))
}

function numberOf(
  number: Omit<AskedNumber, 'bucket'>,
  { hashAddress }: Pick<ConfirmServices, 'hashAddress'>,
): AskedNumber {
  return { ...number, bucket: hashedPhone(number.workspace_id, number.phone, hashAddress).bucket }
}

/** Gives a confirmation of a person. Both are locked. */
async function give(
  tx: Tx,
  owner: Person,
  confirmation: Confirmation,
  from: string | null,
  services: ConfirmServices,
): Promise<ConfirmOutcome> {
  const { workspace_id, group_id, address } = confirmation
  const nowMs = services.clock.now()
  const state = stateOf(confirmation, nowMs)
  if (state === 'confirmed') return 'again'
  if (state === 'expired') return 'expired'
  const group = groupOf(services.workspaces.get(workspace_id), group_id)
  if (!group || group.archived) return 'closed'
  await updateConfirmed(tx, owner, group_id, nowMs, from)
  const { channel } = group
  const stampUs = services.clock.stamp()
  await subscribeConfirmed(tx, { person: owner, workspace_id, group_id, channel, address, stampUs }, services)
  return 'confirmed'
}
