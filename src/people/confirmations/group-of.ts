import type { GroupRow } from '../../workspace/settings/store.ts'
import type { Workspace } from '../../workspace/settings/workspaces.ts'

/** Returns the group with this number. Groups are never deleted, but a cache may be older than a new one. */
export function groupOf({ groups }: Pick<Workspace, 'groups'>, group_id: number): GroupRow | undefined {
  return groups.values().find((group) => group.group_id === group_id)
}
