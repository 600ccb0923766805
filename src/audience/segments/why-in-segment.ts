import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import type { Query } from '../../base/http/route.ts'
import { findPeople } from '../../people/identity/find-people.ts'
import { onlyOneIdentifier, readQueryIdentifier } from '../../people/identity/query-identifier.ts'
import { identifierWords } from '../../people/values/refusals.ts'
import { completeSettings } from '../../workspace/settings/settings.ts'
import type { WorkspaceRow } from '../../workspace/settings/store.ts'
import { explain } from '../conditions/explain.ts'
import { needsOf } from '../conditions/facts.ts'
import { loadFacts } from '../conditions/load-facts-store.ts'
import { describeTree } from '../conditions/sentence.ts'
import { getSegmentOfPath } from './find.ts'
import { describePeople, type SegmentPeopleServices } from './segment-people.ts'

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
  const { db, clock } = call
  const { workspace_id } = workspace
  const wording = { zone: completeSettings(workspace.settings).time_zone }
  const words = identifierWords(services.serviceName)
  const who = readQueryIdentifier(query, words)
  if (!who) throw invalid(onlyOneIdentifier(words.serviceIdKey))
  const { name, tree } = await getSegmentOfPath(db, workspace_id, id)
  const segment = { id, name, words: describeTree(tree, wording) }
  const [found] = await findPeople(db, workspace_id, [who], services.parseServiceId, 1)
  const nowMs = clock.now()
  const people = found?.people ?? []
  const facts = people[0] && (await loadFacts(db, workspace_id, people[0], needsOf(tree), nowMs))
  const [person] = await describePeople(call, people, services)
  if (!facts || !person) return { segment, person: null, in: false, reason: 'no_such_user', because: null }
  const because = explain(tree, facts, nowMs, wording)
  return { segment, person, in: because.holds, reason: because.holds ? 'in_segment' : 'not_in_segment', because }
}
