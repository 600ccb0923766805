import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'
import { elapsedMs } from '../../workspace/settings/duration.ts'
import { completeSettings, type SettingsGiven } from '../../workspace/settings/settings.ts'

/** Lists the time zones that people of a workspace have, at most `zonesMax`: one step in the index for each. */
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

/** Returns how many milliseconds a message at a local time may be late. */
export async function findLocalDelayMax(tx: Tx, workspace_id: number): Promise<number> {
  return elapsedMs(completeSettings(await findSettings(tx, workspace_id)).local_time_delay_max)!
}

/** Returns the settings that were set, without defaults. */
export async function findSettings(tx: Tx, workspace_id: number): Promise<SettingsGiven> {
  const [row] = await tx.query<{ settings: SettingsGiven }>(
    sql`select settings from workspace where workspace_id = ${workspace_id}`,
  )
  return row!.settings
}
