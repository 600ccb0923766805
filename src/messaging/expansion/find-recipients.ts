import { parseAudience } from '../../audience/conditions/parse-condition.ts'
import { filterPeople } from '../../audience/conditions/select-people.ts'
import type { Tree } from '../../audience/conditions/tree.ts'
import type { Tx } from '../../base/db/db.ts'
import type { Person } from '../../people/identity/person.ts'
import { patternCharactersCeiling } from '../../workspace/settings/settings.ts'
import { conditionTrees as readConditions } from '../flows/conditions.ts'
import type { Condition } from '../flows/flow.ts'
import type { DecisionReason } from '../ledger/reasons.ts'
import { explainExclusion, segmentDeleted } from '../orders/explain-exclusion.ts'
import { everyoneZone, leftoverZone, missedZone, noZone } from '../orders/schedule.ts'
import type { Properties, Recipient, Sending } from '../orders/sending.ts'
import { resolveRecipients, type UnknownRecipient } from './resolve-recipients.ts'

/** Thrown when recipients cannot be found, now or later. The administrator sees the text. */
export class RecipientsNotFound extends Error {}

/** A person of a slot. `refused`: why nothing is sent to them. */
export type FoundRecipient = {
  readonly person: Person
  readonly step?: string
  readonly visit?: number
  /** Properties of this person alone. */
  readonly properties?: Properties | undefined
  readonly refused?: DecisionReason | undefined
}

/** The conditions on the people of a slot. `missing`: why the segment does not exist; the slot has no people then. */
export type SlotTrees = {
  readonly segment?: Tree
  readonly audience?: Tree
  readonly zone?: Tree
  readonly missing?: string
}

/**
 * Loads the conditions of a slot, with the current segments: that of the order, and `condition`, that of the flow that people enter. People
 * must be in both.
 */
export async function loadSlotTrees(
  tx: Tx,
  workspace_id: number,
  zone: string,
  sending: Sending,
  condition?: Condition,
): Promise<SlotTrees> {
  const { segment_id, audience } = sending
  const segments = await loadSegments(tx, workspace_id, [
    condition,
    segment_id === undefined ? undefined : { segment_id },
  ])
  const within = zoneTree(zone)
  return {
    ...segments,
    ...(audience !== undefined && { audience: parseAudience(audience, 'audience', patternCharactersCeiling) }),
    ...(within && { zone: within }),
  }
}

/** Loads the trees of conditions as one tree, which all of them must meet. */
export async function loadSegments(
  tx: Tx,
  workspace_id: number,
  conditions: readonly (Condition | undefined)[],
): Promise<Pick<SlotTrees, 'segment' | 'missing'>> {
  const given = conditions.filter((condition) => condition !== undefined)
  if (given.length === 0) return {}
  const found = await readConditions(tx, workspace_id, given)
  const trees = found.filter((tree) => tree !== undefined)
  if (trees.length < given.length) return { missing: segmentDeleted }
  return { segment: trees.length === 1 ? trees[0]! : { all: trees } }
}

/** Returns all conditions as one tree. */
export function combineTrees({ segment, audience, zone }: SlotTrees): Tree {
  return { all: [zone, segment, audience].filter((tree) => tree !== undefined) }
}

/** Returns the condition that people have the time zone of a slot. Undefined for a slot of all zones. */
function zoneTree(zone: string): Tree | undefined {
  if (zone === everyoneZone || zone === leftoverZone || zone === missedZone) return undefined
  const test =
    zone === noZone ? ({ comparison: 'does_not_exist' } as const) : ({ comparison: 'equals', text: zone } as const)
  return { kind: 'standard_attribute', field: 'time_zone', test }
}

/** Finds the named recipients that belong to a slot, each once. None of them is merged or deleted before `tx` ends. */
export async function findNamedRecipients(
  tx: Tx,
  workspace_id: number,
  recipients: readonly Recipient[],
  trees: SlotTrees,
  nowMs: number,
): Promise<{ people: FoundRecipient[]; unknown: UnknownRecipient[] }> {
  const { people: named, unknown, properties } = await resolveRecipients(tx, workspace_id, recipients)
  // An identifier that no person has belongs to no zone: the last slot counts it.
  const unknownHere = trees.zone ? [] : unknown
  const here = await keepMatching(tx, workspace_id, trees.zone, named, nowMs)
  const { missing } = trees
  if (missing !== undefined) {
    const refused = { reason: 'not_in_segment', rule: missing } as const
    return { people: here.map((person) => ({ person, refused })), unknown: unknownHere }
  }
  const inSegment = await keepMatching(tx, workspace_id, trees.segment, here, nowMs)
  const inBoth = await keepMatching(tx, workspace_id, trees.audience, inSegment, nowMs)
  const people = [
    ...inBoth.map((person): FoundRecipient => ({ person, properties: properties.get(person.profile_id) })),
    ...(await explainExclusion(tx, workspace_id, 'not_in_segment', trees.segment, without(here, inSegment), nowMs)),
    ...(await explainExclusion(tx, workspace_id, 'not_in_audience', trees.audience, without(inSegment, inBoth), nowMs)),
  ]
  return { people, unknown: unknownHere }
}

async function keepMatching(
  tx: Tx,
  workspace_id: number,
  tree: Tree | undefined,
  people: Person[],
  nowMs: number,
): Promise<Person[]> {
  if (!tree || people.length === 0) return people
  const chosen = await filterPeople(tx, workspace_id, tree, nowMs, people)
  return people.filter(({ profile_id }) => chosen.has(profile_id))
}

function without(people: readonly Person[], others: readonly Person[]): Person[] {
  return people.filter((person) => !others.includes(person))
}
