import type { Wording } from '../../audience/conditions/sentence.ts'
import { loadWording } from '../../audience/segments/wording.ts'
import type { Tx } from '../../base/db/db.ts'
import { listTemplateNames } from '../../content/templates/template-store.ts'
import type { WorkspaceRow } from '../../workspace/settings/store.ts'

/** How a flow is written: its conditions as everywhere, and its templates by name. What has no name is written with its id. */
export type FlowWording = Wording & { readonly templateName?: (id: string) => string | undefined }

/** Returns how the flows of a workspace are written. */
export async function loadFlowWording(
  tx: Tx,
  workspace: Pick<WorkspaceRow, 'workspace_id' | 'settings'>,
): Promise<FlowWording> {
  const names = new Map((await listTemplateNames(tx, workspace.workspace_id)).map(({ id, name }) => [id, name]))
  return { ...(await loadWording(tx, workspace)), templateName: (id) => names.get(id) }
}
