import { parseAudience } from '../../audience/conditions/parse-condition.ts'
import { filterPeople } from '../../audience/conditions/select-people.ts'
import type { Tree } from '../../audience/conditions/tree.ts'
import type { Tx } from '../../base/db/db.ts'
import type { Person } from '../../people/identity/person.ts'
import { patternCharactersCeiling } from '../../workspace/settings/settings.ts'
import { treesOf as readConditions } from '../flows/conditions.ts'
import type { Condition } from '../flows/flow.ts'
import type { DecisionReason } from '../ledger/reasons.ts'
import { explainExclusion, segmentDeleted } from '../orders/explain-exclusion.ts'
import { everyoneZone, leftoverZone, missedZone, noZone } from '../orders/schedule.ts'
import type { Properties, Recipient, Sending } from '../orders/sending.ts'
import { resolveRecipients, type UnknownRecipient } from './resolve-recipients.ts'

/** Thrown when who is meant cannot be found, now or later; the text is shown to the administrator. */
export class RecipientsNotFound extends Error {}

/** Somebody who is meant; with a reason, why nothing is sent to them. */
export type FoundRecipient = {
  readonly person: Person
  readonly step?: string
  readonly visit?: number
  /** Those of this person alone. */
  readonly properties?: Properties | undefined
  readonly refused?: DecisionReason | undefined
}

/** The trees by which a slot means somebody; `missing` says why there is no tree where there should be one: then nobody is in it. */
export type SlotTrees = {
  readonly segment?: Tree
  readonly audience?: Tree
  readonly zone?: Tree
  readonly missing?: string
}

/** Puts the stored segment in as it is now; `condition`: that of the flow of an order that has one. */
export async function loadSlotTrees(
  tx: Tx,
  workspace_id: number,
  zone: string,
  sending: Sending,
  condition?: Condition,
): Promise<SlotTrees> {
  const { segment_id, audience } = sending
  const asked = condition ?? (segment_id === undefined ? undefined : { segment_id })
  const [segment] = asked ? await readConditions(tx, workspace_id, [asked]) : []
  const within = zoneTree(zone)
  return {
    ...(segment && { segment }),
    ...(asked && !segment && { missing: segmentDeleted }),
    ...(audience !== undefined && { audience: parseAudience(audience, 'audience', patternCharactersCeiling) }),
    ...(within && { zone: within }),
  }
}

/** All of them together. */
export function combineTrees({ segment, audience, zone }: SlotTrees): Tree {
  return { all: [zone, segment, audience].filter((tree) => tree !== undefined) }
}

/** Whoever lives in the zone of a slot; undefined where the zone does not matter. */
function zoneTree(zone: string): Tree | undefined {
  if (zone === everyoneZone || zone === leftoverZone || zone === missedZone) return undefined
  const test =
    zone === noZone ? ({ comparison: 'does_not_exist' } as const) : ({ comparison: 'equals', text: zone } as const)
  return { kind: 'standard_attribute', field: 'time_zone', test }
}

/** Those who are named, as far as they are of this slot; each once, however often. Nobody of them departs before `tx` ends. */
export async function findNamedRecipients(
  tx: Tx,
  workspace_id: number,
  recipients: readonly Recipient[],
  trees: SlotTrees,
  nowMs: number,
): Promise<{ people: FoundRecipient[]; nobody: UnknownRecipient[] }> {
  const { people: each, nobody, properties } = await resolveRecipients(tx, workspace_id, recipients)
  const left = trees.zone ? [] : nobody
  const here = await only(tx, workspace_id, trees.zone, each, nowMs)
  const { missing } = trees
  if (missing !== undefined) {
    const refused = { reason: 'not_in_segment', rule: missing } as const
    return { people: here.map((person) => ({ person, refused })), nobody: left }
  }
  const inSegment = await only(tx, workspace_id, trees.segment, here, nowMs)
  const inBoth = await only(tx, workspace_id, trees.audience, inSegment, nowMs)
  const people = [
    ...inBoth.map((person): FoundRecipient => ({ person, properties: properties.get(person.profile_id) })),
    ...(await explainExclusion(tx, workspace_id, 'not_in_segment', trees.segment, without(here, inSegment), nowMs)),
    ...(await explainExclusion(tx, workspace_id, 'not_in_audience', trees.audience, without(inSegment, inBoth), nowMs)),
  ]
  return { people, nobody: left }
}

async function only(
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
