import { listSegments } from '../../audience/segments/store.ts'
import type { Tx } from '../../base/db/db.ts'
import { type Catalog, listCatalogs } from '../../content/catalogs/store.ts'
import { listGroups, type SubscriptionGroup } from '../../workspace/settings/store.ts'
import { listFlows } from '../flows/find-flows.ts'
import { listBlockHeads, listEarlierVersions, listTemplateHeads } from './heads-store.ts'
import { ReferenceReader, type ReferringRows } from './read-references.ts'
import type { ReferredKind } from './references.ts'
import type { User } from './schema.ts'
import { UsersOf } from './users.ts'

/** What has been read already. */
type ReadRows = Partial<Pick<ReferringRows, 'segments' | 'templates' | 'blocks'>> & {
  readonly groups?: readonly SubscriptionGroup[]
  readonly catalogs?: readonly Catalog[]
}

/** Reads what uses each thing of a workspace. Archived canvases and campaigns do not count. */
export async function readUsers(
  tx: Tx,
  workspace_id: number,
  references: ReferenceReader,
  read: ReadRows,
  { isWithEarlier = false } = {},
): Promise<UsersOf> {
  const segments = read.segments ?? (await listSegments(tx, workspace_id))
  const templates = read.templates ?? (await listTemplateHeads(tx, workspace_id))
  const blocks = read.blocks ?? (await listBlockHeads(tx, workspace_id))
  const all = [...(await listFlows(tx, workspace_id, 'canvas')), ...(await listFlows(tx, workspace_id, 'campaign'))]
  const current = all.filter(({ state }) => state !== 'archived')
  const flows = isWithEarlier ? [...current, ...(await earlierVersions(tx, current))] : current
  const referring = await references.read(tx, { workspace_id, segments, templates, blocks, flows })
  const referred = {
    segments,
    email_templates: templates,
    content_blocks: blocks,
    subscription_groups: read.groups ?? (await listGroups(tx, workspace_id)),
    catalogs: read.catalogs ?? (await listCatalogs(tx, workspace_id)),
  }
  return new UsersOf(referred, referring)
}

/**
 * Returns what uses one thing, each user once: also a canvas or campaign of which only an earlier version uses it, while people are in
 * that version. They finish it.
 */
export async function findUsers(tx: Tx, workspace_id: number, kind: ReferredKind, id: string): Promise<User[]> {
  const users = await readUsers(tx, workspace_id, new ReferenceReader(), {}, { isWithEarlier: true })
  return [...new Map(users.of(kind, id).used_by.map((user) => [`${user.kind} ${user.id}`, user])).values()]
}

async function earlierVersions<F extends ReferringRows['flows'][number]>(tx: Tx, flows: readonly F[]): Promise<F[]> {
  const byId = new Map(flows.map((flow) => [flow.flow_id, flow]))
  const versions = await listEarlierVersions(tx, [...byId.keys()])
  return versions.map(({ flow_id, version }) => ({ ...byId.get(flow_id)!, version }))
}
