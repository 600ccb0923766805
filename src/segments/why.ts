import { explain } from '../audience/explain.ts'
import { needsOf } from '../audience/facts.ts'
import { loadFacts } from '../audience/facts-store.ts'
import { wordsOf } from '../audience/words.ts'
import type { Call } from '../base/call.ts'
import { invalid } from '../base/errors.ts'
import { readOne } from '../base/http/query.ts'
import type { Query } from '../base/http/route.ts'
import { findPeople } from '../profiles/find.ts'
import {
  accepted,
  type Identifier,
  readAlias,
  readEmail,
  readExternalId,
  readServiceId,
} from '../profiles/identifier.ts'
import { type IdentifierWords, identifierWords } from '../profiles/refusals.ts'
import { completeSettings } from '../workspace/settings.ts'
import type { WorkspaceRow } from '../workspace/store.ts'
import { getSegmentAt } from './find.ts'
import { type FaceParts, showPeople } from './people.ts'

/**
 * Whether somebody is in a segment now, and by which of its conditions. Of several people who share an e-mail the most recently updated
 * one is meant.
 */
export async function whySegment(
  call: Call,
  workspace: Pick<WorkspaceRow, 'workspace_id' | 'settings'>,
  id: string,
  query: Query,
  parts: FaceParts,
) {
  const { db, clock } = call
  const { workspace_id } = workspace
  const wording = { zone: completeSettings(workspace.settings).time_zone }
  const who = readWho(query, identifierWords(parts.serviceName))
  const { name, tree } = await getSegmentAt(db, workspace_id, id)
  const segment = { id, name, words: wordsOf(tree, wording) }
  const [found] = await findPeople(db, workspace_id, [who], parts.parseServiceId, 1)
  const nowMs = clock.now()
  const people = found?.people ?? []
  const [facts] = people.length > 0 ? await loadFacts(db, workspace_id, people, needsOf(tree), nowMs) : []
  const [person] = await showPeople(call, people, parts)
  if (!facts || !person) return { segment, person: null, in: false, reason: 'no_such_user', because: null }
  const because = explain(tree, facts, nowMs, wording)
  return { segment, person, in: because.holds, reason: because.holds ? 'in_segment' : 'not_in_segment', because }
}

/** The one identifier that a query has: `external_id`, `alias_name` with `alias_label`, `email` or `service_id`. Throws 400. */
function readWho(query: Query, words: IdentifierWords): Identifier {
  const { serviceIdKey } = words
  const [alias_name, alias_label] = [readOne(query, 'alias_name'), readOne(query, 'alias_label')]
  const readers: readonly [unknown, (value: unknown) => Identifier | string][] = [
    [readOne(query, 'external_id'), (value) => readExternalId(value, true)],
    [alias_name ?? alias_label, () => readAlias({ alias_name, alias_label }, true)],
    [readOne(query, 'email'), readEmail],
    [readOne(query, serviceIdKey), (value) => readServiceId(value, words)],
  ]
  const given = readers.filter(([value]) => value !== undefined)
  const [one] = given
  if (!one || given.length > 1) {
    throw invalid(`Exactly one of external_id, alias_name with alias_label, email and ${serviceIdKey} must be given`)
  }
  const [value, read] = one
  return accepted(read(value))
}
