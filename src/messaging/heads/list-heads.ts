import { tryParseSegment } from '../../audience/conditions/parse-condition.ts'
import { describeMembership, describeTree } from '../../audience/conditions/sentence.ts'
import { listSegments } from '../../audience/segments/store.ts'
import { loadWording } from '../../audience/segments/wording.ts'
import type { Clock } from '../../base/clock.ts'
import { dayOf, daysBefore, startOfDay } from '../../base/days.ts'
import type { Tx } from '../../base/db/db.ts'
import { kept } from '../../base/work/kept.ts'
import { listCatalogs } from '../../content/catalogs/store.ts'
import { listGroups } from '../../workspace/settings/store.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { sumSubjects } from '../../workspace/tallies/tally-store.ts'
import { headOf, newFlowHead } from '../drafts/describe-draft.ts'
import { listDraftHeads } from '../drafts/draft-store.ts'
import type { NewFlowHead } from '../drafts/schema.ts'
import { describeEntry } from '../flows/describe-entry.ts'
import { listFlows } from '../flows/find-flows.ts'
import type { Flow, FlowKind } from '../flows/flow.ts'
import { flowSubject, parsePart } from '../flows/flow-tally.ts'
import { type Graphs, graphKey } from '../flows/graphs.ts'
import { countWaiting, lastSizes, listBlockHeads, listTemplateHeads } from './heads-store.ts'
import type { ReferenceReader } from './read-references.ts'
import { readUsers } from './read-users.ts'
import { figureDays } from './schema.ts'

export type HeadServices = {
  readonly clock: Pick<Clock, 'now' | 'elapsed'>
  readonly graphs: Graphs
  readonly references: ReferenceReader
  /** Keeps how many people wait in the flows of a kind. */
  readonly waiting: ReturnType<typeof keepWaiting>
  readonly workspaces: Pick<Workspaces, 'get'>
}

/** Counts of people who wait are at most so old. */
const waitingMs = 5_000
/** The most counts that are kept, each of the flows of a kind in a workspace. */
const waitingMax = 1_000

export function keepWaiting() {
  return kept<Map<number, number>>(waitingMs, waitingMax)
}

type Reader = (tx: Tx, workspace_id: number, services: HeadServices) => Promise<object[]>

/** Readers of the lists, by the kind of what they list. */
export const headReaders = {
  segments: listSegmentHeads,
  subscription_groups: listGroupHeads,
  canvases: (tx, workspace_id, services) => listFlowHeads(tx, 'canvas', workspace_id, services),
  campaigns: (tx, workspace_id, services) => listFlowHeads(tx, 'campaign', workspace_id, services),
  email_templates: listTemplates,
  content_blocks: listBlocks,
  catalogs: listCatalogHeads,
} satisfies Record<string, Reader>
export type HeadKind = keyof typeof headReaders

async function listSegmentHeads(tx: Tx, workspace_id: number, services: HeadServices) {
  const wording = await loadWording(tx, { workspace_id, settings: services.workspaces.get(workspace_id).settings })
  const sizes = await lastSizes(tx, workspace_id)
  const segments = await listSegments(tx, workspace_id)
  const users = await readUsers(tx, workspace_id, services.references, { segments })
  return segments.map(({ id, name, description, tags, audience, updated_at }) => {
    const parsed = tryParseSegment(audience, 'audience')
    const last = sizes.get(id)
    return {
      ...{ id, name, description, tags },
      sentence: 'tree' in parsed ? describeTree(parsed.tree, wording) : parsed.mistake.message,
      membership: 'tree' in parsed ? describeMembership(parsed.tree, wording) : parsed.mistake.message,
      size: last?.size ?? null,
      size_on: last?.day ?? null,
      updated_at: updated_at.toISOString(),
      ...users.of('segments', id),
    }
  })
}

async function listGroupHeads(tx: Tx, workspace_id: number, services: HeadServices) {
  const groups = await listGroups(tx, workspace_id)
  const users = await readUsers(tx, workspace_id, services.references, { groups })
  return groups.map(({ id, name, channel, archived, double_opt_in }) => {
    return {
      id,
      name,
      channel,
      archived,
      has_double_opt_in: double_opt_in?.enabled ?? false,
      ...users.of('subscription_groups', id),
    }
  })
}

