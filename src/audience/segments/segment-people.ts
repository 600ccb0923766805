import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import { readLimit, readNonEmpty } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import type { KeyedMutex } from '../../base/work/keyed-mutex.ts'
import { bucketOfId, type Person, person } from '../../people/identity/person.ts'
import { listAliases } from '../../people/profile/read-store.ts'
import { countWithUnset, type PeopleCount } from '../conditions/count-people.ts'
import { pagePeople, samplePeople } from '../conditions/select-people.ts'
import type { Tree } from '../conditions/tree.ts'
import { countingMutex } from './daily-sizes.ts'
import { getSegmentOfPath } from './find.ts'
import { type PersonSummary, peopleDefault, peopleMax, sampleDefault, sampleMax } from './people-schema.ts'
import { listSummaries } from './person-summary-store.ts'

export type SegmentPeopleServices = {
  keyedMutex: KeyedMutex
  serviceName: string
  formatServiceId(profile_id: string): string
  parseServiceId(text: string): string | undefined
}

/** Counts the people of a segment, and those who are in it only because they lack an attribute. */
export async function countSegment(
  { db, clock }: Call,
  workspace_id: number,
  id: string,
  { keyedMutex }: SegmentPeopleServices,
): Promise<PeopleCount> {
  const { tree } = await getSegmentOfPath(db, workspace_id, id)
  return keyedMutex.run(countingMutex, () => countWithUnset(db, workspace_id, tree, clock.now()))
}

/**
 * Lists a page of the people of a segment. `after` is the `next` of the previous page. Each page has the data of its own moment: a person
 * who enters or leaves the segment between two pages may or may not be on the second one.
 */
export async function pageSegment(
  call: Call,
  workspace_id: number,
  id: string,
  query: Query,
  services: SegmentPeopleServices,
) {
  const { db, clock } = call
  const limit = readLimit(query, peopleDefault, peopleMax)
  const after = readAfter(query, services)
  const { tree } = await getSegmentOfPath(db, workspace_id, id)
  const page = await pagePeople(db, workspace_id, tree, clock.now(), { ...(after && { after }), limit })
  return {
    people: await describePeople(call, page.people, services),
    next: page.next ? services.formatServiceId(page.next.profile_id) : null,
  }
}

/** Lists a sample of a segment: the same people for the same `seed`, as long as the data does not change. */
export async function sampleSegment(
  call: Call,
  workspace_id: number,
  id: string,
  query: Query,
  services: SegmentPeopleServices,
) {
  const limit = readLimit(query, sampleDefault, sampleMax)
  const seed = readSeed(query)
  const { tree } = await getSegmentOfPath(call.db, workspace_id, id)
  return sampleTree(call, workspace_id, tree, { limit, seed }, services)
}

/** Lists a sample of the people that a tree selects. */
export async function sampleTree(
  call: Call,
  workspace_id: number,
  tree: Tree,
  wanted: { readonly limit: number; readonly seed: number },
  services: SegmentPeopleServices,
) {
  const people = await samplePeople(call.db, workspace_id, tree, call.clock.now(), wanted)
  return { people: await describePeople(call, people, services) }
}

/** Describes people for an administrator, without removed people. */
export async function describePeople(
  { db }: Call,
  people: readonly Person[],
  services: SegmentPeopleServices,
): Promise<PersonSummary[]> {
  const rows = await listSummaries(db, people)
  const aliases = people.length > 0 ? await listAliases(db, people) : []
  const byOwner = Map.groupBy(aliases, ({ profile_id }) => profile_id)
  return rows.map(({ profile_id, created_at, ...summary }) => ({
    [`${services.serviceName}_id`]: services.formatServiceId(profile_id),
    ...summary,
    user_aliases: (byOwner.get(profile_id) ?? []).map(({ alias_name, alias_label }) => ({ alias_name, alias_label })),
    created_at: created_at.toISOString(),
  }))
}

function readSeed(query: Query): number {
  const text = readNonEmpty(query, 'seed') ?? '0'
  if (!/^\d{1,9}$/.test(text)) throw invalid("'seed' must be a whole number of at most 9 digits")
  return Number(text)
}

function readAfter(query: Query, services: SegmentPeopleServices): Person | undefined {
  const text = readNonEmpty(query, 'after')
  if (text === undefined) return undefined
  const profile_id = services.parseServiceId(text)
  if (profile_id === undefined) throw invalid("'after' must be the 'next' of an earlier response")
  return person(bucketOfId(profile_id), profile_id)
}
