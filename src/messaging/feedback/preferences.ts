import type { Db } from '../../base/db/db.ts'
import type { TokenTarget } from '../../people/addresses/message-token.ts'
import { findRecipient, type MessageRecipient } from '../../people/addresses/recipient-store.ts'
import type { SuppressionReason } from '../../people/addresses/suppression-store.ts'
import { waitForHandOvers } from '../../people/addresses/wait-for-hand-over.ts'
import { type ConfirmationSource, stateOf } from '../../people/confirmations/confirmation.ts'
import { listConfirmationsOf } from '../../people/confirmations/confirmation-store.ts'
import type { Person } from '../../people/identity/person.ts'
import { blankChange } from '../../people/profile/attributes.ts'
import type { SubscribeState } from '../../people/profile/standard.ts'
import type { GroupStateRequest } from '../../people/subscription/set-request.ts'
import { listStatuses } from '../../people/subscription/user-status.ts'
import { activeDoubleOptIn } from '../../workspace/settings/double-opt-in.ts'
import type { GroupRow } from '../../workspace/settings/store.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import {
  addressesOf,
  listActiveSuppressions,
  optIn,
  subscribe,
  type UnsubscribeServices,
  unsubscribe,
} from './unsubscribe.ts'

export type PreferenceServices = UnsubscribeServices & {
  readonly db: Db
  readonly workspaces: Workspaces
  /** Applies all changes durably, or rejects and applies none. */
  applyStates(workspace_id: number, request: GroupStateRequest, strict: boolean): Promise<unknown>
  formatServiceId(profile_id: string): string
  /** Asks a person to confirm a group that has double opt-in. */
  askConfirmation(
    workspace_id: number,
    asked: { readonly person: Person; readonly group: GroupRow; readonly source: ConfirmationSource },
  ): Promise<unknown>
}

/** A group of a channel for which the person has an address, and whether the person is in it. */
export type GroupChoice = Pick<GroupRow, 'group_id' | 'name' | 'channel'> & {
  /** The public id. */
  readonly id: string
  readonly isIn: boolean
  /** A mail or text was sent, and the person has not confirmed yet. */
  readonly isPending: boolean
}

export type Preferences = {
  readonly recipient: MessageRecipient
  /** The person has neither unsubscribed nor reported spam. */
  readonly wantsMail: boolean
  /** Why nothing is sent to the address, independently of the preferences. */
  readonly suppressions: readonly SuppressionReason[]
  readonly choices: readonly GroupChoice[]
}

/** The preferences in a form. Groups that are not `shown` do not change, and without `mail` the e-mail state does not. */
export type WantedPreferences = {
  readonly mail: SubscribeState | undefined
  readonly shown: ReadonlySet<number>
  readonly chosen: ReadonlySet<number>
}

/** Loads the preferences of the recipient of a message. Returns undefined if the person was deleted. */
export async function loadPreferences(
  target: TokenTarget,
  services: PreferenceServices,
): Promise<Preferences | undefined> {
  const { db, workspaces } = services
  const recipient = await findRecipient(db, target)
  if (!recipient) return undefined
  const { workspace_id, person } = recipient
  const groups = activeGroupsOf(workspaces, workspace_id)
  const [listed] = await listStatuses({ db, workspace_id }, [person], groups, services)
  const suppressions = await listActiveSuppressions(db, services, recipient)
  const states = new Map(listed?.subscription_groups.map(({ id, status }) => [id, status]))
  const pending = await listPending(person, services)
  const shown = [...groups.values()].filter(({ channel }) => channel === 'email' || listed?.profile.phone)
  const choices = shown.map(({ group_id, id, name, channel }) => {
    const isIn = states.get(id) === 'Subscribed'
    return { group_id, id, name, channel, isIn, isPending: !isIn && pending.has(group_id) }
  })
  const wantsMail = recipient.email_subscribe !== 'unsubscribed' && !suppressions.includes('spam')
  return { recipient, wantsMail, suppressions, choices }
}

/** Returns the numbers of the groups that the person was asked to confirm, and may still confirm. */
async function listPending(person: Person, { db, clock }: PreferenceServices): Promise<ReadonlySet<number>> {
  const nowMs = clock.now()
  const asked = await listConfirmationsOf(db, [person])
  return new Set(asked.filter((each) => stateOf(each, nowMs) === 'pending').map(({ group_id }) => group_id))
}

/**
 * Applies the differences to the current preferences: the e-mail state first, then the groups together. Resolves when no unwanted mail is
 * in flight any more. Returns undefined if the person was deleted.
 */
export async function savePreferences(
  target: TokenTarget,
  wanted: WantedPreferences,
  services: PreferenceServices,
): Promise<Preferences | undefined> {
  const before = await loadPreferences(target, services)
  if (!before) return undefined
  const { recipient, choices } = before
  await saveMail(target, wanted.mail, before, services)
  const changed = choices.filter(
    ({ group_id, isIn }) => wanted.shown.has(group_id) && wanted.chosen.has(group_id) !== isIn,
  )
  if (changed.length > 0) await setGroups(recipient, changed, services)
  return loadPreferences(target, services)
}

async function saveMail(
  target: TokenTarget,
  mail: SubscribeState | undefined,
  { recipient, wantsMail }: Preferences,
  services: PreferenceServices,
): Promise<void> {
  if (mail === undefined) return
  if (mail === 'unsubscribed') {
    if (wantsMail) await unsubscribe(services.db, services, target)
  } else if (!wantsMail) await subscribe(services.db, services, recipient, mail)
  else if (mail === 'opted_in') await optIn(services.db, services, recipient)
}

/**
 * Inverts the states of these groups, for the person and so for the person's address. A group with double opt-in is only asked for: the
 * link of the page may have been passed on.
 */
async function setGroups(
  recipient: MessageRecipient,
  changed: readonly GroupChoice[],
  services: PreferenceServices,
): Promise<void> {
  const { workspace_id, person } = recipient
  const { groups } = services.workspaces.get(workspace_id)
  const toConfirm = changed.flatMap(({ id, isIn }) => {
    const group = isIn ? undefined : groups.get(id)
    return group && activeDoubleOptIn(group) ? [group] : []
  })
  const direct = changed.filter(({ id }) => !toConfirm.some((group) => group.id === id))
  for (const group of toConfirm) await services.askConfirmation(workspace_id, { person, group, source: 'preferences' })
  if (direct.length === 0) return
  const subscriptions = direct.map(({ group_id, channel, isIn }) => {
    return { group_id, channel, state: isIn ? 'unsubscribed' : 'subscribed' } as const
  })
  const identifier = { kind: 'service_id', value: services.formatServiceId(person.profile_id) } as const
  const attributes = [{ identifier, create: false, change: { ...blankChange(), subscriptions } }] as const
  await services.applyStates(workspace_id, { attributes, addresses: [] }, false)
  if (direct.some(({ isIn, channel }) => isIn && channel === 'email'))
    await waitForHandOvers(services.db, workspace_id, addressesOf(recipient))
}

/** Returns the groups of a workspace that are not archived, of all channels, by number, in the order of their creation. */
function activeGroupsOf(workspaces: Workspaces, workspace_id: number): Map<number, GroupRow> {
  const { groups } = workspaces.get(workspace_id)
  const active = [...groups.values()].filter(({ archived }) => !archived)
  return new Map(active.sort((a, b) => a.group_id - b.group_id).map((group) => [group.group_id, group]))
}
