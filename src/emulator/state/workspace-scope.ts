import { allChannels } from '../../messaging/channels/channels.ts'
import type { StoredTable } from './copy-store.ts'

/** Rows that belong to a workspace by another row: conditions about the table `t`, by the name of the table. */
function conditionsOf(workspace_id: number): Readonly<Record<string, string>> {
  const flows = `(select flow_id from flow where workspace_id = ${workspace_id})`
  const catalogs = `(select catalog_id from catalog where workspace_id = ${workspace_id})`
  return {
    catalog_item: `t.catalog_id in ${catalogs}`,
    catalog_selection: `t.catalog_id in ${catalogs}`,
    selection_item: `t.catalog_id in ${catalogs}`,
    flow_version: `t.flow_id in ${flows}`,
    deleted_entries: `t.flow_id in ${flows}`,
    deleted_messages: `t.cause in (select dispatch_id from dispatch where workspace_id = ${workspace_id})`,
    send_rate: `t.transport in (${allChannels()
      .map(({ rates }) => `'${rates.name}/${workspace_id}'`)
      .join(', ')})`,
    // The subject of an event or a product is the id of its name; that of a workspace has its number as the second word.
    tally: `(split_part(t.subject, ' ', 2) = '${workspace_id}'
      or t.subject in (select name_id::text from name where workspace_id = ${workspace_id}))`,
  }
}

const byProfile = (workspace_id: number) =>
  `(t.bucket, t.profile_id) in (select bucket, profile_id from profile where workspace_id = ${workspace_id})`

/**
 * Returns which rows of each table belong to a workspace, as a condition about `t`. Tables whose rows belong to it by another row come
 * first, so that deleting in this order finds them. Tables of the whole installation are absent. Pure.
 */
export function workspaceScopes(tables: readonly StoredTable[], workspace_id: number): Map<string, string> {
  const conditions = conditionsOf(workspace_id)
  const own: [string, string][] = []
  const indirect: [string, string][] = []
  for (const { name, columns } of tables) {
    const condition = conditions[name]
    if (condition !== undefined) indirect.push([name, condition])
    else if (columns.includes('workspace_id')) own.push([name, `t.workspace_id = ${workspace_id}`])
    else if (columns.includes('profile_id') && columns.includes('bucket'))
      indirect.push([name, byProfile(workspace_id)])
  }
  return new Map([...indirect, ...own])
}
