import { existsSync, readdirSync, statSync } from 'node:fs'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { type ArchiveEntry, extractArchive } from './archive.ts'
import { DiskFiles, MemoryFiles } from './engine-files.ts'
import { buffersFor, DISK_PARAMETERS, MEMORY_PARAMETERS } from './parameters.ts'

/** The start data from the main thread. */
export type EngineOptions = {
  /** The database's own folder; absent for a database in memory. */
  directory?: string
  /** The files that a new database starts from. Without it the engine initializes one. */
  template?: readonly ArchiveEntry[]
  /** A database in memory returns its files when it is closed. */
  returnsFiles?: boolean
  /** The compiled engine, shared by all threads of the process. */
  module: WebAssembly.Module
  /** Carries protocol bytes in both directions. */
  port: MessagePort
}

/** The messages of this thread to the main thread, besides protocol bytes. After `failure`, the thread ends. */
export type EngineMessage = { ready: true } | { logLine: string } | { files: ArchiveEntry[] } | { failure: string }
/** The commands of the main thread: shut down cleanly, and end. */
export type EngineCommand = 'close'

/** Longer answers are sent in pieces, so that the main thread reads while the engine still writes. */
const PIECE_BYTES = 262_144
const NOT_DURABLE = 'a commit of the embedded database did not reach the disk: do not use this version of it'

const { directory, template = [], returnsFiles = false, module, port } = workerData as EngineOptions

function send(message: EngineMessage): void {
  parentPort!.postMessage(message)
}

function fail(reason: unknown): never {
  send({ failure: String(reason) })
  process.exit(1)
}

/** FATAL and PANIC end a PostgreSQL process. The engine would continue in an undefined state, or loop forever. */
function onStderr(line: string): boolean {
  if (/^(FATAL|PANIC):/.test(line)) fail(line)
  send({ logLine: line })
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
    if (existsSync(folder) && readdirSync(folder).length > 0) fail(`${folder} is not empty and has no database in it`)
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
  return start(new MemoryFiles(template, returnsFiles ? (files) => send({ files }) : undefined), MEMORY_PARAMETERS)
}

function serve(engine: PGlite): void {
  let pieces: Uint8Array[] = []
  let bytes = 0
  const flush = () => {
    const joined = new Uint8Array(bytes)
    let at = 0
    for (const piece of pieces) {
      joined.set(piece, at)
      at += piece.length
    }
    pieces = []
    bytes = 0
    port.postMessage(joined, [joined.buffer])
  }
  const onRawData = (piece: Uint8Array) => {
    pieces.push(piece.slice())
    bytes += piece.length
    if (bytes >= PIECE_BYTES) flush()
  }
  port.on('message', (message: Uint8Array) => {
    void engine.execProtocolRawStream(message, { syncToFs: false, onRawData })
    if (bytes > 0) flush()
  })
}

const engine = await (directory === undefined ? startInMemory() : startOnDisk(directory)).catch(fail)
serve(engine)
parentPort!.on('message', (_command: EngineCommand) => void engine.close().then(() => process.exit(0), fail))
send({ ready: true })
