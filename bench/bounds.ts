import { execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type pg from 'pg'
import { makeTrackRequests, updatesPerBody } from './bodies.ts'
import { makeTemporaryFolder, registerCleanup } from './cleanup.ts'
import { clusterUs } from './cpu.ts'
import { driveLoad, type Effort, median, perUpdate } from './measure.ts'
import { type Population, personAt } from './people.ts'
import { Random } from './random.ts'
import type { Figure } from './report.ts'
import { drawEvent } from './samples.ts'

const run = promisify(execFile)
const rowsPerWrite = 20_000
const seed = 77
/** The CPU of an ended session is counted once the postmaster has collected it. */
const collectMs = 100

export type CopyOptions = {
  client: pg.Client
  databaseUrl: string
  postmaster: number
  population: Population
}

/**
 * Measures `psql \copy` of the events of the load: text, into a second table with the partitions and the index of `event`, on an idle
 * server, with different rows each time.
 */
export async function boundCopy(options: CopyOptions, effort: Effort): Promise<Figure> {
  await using directory = makeTemporaryFolder('copy')
  const { client } = options
  await createTwin(client)
  const random = new Random(seed)
  const rates: number[] = []
  const cpus: number[] = []
  for (let i = 0; i < effort.copies; i++) {
    const file = join(directory.path, 'rows.tsv')
    writeRows(file, random, options.population, effort.rowsPerCopy)
    const beforeUs = clusterUs(options.postmaster)
    rates.push(effort.rowsPerCopy / (await copySeconds(options.databaseUrl, file)))
    await sleep(collectMs)
    cpus.push((clusterUs(options.postmaster) - beforeUs) / effort.rowsPerCopy)
    rmSync(file)
  }
  await client.query('drop schema bound cascade')
  await client.query('checkpoint')
  return {
    what: 'bound: psql \\copy of the events',
    database: 'postgres',
    people: options.population.people,
    value: median(rates),
    unit: 'rows/s',
    databaseUs: median(cpus),
  }
}

async function createTwin(client: pg.Client): Promise<void> {
  await client.query('create schema bound')
  await client.query('create table bound.event (like public.event including all) partition by range (time)')
  const { rows } = await client.query<{ name: string; bound: string }>(`
    select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'public.event'::regclass`)
  for (const { name, bound } of rows) {
    await client.query(`create table bound.${client.escapeIdentifier(name)} partition of bound.event ${bound}`)
  }
}

function writeRows(file: string, random: Random, population: Population, count: number): void {
  for (let from = 0; from < count; from += rowsPerWrite) {
    const lines = Array.from({ length: Math.min(rowsPerWrite, count - from) }, () => {
      const { bucket, id } = personAt(population.workspaceId, random.below(population.people))
      const { name, timeMs, properties } = drawEvent(random, population.nowMs)
      const time = new Date(timeMs + random.below(1000)).toISOString()
      return `${id}\t${time}\t${bucket}\t${population.nameIds.get(name)}\t${JSON.stringify(properties)}\n`
    })
    appendFileSync(file, lines.join(''))
  }
}

async function copySeconds(databaseUrl: string, file: string): Promise<number> {
  const copy = `\\copy bound.event (profile_id, time, bucket, name_id, properties) from '${file}'`
  const { stdout } = await run('psql', ['-X', '-v', 'ON_ERROR_STOP=1', databaseUrl, '-c', '\\timing on', '-c', copy])
  const ms = /Time: ([\d.]+) ms/.exec(stdout)?.[1]
  if (ms === undefined) throw new Error(`psql printed no time: ${stdout}`)
  return Number(ms) / 1000
}

/** Measures a server that only parses the body and answers. */
export async function boundParser(effort: Effort, nowMs: number): Promise<Figure> {
  const child = fork(new URL('./parser.ts', import.meta.url))
  const cleanUp = registerCleanup(async () => {
    const exited = once(child, 'exit')
    child.disconnect()
    await exited
  })
  const [port] = (await once(child, 'message')) as [number]
  const requests = {
    kind: 'mixed',
    people: 10_000,
    count: effort.bodies,
    seed,
    nowMs,
    apiKey: 'any',
    firstNewcomer: 0,
  } as const
  const driven = await driveLoad({ port, connections: effort.connections, requests }, { pid: child.pid! }, effort)
  await cleanUp()
  return { what: 'bound: a server that only parses', database: 'none', ...perUpdate(driven) }
}

/** Measures parsing the bodies in a loop in this process. */
export function boundLoops(effort: Effort, nowMs: number): Figure[] {
  const options = { kind: 'mixed', people: 10_000, count: effort.bodies, seed, nowMs, apiKey: 'any' } as const
  const bodies = makeTrackRequests(options).map((request) => request.bytes.toString('latin1', request.bodyAt))
  const startedMs = performance.now()
  for (const body of bodies) JSON.parse(body)
  const value = ((performance.now() - startedMs) * 1000) / (bodies.length * updatesPerBody)
  return [{ what: 'loop: JSON.parse, per update', database: 'none', value, unit: 'us' }]
}
