import { isDeepStrictEqual } from 'node:util'
import type { TObject } from 'typebox'
import type { Tx } from '../../base/db/db.ts'
import { conflict } from '../../base/errors.ts'
import { parseJson } from '../../base/parse-json.ts'
import { upsertFlowOutlines } from '../../people/received/flow-outline-store.ts'
import type { ConfigSection, EntryResolution, GivenEntry, RefusedEntry } from '../../workspace/file/config-section.ts'
import type { Mistake } from '../../workspace/settings/mistake.ts'
import { definitionContext } from './definition-context.ts'
import { describeImpact } from './describe-impact.ts'
import type { FlowDefinition, FlowKind, FlowState } from './flow.ts'
import { describedFlows } from './flow-schema.ts'
import {
  hasOpenEntries,
  insertFlows,
  listStoredFlows,
  lockFlow,
  markFlowDeleted,
  type StoredFlow,
  updateFlows,
  type WrittenFlow,
  type WrittenVersion,
} from './flow-store.ts'
import { outlineOf } from './outline.ts'
import { classOf, readDefinition } from './read-definition.ts'
import type { DefinitionContext } from './read-values.ts'
import {
  allDefinitionBytesMax,
  CampaignShape,
  CanvasShape,
  definitionBytesMax,
  definitionMembers,
  type FlowHead,
  flowsMax,
} from './schema.ts'
import { hideSecretHeaders, restoreSecretHeaders } from './secret-headers.ts'
import { updateWatched } from './watched-names.ts'
import { inWrittenOrder } from './written-order.ts'

/** A flow of the workspace file. It has the members of `StoredFlow` once it is stored. */
export type FlowEntry = Omit<WrittenFlow, 'planned'> & Partial<StoredFlow>

/** The config section `canvases`. */
export const canvasesSection = sectionFor('canvas', 'canvases', CanvasShape)

/** The config section `campaigns`. */
export const campaignsSection = sectionFor('campaign', 'campaigns', CampaignShape)

export const flowSections = { canvas: canvasesSection, campaign: campaignsSection } as const

function sectionFor(kind: FlowKind, name: string, shape: TObject): ConfigSection<FlowEntry> {
  const names = definitionMembers(shape)
  return {
    name,
    path: name,
    one: kind,
    shape,
    described: describedFlows[kind].whole,
    describedChange: describedFlows[kind].change,
    countMax: flowsMax,
    counts: () => true,
    list: (tx, workspace_id) => listStoredFlows(tx, workspace_id, kind),
    resolve: (given, before, settings, others) =>
      resolveFlow(kind, names, given, before, definitionContext(settings, others)),
    checkTogether: checkTotalBytes,
    toReply: ({ id, name, description, tags, state, definition }) => ({
      ...{ id, name, description, tags, state },
      ...inWrittenOrder(names, hideSecretHeaders(definition)),
    }),
    async insert(tx, workspace_id, entries, at) {
      const inserted = await insertFlows(tx, workspace_id, kind, entries.map(written), at.getTime())
      const refused = entries.find(({ id }) => !inserted.has(id))
      if (refused) {
        throw conflict(`People are still in the deleted ${kind} with the id ${refused.id}: try again in a moment`)
      }
      await writeOutlines(tx, workspace_id, kind, entries, inserted)
      await updateWatched(tx, workspace_id, at.getTime())
      return []
    },
    async update(tx, workspace_id, entries, at) {
      const versions = await updateFlows(tx, workspace_id, kind, entries.map(written), at.getTime())
      await writeOutlines(tx, workspace_id, kind, entries, versions)
      await updateWatched(tx, workspace_id, at.getTime())
    },
    notesOnUpdate: (tx, entries) => describeImpact(tx, kind, entries),
    endSummary: `Delete a ${kind} that has no people in it, or that was stopped.`,
    end: (tx, workspace_id, id, at) => endFlow(tx, workspace_id, kind, id, at.getTime()),
  }
}

function written({ id, name, description, tags, state, class: ofClass, version, definition }: FlowEntry): WrittenFlow {
  const planned = state === 'active' && hasSchedule(definition)
  return { id, name, description, tags, state, class: ofClass, version, definition, planned }
}

/** Writes what exports of people say about these flows. */
async function writeOutlines(
  tx: Tx,
  workspace_id: number,
  kind: FlowKind,
  entries: readonly FlowEntry[],
  versions: ReadonlyMap<string, WrittenVersion>,
): Promise<void> {
  const outlined = entries.flatMap(({ id, name, definition }) => {
    const version = versions.get(id)
    return version ? [{ ...version, kind, id, name, outline: outlineOf(kind, id, definition) }] : []
  })
  await upsertFlowOutlines(tx, workspace_id, outlined)
}

