import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'

export type ClockKind = 'system' | 'virtual'

/** A process that uses the database. */
export type RunningProcess = {
  readonly process_id: string
  readonly host: string
  readonly pid: number
  readonly clock: ClockKind
  /** Machine time. The process has ended when it is over. */
  readonly expires_at: Date
}

export function listProcesses(tx: Tx): Promise<RunningProcess[]> {
  return tx.query<RunningProcess>(sql`
    select process_id, host, pid, clock, expires_at from running_process order by process_id`)
}

/** Stores a process, or renews it. */
export async function upsertProcess(tx: Tx, process: RunningProcess): Promise<void> {
  const { process_id, host, pid, clock, expires_at } = process
  await tx.query(sql`
    insert into running_process (process_id, host, pid, clock, expires_at)
    values (${process_id}, ${host}, ${pid}, ${clock}, ${expires_at.toISOString()})
    on conflict (process_id) do update set expires_at = excluded.expires_at`)
}

export async function deleteProcess(tx: Tx, process_id: string): Promise<void> {
  await tx.query(sql`delete from running_process where process_id = ${process_id}`)
}

export async function deleteExpiredProcesses(tx: Tx, nowMs: number): Promise<void> {
  await tx.query(sql`delete from running_process where expires_at < ${new Date(nowMs).toISOString()}`)
}
