import { join } from 'node:path'
import pg from 'pg'
import { pino } from 'pino'
import { systemClock } from '../src/base/clock.ts'
import type { Db } from '../src/base/db/db.ts'
import { openDb } from '../src/base/db/open.ts'
import { type Sql, sql } from '../src/base/db/sql.ts'
import { benchAudience } from './audience.ts'
import { exportedFields, makeDictionaryBodies } from './bodies.ts'
import { boundExport } from './bound-export.ts'
import { boundMerge, pairsOf } from './bound-merge.ts'
import { boundSubscription } from './bound-subscription.ts'
import { boundCopy } from './bounds.ts'
import { benchCanvas } from './canvas.ts'
import { makeTemporaryFolder } from './cleanup.ts'
import type { Cluster } from './cluster.ts'
import { benchCounting } from './counting.ts'
import { benchDispatch } from './dispatch.ts'
import { writeEndedSend } from './ended-send.ts'
import type { Effort } from './measure.ts'
import { insertPopulation, type Population } from './people.ts'
import { type Database, type Figure, print } from './report.ts'
import { emailOf, externalIdOf } from './samples.ts'
import { type Server, startServer } from './server.ts'
import { writeStanding } from './standing.ts'
import { writeTallies } from './tallies.ts'
import { writeYear } from './year.ts'

/** A running service with all people, and the bounds that were measured on its database before. */
export type Setup = AsyncDisposable & {
  database: Database
  people: number
  nowMs: number
  server: Server
  postmaster: number | undefined
  bounds: Figure[]
}

export type Bound =
  | 'audience'
  | 'canvas'
  | 'copy'
  | 'dashboard'
  | 'dispatch'
  | 'export'
  | 'history'
  | 'merge'
  | 'series'
  | 'subscription'

export type SetupOptions = { people: number; nowMs: number; bounds: readonly Bound[]; cluster?: Cluster }

const seed = 11
const eventsEach = 100
const purchasesEach = 5

/**
 * Starts the service on a new database and sends it all event names and products. Then stops it, inserts the people, measures the
 * bounds on the idle database, and starts it again.
 */
