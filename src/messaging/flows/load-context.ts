import { listSegments } from '../../audience/segments/store.ts'
import type { Tx } from '../../base/db/db.ts'
import { listTemplates } from '../../content/templates/template-store.ts'
import type { ConfigEntry } from '../../workspace/file/config-section.ts'
import { completeSettings } from '../../workspace/settings/settings.ts'
import { listApps, listGroups, type WorkspaceRow } from '../../workspace/settings/store.ts'
import { listCredentials } from '../mail/secret-store.ts'
import { definitionContext } from './definition-context.ts'
import type { DefinitionContext } from './read-values.ts'

/** Returns what a definition that is not stored may name: what the workspace has now. */
export async function loadDefinitionContext(
  tx: Tx,
  { workspace_id, settings }: Pick<WorkspaceRow, 'workspace_id' | 'settings'>,
): Promise<DefinitionContext> {
  const lists = new Map<string, readonly ConfigEntry[]>([
    ['apps', await listApps(tx, workspace_id)],
    ['segments', await listSegments(tx, workspace_id)],
    ['email_templates', await listTemplates(tx, workspace_id)],
    ['credentials', await listCredentials(tx, workspace_id)],
    ['subscription_groups', await listGroups(tx, workspace_id)],
  ])
  return definitionContext(completeSettings(settings), (name) => lists.get(name) ?? [])
}
