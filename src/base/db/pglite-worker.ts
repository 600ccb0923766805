import { existsSync, readdirSync, statSync } from 'node:fs'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { type ArchiveEntry, extractArchive } from './archive.ts'
import { DiskFiles, MemoryFiles } from './engine-files.ts'
import { buffersFor, DISK_PARAMETERS, MEMORY_PARAMETERS } from './parameters.ts'

/** What the main thread hands to this one. */
export type EngineOrder = {
  /** The database's own folder; nothing for a database in memory. */
  directory?: string
  /** What a new database starts from; without it one is made from nothing. */
  template?: readonly ArchiveEntry[]
  /** A database in memory hands over its files when it is closed. */
  leave?: boolean
  /** The compiled engine, shared by all threads of the process. */
  module: WebAssembly.Module
  /** Protocol bytes, both ways. */
  port: MessagePort
}

/** What this thread tells the main thread besides protocol bytes. After `failed` it ends. */
export type EngineNews = { ready: true } | { said: string } | { left: ArchiveEntry[] } | { failed: string }
/** What the main thread may ask: shut down in order, and end. */
export type EngineWish = 'close'

/** Answers longer than this travel in pieces, so that the main thread reads while the engine still writes. */
const PIECE_BYTES = 262_144
const NOT_DURABLE =
  'a commit of the embedded database did not reach the disk: this version of it cannot be trusted with one'

const { directory, template = [], leave = false, module, port } = workerData as EngineOrder

function tell(news: EngineNews): void {
  parentPort!.postMessage(news)
}

function fail(reason: unknown): never {
  tell({ failed: String(reason) })
  process.exit(1)
}

/** FATAL and PANIC end a PostgreSQL process; here the engine would run on in an undefined state, or in a circle. */
function onStderr(line: string): boolean {
  if (/^(FATAL|PANIC):/.test(line)) fail(line)
  tell({ said: line })
  return false
}

function start(files: DiskFiles | MemoryFiles, startParams: string[]): Promise<PGlite> {
  return PGlite.create({ fs: files, startParams, pgliteWasmModule: module, onStderr })
}

function bytesIn(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0)
}

async function startOnDisk(folder: string): Promise<PGlite> {
  if (!existsSync(join(folder, 'PG_VERSION'))) {
    if (existsSync(folder) && readdirSync(folder).length > 0) fail(`${folder} is not empty, and holds no database`)
    extractArchive(template, folder)
  }
  const files = new DiskFiles(folder, fail)
  const engine = await start(files, [...DISK_PARAMETERS, ...buffersFor(bytesIn(join(folder, 'base')), totalmem())])
  const syncsBefore = files.syncs
  await engine.exec(`select pg_logical_emit_message(true, 'easel', 'one durable commit')`)
  if (files.syncs === syncsBefore) fail(NOT_DURABLE)
  return engine
}

function startInMemory(): Promise<PGlite> {
  return start(new MemoryFiles(template, leave ? (left) => tell({ left }) : undefined), MEMORY_PARAMETERS)
}

function serve(engine: PGlite): void {
  let pieces: Uint8Array[] = []
  let bytes = 0
  const send = () => {
    const whole = new Uint8Array(bytes)
    let at = 0
    for (const piece of pieces) {
      whole.set(piece, at)
      at += piece.length
    }
    pieces = []
    bytes = 0
    port.postMessage(whole, [whole.buffer])
  }
  const onRawData = (piece: Uint8Array) => {
    pieces.push(piece.slice())
    bytes += piece.length
    if (bytes >= PIECE_BYTES) send()
  }
  port.on('message', (message: Uint8Array) => {
    void engine.execProtocolRawStream(message, { syncToFs: false, onRawData })
    if (bytes > 0) send()
  })
}

const engine = await (directory === undefined ? startInMemory() : startOnDisk(directory)).catch(fail)
serve(engine)
parentPort!.on('message', (_wish: EngineWish) => void engine.close().then(() => process.exit(0), fail))
tell({ ready: true })
