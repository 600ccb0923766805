import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { type Clock, isVirtual } from '../../base/clock.ts'
import { ConfigError } from '../../base/config.ts'
import { backendOf } from '../../base/db/backends.ts'
import type { Db } from '../../base/db/db.ts'
import { newUuid } from '../../base/ids.ts'
import type { Log } from '../../base/log.ts'
import { startJobs } from '../../base/work/jobs.ts'
import { lockConfig } from '../settings/store.ts'
import {
  type ClockKind,
  deleteExpiredProcesses,
  deleteProcess,
  listProcesses,
  type RunningProcess,
  upsertProcess,
} from './process-store.ts'

/** A process that was killed counts as running for so long. */
export const processLeaseMs = 15_000
const renewMs = 3_000
const lookMs = 250

/**
 * Registers this process with the database until `close`. A virtual clock is alone on its database: throws ConfigError when this clock or
 * that of another process is virtual. A process that was killed is waited for until its lease has ended. Does nothing on a database that
 * only one process can open.
 */
export async function registerProcess(db: Db, clock: Clock, log: Log): Promise<{ close(): Promise<void> }> {
  if (!backendOf(db).isShared) return { close: async () => {} }
  const kind = isVirtual(clock) ? 'virtual' : 'system'
  const own = { process_id: newUuid(), host: hostname(), pid: process.pid, clock: kind } as const
  await waitAndInsert(db, clock, own, log)
  const renewal = startJobs([{ name: 'process.renew', everyMs: renewMs, run: () => renew(db, clock, own, log) }], log)
  return {
    async close() {
      await renewal.close()
      // Without a database the lease ends by itself.
      await deleteProcess(db, own.process_id).catch(() => {})
    },
  }
}

export type OwnProcess = Omit<RunningProcess, 'expires_at'>

/** Returns the processes that have not ended and whose clock excludes this one: no process runs beside a virtual clock. */
export function listExcluding(
  own: OwnProcess,
  processes: readonly RunningProcess[],
  nowMs: number,
): readonly RunningProcess[] {
  return processes.filter(
    ({ process_id, clock, expires_at }) =>
      process_id !== own.process_id &&
      expires_at.getTime() >= nowMs &&
      (clock === 'virtual' || own.clock === 'virtual'),
  )
}

/** Returns the first of the processes that has renewed its lease since an earlier look, so that it is known to run. */
export function findRenewed(
  earlier: readonly RunningProcess[],
  later: readonly RunningProcess[],
): RunningProcess | undefined {
  const before = new Map(earlier.map(({ process_id, expires_at }) => [process_id, expires_at.getTime()]))
  return later.find(({ process_id, expires_at }) => expires_at.getTime() > (before.get(process_id) ?? Infinity))
}

async function waitAndInsert(db: Db, clock: Clock, own: OwnProcess, log: Log): Promise<void> {
  let first = await insertUnlessExcluded(db, clock, own)
  if (first.length > 0) {
    const { host, pid } = first[0]!
    log.info(
      { host, pid },
      'another process uses this database with a clock that excludes this one: is it still running?',
    )
  }
  for (let left = first; left.length > 0; ) {
    await pause(lookMs)
    left = await insertUnlessExcluded(db, clock, own)
    const renewed = findRenewed(first, left)
    if (renewed) throw excludedBy(own.clock, renewed)
    // A process that has started meanwhile is seen to renew its lease later.
    const known = new Set(first.map(({ process_id }) => process_id))
    first = [...first, ...left.filter(({ process_id }) => !known.has(process_id))]
  }
}

/** Inserts this process unless others exclude it, and returns those. Processes that start at once run this one after the other. */
function insertUnlessExcluded(db: Db, clock: Clock, own: OwnProcess): Promise<readonly RunningProcess[]> {
  return db.transaction(async (tx) => {
    await lockConfig(tx)
    const nowMs = clock.elapsed()
    const excluding = listExcluding(own, await listProcesses(tx), nowMs)
    if (excluding.length > 0) return excluding
    await deleteExpiredProcesses(tx, nowMs)
    await upsertProcess(tx, leased(own, nowMs))
    return []
  })
}

async function renew(db: Db, clock: Clock, own: OwnProcess, log: Log): Promise<void> {
  const nowMs = clock.elapsed()
  await upsertProcess(db, leased(own, nowMs))
  const [other] = listExcluding(own, await listProcesses(db), nowMs)
  // Possible when this process stood still for longer than its lease.
  if (other) log.error({ host: other.host, pid: other.pid }, describeExclusion(own.clock, other.clock, other))
}

function leased(own: OwnProcess, nowMs: number): RunningProcess {
  return { ...own, expires_at: new Date(nowMs + processLeaseMs) }
}

function excludedBy(own: ClockKind, other: RunningProcess): ConfigError {
  return new ConfigError(describeExclusion(own, other.clock, other))
}

function describeExclusion(
  own: ClockKind,
  other: ClockKind,
  { host, pid }: Pick<RunningProcess, 'host' | 'pid'>,
): string {
  const accepted = other === 'system' ? 'accepted beside it is system' : 'it must be the only process'
  return `EASEL_CLOCK: "${own}" was given, but the process ${pid} on ${host} uses this database with the ${other} clock; ${accepted}`
}