export async function openSetup(options: SetupOptions, effort: Effort): Promise<Setup> {
  const { people, nowMs, cluster } = options
  const database = cluster ? 'postgres' : 'pglite'
  await using opening = new AsyncDisposableStack()
  const directory = opening.use(makeTemporaryFolder(database))
  const databaseUrl = await cluster?.createDatabase(`people_${people}`)
  const place = { directory: directory.path, ...(databaseUrl === undefined ? {} : { databaseUrl }) }

  const { db, population } = await seedPeople(directory.path, databaseUrl, options, effort)
  const bounds = await measureBounds(db, databaseUrl, population, options, effort)
  // Without the service, because no request counts people.
  if (options.bounds.includes('audience')) {
    bounds.push(...(await benchAudience(db, database, population)))
    // Elsewhere a count holds one session of several.
    if (!cluster) bounds.push(...(await benchCounting(db, database, population)))
  }
  if (options.bounds.includes('dispatch')) bounds.push(...(await benchDispatch(db, database, population)))
  if (options.bounds.includes('canvas'))
    bounds.push(...(await benchCanvas(db, database, population, cluster?.postmaster)))
  // Last, because the others remove messages.
  if (options.bounds.includes('dashboard')) {
    await writeEndedSend(db, population)
    await writeStanding(db, population)
  }
  const hasYear = options.bounds.includes('history')
  if (options.bounds.includes('series') || hasYear) await writeTallies(db, population)
  if (hasYear) await writeYear(db, population)
  await db.close()

  const server = opening.use(await startServer(place))
  await checkSeed(server, population)
  const open = opening.move()
  return {
    database,
    people,
    nowMs,
    server,
    postmaster: cluster?.postmaster,
    bounds,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

/** Starts the service once, so that the names have ids, and inserts the people. Returns the open database. */
export async function seedPeople(
  directory: string,
  databaseUrl: string | undefined,
  options: SetupOptions,
  effort: Effort,
): Promise<{ db: Db; population: Population }> {
  const place = { directory, ...(databaseUrl === undefined ? {} : { databaseUrl }) }
  await using first = await startServer(place)
  for (const body of makeDictionaryBodies(options.nowMs, 'dictionary')) await first.post('/users/track', body)
  await first.stop()

  const db = await openDatabase(directory, databaseUrl)
  const population = await describePopulation(db, options, effort)
  const startedMs = performance.now()
  await insertPopulation(db, population)
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
  print(`${options.people.toLocaleString('en')} people in ${db.backend}: written in ${seconds} s`)
  // The embedded engine chooses the size of its buffers when it starts, and there was no data then.
  await db.close()
  return { db: await openDatabase(directory, databaseUrl), population }
}

export function openDatabase(directory: string, databaseUrl: string | undefined): Promise<Db> {
  return openDb({
    dataDir: join(directory, 'data'),
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
    log: pino({ level: 'warn' }),
    clock: systemClock(),
    statementDeadlineMs: 600_000,
  })
}

async function describePopulation(db: Db, options: SetupOptions, effort: Effort): Promise<Population> {
  const [workspace] = await db.query<{ workspace_id: number }>(
    sql`select workspace_id from workspace order by workspace_id limit 1`,
  )
  const names = await db.query<{ name: string; name_id: number }>(sql`select name, name_id from name`)
  return {
    workspaceId: workspace!.workspace_id,
    nameIds: new Map(names.map(({ name, name_id }) => [name, name_id])),
    people: options.people,
    spare: options.bounds.includes('merge') ? pairsOf(options.people).spare : 0,
    // With a year of events everybody has a history.
    withHistory: options.bounds.includes('history') ? 0 : Math.min(effort.withHistory, options.people),
    eventsEach,
    purchasesEach,
    seed,
    nowMs: options.nowMs,
  }
}

async function measureBounds(
  db: Db,
  databaseUrl: string | undefined,
  population: Population,
  options: SetupOptions,
  effort: Effort,
): Promise<Figure[]> {
  if (databaseUrl === undefined) {
    return bareBounds('pglite', population, options, {
      query: (statement) => db.query(statement),
      transaction: (work) => db.transaction((tx) => work((statement) => tx.query(statement))),
    })
  }
  // Values are not parsed: the bound only reads rows.
  const client = new pg.Client({ connectionString: databaseUrl, types: { getTypeParser: () => String } })
  await client.connect()
  const query = (statement: Sql) => client.query({ ...statement, values: [...statement.values] })
  const bounds = await bareBounds('postgres', population, options, {
    query,
    transaction: async (work) => {
      await client.query('begin')
      await work(query)
      await client.query('commit')
    },
  })
  if (options.bounds.includes('copy')) {
    bounds.push(await boundCopy({ client, databaseUrl, postmaster: options.cluster!.postmaster, population }, effort))
  }
  await client.end()
  return bounds
}

type Query = (statement: Sql) => Promise<unknown>
type Bare = { query: Query; transaction(work: (query: Query) => Promise<void>): Promise<void> }

async function bareBounds(
  database: Database,
  population: Population,
  { bounds }: SetupOptions,
  bare: Bare,
): Promise<Figure[]> {
  return [
    ...(bounds.includes('export') ? [await boundExport(database, population, bare.query)] : []),
    ...(bounds.includes('subscription') ? [await boundSubscription(database, population, bare.query)] : []),
    ...(bounds.includes('merge') ? [await boundMerge(database, population, bare.transaction)] : []),
  ]
}

/** Checks that the service finds an inserted person by both identifiers, with all data. */
async function checkSeed(server: Server, population: Population): Promise<void> {
  const number = Math.max(1, population.withHistory) - 1
  const external_id = externalIdOf(number)
  const fields_to_export = [...exportedFields]
  for (const who of [{ external_ids: [external_id] }, { email_address: emailOf(number) }]) {
    const { users } = (await server.post('/users/export/ids', { ...who, fields_to_export })) as {
      users: ExportedUser[]
    }
    const [user] = users
    const events = user?.custom_events?.reduce((sum, event) => sum + event.count, 0)
    const attributes = Object.keys(user?.custom_attributes ?? {}).length
    if (
      users.length !== 1 ||
      user?.external_id !== external_id ||
      (population.withHistory > 0 && events !== population.eventsEach) ||
      attributes !== 10
    ) {
      throw new Error(`the service returned another person than the inserted one: ${JSON.stringify(users)}`)
    }
  }
}

type ExportedUser = { external_id?: string; custom_events?: { count: number }[]; custom_attributes?: object }
