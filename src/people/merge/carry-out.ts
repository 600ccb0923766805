import type { Db, Tx } from '../../base/db/db.ts'
import { shortLockTimeout } from '../../base/db/transaction-settings.ts'
import { identityKey } from '../identity/directory.ts'
import { addressOf } from '../identity/identifier.ts'
import { deleteIdentifiers, insertIdentifiers, type OwnedIdentifier } from '../identity/identifier-store.ts'
import { announceIdentityChanges } from '../identity/identity-change-store.ts'
import { located } from '../identity/person.ts'
import { byLockOrder } from '../identity/resolve.ts'
import { applyActions, peopleLosingIdentifiers, type WorkspaceAction } from './apply-actions.ts'
import { decideItem, type ItemAction, type ItemDecision, peopleIn } from './decide-item.ts'
import { type ItemKeys, independentItems } from './independent-items.ts'
import type { MergeServices } from './merge-profiles.ts'
import type { DeletedPerson } from './owned-rule.ts'
import {
  type LookupServices,
  lookUpLockedPeople,
  lookUpPeople,
  type PeopleLookup,
  selectorsOf,
} from './people-lookup.ts'
import { type IdentityRow, lockFreeIdentityRows, lockIdentityRows } from './people-store.ts'
import type { HashPerson } from './person-hash.ts'
import { type ClaimedItem, claimItems, type FinishedItem, finishItems, scrubItems } from './work-store.ts'

export type CarryOutServices = MergeServices & LookupServices & { db: Db; hashPerson: HashPerson }

/** An item and what it comes to. */
type ItemPlan = ItemKeys & { readonly item: ClaimedItem; readonly decision: ItemDecision }

type ChangingPlan = ItemPlan & { readonly decision: { readonly action: ItemAction } }

/**
 * Carries out the first of the items that wait: of the oldest `limit` of them those that are not in each other's way, whole and in
 * one transaction, which a kill undoes. The others come next. Answers what became of each; undefined while another process
 * is at it. `claimed` is told which items are tried.
 */
export async function carryOut(
  parts: CarryOutServices,
  limit: number,
  claimed: (items: readonly ClaimedItem[]) => void,
): Promise<FinishedItem[] | undefined> {
  return parts.db.transaction(
    async (tx) => {
      const items = await claimItems(tx, limit)
      claimed(items ?? [])
      return items && carryOutIn(tx, items, parts)
    },
    { settings: shortLockTimeout, assignTransactionId: true },
  )
}

async function carryOutIn(tx: Tx, items: readonly ClaimedItem[], parts: CarryOutServices): Promise<FinishedItem[]> {
  if (items.length === 0) return []
  const findings = await lookUpPeople(tx, items, parts)
  const round = independentItems(items.map((item) => planOf(item, findings)))
  const acting = await lockPlans(tx, round.filter(acts), findings, parts)
  const deeds = acting.map(actionOf)
  const erased = await applyActions(tx, deeds, parts)
  const finished = [...round.filter((plan) => !acts(plan)), ...acting].map((plan) => finishedItem(plan, erased, parts))
  await Promise.all([
    finishItems(tx, finished, parts.clock.stamp()),
    scrubDeleted(tx, erased, parts),
    announceIdentityChanges(tx, peopleLosingIdentifiers(deeds), parts.clock.elapsed()),
  ])
  return finished
}

function planOf(item: ClaimedItem, findings: PeopleLookup): ItemPlan {
  const { workspace_id, asked } = item
  const decision = decideItem(item, findings)
  const addresses = decision.people.flatMap((one) => {
    const standing = findings.identityOf(one)
    return (['email', 'phone'] as const).flatMap((kind) => {
      const value = standing ? addressOf(standing, kind) : null
      return value === null ? [] : [identityKey(workspace_id, { kind, value })]
    })
  })
  const asking = selectorsOf(asked).map((who) => identityKey(workspace_id, who))
  const keys = [...asking, ...addresses, ...decision.people.map(({ profile_id }) => profile_id)]
  return { item, decision, keys, changesPeople: decision.action !== undefined }
}

function acts(plan: ItemPlan): plan is ChangingPlan {
  return plan.changesPeople
}

