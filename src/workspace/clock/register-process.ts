import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { type Clock, isVirtual } from '../../base/clock.ts'
import { ConfigError } from '../../base/config.ts'
import { type HeldLock, holdLock, type LockHolder, type LockRequest, LockTaken } from '../../base/db/held-lock.ts'
import { Failure } from '../../base/errors.ts'
import { newHiddenId } from '../../base/ids.ts'
import type { Log } from '../../base/log.ts'

/** The number of the lock in the database. A system clock shares it, a virtual one has it alone. */
export const clockLock = 1
/** How long to wait for a process that is ending. The server releases the lock of a killed one when it sees the end of its connection. */
const waitMs = 2_000
const retryMs = 500
/** For so long after a notice another process is assumed: a command gives notice, but does not hold the lock. */
const othersMs = 20_000

export type RegisterServices = {
  /** The URL of the server that several processes can use. Undefined: only one process can open the database. */
  readonly databaseUrl: string | undefined
  readonly clock: Clock
  readonly log: Log
  /** Called when this process has lost its lock and another one has it now: this process must end. */
  onExcluded(error: ConfigError): void
}

/** A process that is registered with its database. */
export type RegisteredProcess = {
  /** Whether no other process of Easel uses the database, as far as this one knows. When one begins to, the listener is called. */
  isAlone(): Promise<boolean>
  /** Sets the function that is called when another process may use the database. */
  onOthers(listener: () => void): void
  close(): Promise<void>
}

/**
 * Registers this process with the database until `close`. A virtual clock is alone on its database: throws ConfigError when this clock or
 * that of another process is virtual. A process that was killed does not count. When the connection that holds the lock is lost, the lock
 * is taken again.
 */
export async function registerProcess(services: RegisterServices): Promise<RegisteredProcess> {
  const { databaseUrl, clock } = services
  if (databaseUrl === undefined) return { isAlone: async () => true, onOthers: () => {}, close: async () => {} }
  const kind = isVirtual(clock) ? 'exclusive' : 'shared'
  const others = new Others(clock)
  const name = nameOf('clock', newHiddenId())
  const request = { databaseUrl, lock: clockLock, kind, name, waitMs, onOtherProcess: () => others.noticed() } as const
  const stop = new AbortController()
  let lock = await takeLock(request)
  const kept = keepLock()
  return {
    isAlone: () => others.areAbsent(lock),
    onOthers: (listener) => others.listen(listener),
    async close() {
      stop.abort()
      await lock.release()
      await kept
    },
  }

  async function keepLock(): Promise<void> {
    for (;;) {
      await lock.lost
      others.noticed()
      if (stop.signal.aborted) return
      services.log.warn('the connection that holds the lock of the clock was lost; the lock is taken again')
      const next = await retakeLock(request, stop.signal, services)
      if (!next) return
      lock = next
      if (stop.signal.aborted) await lock.release()
    }
  }
}

/** What a process knows of others that use its database. */
class Others {
  readonly #clock: Clock
  #listener = () => {}
  /** Whether there were none when the lock was asked last, and nobody gave notice since. */
  #areAbsent = false
  #askAtMs: number
  #notices = 0

  constructor(clock: Clock) {
    this.#clock = clock
    this.#askAtMs = clock.elapsed() + othersMs
  }

  listen(listener: () => void): void {
    this.#listener = listener
  }

  noticed(): void {
    this.#notices++
    this.#areAbsent = false
    this.#askAtMs = this.#clock.elapsed() + othersMs
    this.#listener()
  }

  async areAbsent(lock: HeldLock): Promise<boolean> {
    if (this.#clock.elapsed() < this.#askAtMs) return this.#areAbsent
    this.#askAtMs = this.#clock.elapsed() + othersMs
    const before = this.#notices
    // When the session is lost, others are assumed.
    const isShared = await lock.isShared().catch(() => true)
    this.#areAbsent = !isShared && this.#notices === before
    return this.#areAbsent
  }
}

/** Takes the lock again when the server can be reached. Undefined when this process stops first, or is excluded by another one now. */
async function retakeLock(
  request: LockRequest,
  stopping: AbortSignal,
  { log, onExcluded }: RegisterServices,
): Promise<HeldLock | undefined> {
  for (;;) {
    if (stopping.aborted) return undefined
    try {
      return await takeLock({ ...request, isRepeated: true, stopping })
    } catch (error) {
      if (error instanceof ConfigError) {
        log.error({ err: error }, 'another process has taken the lock of the clock: this one ends')
        onExcluded(error)
        return undefined
      }
      // The server cannot be reached, and requests get 503 meanwhile. The lock is free for others too.
    }
    await pause(retryMs, undefined, { signal: stopping }).catch(() => {})
  }
}

async function takeLock(request: LockRequest): Promise<HeldLock> {
  try {
    return await holdLock(request)
  } catch (error) {
    throw error instanceof LockTaken ? excludedBy(request, error.holders) : error
  }
}

/**
 * Keeps every process of Easel off a database while a command changes where its rows are, until the lock is released. Throws 409 when a
 * process uses it. `command` is the verb of the command line.
 */
export async function excludeProcesses(databaseUrl: string, command: string): Promise<HeldLock> {
  const name = nameOf(command, newHiddenId())
  try {
    return await holdLock({ databaseUrl, lock: clockLock, kind: 'exclusive', name, waitMs })
  } catch (error) {
    if (!(error instanceof LockTaken)) throw error
    const user = describeHolder(error.holders[0])
    throw new Failure(
      'conflict',
      `${user.words} uses this database: stop every process of Easel, then run this command again`,
    )
  }
}

/** The name of the session: its use, the process id, what makes it unique, and as much of the host as the server keeps. */
function nameOf(use: string, id: string): string {
  return `easel ${use} ${process.pid} ${id.slice(0, 8)} ${hostname()}`.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 63)
}

/** `use` is `clock` for a process that serves, otherwise a command. */
function describeHolder(holder: LockHolder | undefined): { use: string; words: string } {
  const [, use = 'clock', pid, host] = /^easel (\w+) (\d+) \S+ (.*)$/.exec(holder?.name ?? '') ?? []
  return { use, words: pid === undefined ? 'another process' : `the process ${pid} on ${host}` }
}

function excludedBy({ kind }: LockRequest, holders: readonly LockHolder[]): ConfigError {
  const [holder] = holders
  const { use, words: process } = describeHolder(holder)
  if (use !== 'clock')
    return new ConfigError(`DATABASE_URL: ${process} changes this database (easel ${use}); start when it has ended`)
  const clocks = { shared: 'system', exclusive: 'virtual' } as const
  const other = clocks[holder?.kind ?? 'exclusive']
  const accepted = other === 'system' ? 'accepted beside it is system' : 'it must be the only process'
  return new ConfigError(
    `EASEL_CLOCK: "${clocks[kind]}" was given, but ${process} uses this database with the ${other} clock; ${accepted}`,
  )
}
