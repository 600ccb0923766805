import { setImmediate as nextTurn } from 'node:timers/promises'
import { systemClock } from '../../base/clock.ts'
import { bucketCount } from '../../base/db/buckets.ts'
import type { Db, Tx } from '../../base/db/db.ts'
import { indexScansOnly } from '../../base/db/transaction-settings.ts'
import { type Person, person } from '../../people/identity/person.ts'
import { evaluate } from './evaluate.ts'
import { type Facts, needsOf } from './facts.ts'
import { completeFacts, type FactRow, factColumns } from './facts-store.ts'
import type { BucketRange } from './joins-store.ts'
import { eachFacts, loadedMax, weightMax } from './load-facts-store.ts'
import { firstPace, nextPace, targetOf } from './pace.ts'
import { findConditionCohorts, findHistoryNameIds, listConditionGroups } from './reference-ids-store.ts'
import {
  areReadInOrder,
  countMatching,
  findLimit,
  listMatching,
  type PeopleRange,
  rankColumn,
} from './select-people-store.ts'
import { type SqlFilter, type SqlScope, toSql } from './to-sql-store.ts'
import type { Tree } from './tree.ts'

/** The deadline of statements that read all people. */
const longQueryMs = 600_000
/** The most people that are evaluated in one turn of the event loop. A pattern may take milliseconds for each. */
const evaluatedMax = 25
/** How long one turn should take. The embedded database has one session, for which all other work waits meanwhile. */
const turnMs = { pglite: 20, postgres: 2_000 } as const

/** Buckets of the first sample, and the factor by which they grow when they have too few people. */
const sampledBuckets = 8
const sampledGrowth = 4
/** A page with so many times fewer people than wanted has few. */
const fewFactor = 16
const allBuckets: BucketRange = { from: 0, below: bucketCount }

const { elapsed } = systemClock()

/**
 * Counts the people that a tree selects. A server of its own counts them in about one sequential scan, unless JavaScript must evaluate
 * them. The embedded database counts in short statements, between which other work runs.
 */
