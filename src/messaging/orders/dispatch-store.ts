import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import { timestampFromMs, timestampFromUs } from '../../base/db/timestamps.ts'
import { completeSettings, type SettingsGiven } from '../../workspace/settings/settings.ts'
import type { Class } from '../messages/message.ts'
import type { Schedule } from './schedule.ts'
import type { Sending } from './sending.ts'

export type DispatchState = 'active' | 'paused' | 'cancelled'

/** An order to send as it is written first. */
export type Order = {
  readonly dispatch_id: string
  readonly schedule_id: string | null
  readonly workspace_id: number
  readonly class: Class
  readonly sending: Sending
  readonly schedule?: Schedule | undefined
  readonly send_id?: string | undefined
}

/** `stampUs`: no two of a process are of the same moment, so that a list has an order while a virtual clock stands. */
export async function insertDispatch(tx: Tx, order: Order, stampUs: number): Promise<void> {
  const { dispatch_id, schedule_id, workspace_id, class: kind, sending, schedule, send_id } = order
  await tx.query(
    prepared(sql`
    insert into dispatch (dispatch_id, workspace_id, schedule_id, class, state, sending, schedule, send_id, flow_id, created_at, updated_at)
    values (${dispatch_id}::uuid, ${workspace_id}, ${schedule_id}::uuid, ${kind}, 'active', ${JSON.stringify(sending)}::jsonb,
      ${schedule ? JSON.stringify(schedule) : null}::jsonb, ${send_id ?? null},
      ${sending.flow?.flow_id ?? null}::int4, ${timestampFromUs(stampUs)}, ${timestampFromUs(stampUs)})`),
  )
}

/** Schedules of a workspace of which nothing was sent yet, counted up to `countMax`. */
export async function countWaitingSchedules(tx: Tx, workspace_id: number, countMax: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::int as count from (
      select 1 from dispatch_slot s join dispatch d on d.dispatch_id = s.dispatch_id and d.schedule_id is not null
      where s.workspace_id = ${workspace_id} and s.state in ('waiting', 'held') and s.zone in ('', '*')
      limit ${countMax}) w`)
  return row!.count
}

/** The time zones that people of a workspace have, each found by one step in the index; at most `zonesMax`. */
export async function listZones(tx: Tx, workspace_id: number, zonesMax: number): Promise<string[]> {
  const rows = await tx.query<{ zone: string }>(sql`
    with recursive zones as (
      (select p.time_zone as zone from profile p where p.workspace_id = ${workspace_id} and p.time_zone is not null
        order by p.time_zone limit 1)
      union all
      select (select p.time_zone from profile p where p.workspace_id = ${workspace_id} and p.time_zone > z.zone
        order by p.time_zone limit 1)
      from zones z where z.zone is not null
    )
    select zone from zones where zone is not null and zone <> '' limit ${zonesMax}`)
  return rows.map(({ zone }) => zone)
}

export async function findWorkspaceZone(tx: Tx, workspace_id: number): Promise<string> {
  return completeSettings(await findSettings(tx, workspace_id)).time_zone
}

/** As they are set, without defaults. */
export async function findSettings(tx: Tx, workspace_id: number): Promise<SettingsGiven> {
  const [row] = await tx.query<{ settings: SettingsGiven }>(
    sql`select settings from workspace where workspace_id = ${workspace_id}`,
  )
  return row!.settings
}

export type Locked = { dispatch_id: string; workspace_id: number; class: Class; state: DispatchState }

/** The dispatch of a schedule, held until the end of the transaction. */
export async function lockSchedule(tx: Tx, workspace_id: number, schedule_id: string): Promise<Locked | undefined> {
  const [row] = await tx.query<Locked>(sql`
    select dispatch_id, workspace_id, class, state from dispatch
    where schedule_id = ${schedule_id}::uuid and workspace_id = ${workspace_id} for update`)
  return row
}

export async function lockDispatch(tx: Tx, workspace_id: number, dispatch_id: string): Promise<Locked | undefined> {
  const [row] = await tx.query<Locked>(sql`
    select dispatch_id, workspace_id, class, state from dispatch
    where dispatch_id = ${dispatch_id}::uuid and workspace_id = ${workspace_id} for update`)
  return row
}

export async function updateOrder(
  tx: Tx,
  dispatch_id: string,
  { schedule, sending }: { schedule: Schedule; sending?: Sending | undefined },
  nowMs: number,
): Promise<void> {
  await tx.query(sql`
    update dispatch set schedule = ${JSON.stringify(schedule)}::jsonb,
      sending = coalesce(${sending ? JSON.stringify(sending) : null}::jsonb, sending), updated_at = ${timestampFromMs(nowMs)}
    where dispatch_id = ${dispatch_id}::uuid`)
}
