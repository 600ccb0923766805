import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Db, Tx } from '../../base/db/db.ts'
import { bucketCount, type Person, person } from '../../people/identity/person.ts'
import { evaluate } from './evaluate.ts'
import { type Facts, needsOf } from './facts.ts'
import { completeFacts, type FactRow, factColumns, loadFacts } from './facts-store.ts'
import type { BucketRange } from './joins-store.ts'
import { findHistoryNameIds, listConditionGroups } from './reference-ids-store.ts'
import { countMatching, drawMatching, listMatching } from './select-people-store.ts'
import { type SqlScope, toSql } from './to-sql-store.ts'
import type { Tree } from './tree.ts'

/** The deadline of statements that read all people. */
const longQueryMs = 600_000
/** The most people whose facts are in memory at a time. */
const loadedMax = 4_000
/** The most people that are evaluated in one turn of the event loop. A pattern may take milliseconds for each. */
const evaluatedMax = 25
/** Buckets of the first statement, and the factor by which they grow when it finds too few people. */
const firstBuckets = 8
const growth = 4

/** Counts the people that a tree selects. It takes about one sequential scan, unless JavaScript must evaluate the people. */
export async function countPeople(db: Db, workspace_id: number, tree: Tree, nowMs: number): Promise<number> {
  const scope = await scopeOf(db, workspace_id, tree, nowMs)
  const where = toSql(tree, scope)
  if (where.isExact) return longQuery(db, (tx) => countMatching(tx, workspace_id, where))
  let count = 0
  for await (const people of eachPage(db, tree, scope, undefined, loadedMax)) count += people.length
  return count
}

export type SelectedPage = { readonly people: Person[]; readonly next: Person | undefined }

/**
 * Lists a page of the people that a tree selects, in the order of bucket and id. `next` is the `after` of the next page; undefined on the
 * last page.
 */
export async function pagePeople(
  db: Db,
  workspace_id: number,
  tree: Tree,
  nowMs: number,
  { after, limit }: { readonly after?: Person; readonly limit: number },
): Promise<SelectedPage> {
  const scope = await scopeOf(db, workspace_id, tree, nowMs)
  const found: Person[] = []
  // One more person shows whether there is a next page.
  for await (const people of eachPage(db, tree, scope, after, limit + 1)) {
    found.push(...people)
    if (found.length > limit) break
  }
  const people = found.slice(0, limit)
  return { people, next: found.length > limit ? people.at(-1) : undefined }
}

/**
 * Lists a sample of the people that a tree selects: the same people for the same `seed`, while the data does not change. Reads only as many
 * buckets as it needs. The bucket of a person is a hash, so the people of some buckets are a random sample.
 */
export async function samplePeople(
  db: Db,
  workspace_id: number,
  tree: Tree,
  nowMs: number,
  { limit, seed }: { readonly limit: number; readonly seed: number },
): Promise<Person[]> {
  const scope = await scopeOf(db, workspace_id, tree, nowMs)
  const start = startBucket(seed)
  const found: Person[] = []
  for (let from = 0, width = firstBuckets; from < bucketCount && found.length < limit; ) {
    const below = Math.min(bucketCount, from + width)
    let candidates = 0
    for (const buckets of bucketRanges(start, from, below)) {
      const drawn = await drawFrom(db, tree, scope, buckets, limit, seed)
      found.push(...drawn.people)
      candidates += drawn.candidates
    }
    from = below
    if (candidates < loadedMax) width *= growth
  }
  return found.slice(0, limit)
}

/** Returns the `profile_id` of those people that a tree selects. */
export async function filterPeople(
  db: Tx,
  workspace_id: number,
  tree: Tree,
  nowMs: number,
  people: readonly Person[],
): Promise<Set<string>> {
  const needs = needsOf(tree)
  const found = new Set<string>()
  for (let from = 0; from < people.length; from += loadedMax) {
    const some = people.slice(from, from + loadedMax)
    const facts = await loadFacts(db, workspace_id, some, needs, nowMs)
    for (const { profile_id } of await evaluateAll(tree, facts, nowMs)) found.add(profile_id)
  }
  return found
}

