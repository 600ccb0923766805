import type { Db, Tx } from '../../base/db/db.ts'
import { shortLockTimeout } from '../../base/db/transaction-settings.ts'
import { identityKey } from '../identity/directory.ts'
import { addressOf } from '../identity/identifier.ts'
import { deleteIdentifiers, insertIdentifiers, type OwnedIdentifier } from '../identity/identifier-store.ts'
import { announceIdentityChanges } from '../identity/identity-change-store.ts'
import { located } from '../identity/person.ts'
import { byLockOrder } from '../identity/resolve.ts'
import { type Deed, perform, unnamedBy } from './apply-actions.ts'
import { type Act, type Decision, decide, peopleOf } from './decide-item.ts'
import { firstRound, type Keyed } from './independent-items.ts'
import type { AbsorbParts } from './merge-profiles.ts'
import type { DeletedPerson } from './owned-rule.ts'
import { type Findings, look, lookAgain, selectorsOf, type ViewParts } from './people-lookup.ts'
import { lockFree, lockStandings, type Standing } from './people-store.ts'
import type { Mention } from './person-hash.ts'
import { type ClaimedItem, claimItems, type Finished, finishItems, scrubItems } from './work-store.ts'

export type CarryParts = AbsorbParts & ViewParts & { db: Db; mention: Mention }

/** An item and what it comes to. */
type Plan = Keyed & { readonly item: ClaimedItem; readonly decision: Decision }

type ActingPlan = Plan & { readonly decision: { readonly act: Act } }

/**
 * Carries out the first of the items that wait: of the oldest `limit` of them those that are not in each other's way, whole and in
 * one transaction, which a kill undoes. The others come next. Answers what became of each; undefined while another process
 * is at it. `claimed` is told which items are tried.
 */
export async function carryOut(
  parts: CarryParts,
  limit: number,
  claimed: (items: readonly ClaimedItem[]) => void,
): Promise<Finished[] | undefined> {
  return parts.db.transaction(
    async (tx) => {
      const items = await claimItems(tx, limit)
      claimed(items ?? [])
      return items && carryOutIn(tx, items, parts)
    },
    { settings: shortLockTimeout, assignTransactionId: true },
  )
}

async function carryOutIn(tx: Tx, items: readonly ClaimedItem[], parts: CarryParts): Promise<Finished[]> {
  if (items.length === 0) return []
  const findings = await look(tx, items, parts)
  const round = firstRound(items.map((item) => planOf(item, findings)))
  const acting = await secure(tx, round.filter(acts), findings, parts)
  const deeds = acting.map(deedOf)
  const erased = await perform(tx, deeds, parts)
  const finished = [...round.filter((plan) => !acts(plan)), ...acting].map((plan) => finish(plan, erased, parts))
  await Promise.all([
    finishItems(tx, finished, parts.clock.stamp()),
    scrub(tx, erased, parts),
    announceIdentityChanges(tx, unnamedBy(deeds), parts.clock.elapsed()),
  ])
  return finished
}

function planOf(item: ClaimedItem, findings: Findings): Plan {
  const { workspace_id, asked } = item
  const decision = decide(item, findings)
  const addresses = decision.people.flatMap((one) => {
    const standing = findings.standingOf(one)
    return (['email', 'phone'] as const).flatMap((kind) => {
      const value = standing ? addressOf(standing, kind) : null
      return value === null ? [] : [identityKey(workspace_id, { kind, value })]
    })
  })
  const asking = selectorsOf(asked).map((who) => identityKey(workspace_id, who))
  const keys = [...asking, ...addresses, ...decision.people.map(({ profile_id }) => profile_id)]
  return { item, decision, keys, acts: decision.act !== undefined }
}

function acts(plan: Plan): plan is ActingPlan {
  return plan.acts
}

function deedOf({ item: { workspace_id }, decision: { act } }: ActingPlan): Deed {
  return { workspace_id, act }
}

/**
 * Locks the people of these plans and keeps the plans that still hold. The oldest item waits for its people; the others take theirs
 * when they are free, so that nobody is kept waiting by somebody who waits.
 */
async function secure(
  tx: Tx,
  plans: readonly ActingPlan[],
  before: Findings,
  parts: CarryParts,
): Promise<ActingPlan[]> {
  const [oldest, ...others] = plans
  if (!oldest) return []
  const wanted = plans.flatMap(nameOf).sort(byLockOrder)
  const reserved = await insertIdentifiers(tx, wanted)
  const locking = Promise.all([
    lockStandings(tx, peopleOf(oldest.decision.act)),
    lockFree(
      tx,
      others.flatMap(({ decision }) => peopleOf(decision.act)),
    ),
  ]).then((locked) => locked.flat())
  const items = plans.map(({ item }) => item)
  const after = await lookAgain(tx, items, before, locking, reserved, parts)
  const held = plans.filter((plan) => holds(plan, before, after) && nameOf(plan).every(({ key }) => reserved.has(key)))
  const needed = new Set(held.flatMap(nameOf).map(({ key }) => key))
  await deleteIdentifiers(
    tx,
    wanted.filter(({ key }) => reserved.has(key) && !needed.has(key)),
  )
  return held
}

/** The external_id that an item gives to somebody. */
function nameOf({ item: { workspace_id }, decision: { act } }: ActingPlan): (OwnedIdentifier & { key: string })[] {
  if (act.does !== 'name') return []
  const who = { kind: 'external_id', value: act.external_id } as const
  return [{ ...located(workspace_id, who), key: identityKey(workspace_id, who), owner: act.into }]
}

/** Whether the item still comes to the same, for people about whom nothing has changed that could matter. */
function holds({ item, decision: { act } }: ActingPlan, before: Findings, after: Findings): boolean {
  const now = decide(item, after).act
  if (now?.does !== act.does) return false
  const people = peopleOf(act)
  const same = peopleOf(now).every(({ profile_id }, i) => profile_id === people[i]!.profile_id)
  return same && people.every((one) => isUnchanged(before.standingOf(one), after.standingOf(one)))
}

function isUnchanged(before: Standing | undefined, after: Standing | undefined): boolean {
  if (!before || !after) return false
  return before.external_id === after.external_id && before.email === after.email && before.phone === after.phone
}

function finish({ item, decision }: Plan, erased: readonly DeletedPerson[], { mention }: CarryParts): Finished {
  const { act, outcome, people } = decision
  const from = act?.does === 'merge' || act?.does === 'delete' ? act.from : undefined
  const moving = from !== undefined
  // Whose history moves has to be known until it has moved.
  const told = moving || !item.scrubbed
  return {
    item,
    outcome,
    moving,
    from,
    into: act && 'into' in act && told ? act.into : undefined,
    absorbed: erased.find(({ person }) => person.profile_id === from?.profile_id)?.absorbed ?? [],
    mentions: people.map(({ profile_id }) => mention(item.workspace_id, 'profile', profile_id)),
  }
}

/** Other items forget whom they were about when it was somebody who is deleted now. */
async function scrub(tx: Tx, erased: readonly DeletedPerson[], { mention }: CarryParts): Promise<void> {
  const mentions = erased.flatMap(({ workspace_id, person, absorbed, identifiers }) => {
    const profiles = [person, ...absorbed].map(({ profile_id }) => mention(workspace_id, 'profile', profile_id))
    return [...profiles, ...identifiers.map(({ kind, value }) => mention(workspace_id, kind, value))]
  })
  if (mentions.length > 0) await scrubItems(tx, mentions)
}
