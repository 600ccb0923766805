import { isDeepStrictEqual } from 'node:util'
import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { readOnlySnapshot } from '../../base/db/transaction-settings.ts'
import { notFound } from '../../base/errors.ts'
import type { Query } from '../../base/http/route.ts'
import { describeChanges } from '../flows/describe-changes.ts'
import type { Flow, FlowDefinition, FlowKind } from '../flows/flow.ts'
import { listVersions } from '../flows/flow-store.ts'
import { CampaignShape, CanvasShape, definitionMembers } from '../flows/schema.ts'
import { hideSecretHeaders } from '../flows/secret-headers.ts'
import { inWrittenOrder } from '../flows/written-order.ts'
import { authorsOf, writingMs } from './authors.ts'
import { type FlowPath, getFlowAt, numberMax, readNumber, versionOf } from './read-standing.ts'
import { type VersionHead, type VersionReply, type VersionsReply, versionsPage } from './schema.ts'
import { countStanding } from './standing-store.ts'
import { listVersionHeads, listWrites } from './version-store.ts'

/** Writes that are looked at to find the authors of a page of versions. */
const writesMax = 1_000

/** Lists a page of the versions of a flow, the newest first. Throws 400 and 404. */
export async function listFlowVersions({ db }: Pick<Call, 'db'>, path: FlowPath, query: Query): Promise<VersionsReply> {
  const before = readNumber(query, 'before', numberMax)
  return db.transaction(
    async (tx) => {
      const flow = await getFlowAt(tx, path)
      const newest = before === undefined ? flow.version : Math.min(before - 1, flow.version)
      const { heads, hasMore } = await describeHeads(tx, flow, newest, versionsPage)
      return { versions: heads, next_before: hasMore ? heads.at(-1)!.version : null }
    },
    { settings: readOnlySnapshot },
  )
}

/** Reads one version with its definition, and what differs from the one before or from another one. Throws 400 and 404. */
export async function readFlowVersion(
  { db }: Pick<Call, 'db'>,
  path: FlowPath,
  given: string,
  query: Query,
): Promise<Omit<VersionReply, 'outline'>> {
  const other = readNumber(query, 'compared_with', numberMax)
  const version = /^[1-9]\d{0,8}$/.test(given) ? Number(given) : 0
  return db.transaction(
    async (tx) => {
      const flow = await getFlowAt(tx, path)
      const { heads } = version === 0 ? { heads: [] } : await describeHeads(tx, flow, version, 1)
      const [head] = heads
      if (head?.version !== version) throw notFound(`There is no version ${JSON.stringify(given)} of this ${flow.kind}`)
      const before = other === undefined ? version - 1 : versionOf(flow, other, 'compared_with')
      const numbers = [version, before].map((number) => ({ flow_id: flow.flow_id, version: number }))
      const rows = new Map((await listVersions(tx, numbers)).map((row) => [row.version, row.definition]))
      const [own, earlier] = [rows.get(version)!, rows.get(before)]
      const definition = shownDefinition(flow.kind, own)
      const { changes, has_more_changes } = earlier
        ? describeChanges(shownDefinition(flow.kind, earlier), definition)
        : { changes: [], has_more_changes: false }
      return {
        version: head,
        definition,
        compared_with: earlier ? before : null,
        changes: earlier && changes.length === 0 ? hiddenChanges(own, earlier) : [...changes],
        has_more_changes,
      }
    },
    { settings: readOnlySnapshot },
  )
}

/** The only differences that answers do not show are those of secrets. */
function hiddenChanges(own: FlowDefinition, earlier: FlowDefinition): string[] {
  return isDeepStrictEqual(own, earlier) ? [] : ['A secret header changed']
}

function membersOf(kind: FlowKind): readonly string[] {
  return definitionMembers(kind === 'canvas' ? CanvasShape : CampaignShape)
}

/** Returns a definition as answers have it, without secrets. */
function shownDefinition(kind: FlowKind, definition: FlowDefinition): FlowDefinition {
  return inWrittenOrder(membersOf(kind), hideSecretHeaders(definition))
}

async function describeHeads(
  tx: Tx,
  { flow_id, workspace_id, kind, id }: Flow,
  newest: number,
  count: number,
): Promise<{ heads: VersionHead[]; hasMore: boolean }> {
  const rows = await listVersionHeads(tx, flow_id, newest, count + 1)
  const page = rows.slice(0, count)
  if (page.length === 0) return { heads: [], hasMore: false }
  const span = { fromMs: page.at(-1)!.created_at.getTime(), untilMs: page[0]!.created_at.getTime() + writingMs }
  const writes = await listWrites(tx, { workspace_id, kind, id }, span, writesMax)
  const authors = authorsOf(page, writes, membersOf(kind))
  const people = new Map<number, number>()
  for (const { version, waiting } of await countStanding(tx, flow_id)) {
    people.set(version, (people.get(version) ?? 0) + waiting)
  }
  const heads = page.map(({ version, created_at }) => ({
    version,
    created_at: created_at.toISOString(),
    author: authors.get(version) ?? null,
    people: people.get(version) ?? 0,
  }))
  return { heads, hasMore: rows.length > count }
}
