import { once } from 'node:events'
import { Session } from 'node:inspector/promises'
import pg from 'pg'
import { freePort } from '../test/support/free-port.ts'
import { print, printTable } from './report.ts'

/** So many parts are shown of each process and of its database. */
const partsShown = 2
const statementChars = 90
const usPerMs = 1000

type Frame = { functionName: string; url: string }
/** The members of a profile of V8 that are read here. `timeDeltas` are microseconds. */
export type CpuProfile = {
  nodes: readonly { id: number; callFrame: Frame }[]
  samples?: readonly number[]
  timeDeltas?: readonly number[]
}
type Part = { name: string; ms: number; share: number }
/** Where one hot path spends its time. */
type HotPath = { what: string; process: Part[]; database: Part[] }

let profiler: Profiler | undefined

/** Profiles what runs in `profiled` from now on. `superuserUrl`: a server with `pg_stat_statements`. */
class Profiler {
  readonly paths: HotPath[] = []
  readonly inspectors = new Map<number, number>()
  superuserUrl: string | undefined
}

export function openProfiler(): void {
  profiler = new Profiler()
}

/** Settings of a PostgreSQL server that is profiled. */
export function profiledSettings(): Record<string, string> {
  return profiler ? { shared_preload_libraries: 'pg_stat_statements', 'pg_stat_statements.track_planning': 'on' } : {}
}

/** Creates the view of statements on a server with `profiledSettings`. */
export async function profileStatements(superuserUrl: string): Promise<void> {
  if (!profiler) return
  profiler.superuserUrl = superuserUrl
  await query(superuserUrl, 'create extension if not exists pg_stat_statements')
}

/** Returns the flags of a process that is profiled. After it has started, `pid` is what `registerInspector` gets with the port. */
export async function inspectorFlags(): Promise<{ port: number | undefined; flags: string[] }> {
  if (!profiler) return { port: undefined, flags: [] }
  const port = await freePort()
  return { port, flags: [`--inspect=127.0.0.1:${port}`] }
}

export function registerInspector(pid: number, port: number | undefined): void {
  if (port !== undefined) profiler?.inspectors.set(pid, port)
}

/** Does some work of a process, this one or a service, and records its largest parts when the run has `--profile`. */
export async function profiled<T>(what: string, pid: number, work: () => Promise<T>): Promise<T> {
  const port = profiler?.inspectors.get(pid)
  if (!profiler || (port === undefined && pid !== process.pid)) return work()
  const { superuserUrl, paths } = profiler
  if (superuserUrl !== undefined) await query(superuserUrl, 'select pg_stat_statements_reset()')
  const inspector = port === undefined ? ownInspector() : await connectInspector(port)
  await inspector.post('Profiler.enable')
  await inspector.post('Profiler.start')
  const result = await work()
  const { profile } = (await inspector.post('Profiler.stop')) as { profile: CpuProfile }
  inspector.close()
  const database = superuserUrl === undefined ? [] : await readStatements(superuserUrl)
  paths.push({ what, process: partsOf(profile), database })
  return result
}

/** Prints the largest parts of each hot path of the run. */
export function printProfile(): void {
  if (!profiler) return
  const rows = profiler.paths.flatMap(({ what, process, database }) =>
    [['process', process] as const, ['database', database] as const].flatMap(([where, parts]) =>
      parts.slice(0, partsShown).map(({ name, share }) => [what, where, name, `${(share * 100).toFixed(0)} %`]),
    ),
  )
  print('\nThe largest parts of each path. Profiling costs time itself, so the figures of this run are not recorded.')
  printTable(['path', 'in', 'part', 'of its CPU'], rows, 3)
}

type Inspector = { post(method: string): Promise<unknown>; close(): void }

function ownInspector(): Inspector {
  const session = new Session()
  session.connect()
  return { post: (method) => session.post(method as 'Profiler.stop'), close: () => session.disconnect() }
}

async function connectInspector(port: number): Promise<Inspector> {
  const targets = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as [
    { webSocketDebuggerUrl: string },
  ]
  const socket = new WebSocket(targets[0].webSocketDebuggerUrl)
  await once(socket as unknown as EventTarget, 'open')
  let last = 0
  const waiting = new Map<number, (result: unknown) => void>()
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id?: number; result: unknown }
    if (id !== undefined) waiting.get(id)?.(result)
  })
  return {
    post: (method) => {
      const id = ++last
      return new Promise((done) => {
        waiting.set(id, done)
        socket.send(JSON.stringify({ id, method }))
      })
    },
    close: () => socket.close(),
  }
}

/** Adds up the time of each part of a process, the largest first, without the time in which it waits. */
export function partsOf({ nodes, samples = [], timeDeltas = [] }: CpuProfile): Part[] {
  const nameOf = new Map(nodes.map(({ id, callFrame }) => [id, partOf(callFrame)]))
  const spent = new Map<string, number>()
  for (const [i, id] of samples.entries()) {
    const name = nameOf.get(id)
    if (name !== undefined) spent.set(name, (spent.get(name) ?? 0) + timeDeltas[i]! / usPerMs)
  }
  return sharesOf([...spent])
}

function sharesOf(spent: readonly (readonly [string, number])[]): Part[] {
  const total = spent.reduce((sum, [, ms]) => sum + ms, 0)
  return spent.map(([name, ms]) => ({ name, ms, share: ms / total })).sort((a, b) => b.ms - a.ms)
}

/** Returns the room, the package or the part of Node.js that a function belongs to; undefined while the process waits. */
function partOf({ functionName, url }: Frame): string | undefined {
  if (functionName === '(idle)' || functionName === '(root)') return undefined
  if (functionName === '(garbage collector)') return 'garbage collection'
  if (functionName === '(program)') return 'native code of Node.js'
  const library = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]
  if (url.startsWith('wasm:')) return 'embedded PostgreSQL'
  if (library !== undefined) return library
  const room = /\/(src|bench|dashboard|test)\/(.+)\/[^/]+$/.exec(url)
  if (room) return room[1] === 'src' ? room[2]! : `${room[1]}/${room[2]}`
  return url.startsWith('node:') ? url.replace(/^node:(internal\/)?([a-z_]+).*$/, 'node:$2') : 'native code of Node.js'
}

async function readStatements(superuserUrl: string): Promise<Part[]> {
  const rows = await query(
    superuserUrl,
    `select query, total_exec_time + total_plan_time as ms from pg_stat_statements where query not like '%pg_stat_statements%'`,
  )
  return sharesOf(rows.map(({ query, ms }) => [shorten(query), ms]))
}

function shorten(statement: string): string {
  const line = statement.replace(/\s+/g, ' ').trim()
  return line.length <= statementChars ? line : `${line.slice(0, statementChars)}…`
}

async function query(url: string, text: string): Promise<{ query: string; ms: number }[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ query: string; ms: number }>(text)
  await client.end()
  return rows
}
