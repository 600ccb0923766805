import type { Tx } from '../../base/db/db.ts'
import type { ConfigSection } from '../../workspace/file/config-section.ts'
import type { DeclaredName } from '../permissions/declared.ts'
import { deleteDeclared, getWorkspaceId, insertTeams, listTeams, updateTeams } from '../permissions/declared-store.ts'
import { TeamShape, teamsMax } from '../permissions/schema.ts'
import { refuseWhileHeld } from './refuse-held.ts'

/** `teams`: parts of a workspace for which accounts may be given permissions. */
export const teamsSection: ConfigSection<DeclaredName> = {
  name: 'teams',
  path: 'teams',
  one: 'team',
  shape: TeamShape,
  countMax: teamsMax,
  counts: () => true,
  list: listTeams,
  resolve: ({ id, name }) => ({ entry: { id, name } }),
  toReply: (team) => ({ ...team }),
  async insert(tx, workspace_id, teams, at) {
    await insertTeams(tx, workspace_id, teams, at)
    return []
  },
  update: updateTeams,
  endSummary: 'Delete a team that no account has permissions for.',
  end: endTeam,
}

async function endTeam(tx: Tx, workspace_id: number, id: string): Promise<boolean> {
  const workspace = await getWorkspaceId(tx, workspace_id)
  await refuseWhileHeld(tx, 'team', { workspaces: [{ id: workspace, teams: [{ id }] }] })
  return deleteDeclared(tx, 'team', workspace_id, id)
}
