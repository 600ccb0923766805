import { readFile } from 'node:fs/promises'
import { MessageChannel, Worker } from 'node:worker_threads'
import pg from 'pg'
import type { ArchiveEntry } from './archive.ts'
import { columnTypes } from './column-types.ts'
import type { EngineNews, EngineOrder, EngineWish } from './pglite-worker.ts'
import { PortStream } from './port-stream.ts'

const ENGINE_FILE = new URL('pglite.wasm', import.meta.resolve('@electric-sql/pglite'))
/** A shutdown checkpoint writes what is dirty; beyond this the thread is ended and the next start recovers. */
const CLOSE_MS = 20_000

/** The embedded engine at work in its thread, with the one client it can have. */
export type Engine = {
  client: pg.Client
  /** Resolves when the thread has failed or ended, with the reason. */
  gone: Promise<Error>
  /** Shuts down in order; answers the files if the order said to leave them. */
  close(): Promise<ArchiveEntry[]>
  /** Ends the thread wherever it is, also inside a loop of the engine. */
  kill(): Promise<void>
}

let compiled: Promise<WebAssembly.Module> | undefined

/** What is heard of an engine: each line it logs, and that its thread runs, when this one is free until it is ready. */
export type Hearing = { said(line: string): void; started?: (() => void) | undefined }

/** Starts the engine; rejects when it refuses to start or has not within `openMs`. */
export async function startEngine(
  order: Omit<EngineOrder, 'module' | 'port'>,
  openMs: number,
  { said, started }: Hearing,
): Promise<Engine> {
  compiled ??= readFile(ENGINE_FILE).then((bytes) => WebAssembly.compile(bytes))
  const { port1, port2 } = new MessageChannel()
  const workerData: EngineOrder = { ...order, module: await compiled, port: port2 }
  // The flags of the process are not for this file: `--eval` or `--test` would start something else.
  const options = { workerData, transferList: [port2], execArgv: [] }
  const worker = new Worker(new URL('./pglite-worker.ts', import.meta.url), options)
  started?.()
  let files: ArchiveEntry[] = []
  const gone = Promise.withResolvers<Error>()
  const ready = Promise.withResolvers<void>()
  worker.on('message', (news: EngineNews) => {
    if ('said' in news) said(news.said)
    else if ('left' in news) files = news.left
    else if ('failed' in news) gone.resolve(new Error(news.failed))
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
  const stillborn = gone.promise.then((reason) => Promise.reject(reason))
  try {
    const client = await Promise.race([ready.promise.then(() => connect(stream)), stillborn])
    return { client, gone: gone.promise, kill, close }
  } catch (error) {
    await kill()
    throw error
  } finally {
    stillborn.catch(() => {})
    clearTimeout(timer)
  }

  async function close(): Promise<ArchiveEntry[]> {
    worker.postMessage('close' satisfies EngineWish)
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