async function listFlowHeads(tx: Tx, kind: FlowKind, workspace_id: number, services: HeadServices) {
  const { clock, graphs } = services
  const zone = zoneOf(workspace_id, services)
  const flows = await listFlows(tx, workspace_id, kind)
  const { found } = await graphs.getReadable(tx, flows)
  const waiting = await services.waiting(`${workspace_id} ${kind}`, clock.elapsed(), () => {
    return countWaiting(
      tx,
      flows.map(({ flow_id }) => flow_id),
    )
  })
  const drafts = new Map((await listDraftHeads(tx, workspace_id, kind)).map((draft) => [draft.id, headOf(draft)]))
  const today = dayOf(clock.now(), zone)
  const figures = await sumFigures(tx, flows, startOfDay(daysBefore(today, figureDays - 1), zone))
  return flows.map((flow) => {
    const { flow_id, id, name, description, tags, state, class: ofClass, version, last_sent_at, updated_at } = flow
    const graph = found.get(graphKey(flow))
    return {
      ...{ id, name, description, tags, state, class: ofClass, version },
      sentence: graph ? describeEntry(graph) : 'This version cannot be read.',
      waiting: waiting.get(flow_id) ?? 0,
      ...figures(flow),
      last_sent_at: last_sent_at?.toISOString() ?? null,
      updated_at: updated_at.toISOString(),
      draft: drafts.get(id) ?? null,
    }
  })
}

/** Lists the drafts of canvases or campaigns that do not exist yet, the last changed first. */
export async function listNewFlows(tx: Tx, workspace_id: number, kind: FlowKind): Promise<NewFlowHead[]> {
  const known = new Set((await listFlows(tx, workspace_id, kind)).map(({ id }) => id))
  return (await listDraftHeads(tx, workspace_id, kind)).filter(({ id }) => !known.has(id)).map(newFlowHead)
}

/** Sums the entries and the sent messages of flows from a moment on. */
async function sumFigures(tx: Tx, flows: readonly Flow[], fromMs: number) {
  const sums = { entries: new Map<string, number>(), sent: new Map<string, number>() }
  for (const { subject, part, count } of await sumSubjects(tx, flows.map(flowSubject), fromMs)) {
    const { measure } = parsePart(part)
    if (measure !== 'entries' && measure !== 'sent') continue
    sums[measure].set(subject, (sums[measure].get(subject) ?? 0) + count)
  }
  return (flow: Flow) => {
    const subject = flowSubject(flow)
    return { entered: sums.entries.get(subject) ?? 0, sent: sums.sent.get(subject) ?? 0 }
  }
}

async function listTemplates(tx: Tx, workspace_id: number, services: HeadServices) {
  const templates = await listTemplateHeads(tx, workspace_id)
  const users = await readUsers(tx, workspace_id, services.references, { templates })
  return templates.map(({ updated_at, row_version: _, ...head }) => {
    return { ...head, updated_at: updated_at.toISOString(), ...users.of('email_templates', head.id) }
  })
}

async function listBlocks(tx: Tx, workspace_id: number, services: HeadServices) {
  const blocks = await listBlockHeads(tx, workspace_id)
  const users = await readUsers(tx, workspace_id, services.references, { blocks })
  return blocks.map(({ beginning, updated_at, row_version: _, ...head }) => {
    const first_line = beginning.trimEnd()
    return { ...head, first_line, updated_at: updated_at.toISOString(), ...users.of('content_blocks', head.id) }
  })
}

async function listCatalogHeads(tx: Tx, workspace_id: number, services: HeadServices) {
  const catalogs = await listCatalogs(tx, workspace_id)
  const users = await readUsers(tx, workspace_id, services.references, { catalogs })
  return catalogs.map((catalog) => {
    const { id, name, description, fields, num_items, storage_size, updated_at } = catalog
    return {
      ...{ id, name, description },
      items: num_items,
      bytes: storage_size,
      fields: fields.length,
      updated_at: updated_at.toISOString(),
      ...users.of('catalogs', id),
    }
  })
}

function zoneOf(workspace_id: number, { workspaces }: HeadServices): string {
  return workspaces.get(workspace_id).settings.time_zone
}
