import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { invalid, notFound } from '../../base/errors.ts'
import { parseBoolean, readSingle } from '../../base/http/query.ts'
import type { Request } from '../../base/http/route.ts'
import { listWorkspaces, type WorkspaceRow } from './store.ts'

/** Returns the value of `?workspace=`: the id of a workspace, or undefined for the default one. */
export function selected({ query }: Request): string | undefined {
  return readSingle(query, 'workspace')
}

/** Reads the workspace of `?workspace=`. Throws 404. */
export function selectedWorkspace({ db }: Call, request: Request): Promise<WorkspaceRow> {
  return getWorkspace(db, selected(request))
}

export async function selectedId(call: Call, request: Request): Promise<number> {
  return (await selectedWorkspace(call, request)).workspace_id
}

/** Reads the workspace with this id, or the default one. Throws 404. */
export async function getWorkspace(tx: Tx, id?: string): Promise<WorkspaceRow> {
  const all = await listWorkspaces(tx)
  const found = id === undefined ? all[0] : all.find((workspace) => workspace.id === id)
  if (found) return found
  throw notFound(
    `There is no workspace ${JSON.stringify(id ?? 'default')}; there are ${all.map((one) => one.id).join(', ')}`,
  )
}

/** Reads `?plan=`. Throws 400 for other values than true and false, so that a mistyped plan is never applied. */
export function isPlan({ query }: Request): boolean {
  const plan = parseBoolean(readSingle(query, 'plan') ?? 'false')
  if (plan === undefined) throw invalid("'plan' must be true or false")
  return plan
}
