import type { Tx } from '../../base/db/db.ts'
import { conflict } from '../../base/errors.ts'
import type { ConfigSection } from '../../workspace/file/config-section.ts'
import type { Named } from '../permissions/declared.ts'
import { deleteDeclared, idOfWorkspace, insertTeams, listTeams, updateTeams } from '../permissions/declared-store.ts'
import { TeamShape, teamsMax } from '../sign-in/schema.ts'
import { countHolders } from './account-store.ts'

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

/** Throws 409 while accounts hold it: they would lose what nobody has taken from them. */
export async function refuseHeld(tx: Tx, kind: string, holding: object): Promise<void> {
  const holders = await countHolders(tx, holding)
  if (holders === 0) return
  throw conflict(
    `${holders === 1 ? 'An account has' : `${holders} accounts have`} this ${kind}: take it from them first`,
  )
}
