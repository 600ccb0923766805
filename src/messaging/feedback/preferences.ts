import type { Db } from '../../base/db/db.ts'
import type { TokenTarget } from '../../people/addresses/message-token.ts'
import { findRecipient, type MessageRecipient } from '../../people/addresses/recipient-store.ts'
import type { SuppressionReason } from '../../people/addresses/suppression-store.ts'
import { waitForHandOvers } from '../../people/addresses/wait-for-hand-over.ts'
import { blankChange } from '../../people/profile/attributes.ts'
import type { GroupStateRequest } from '../../people/subscription/set-request.ts'
import { listStatuses } from '../../people/subscription/user-status.ts'
import type { GroupRow } from '../../workspace/settings/store.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { addressesOf, listActiveSuppressions, subscribe, type UnsubscribeServices, unsubscribe } from './unsubscribe.ts'

export type PreferenceServices = UnsubscribeServices & {
  readonly db: Db
  readonly workspaces: Workspaces
  /** Applies all of them durably, or rejects and none of them is. */
  applyStates(workspace_id: number, asked: GroupStateRequest): Promise<void>
  formatServiceId(profile_id: string): string
}

/** An e-mail group of the workspace, by its number, and whether the person is in it. */
export type GroupChoice = { readonly group_id: number; readonly name: string; readonly isIn: boolean }

export type EmailPreferences = {
  readonly recipient: MessageRecipient
  /** Neither unsubscribed nor called it spam. */
  readonly wantsMail: boolean
  /** Why nothing is sent to the address whatever is wanted. */
  readonly stopped: readonly SuppressionReason[]
  readonly choices: readonly GroupChoice[]
}

/** What somebody wants; groups that are not `shown` stay as they are. */
export type WantedPreferences = {
  readonly wantsMail: boolean
  readonly shown: ReadonlySet<number>
  readonly chosen: ReadonlySet<number>
}

/** What holds for whom a message was written to; undefined when that person was deleted. */
export async function loadPreferences(
  named: TokenTarget,
  parts: PreferenceServices,
): Promise<EmailPreferences | undefined> {
  const { db, workspaces } = parts
  const recipient = await findRecipient(db, named)
  if (!recipient) return undefined
  const { workspace_id, person } = recipient
  const groups = groupsOf(workspaces, workspace_id)
  const [listed] = await listStatuses({ db, workspace_id }, [person], groups, parts)
  const stopped = await listActiveSuppressions(db, parts, recipient)
  const states = new Map(listed?.subscription_groups.map(({ id, status }) => [id, status]))
  const choices = [...groups.values()].map(({ group_id, id, name }) => {
    return { group_id, name, isIn: states.get(id) === 'Subscribed' }
  })
  const wantsMail = recipient.email_subscribe !== 'unsubscribed' && !stopped.includes('spam')
  return { recipient, wantsMail, stopped, choices }
}

/**
 * Changes what differs from what holds, the e-mail state first and the groups together. Answers when nothing is on its way that is not
 * wanted any more; undefined when the person was deleted.
 */
export async function savePreferences(
  named: TokenTarget,
  wanted: WantedPreferences,
  parts: PreferenceServices,
): Promise<EmailPreferences | undefined> {
  const before = await loadPreferences(named, parts)
  if (!before) return undefined
  const { recipient, wantsMail, choices } = before
  if (wantsMail && !wanted.wantsMail) await unsubscribe(parts.db, parts, named)
  if (!wantsMail && wanted.wantsMail) await subscribe(parts.db, parts, recipient, 'subscribed')
  const changed = choices.filter(
    ({ group_id, isIn }) => wanted.shown.has(group_id) && wanted.chosen.has(group_id) !== isIn,
  )
  if (changed.length > 0) await setGroups(recipient, changed, parts)
  return loadPreferences(named, parts)
}

/** Turns the groups over. The states are said of the person, and so of the address that the person has. */
async function setGroups(
  recipient: MessageRecipient,
  changed: readonly GroupChoice[],
  parts: PreferenceServices,
): Promise<void> {
  const { workspace_id, person } = recipient
  const subscriptions = changed.map(({ group_id, isIn }) => {
    return { group_id, channel: 'email', state: isIn ? 'unsubscribed' : 'subscribed' } as const
  })
  const who = { kind: 'service_id', value: parts.formatServiceId(person.profile_id) } as const
  const attributes = [{ who, create: false, change: { ...blankChange(), subscriptions } }] as const
  await parts.applyStates(workspace_id, { attributes, addresses: [] })
  if (changed.some(({ isIn }) => isIn)) await waitForHandOvers(parts.db, workspace_id, addressesOf(recipient))
}

/** By number, in the order in which they were made. */
function groupsOf(workspaces: Workspaces, workspace_id: number): Map<number, GroupRow> {
  const { groups } = workspaces.get(workspace_id)
  const own = [...groups.values()].filter(({ channel, archived }) => channel === 'email' && !archived)
  return new Map(own.sort((a, b) => a.group_id - b.group_id).map((group) => [group.group_id, group]))
}