export async function countPeople(db: Db, workspace_id: number, tree: Tree, nowMs: number): Promise<number> {
  const scope = await scopeOf(db, workspace_id, tree, nowMs)
  const whole = toSql(tree, scope)
  let count = 0
  if (!whole.isExact) {
    for await (const people of eachPage(db, tree, scope, { limit: loadedMax })) count += people.length
  } else if (db.backend === 'postgres') {
    count = await longQuery(db, (tx) => countMatching(tx, workspace_id, whole))
  } else {
    const counts = eachTurn(db, tree, scope, {}, async (tx, where, range) => {
      return { value: await countMatching(tx, workspace_id, where, range), filled: false, few: true }
    })
    for await (const some of counts) count += some
  }
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
  for await (const people of eachPage(db, tree, scope, { after, limit: limit + 1 })) {
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
  for (let from = 0, width = sampledBuckets; from < bucketCount && found.length < limit; ) {
    const below = Math.min(bucketCount, from + width)
    for (const buckets of bucketRanges(start, from, below)) {
      const drawn: RankedPerson[] = []
      const pages = eachPage(db, tree, scope, { buckets, limit: loadedMax, seed })
      for await (const page of pages) drawn.push(...page)
      found.push(...drawn.sort(byRank).slice(0, limit))
    }
    from = below
    width *= sampledGrowth
  }
  return found.slice(0, limit).map(({ bucket, profile_id }) => person(bucket, profile_id))
}

/** Returns the `profile_id` of those people that a tree selects. */
export async function filterPeople(
  db: Tx,
  workspace_id: number,
  tree: Tree,
  nowMs: number,
  people: readonly Person[],
): Promise<Set<string>> {
  const found = new Set<string>()
  for await (const facts of eachFacts(db, workspace_id, people, needsOf(tree), nowMs)) {
    const known = facts.map((each) => each.person)
    for (const { profile_id } of await evaluateAll(tree, facts, known, nowMs)) found.add(profile_id)
  }
  return found
}

/** Returns the scope of a tree, with the ids of the groups, cohorts and names in it. */
export async function scopeOf(tx: Tx, workspace_id: number, tree: Tree, nowMs: number): Promise<SqlScope> {
  const { groups, cohorts, histories } = needsOf(tree)
  const refs = groups.size > 0 ? await listConditionGroups(tx, workspace_id, [...groups]) : []
  return {
    workspace_id,
    nowMs,
    groups: new Map(refs.map((ref) => [ref.id, ref])),
    cohorts: await findConditionCohorts(tx, workspace_id, [...cohorts.values()]),
    names: await findHistoryNameIds(tx, workspace_id, [...histories.values()]),
  }
}

/** Where to begin and end, and how many people are wanted. With `seed`, people have a rank. */
type PageOptions = TurnOptions & { readonly limit: number; readonly seed?: number }

/** A person; with a seed, with a pseudo-random number that depends on it. */
export type RankedPerson = Person & { readonly rank?: bigint }

/** Yields the people that a tree selects, in order, in pages of up to `limit` people. */
export async function* eachPage(
  db: Db,
  tree: Tree,
  scope: SqlScope,
  { limit, seed, ...options }: PageOptions,
): AsyncGenerator<RankedPerson[]> {
  const { workspace_id, nowMs } = scope
  const ranks = seed === undefined ? [] : [rankColumn(seed)]
  const turns = eachTurn(db, tree, scope, options, async (tx, where, range) => {
    const { isExact, rest } = where
    const most = isExact ? Math.min(limit, loadedMax) : loadedMax
    const needs = needsOf(rest)
    const columns = isExact ? ranks : [factColumns(needs), ...ranks]
    const rows = await listMatching<FactRow & { rank?: string }>(tx, workspace_id, where, range, most, columns)
    const people = rows.map(({ bucket, profile_id, rank }): RankedPerson => {
      const one = person(bucket, profile_id)
      return rank === undefined ? one : { ...one, rank: BigInt(rank) }
    })
    const facts = isExact ? undefined : await completeFacts(tx, workspace_id, rows, needs, nowMs)
    const filled = rows.length === most
    return {
      value: { people, facts, rest },
      ...{ filled, few: rows.length * fewFactor < most, last: filled ? people.at(-1) : undefined },
    }
  })
  // The turn has ended: other work uses the database while JavaScript evaluates.
  for await (const { people, facts, rest } of turns)
    yield facts ? await evaluateAll(rest, facts, people, nowMs) : people
}

type TurnOptions = { readonly after?: Person | undefined; readonly buckets?: BucketRange }

/** The result of one turn. `last`: up to which person of its range it has read, if not to the end. */
type TurnResult<T> = {
  readonly value: T
  readonly filled: boolean
  readonly few: boolean
  readonly last?: Person | undefined
}

/**
 * Reads people turn by turn, each in short transactions, in the order of bucket and id. Each turn reads as much as takes about `turnMs`
 * (`nextPace`), and no more than the memory of this process allows.
 */
export async function* eachTurn<T>(
  db: Db,
  tree: Tree,
  scope: SqlScope,
  { after: start, buckets: all = allBuckets }: TurnOptions,
  read: (tx: Tx, where: SqlFilter, range: PeopleRange) => Promise<TurnResult<T>>,
): AsyncGenerator<T> {
  const { isExact, attributesRead } = toSql(tree, scope)
  const isLimited = db.backend === 'pglite' || !isExact
  let pace = firstPace
  let fastestMs = Number.POSITIVE_INFINITY
  let after = start
  let from = Math.max(all.from, start?.bucket ?? 0)
  while (from < all.below) {
    const buckets = { from, below: Math.min(all.below, from + pace.buckets) }
    const limit = { people: pace.people, weight: weightMax }
    const limited = isLimited
      ? await timed(db, buckets, (tx) =>
          findLimit(tx, scope.workspace_id, { buckets, after }, limit, attributesRead > 0),
        )
      : undefined
    const { result: last, tookMs: limitedMs = 0 } = limited ?? {}
    const range = last ? { buckets: { from, below: last.bucket + 1 }, after, last } : { buckets, after }
    const where = toSql(tree, { ...scope, buckets: range.buckets })
    const turn = last === null ? undefined : await timed(db, buckets, (tx) => read(tx, where, range))
    if (turn) yield turn.result.value
    const { filled = false, few = true } = turn?.result ?? {}
    const readTo = turn?.result.last ?? last
    if (readTo) {
      after = readTo
      from = after.bucket
    } else from = buckets.below
    const tookMs = Math.max(limitedMs, turn?.tookMs ?? 0)
    // A turn without people had nothing to plan, and finding the limit spends its time on pages that are not in memory.
    if (turn) fastestMs = Math.min(fastestMs, turn.tookMs)
    const targetMs = targetOf(turnMs[db.backend], fastestMs)
    const next = nextPace(pace, { tookMs, filled, few: few && !readTo }, targetMs)
    // More people at once would not be quicker, and after a slow turn it would take many more to be slow no longer.
    pace = isLimited ? { ...next, people: Math.min(next.people, loadedMax) } : next
  }
}

/**
 * Runs statements about people of these buckets in a transaction of their own, and tells how long they took without the wait for a session.
 * With other scans PostgreSQL sorts all people of a few buckets to return the first of them: 20,000 where there are ten million people.
 */
function timed<T>(
  db: Db,
  buckets: BucketRange,
  work: (tx: Tx) => Promise<T>,
): Promise<{ readonly result: T; readonly tookMs: number }> {
  const measured = async (tx: Tx) => {
    const startedMs = elapsed()
    const result = await work(tx)
    return { result, tookMs: elapsed() - startedMs }
  }
  return longQuery(db, measured, areReadInOrder(buckets) ? indexScansOnly : [])
}

/** Returns those of `people` whose facts a tree selects. */
async function evaluateAll<P extends Person>(
  tree: Tree,
  facts: readonly Facts[],
  people: readonly P[],
  nowMs: number,
): Promise<P[]> {
  const chosen: P[] = []
  for (const [i, one] of facts.entries()) {
    if (i % evaluatedMax === evaluatedMax - 1) await nextTurn()
    if (evaluate(tree, one, nowMs)) chosen.push(people[i]!)
  }
  return chosen
}

function byRank({ rank: a = 0n, key }: RankedPerson, { rank: b = 0n, key: otherKey }: RankedPerson): number {
  if (a !== b) return a < b ? -1 : 1
  return key < otherKey ? -1 : 1
}

/** Enough memory for hash joins of many people. */
const settings = ["work_mem = '64MB'"]

/** Runs statements that only read, and may read all people. */
export function longQuery<T>(db: Db, work: (tx: Tx) => Promise<T>, further: readonly string[] = []): Promise<T> {
  const options = { deadlineMs: longQueryMs, registersAs: 'nothing' } as const
  return db.transaction(work, { ...options, settings: [...settings, ...further] })
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
