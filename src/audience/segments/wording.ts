import type { Tx } from '../../base/db/db.ts'
import { completeSettings } from '../../workspace/settings/settings.ts'
import { listGroups, type WorkspaceRow } from '../../workspace/settings/store.ts'
import type { Wording } from '../conditions/sentence.ts'
import { finderByIdOrName } from './nesting.ts'
import { listSegmentNames } from './store.ts'

/** Returns how conditions of a workspace are written: in its time zone, with the names of its segments and subscription groups. */
export async function loadWording(
  tx: Tx,
  { workspace_id, settings }: Pick<WorkspaceRow, 'workspace_id' | 'settings'>,
): Promise<Wording> {
  const find = finderByIdOrName(await listSegmentNames(tx, workspace_id))
  const groups = new Map((await listGroups(tx, workspace_id)).map(({ id, name }) => [id, name]))
  return {
    zone: completeSettings(settings).time_zone,
    segmentName: (idOrName) => find(idOrName)?.name,
    groupName: (id) => groups.get(id),
  }
}
