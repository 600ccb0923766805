import { setImmediate as breathe } from 'node:timers/promises'
import type { Db, Tx } from '../../base/db/db.ts'
import { bucketCount, type Person, person } from '../../people/identity/person.ts'
import { evaluate } from './evaluate.ts'
import { type Facts, needsOf } from './facts.ts'
import { completeFacts, type FactRow, factColumns, loadFacts } from './facts-store.ts'
import type { BucketRange } from './joins-store.ts'
import { findOccurrenceNameIds, listGroupRefs } from './reference-ids-store.ts'
import { countMatching, drawMatching, listMatching } from './select-people-store.ts'
import { type SqlScope, toSql } from './to-sql-store.ts'
import type { Tree } from './tree.ts'

/** A count reads everybody in one statement: more than other statements may take. */
const longQueryMs = 600_000
/** People whose facts are in memory at a time. */
const loadedMax = 4_000
/** People between whom others have their turn: a pattern may take milliseconds for one. */
const evaluatedMax = 25
/** Buckets that are looked through first, and by how much more when that was too few. */
const firstBuckets = 8
const growth = 4

/** How many living people of a workspace a tree means. Near to one sequential scan, unless only JavaScript can decide. */
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
 * The people a tree means, in the order of bucket and id, after one of them. `next` is what the next page comes after; undefined after
 * the last one.
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
  // One more tells whether there is a next page.
  for await (const people of eachPage(db, tree, scope, after, limit + 1)) {
    found.push(...people)
    if (found.length > limit) break
  }
  const people = found.slice(0, limit)
  return { people, next: found.length > limit ? people.at(-1) : undefined }
}

/**
 * Some of the people a tree means, the same ones for the same `seed` as long as nobody changes. Buckets come of a hash, so whoever is in
 * some of them is a sample; only as many are looked through as are needed.
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
    let asked = 0
    for (const buckets of bucketRanges(start, from, below)) {
      const drawn = await drawFrom(db, tree, scope, buckets, limit, seed)
      found.push(...drawn.people)
      asked += drawn.asked
    }
    from = below
    if (asked < loadedMax) width *= growth
  }
  return found.slice(0, limit)
}

/** Which of these people a tree means, by `profile_id`. */
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
  const { groups, occurrences } = needsOf(tree)
  const places = groups.size > 0 ? await listGroupRefs(tx, workspace_id, [...groups]) : []
  return {
    workspace_id,
    nowMs,
    groups: new Map(places.map((place) => [place.id, place])),
    names: await findOccurrenceNameIds(tx, workspace_id, [...occurrences.values()]),
  }
}

/** Everybody a tree means, in order, a few buckets at a time: more when they hold few of them, fewer when they hold many. */
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
      // Where hardly anybody is meant most statements would find nobody.
      width *= some.length * growth < range.limit / growth ? growth * growth : growth
    }
    // Of those whom SQL lets through few may be meant: then a page is not found a page at a time.
    if (!where.isExact) most = Math.min(loadedMax, most * growth)
  }
}

/** The first `limit` people of these buckets whom a tree means, in the order of the seed; `asked`: of how many they are. */
async function drawFrom(
  db: Db,
  tree: Tree,
  scope: SqlScope,
  buckets: BucketRange,
  limit: number,
  seed: number,
): Promise<{ people: Person[]; asked: number }> {
  const where = toSql(tree, { ...scope, buckets })
  for (let most = limit; ; most *= growth) {
    const order = { buckets, limit: most, seed }
    const some = await longQuery(db, (tx) => drawMatching(tx, scope.workspace_id, where, order))
    if (where.isExact) return { people: some, asked: some.length }
    const chosen = await filterPeople(db, scope.workspace_id, tree, scope.nowMs, some)
    if (chosen.size < limit && some.length === most) continue
    return { people: some.filter((one) => chosen.has(one.profile_id)), asked: some.length }
  }
}

/** Those of whom a tree holds, in their order. */
async function evaluateAll(tree: Tree, facts: readonly Facts[], nowMs: number): Promise<Person[]> {
  const chosen: Person[] = []
  for (const [i, one] of facts.entries()) {
    if (i % evaluatedMax === evaluatedMax - 1) await breathe()
    if (evaluate(tree, one, nowMs)) chosen.push(one.person)
  }
  return chosen
}

/** Joins of many people are better made in memory. */
const settings = ["work_mem = '64MB'"]

function longQuery<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction(work, { settings, deadlineMs: longQueryMs })
}

/** A bucket for a seed, far from those of its neighbours. */
function startBucket(seed: number): number {
  return Math.imul(seed, 0x9e3779b1) >>> 20
}

/** Places counted from a bucket on and past the last one to the first. */
function bucketRanges(start: number, from: number, below: number): BucketRange[] {
  const [first, end] = [start + from, start + below]
  if (first >= bucketCount) return [{ from: first - bucketCount, below: end - bucketCount }]
  if (end <= bucketCount) return [{ from: first, below: end }]
  return [
    { from: first, below: bucketCount },
    { from: 0, below: end - bucketCount },
  ]
}
