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
import { forgetAudited } from './forget-audited.ts'
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

export type CarryOutServices = MergeServices &
  LookupServices & {
    db: Db
    hashPerson: HashPerson
    /** Called with the people who were deleted, in the transaction of the deletion. */
    recordDeleted?(tx: Tx, deleted: readonly DeletedPerson[]): Promise<void>
  }

/** An item with the decision about it. */
type ItemPlan = ItemKeys & { readonly item: ClaimedItem; readonly decision: ItemDecision }

type ChangingPlan = ItemPlan & { readonly decision: { readonly action: ItemAction } }

/**
 * Carries out the oldest waiting items, at most `limit`, in one transaction. Items that depend on an earlier one wait for the next call.
 * Returns the finished items, or undefined while another process carries out work. Calls `claimed` with the items that it tries.
 */
export async function carryOut(
  services: CarryOutServices,
  limit: number,
  claimed: (items: readonly ClaimedItem[]) => void,
): Promise<FinishedItem[] | undefined> {
  return services.db.transaction(
    async (tx) => {
      const items = await claimItems(tx, limit)
      claimed(items ?? [])
      return items && carryOutItems(tx, items, services)
    },
    { settings: shortLockTimeout },
  )
}

async function carryOutItems(
  tx: Tx,
  items: readonly ClaimedItem[],
  services: CarryOutServices,
): Promise<FinishedItem[]> {
  if (items.length === 0) return []
  const lookup = await lookUpPeople(tx, items, services)
  const independent = independentItems(items.map((item) => planOf(item, lookup)))
  const changing = await lockPlans(tx, independent.filter(isChanging), lookup, services)
  const actions = changing.map(actionOf)
  const deleted = await applyActions(tx, actions, services)
  await forgetAudited(tx, deleted)
  await services.recordDeleted?.(tx, deleted)
  const finished = [...independent.filter((plan) => !isChanging(plan)), ...changing].map((plan) =>
    finishedItem(plan, deleted, services),
  )
  await Promise.all([
    finishItems(tx, finished, services.clock.stamp()),
    scrubDeleted(tx, deleted, services),
    announceIdentityChanges(tx, peopleLosingIdentifiers(actions), services.clock.elapsed()),
  ])
  return finished
}

function planOf(item: ClaimedItem, lookup: PeopleLookup): ItemPlan {
  const { workspace_id, asked } = item
  const decision = decideItem(item, lookup)
  const addresses = decision.people.flatMap((one) => {
    const row = lookup.identityOf(one)
    return (['email', 'phone'] as const).flatMap((kind) => {
      const value = row ? addressOf(row, kind) : null
      return value === null ? [] : [identityKey(workspace_id, { kind, value })]
    })
  })
  const selected = selectorsOf(asked).map((who) => identityKey(workspace_id, who))
  const keys = [...selected, ...addresses, ...decision.people.map(({ profile_id }) => profile_id)]
  return { item, decision, keys, changesPeople: decision.action !== undefined }
}

function isChanging(plan: ItemPlan): plan is ChangingPlan {
  return plan.changesPeople
}

function actionOf({ item: { workspace_id }, decision: { action } }: ChangingPlan): WorkspaceAction {
  return { workspace_id, action }
}

/**
 * Locks the people of these plans and returns the plans that are still valid. Only the oldest plan waits for locks. Another plan is skipped
 * when a different transaction has locked one of its people: this transaction must not hold many locks while it waits.
 */
async function lockPlans(
  tx: Tx,
  plans: readonly ChangingPlan[],
  before: PeopleLookup,
  services: CarryOutServices,
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
  const after = await lookUpLockedPeople(tx, items, before, locking, reserved, services)
  const valid = plans.filter(
    (plan) => isStillValid(plan, before, after) && assignedExternalId(plan).every(({ key }) => reserved.has(key)),
  )
  const needed = new Set(valid.flatMap(assignedExternalId).map(({ key }) => key))
  await deleteIdentifiers(
    tx,
    wanted.filter(({ key }) => reserved.has(key) && !needed.has(key)),
  )
  return valid
}

/** Returns the external_id that a plan gives to a person, as a list of one. Returns an empty list for other plans. */
function assignedExternalId({
  item: { workspace_id },
  decision: { action },
}: ChangingPlan): (OwnedIdentifier & { key: string })[] {
  if (action.type !== 'assign_external_id') return []
  const who = { kind: 'external_id', value: action.external_id } as const
  return [{ ...located(workspace_id, who), key: identityKey(workspace_id, who), owner: action.into }]
}

/** Returns whether the decision is still the same and its people have the same external_id and addresses. */
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
  deleted: readonly DeletedPerson[],
  { hashPerson }: CarryOutServices,
): FinishedItem {
  const { action, outcome, people } = decision
  const from = action?.type === 'merge' || action?.type === 'delete' ? action.from : undefined
  const moving = from !== undefined
  // The history cannot be moved without `into`, so even a scrubbed item keeps it until then.
  const keepsInto = moving || !item.scrubbed
  return {
    item,
    outcome,
    moving,
    from,
    into: action && 'into' in action && keepsInto ? action.into : undefined,
    mergedProfiles: deleted.find(({ person }) => person.profile_id === from?.profile_id)?.mergedProfiles ?? [],
    person_hashes: people.map(({ profile_id }) => hashPerson(item.workspace_id, 'profile', profile_id)),
  }
}

/** Removes deleted people from all other items that mention them. */
async function scrubDeleted(
  tx: Tx,
  deleted: readonly DeletedPerson[],
  { hashPerson }: CarryOutServices,
): Promise<void> {
  const hashes = deleted.flatMap(({ workspace_id, person, mergedProfiles, identifiers }) => {
    const profiles = [person, ...mergedProfiles].map(({ profile_id }) =>
      hashPerson(workspace_id, 'profile', profile_id),
    )
    return [...profiles, ...identifiers.map(({ kind, value }) => hashPerson(workspace_id, kind, value))]
  })
  if (hashes.length > 0) await scrubItems(tx, hashes)
}
