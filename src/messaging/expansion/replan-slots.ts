import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import { getZoneRules, updateZoneRules } from '../../workspace/settings/installation-store.ts'
import { slotInstant, slotLocalTime } from '../orders/schedule.ts'
import { listZoneSlots, moveSlotDues, type ZoneSlot } from '../orders/slot-store.ts'
import { findWorkspaceZone } from '../orders/zone-store.ts'

const slotsMax = 1_000

/**
 * Changes the due times of future slots when the version of the time zone rules has changed: a slot keeps its local time and its zone. The
 * next call begins again if this one was interrupted.
 */
export async function replanSlots(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  rules: string = process.versions.tz ?? '',
): Promise<void> {
  if ((await getZoneRules(db)) === rules) return
  const zones = new Map<number, string>()
  const nowMs = clock.now()
  let after: ZoneSlot | undefined
  do {
    const page = await listZoneSlots(db, nowMs, after, slotsMax)
    const moves = []
    for (const slot of page) {
      const { zone, workspace_id, schedule } = slot
      const workspaceZone = zones.get(workspace_id) ?? (await findWorkspaceZone(db, workspace_id))
      zones.set(workspace_id, workspaceZone)
      // A local time that has just passed by the new rules is due now.
      const dueMs = Math.max(slotInstant(zone, slotLocalTime(schedule), workspaceZone), nowMs)
      if (dueMs !== slot.dueMs) moves.push({ slot, dueMs })
    }
    await moveSlotDues(db, moves)
    after = page.length === slotsMax ? page.at(-1) : undefined
  } while (after)
  await updateZoneRules(db, rules)
}
