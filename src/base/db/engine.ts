import { readFile } from 'node:fs/promises'
import { MessageChannel, Worker } from 'node:worker_threads'
import pg from 'pg'
import type { ArchiveEntry } from './archive.ts'
import { columnTypes } from './column-types.ts'
import type { EngineCommand, EngineMessage, EngineOptions } from './pglite-worker.ts'
import { PortStream } from './port-stream.ts'

const ENGINE_FILE = new URL('pglite.wasm', import.meta.resolve('@electric-sql/pglite'))
/** A shutdown writes a checkpoint. After this time the thread is ended and the next start recovers. */
const CLOSE_MS = 20_000

/** The embedded engine in its thread, with the only client that it can have. */
export type Engine = {
  client: pg.Client
  /** Resolves when the thread has failed or ended, with the reason. */
  gone: Promise<Error>
  /** Shuts down cleanly. Returns the files with the option `returnsFiles`. */
  close(): Promise<ArchiveEntry[]>
  /** Ends the thread at any point, also inside a loop of the engine. */
  kill(): Promise<void>
}

let compiled: Promise<WebAssembly.Module> | undefined

/** `onLogLine` gets each line that the engine logs. `onStarted` is called when its thread runs: the main thread is idle from then on. */
export type EngineListeners = { onLogLine(line: string): void; onStarted?: (() => void) | undefined }

/** Starts the engine. Rejects when it refuses to start or does not within `openMs`. */
export async function startEngine(
  options: Omit<EngineOptions, 'module' | 'port'>,
  openMs: number,
  { onLogLine, onStarted }: EngineListeners,
): Promise<Engine> {
  compiled ??= readFile(ENGINE_FILE).then((bytes) => WebAssembly.compile(bytes))
  const { port1, port2 } = new MessageChannel()
  const workerData: EngineOptions = { ...options, module: await compiled, port: port2 }
  // The worker must not get the flags of this process: `--eval` or `--test` would start something else.
  const workerOptions = { workerData, transferList: [port2], execArgv: [] }
  const worker = new Worker(new URL('./pglite-worker.ts', import.meta.url), workerOptions)
  onStarted?.()
  let files: ArchiveEntry[] = []
  const gone = Promise.withResolvers<Error>()
  const ready = Promise.withResolvers<void>()
  worker.on('message', (message: EngineMessage) => {
    if ('logLine' in message) onLogLine(message.logLine)
    else if ('files' in message) files = message.files
    else if ('failure' in message) gone.resolve(new Error(message.failure))
    else ready.resolve()
  })
  worker.once('error', (error) => gone.resolve(error as Error))
  worker.once('exit', (code) => gone.resolve(new Error(`the thread of the embedded database ended with code ${code}`)))
  const timer = setTimeout(
    () => gone.resolve(new Error(`the embedded database did not open within ${openMs} ms`)),
    openMs,
  )
  const ended = new Promise((resolve) => worker.once('exit', resolve))
  const stream = new PortStream(port1)
  void gone.promise.then(() => stream.destroy())
  const kill = async () => {
    stream.destroy()
    await worker.terminate()
  }
  const startFailed = gone.promise.then((reason) => Promise.reject(reason))
  try {
    const client = await Promise.race([ready.promise.then(() => connect(stream)), startFailed])
    return { client, gone: gone.promise, kill, close }
  } catch (error) {
    await kill()
    throw error
  } finally {
    startFailed.catch(() => {})
    clearTimeout(timer)
  }

  async function close(): Promise<ArchiveEntry[]> {
    worker.postMessage('close' satisfies EngineCommand)
    const tooLate = setTimeout(kill, CLOSE_MS)
    await ended
    clearTimeout(tooLate)
    return files
  }
}

async function connect(stream: PortStream): Promise<pg.Client> {
  const client = new pg.Client({
    user: 'postgres',
    database: 'postgres',
    password: '',
    ssl: false,
    types: columnTypes,
    pipeline: true,
    stream: () => stream,
  })
  await client.connect()
  return client
}
