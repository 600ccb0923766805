import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import { conflict } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { type AuditAuthor, recordAudit } from '../audit/record.ts'
import { backupsFolder } from './format.ts'
import type { Backup, BackupsReply } from './schema.ts'
import { removeOldSnapshots } from './snapshots.ts'
import { filesOf, writeBackup } from './write-backup.ts'

export type BackupsOptions = {
  readonly db: Db
  readonly dataDir: string
  readonly clock: Clock
  readonly log: Log
  /** How many daily backups are kept; 0: none are made. */
  readonly dailyKept: number
}

const dayMs = 86_400_000
/** `daily-2026-11-26T10-40-00.000Z.tar.zst` */
const fileName = /^(asked|daily)-(\d{4}-\d{2}-\d{2})T(\d{2})-(\d{2})-(\d{2}\.\d{3}Z)\.tar\.zst$/

type Running = NonNullable<BackupsReply['running']>
type Kind = Backup['kind']

/** The backups that this process writes into its data directory, one at a time. */
export class Backups {
  readonly #options: BackupsOptions
  readonly #folder: string
  readonly #stop = new AbortController()
  #running: Running | undefined
  #writing: Promise<void> = Promise.resolve()
  #failure: string | undefined

  constructor(options: BackupsOptions) {
    this.#options = options
    this.#folder = join(options.dataDir, backupsFolder)
  }

  async read(): Promise<BackupsReply> {
    return {
      backups: await this.#list(),
      running: this.#running ?? null,
      failure: this.#failure ?? null,
      folder: this.#folder,
    }
  }

  /** Begins to write a backup. Throws 409 while another one is written, and for a database that is not in files of this process. */
  async begin(author: AuditAuthor): Promise<Running> {
    const { db } = this.#options
    filesOf(db)
    if (this.#running) throw conflict('Another backup is being written: wait until it is complete')
    const running = this.#reserve('asked')
    try {
      await recordAudit(db, author, { action: 'backup.create', target: { kind: 'backup', id: running.name } })
    } catch (error) {
      this.#running = undefined
      throw error
    }
    // The list tells what becomes of it.
    this.#write(running, this.#stop.signal).catch(() => undefined)
    return running
  }

  /** Writes the backup of a day when the last one is a day old and some are kept. Removes the oldest ones, and old snapshots. */
  async keepDaily(stopping: AbortSignal): Promise<void> {
    const { db, clock, dataDir, dailyKept } = this.#options
    if (!db.files) return
    await removeOldSnapshots(dataDir, clock.elapsed())
    if (dailyKept === 0) return
    const daily = (await this.#list()).filter(({ kind }) => kind === 'daily')
    const [newest] = daily
    if (newest && clock.elapsed() - Date.parse(newest.at) < dayMs) return
    if (this.#running) return
    await this.#write(this.#reserve('daily'), stopping)
    for (const { name } of daily.slice(dailyKept - 1)) await rm(join(this.#folder, name), { force: true })
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await Promise.allSettled([this.#writing])
  }

  /** From now on no other backup begins. */
  #reserve(kind: Kind): Running {
    // Machine time, because a day of backups is a day of the machine.
    const at = new Date(this.#options.clock.elapsed()).toISOString()
    this.#running = { name: `${kind}-${at.replaceAll(':', '-')}.tar.zst`, at, bytes_read: 0, bytes_total: 0 }
    return this.#running
  }

  #write(running: Running, stopping: AbortSignal): Promise<void> {
    const writing = this.#tryWrite(running, stopping)
    this.#writing = writing
    return writing
  }

  async #tryWrite(running: Running, stopping: AbortSignal): Promise<void> {
    const { db, clock, log } = this.#options
    const { name } = running
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      // Those of processes that were killed.
      for (const left of await readdir(this.#folder))
        if (left.endsWith('.draft')) await rm(join(this.#folder, left), { force: true })
      await writeBackup(db, join(this.#folder, name), {
        ...{ clock, stopping },
        onProgress: (done, total) => Object.assign(running, { bytes_read: done, bytes_total: total }),
      })
      this.#failure = undefined
      log.info({ name, bytes: running.bytes_total }, 'a backup was written')
    } catch (error) {
      this.#failure = error instanceof Error ? error.message : String(error)
      if (!stopping.aborted) log.error({ err: error, name }, 'a backup was not written')
      throw error
    } finally {
      this.#running = undefined
    }
  }

  async #list(): Promise<Backup[]> {
    const names = await readdir(this.#folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return []
      throw error
    })
    const found: Backup[] = []
    for (const name of names) {
      const [, kind, day, hour, minute, rest] = fileName.exec(name) ?? []
      if (kind === undefined) continue
      const { size } = await stat(join(this.#folder, name))
      found.push({ name, kind: kind as Kind, at: `${day}T${hour}:${minute}:${rest}`, bytes: size })
    }
    return found.sort((one, other) => Date.parse(other.at) - Date.parse(one.at))
  }
}
