import type { Tx } from '../../base/db/db.ts'
import type { ConfigSection } from '../../workspace/file/config-section.ts'
import type { Named } from '../permissions/declared.ts'
import { deleteDeclared, idOfWorkspace, insertTeams, listTeams, updateTeams } from '../permissions/declared-store.ts'
import { TeamShape, teamsMax } from '../permissions/schema.ts'
import { refuseHeld } from './refuse-held.ts'

/** `teams`: for what, within a workspace, permissions of accounts can be given. */
export const teamsSection: ConfigSection<Named> = {
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
  const workspace = await idOfWorkspace(tx, workspace_id)
  await refuseHeld(tx, 'team', { workspaces: [{ id: workspace, teams: [{ id }] }] })
  return deleteDeclared(tx, 'team', workspace_id, id)
}
