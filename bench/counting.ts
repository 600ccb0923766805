import { setTimeout as sleep } from 'node:timers/promises'
import { countTrees } from '../src/audience/builder/count-audience.ts'
import { countPeople, pagePeople } from '../src/audience/conditions/select-people.ts'
import type { Tree } from '../src/audience/conditions/tree.ts'
import { systemClock } from '../src/base/clock.ts'
import type { Db, Tx } from '../src/base/db/db.ts'
import { sql } from '../src/base/db/sql.ts'
import { KeyedMutex } from '../src/base/work/keyed-mutex.ts'
import { typical } from './audience.ts'
import { quantile } from './measure.ts'
import type { Population } from './people.ts'
import type { Database, Figure } from './report.ts'
import { externalIdOf } from './samples.ts'

const aloneMs = 2_000
/** Few counts are this quick: the look-ups beside such a one are measured over several. */
const countingMsMin = 1_500
/** Between two look-ups, as requests of a quiet service come. */
const pauseMs = 1
const p99 = 0.99
const services = { keyedMutex: new KeyedMutex() }
const { elapsed } = systemClock()

/** The longest time that a count may hold the embedded database, in milliseconds. */
export const pieceMsMax = 50
/** A look-up beside a count may take so many times longer. */
export const besideTimesMax = 2

export const lookUpAloneName = 'a look-up without a count: p99'

export function pieceName(what: string): string {
  return `${what}: longest piece`
}

export function lookUpName(what: string): string {
  return `a look-up beside ${what}: p99`
}

/** Measures, while each typical segment is counted, estimated and listed, its longest piece and how long look-ups by key take beside it. */
export async function benchCounting(db: Db, database: Database, population: Population): Promise<Figure[]> {
  const { workspaceId, people, nowMs } = population
  const figureOf = (what: string, value: number): Figure => ({ what, database, people, value, unit: 'ms' })
  const clock = { ...systemClock(), now: () => nowMs }
  const works = (tree: Tree): [string, (timed: Db) => Promise<unknown>][] => [
    ['count', (timed) => countPeople(timed, workspaceId, tree, nowMs)],
    ['estimate', (timed) => countTrees({ db: timed, clock }, workspaceId, [tree], false, services)],
    ['page of 1,000', (timed) => pagePeople(timed, workspaceId, tree, nowMs, { limit: 1_000 })],
  ]
  // The first statements of a process read the catalog.
  for (const tree of Object.values(typical)) await pagePeople(db, workspaceId, tree, nowMs, { limit: 1 })
  const figures = [figureOf(lookUpAloneName, quantile(await lookUp(db, population, sleep(aloneMs)), p99))]
  for (const [name, tree] of Object.entries(typical)) {
    for (const [kind, work] of works(tree)) {
      const what = `${kind} of ${name}`
      const pieces = timePieces(db)
      const tookMs = lookUp(
        db,
        population,
        repeat(() => work(pieces.db)),
      )
      figures.push(
        figureOf(lookUpName(what), quantile(await tookMs, p99)),
        figureOf(pieceName(what), pieces.longestMs()),
      )
    }
  }
  return figures
}

async function repeat(work: () => Promise<unknown>): Promise<void> {
  const startedMs = elapsed()
  do await work()
  while (elapsed() - startedMs < countingMsMin)
}

/** Looks people up by key, one after the other, until `end`. Returns how long each took. */
async function lookUp(db: Db, { workspaceId, people }: Population, end: Promise<unknown>): Promise<number[]> {
  const spent: number[] = []
  let isEnded = false
  const ended = end.finally(() => {
    isEnded = true
  })
  // Its error is thrown below.
  ended.catch(() => {})
  for (let i = 0; !isEnded; i++) {
    await sleep(pauseMs)
    const startedMs = elapsed()
    await db.query(sql`
      select owner_id from identifier where bucket = ${i % 4096} and workspace_id = ${workspaceId} and kind = 'external_id'
        and value = ${externalIdOf((i * 7_919) % people)}`)
    spent.push(elapsed() - startedMs)
  }
  await ended
  return spent
}

/** Wraps a database so that the longest time is known for which the one session is held: by a statement alone or by a transaction. */
function timePieces(db: Db): { db: Db; longestMs: () => number } {
  let longestMs = 0
  const timed = async <T>(startedMs: number, work: Promise<T>): Promise<T> => {
    const result = await work
    longestMs = Math.max(longestMs, elapsed() - startedMs)
    return result
  }
  return {
    longestMs: () => longestMs,
    db: {
      ...db,
      // A transaction of its own begins to be timed when it has the session.
      query: (statement) =>
        db.transaction((tx) => timed(elapsed(), tx.query(statement)), { registersAs: 'nothing' }) as never,
      transaction: (work, options) => db.transaction((tx: Tx) => timed(elapsed(), work(tx as never)), options),
    },
  }
}
