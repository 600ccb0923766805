import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import type { Query } from '../../base/http/route.ts'
import { findPeople } from '../../people/identity/find-people.ts'
import type { Identifier } from '../../people/identity/identifier.ts'
import { onlyOneIdentifier, readQueryIdentifier } from '../../people/identity/query-identifier.ts'
import { identifierWords } from '../../people/values/refusals.ts'
import type { WorkspaceRow } from '../../workspace/settings/store.ts'
import { type Explanation, explain } from '../conditions/explain.ts'
import { needsOf } from '../conditions/facts.ts'
import { loadFacts } from '../conditions/load-facts-store.ts'
import { describeTree, type Wording } from '../conditions/sentence.ts'
import type { Tree } from '../conditions/tree.ts'
import { getSegmentOfPath } from './find.ts'
import { describePeople, type SegmentPeopleServices } from './segment-people.ts'
import { loadWording } from './wording.ts'

/**
 * Explains whether a person is in a segment, condition by condition. Of several people with the same e-mail address, it uses the most
 * recently updated one.
 */
export async function whySegment(
  call: Call,
  workspace: Pick<WorkspaceRow, 'workspace_id' | 'settings'>,
  id: string,
  query: Query,
  services: SegmentPeopleServices,
) {
  const who = readWho(query, services)
  const { name, tree } = await getSegmentOfPath(call.db, workspace.workspace_id, id)
  const wording = await loadWording(call.db, workspace)
  const subject = { tree, wording, called: `the segment "${name}"` }
  return {
    segment: { id, name, words: describeTree(tree, wording) },
    ...(await whyTree(call, workspace.workspace_id, subject, who, services)),
  }
}

/** What a person is looked for in. `called`: what the sentence calls it. */
type WhySubject = { readonly tree: Tree; readonly wording: Wording; readonly called: string }

/** Reads the identifier of the person. Throws 400. */
export function readWho(query: Query, services: SegmentPeopleServices): Identifier {
  const words = identifierWords(services.serviceName)
  const who = readQueryIdentifier(query, words)
  if (!who) throw invalid(onlyOneIdentifier(words.serviceIdKey))
  return who
}

/** Explains whether a tree selects a person. */
export async function whyTree(
  call: Call,
  workspace_id: number,
  { tree, wording, called }: WhySubject,
  who: Identifier,
  services: SegmentPeopleServices,
) {
  const { db, clock } = call
  const [found] = await findPeople(db, workspace_id, [who], services.parseServiceId, 1)
  const nowMs = clock.now()
  const people = found?.people ?? []
  const facts = people[0] && (await loadFacts(db, workspace_id, people[0], needsOf(tree), nowMs))
  const [person] = await describePeople(call, people, services)
  if (!facts || !person) return { person: null, in: false, reason: 'no_such_user', sentence: nobody, because: null }
  const because = explain(tree, facts, nowMs, wording)
  return {
    person,
    in: because.holds,
    reason: because.holds ? 'in_segment' : 'not_in_segment',
    sentence: sentenceOf(called, because),
    because,
  }
}

const nobody = 'Nobody has this identifier.'

/** Says whether the person is in the segment, with the conditions that decided. Pure. */
export function sentenceOf(called: string, because: Explanation): string {
  const is = because.holds ? 'is' : 'is not'
  const leaves = decidingLeaves(because).slice(0, leavesMax)
  const reasons = leaves.map(({ condition, has }) => `the rule is "${condition}", the person has ${has}`)
  return `The person ${is} in ${called}${reasons.length === 0 ? '' : `: ${reasons.join('; ')}`}.`
}

/** The most conditions in a sentence. */
const leavesMax = 3

type DecidingLeaf = { readonly condition: string; readonly has: string }

/** Returns the conditions that decided the result. */
function decidingLeaves(explained: Explanation): DecidingLeaf[] {
  if ('all' in explained) return decidingParts(explained.all, explained.holds)
  if ('any' in explained) return decidingParts(explained.any, explained.holds)
  if ('segment' in explained) return decidingLeaves(explained.segment)
  if (!('not' in explained)) return [explained]
  return decidingLeaves(explained.not).map((leaf) => ({ ...leaf, condition: `not (${leaf.condition})` }))
}

function decidingParts(parts: readonly Explanation[], holds: boolean): DecidingLeaf[] {
  return parts.filter((part) => part.holds === holds).flatMap(decidingLeaves)
}
