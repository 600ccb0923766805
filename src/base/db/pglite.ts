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

/** Opening includes recovery after a kill. */
const OPEN_MS = 60_000
/** A caller waits this long for the one session. */
const TURN_WAIT_MS = 30_000
const REOPEN_PAUSE_MS = 100
const REOPEN_PAUSE_MS_MAX = 5_000
/** A process that opens one new database after another reads the template once. */
const TEMPLATE_KEPT_MS = 30_000

export type PgliteOptions = {
  /** The database's folder; nothing for a database in memory. */
  directory?: string
  deadlineMs: number
  clock: Clock
  log: Log
  engineStarted?: (() => void) | undefined
}

/**
 * The embedded database: one session, taken in turns. When the engine hangs past a statement's deadline, crashes or meets a full
 * disk, its thread is ended, whoever waits is answered, and the database is opened again until that succeeds.
 */
export async function openPglite(options: PgliteOptions): Promise<PgliteDriver> {
  const { directory, log, engineStarted } = options
  const isNew = directory === undefined || !existsSync(join(directory, 'PG_VERSION'))
  const template = isNew ? await keptTemplate(options.clock, log) : []
  const engine = await startEngine({ ...(directory ? { directory } : {}), template }, OPEN_MS, {
    said: (line) => log.debug(line),
    started: engineStarted,
  })
  return new PgliteDriver(options, engine)
}

let kept: Promise<ArchiveEntry[]> | undefined

function keptTemplate(clock: Clock, log: Log): Promise<ArchiveEntry[]> {
  if (kept) return kept
  kept = loadTemplate(clock, log)
  const forget = () => {
    kept = undefined
  }
  kept.catch(forget)
  setTimeout(forget, TEMPLATE_KEPT_MS).unref()
  return kept
}

export class PgliteDriver implements Driver {
  readonly backend = 'pglite'
  readonly #options: PgliteOptions
  readonly #line = new Mutex()
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
    await this.#line.acquire(TURN_WAIT_MS, () => this.#away())
    if (this.#session) return this.#session
    this.#line.release()
    throw this.#away()
  }

  release(): void {
    this.#line.release()
  }

  /** Lets the present holder finish; nobody else comes in. */
  async close(): Promise<void> {
    this.#closed = true
    this.#line.rejectWaiting(this.#away())
    await this.#recovery
    const inTurn = await this.#line
      .acquire(TURN_WAIT_MS, () => this.#away())
      .then(
        () => true,
        () => false,
      )
    if (inTurn && this.#session) await this.#engine.close()
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
    this.#line.rejectWaiting(this.#away())
    if (!this.#closed) this.#recovery = this.#recover()
  }

  async #recover(): Promise<void> {
    const { directory, log } = this.#options
    await this.#engine.kill()
    if (directory === undefined) {
      log.fatal({ err: this.#failure }, 'the database in memory failed: what was in it is lost, start again')
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
      this.#use(await startEngine({ directory }, OPEN_MS, { said: (line) => log.debug(line) }))
      log.info('the embedded database is open again')
      return true
    } catch (error) {
      // Opening is tried again until it succeeds.
      this.#failure = error
      log.error({ err: error }, 'the embedded database cannot be opened; trying again')
      return false
    }
  }

  #away(): Error {
    return unavailable('The database is not available', this.#failure)
  }
}