/** Whether people enter by the schedule of the flow. */
export function hasSchedule({ entry }: FlowDefinition): boolean {
  const schedule = (entry as { schedule?: unknown } | undefined)?.schedule
  return schedule !== undefined && schedule !== null
}

function resolveFlow(
  kind: FlowKind,
  names: readonly string[],
  given: GivenEntry & { readonly id: string },
  before: FlowEntry | undefined,
  context: DefinitionContext,
): EntryResolution<FlowEntry> {
  const definition = restoreSecretHeaders(definitionOf(names, given), before?.definition)
  const { name, description, tags, state = before?.state ?? 'draft' } = given as FlowHead
  const isSame = before !== undefined && isSameDefinition(before.definition, definition)
  // An unchanged flow was checked before. A flow that changes its state is checked against what the workspace has now.
  const isChecked = isSame && before.state === state
  const refused =
    (isChecked ? undefined : definitionMistakes(kind, given.id, definition, context)) ??
    (before && stateMistake(before, state))
  if (refused) return refused
  return {
    entry: {
      ...before,
      id: given.id,
      name,
      description: description ?? before?.description ?? '',
      tags: tags ?? before?.tags ?? [],
      state,
      class: classOf(definition),
      version: before === undefined ? 1 : before.version + (isSame ? 0 : 1),
      definition: isSame ? before.definition : definition,
    },
  }
}

function definitionMistakes(
  kind: FlowKind,
  id: string,
  definition: FlowDefinition,
  context: DefinitionContext,
): RefusedEntry | undefined {
  const read = readDefinition(kind, { ...definition, id }, context)
  if ('mistake' in read) return read
  const mistake = bytesMistake(kind, definition)
  return mistake && { mistake }
}

/** Returns the mistake of a definition that is too large. */
export function bytesMistake(kind: FlowKind, definition: FlowDefinition): Mistake | undefined {
  const bytes = Buffer.byteLength(JSON.stringify(definition))
  if (bytes <= definitionBytesMax) return undefined
  const message = `is ${bytes} bytes as JSON; at most ${definitionBytesMax} are allowed`
  return { path: kind === 'canvas' ? 'steps' : 'messages', message }
}

/**
 * Returns the definition as the database returns it, so that the same file changes nothing when it is applied again. Members that are
 * absent or null are left out.
 */
export function definitionOf(names: readonly string[], given: FlowDefinition): FlowDefinition {
  const members = names.flatMap((name) => {
    const value = name === 'class' ? (given.class ?? 'marketing') : given[name]
    return value === undefined || value === null ? [] : [[name, value] as const]
  })
  return parseJson(JSON.stringify(Object.fromEntries(members))) as Readonly<Record<string, unknown>>
}

/** Whether two definitions are the same. An update to the same definition makes no new version. */
export function isSameDefinition(before: FlowDefinition, after: FlowDefinition): boolean {
  return isDeepStrictEqual(before, after)
}

/** Returns why a flow may not get a state. Undefined when it may. */
export function stateMistake(
  before: Pick<FlowEntry, 'state' | 'unsettled'>,
  state: FlowState,
): RefusedEntry | undefined {
  if (before.state === state) return undefined
  const at = (message: string) => ({ mistake: { path: 'state', message } })
  if (state === 'draft') return at(`must not be draft again: it is ${before.state}`)
  if (before.state !== 'archived' || !before.unsettled) return undefined
  return at('must stay archived until all people have left it: try again in a moment')
}

function checkTotalBytes(entries: readonly FlowEntry[]): { id: string; mistake: Mistake }[] {
  const bytes = entries.reduce((sum, { definition }) => sum + Buffer.byteLength(JSON.stringify(definition)), 0)
  if (bytes <= allDefinitionBytesMax) return []
  const message = `is too much: all of a workspace must be at most ${allDefinitionBytesMax} bytes as JSON, not ${bytes}`
  return [{ id: entries.at(-1)!.id, mistake: { path: 'id', message } }]
}

/** Deletes a flow. Returns false for an unknown one. Throws 409 while people are in it, unless it was stopped: then their entries end. */
async function endFlow(tx: Tx, workspace_id: number, kind: FlowKind, id: string, nowMs: number): Promise<boolean> {
  const flow = await lockFlow(tx, workspace_id, kind, id)
  if (!flow) return false
  if (flow.state !== 'archived' && (await hasOpenEntries(tx, flow.flow_id))) {
    throw conflict(`People are in this ${kind}: stop it first`)
  }
  await markFlowDeleted(tx, flow.flow_id, nowMs)
  await updateWatched(tx, workspace_id, nowMs)
  return true
}
