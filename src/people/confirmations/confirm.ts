import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import { shortLockTimeout } from '../../base/db/transaction-settings.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import type { TokenTarget } from '../addresses/message-token.ts'
import type { OptInServices } from '../addresses/opt-in-address.ts'
import { lockKept } from '../profile/kept-people-store.ts'
import { type Confirmation, stateOf } from './confirmation.ts'
import { findByLink, findLinkOwner, lockConfirmation, updateConfirmed } from './confirmation-store.ts'
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

/** Returns the confirmation of a link. Undefined when the person was deleted or the link was replaced. */
export async function findConfirmation(
  { db }: Pick<ConfirmServices, 'db'>,
  { profile_id, message_id: confirmation_id }: TokenTarget,
): Promise<Confirmation | undefined> {
  const found = await findLinkOwner(db, profile_id)
  return found && findByLink(db, found.owner, confirmation_id)
}

/**
 * Confirms what a link asks, in one transaction: the person is subscribed, and the row has the time and the network. May be repeated: a
 * second press changes nothing, also when the person has left the group meanwhile.
 */
export async function confirm(
  target: TokenTarget,
  from: string | null,
  services: ConfirmServices,
): Promise<{ confirmation: Confirmation; outcome: ConfirmOutcome } | undefined> {
  const { db, clock, workspaces } = services
  return db.transaction(
    async (tx) => {
      const found = await findLinkOwner(tx, target.profile_id)
      const kept = found && (await lockKept(tx, found.workspace_id, [found.owner])).get(found.owner.profile_id)
      const asked = kept && (await findByLink(tx, kept, target.message_id))
      const confirmation = asked && (await lockConfirmation(tx, kept, asked.group_id))
      if (!confirmation || confirmation.confirmation_id !== target.message_id) return undefined
      const { workspace_id, group_id, address } = confirmation
      const nowMs = clock.now()
      const state = stateOf(confirmation, nowMs)
      if (state === 'confirmed') return { confirmation, outcome: 'again' }
      if (state === 'expired') return { confirmation, outcome: 'expired' }
      const group = groupOf(workspaces.get(workspace_id), group_id)
      if (!group || group.archived) return { confirmation, outcome: 'closed' }
      await updateConfirmed(tx, kept, group_id, nowMs, from)
      const stampUs = clock.stamp()
      await subscribeConfirmed(tx, { person: kept, workspace_id, group_id, address, stampUs }, services)
      return { confirmation, outcome: 'confirmed' }
    },
    { settings: shortLockTimeout },
  )
}