function actionOf({ item: { workspace_id }, decision: { action } }: ChangingPlan): WorkspaceAction {
  return { workspace_id, action }
}

/**
 * Locks the people of these plans and keeps the plans that still hold. The oldest item waits for its people; the others take theirs
 * when they are free, so that nobody is kept waiting by somebody who waits.
 */
async function lockPlans(
  tx: Tx,
  plans: readonly ChangingPlan[],
  before: PeopleLookup,
  parts: CarryOutServices,
): Promise<ChangingPlan[]> {
  const [oldest, ...others] = plans
  if (!oldest) return []
  const wanted = plans.flatMap(assignedExternalId).sort(byLockOrder)
  const reserved = await insertIdentifiers(tx, wanted)
  const locking = Promise.all([
    lockIdentityRows(tx, peopleIn(oldest.decision.action)),
    lockFreeIdentityRows(
      tx,
      others.flatMap(({ decision }) => peopleIn(decision.action)),
    ),
  ]).then((locked) => locked.flat())
  const items = plans.map(({ item }) => item)
  const after = await lookUpLockedPeople(tx, items, before, locking, reserved, parts)
  const held = plans.filter(
    (plan) => isStillValid(plan, before, after) && assignedExternalId(plan).every(({ key }) => reserved.has(key)),
  )
  const needed = new Set(held.flatMap(assignedExternalId).map(({ key }) => key))
  await deleteIdentifiers(
    tx,
    wanted.filter(({ key }) => reserved.has(key) && !needed.has(key)),
  )
  return held
}

/** The external_id that an item gives to somebody. */
function assignedExternalId({
  item: { workspace_id },
  decision: { action },
}: ChangingPlan): (OwnedIdentifier & { key: string })[] {
  if (action.type !== 'name') return []
  const who = { kind: 'external_id', value: action.external_id } as const
  return [{ ...located(workspace_id, who), key: identityKey(workspace_id, who), owner: action.into }]
}

/** Whether the item still comes to the same, for people about whom nothing has changed that could matter. */
function isStillValid(
  { item, decision: { action } }: ChangingPlan,
  before: PeopleLookup,
  after: PeopleLookup,
): boolean {
  const now = decideItem(item, after).action
  if (now?.type !== action.type) return false
  const people = peopleIn(action)
  const same = peopleIn(now).every(({ profile_id }, i) => profile_id === people[i]!.profile_id)
  return same && people.every((one) => isUnchanged(before.identityOf(one), after.identityOf(one)))
}

function isUnchanged(before: IdentityRow | undefined, after: IdentityRow | undefined): boolean {
  if (!before || !after) return false
  return before.external_id === after.external_id && before.email === after.email && before.phone === after.phone
}

function finishedItem(
  { item, decision }: ItemPlan,
  erased: readonly DeletedPerson[],
  { hashPerson }: CarryOutServices,
): FinishedItem {
  const { action, outcome, people } = decision
  const from = action?.type === 'merge' || action?.type === 'delete' ? action.from : undefined
  const moving = from !== undefined
  // Whose history moves has to be known until it has moved.
  const told = moving || !item.scrubbed
  return {
    item,
    outcome,
    moving,
    from,
    into: action && 'into' in action && told ? action.into : undefined,
    absorbed: erased.find(({ person }) => person.profile_id === from?.profile_id)?.mergedProfiles ?? [],
    mentions: people.map(({ profile_id }) => hashPerson(item.workspace_id, 'profile', profile_id)),
  }
}

/** Other items forget whom they were about when it was somebody who is deleted now. */
async function scrubDeleted(tx: Tx, erased: readonly DeletedPerson[], { hashPerson }: CarryOutServices): Promise<void> {
  const mentions = erased.flatMap(({ workspace_id, person, mergedProfiles, identifiers }) => {
    const profiles = [person, ...mergedProfiles].map(({ profile_id }) =>
      hashPerson(workspace_id, 'profile', profile_id),
    )
    return [...profiles, ...identifiers.map(({ kind, value }) => hashPerson(workspace_id, kind, value))]
  })
  if (mentions.length > 0) await scrubItems(tx, mentions)
}
