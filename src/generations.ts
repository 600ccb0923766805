import { exportsFolder } from './audience/exports/open.ts'
import type { Config } from './base/config.ts'
import type { Db } from './base/db/db.ts'
import { fencedDb } from './base/db/fence.ts'
import { openDb } from './base/db/open.ts'
import type { Server } from './base/http/server.ts'
import type { Log } from './base/log.ts'
import { type Generation, type GenerationParts, openGeneration } from './generation.ts'
import type { Services } from './services.ts'

/** How the work of the generation before ends: `finish` what was accepted, or `drop` it at once. */
export type Ending = 'finish' | 'drop'

/** Replaces everything that runs over the database, while the server keeps its port and its connections. */
export type Renewal = {
  /** The database itself, which no renewal takes away. */
  readonly db: Db
  /** What runs now. */
  services(): Services
  /** Lets requests that arrive from now on wait until the returned function is called. */
  hold(): () => void
  /**
   * Ends the generation, changes the database, and opens the next one. Nothing of the generation before reads or writes from then on. Call
   * it while requests are held, and once at a time.
   */
  renew<T>(ending: Ending, change: (db: Db) => Promise<T>): Promise<T>
}

export type Generations = {
  current(): Generation
  /** Undefined for a service that is never renewed. */
  renewalOn(server: Server): Renewal | undefined
  close(): Promise<void>
}

/** Opens the first generation. With an attachment, others may follow it. */
export async function openGenerations(config: Config, log: Log, parts: GenerationParts): Promise<Generations> {
  if (!parts.attachment) {
    const only = await openGeneration(config, log, parts)
    return { current: () => only, renewalOn: () => undefined, close: () => only.close() }
  }
  let db: Db | undefined
  const openOnce = async (options: Parameters<typeof openDb>[0]) => (db ??= await (parts.open ?? openDb)(options))
  try {
    const first = await openFenced(config, log, parts, openOnce)
    return new RenewedGenerations(config, log, parts, db!, first)
  } catch (error) {
    await db?.close()
    throw error
  }
}

type Folder = ReturnType<typeof exportsFolder>
/** `folder` has the export files: the next generation has them too when this one finishes its work. */
type Fenced = { readonly generation: Generation; readonly log: Log; readonly folder: Folder; fence(): void }

async function openFenced(
  config: Config,
  log: Log,
  parts: GenerationParts,
  open: typeof openDb,
  folder: Folder = exportsFolder(config.dataDir),
): Promise<Fenced> {
  let fence = () => {}
  const own = log.child({})
  const generation = await openGeneration(config, own, {
    ...parts,
    folder: folder.folder,
    async open(options) {
      const fenced = fencedDb(await open(options))
      fence = fenced.fence
      return fenced.db
    },
  })
  return { generation, log: own, folder, fence: () => fence() }
}

class RenewedGenerations implements Generations {
  readonly #config: Config
  readonly #log: Log
  readonly #parts: GenerationParts
  readonly #db: Db
  #now: Fenced
  /** Dropped generations that have not ended yet. */
  readonly #ending = new Set<Promise<void>>()

  constructor(config: Config, log: Log, parts: GenerationParts, db: Db, first: Fenced) {
    // Secrets are made once, the file is applied once, and each generation has a clock of its own.
    this.#config = { ...config, workspaceFile: undefined }
    this.#log = log
    const { clock: _clock, opened: _opened, ...others } = parts
    this.#parts = others
    this.#db = db
    this.#now = first
  }

  current(): Generation {
    return this.#now.generation
  }

  renewalOn(server: Server): Renewal {
    return {
      db: this.#db,
      services: () => this.#now.generation.services,
      hold: () => server.hold(),
      renew: (ending, change) => this.#renew(server, ending, change),
    }
  }

  async close(): Promise<void> {
    await this.#now.generation.close()
    await Promise.allSettled(this.#ending)
    await this.#now.folder.remove()
    await this.#db.close()
  }

  async #renew<T>(server: Server, ending: Ending, change: (db: Db) => Promise<T>): Promise<T> {
    if (ending === 'drop') this.#drop(this.#now)
    else {
      await this.#now.generation.close()
      this.#now.fence()
    }
    try {
      return await change(this.#db)
    } finally {
      const parts = { ...this.#parts, made: [] }
      const folder = ending === 'finish' ? this.#now.folder : undefined
      this.#now = await openFenced(this.#config, this.#log, parts, async () => this.#db, folder)
      server.replace(this.#now.generation.server)
    }
  }

  /** Ends a generation without waiting for it. What its work says in the log now is only that the database was taken away. */
  #drop({ generation, log, folder, fence }: Fenced): void {
    fence()
    log.level = 'silent'
    const ending = generation
      .close()
      .then(() => folder.remove())
      .catch(() => undefined)
    this.#ending.add(ending)
    void ending.then(() => this.#ending.delete(ending))
  }
}
