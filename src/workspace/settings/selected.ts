import type { Call } from '../../base/call.ts'
import { oneValue } from '../../base/http/query.ts'
import type { Request } from '../../base/http/route.ts'
import { getWorkspace } from '../file/apply.ts'
import type { WorkspaceRow } from './store.ts'

/** `?workspace=`: the id of a workspace; the default one when absent. */
export function selected({ query }: Request): string | undefined {
  return oneValue(query, 'workspace')
}

/** The workspace that is meant by it. Throws 404. */
export function selectedWorkspace({ db }: Call, request: Request): Promise<WorkspaceRow> {
  return getWorkspace(db, selected(request))
}

export async function selectedId(call: Call, request: Request): Promise<number> {
  return (await selectedWorkspace(call, request)).workspace_id
}