async function scopeOf(tx: Tx, workspace_id: number, tree: Tree, nowMs: number): Promise<SqlScope> {
  const { groups, histories } = needsOf(tree)
  const refs = groups.size > 0 ? await listConditionGroups(tx, workspace_id, [...groups]) : []
  return {
    workspace_id,
    nowMs,
    groups: new Map(refs.map((ref) => [ref.id, ref])),
    names: await findHistoryNameIds(tx, workspace_id, [...histories.values()]),
  }
}

/**
 * Yields the people that a tree selects, in order. Each statement reads some buckets: more after few people were found, and fewer after
 * many.
 */
async function* eachPage(
  db: Db,
  tree: Tree,
  scope: SqlScope,
  start: Person | undefined,
  limit: number,
): AsyncGenerator<Person[]> {
  const { workspace_id, nowMs } = scope
  let after = start
  let from = start?.bucket ?? 0
  let width = firstBuckets
  let most = Math.min(limit, loadedMax)
  while (from < bucketCount) {
    const buckets = { from, below: Math.min(bucketCount, from + width) }
    const where = toSql(tree, { ...scope, buckets })
    const range = { buckets, after, limit: most }
    const needs = needsOf(where.rest)
    const columns = where.isExact ? undefined : factColumns(needs)
    const rows = await longQuery(db, (tx) => listMatching<FactRow>(tx, workspace_id, where, range, columns))
    const some = rows.map(({ bucket, profile_id }) => person(bucket, profile_id))
    if (where.isExact) yield some
    else yield evaluateAll(where.rest, await completeFacts(db, workspace_id, rows, needs, nowMs), nowMs)
    if (some.length === range.limit) {
      after = some.at(-1)!
      from = after.bucket
      width = Math.max(1, Math.ceil(width / growth))
    } else {
      from = buckets.below
      // When a tree selects very few people, most statements would find none.
      width *= some.length * growth < range.limit / growth ? growth * growth : growth
    }
    // The tree may select few of the people that SQL finds, so each statement reads more.
    if (!where.isExact) most = Math.min(loadedMax, most * growth)
  }
}

/**
 * Returns the first `limit` people of these buckets that a tree selects, in the order of the seed. `candidates` is how many people were
 * tested.
 */
async function drawFrom(
  db: Db,
  tree: Tree,
  scope: SqlScope,
  buckets: BucketRange,
  limit: number,
  seed: number,
): Promise<{ people: Person[]; candidates: number }> {
  const where = toSql(tree, { ...scope, buckets })
  for (let most = limit; ; most *= growth) {
    const order = { buckets, limit: most, seed }
    const some = await longQuery(db, (tx) => drawMatching(tx, scope.workspace_id, where, order))
    if (where.isExact) return { people: some, candidates: some.length }
    const chosen = await filterPeople(db, scope.workspace_id, tree, scope.nowMs, some)
    if (chosen.size < limit && some.length === most) continue
    return { people: some.filter((one) => chosen.has(one.profile_id)), candidates: some.length }
  }
}

/** Returns those people that a tree selects, in their order. */
async function evaluateAll(tree: Tree, facts: readonly Facts[], nowMs: number): Promise<Person[]> {
  const chosen: Person[] = []
  for (const [i, one] of facts.entries()) {
    if (i % evaluatedMax === evaluatedMax - 1) await nextTurn()
    if (evaluate(tree, one, nowMs)) chosen.push(one.person)
  }
  return chosen
}

/** Enough memory for hash joins of many people. */
const settings = ["work_mem = '64MB'"]

function longQuery<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction(work, { settings, deadlineMs: longQueryMs })
}

/** Returns the first bucket of a sample. Neighbouring seeds get buckets that are far apart. */
function startBucket(seed: number): number {
  return Math.imul(seed, 0x9e3779b1) >>> 20
}

/** Returns the ranges of buckets, counted from `start`. After the last bucket comes the first. */
function bucketRanges(start: number, from: number, below: number): BucketRange[] {
  const [first, end] = [start + from, start + below]
  if (first >= bucketCount) return [{ from: first - bucketCount, below: end - bucketCount }]
  if (end <= bucketCount) return [{ from: first, below: end }]
  return [
    { from: first, below: bucketCount },
    { from: 0, below: end - bucketCount },
  ]
}
