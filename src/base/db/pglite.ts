import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import { unavailable } from '../errors.ts'
import type { Log } from '../log.ts'
import type { ArchiveEntry } from './archive.ts'
import type { Driver } from './driver.ts'
import { type Engine, startEngine } from './engine.ts'
import { Mutex } from './mutex.ts'
import { Session } from './session.ts'
import { loadTemplate } from './template.ts'

/** Opening includes recovery after a kill, and the machine may be busy with other work. */
const OPEN_MS = 240_000
/** How long a caller waits for the one session. */
const SESSION_WAIT_MS = 30_000
const REOPEN_PAUSE_MS = 100
const REOPEN_PAUSE_MS_MAX = 5_000
/** How long the template stays in memory, for a process that opens several new databases. */
const TEMPLATE_CACHED_MS = 30_000

export type PgliteOptions = {
  /** The database's folder; absent for a database in memory. */
  directory?: string
  deadlineMs: number
  clock: Clock
  log: Log
  onEngineStarted?: (() => void) | undefined
}

/**
 * Opens the embedded database, which has one session behind a mutex. When the engine hangs beyond a statement's deadline, crashes or
 * finds the disk full, its thread is ended, waiting callers get an error, and the database is opened again until that succeeds.
 */
export async function openPglite(options: PgliteOptions): Promise<PgliteDriver> {
  const { directory, log, onEngineStarted } = options
  const isNew = directory === undefined || !existsSync(join(directory, 'PG_VERSION'))
  const template = isNew ? await cachedTemplate(options.clock, log) : []
  const engine = await startEngine({ ...(directory ? { directory } : {}), template }, OPEN_MS, {
    onLogLine: (line) => log.debug(line),
    onStarted: onEngineStarted,
  })
  return new PgliteDriver(options, engine)
}

let template: Promise<ArchiveEntry[]> | undefined

function cachedTemplate(clock: Clock, log: Log): Promise<ArchiveEntry[]> {
  if (template) return template
  template = loadTemplate(clock, log)
  const forget = () => {
    template = undefined
  }
  template.catch(forget)
  setTimeout(forget, TEMPLATE_CACHED_MS).unref()
  return template
}

export class PgliteDriver implements Driver {
  readonly backend = 'pglite'
  readonly #options: PgliteOptions
  readonly #mutex = new Mutex()
  #engine: Engine
  #session: Session | undefined
  #failure: unknown
  #recovery: Promise<void> | undefined
  #closed = false

  constructor(options: PgliteOptions, engine: Engine) {
    this.#options = options
    this.#engine = engine
    this.#use(engine)
  }

  async acquire(): Promise<Session> {
    if (!this.#session || this.#closed) throw this.#away()
    await this.#mutex.acquire(SESSION_WAIT_MS, () => this.#away())
    if (this.#session) return this.#session
    this.#mutex.release()
    throw this.#away()
  }

  release(): void {
    this.#mutex.release()
  }

  /** Lets the holder of the session finish and refuses all waiting callers. */
  async close(): Promise<void> {
    this.#closed = true
    this.#mutex.rejectWaiting(this.#away())
    await this.#recovery
    const hasSession = await this.#mutex
      .acquire(SESSION_WAIT_MS, () => this.#away())
      .then(
        () => true,
        () => false,
      )
    if (hasSession && this.#session) await this.#engine.close()
    else await this.#engine.kill()
  }

  #use(engine: Engine): void {
    const { deadlineMs } = this.#options
    const abandon = () => this.#fail(session, new Error('a statement took longer than its deadline'))
    const session = new Session(engine.client, { deadlineMs, headStartMs: 0, abandon })
    this.#engine = engine
    this.#session = session
    void engine.gone.then((reason) => this.#fail(session, reason))
  }

  #fail(session: Session, reason: unknown): void {
    if (session !== this.#session) return
    this.#failure = reason
    this.#session = undefined
    session.lose(reason)
    this.#mutex.rejectWaiting(this.#away())
    if (!this.#closed) this.#recovery = this.#recover()
  }

  async #recover(): Promise<void> {
    const { directory, log } = this.#options
    await this.#engine.kill()
    if (directory === undefined) {
      log.fatal(
        { err: this.#failure },
        'the database in memory failed and its contents are lost: start the service again',
      )
      return
    }
    log.error({ err: this.#failure }, 'the embedded database failed and is opened again')
    for (let pauseMs = REOPEN_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, REOPEN_PAUSE_MS_MAX)) {
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
      if (this.#closed || (await this.#reopen(directory))) return
    }
  }

  async #reopen(directory: string): Promise<boolean> {
    const { log } = this.#options
    try {
      this.#use(await startEngine({ directory }, OPEN_MS, { onLogLine: (line) => log.debug(line) }))
      log.info('the embedded database is open again')
      return true
    } catch (error) {
      // Opening is tried again until it succeeds.
      this.#failure = error
      log.error({ err: error }, 'the embedded database cannot be opened and is tried again')
      return false
    }
  }

  #away(): Error {
    return unavailable('The database is not available', this.#failure)
  }
}
