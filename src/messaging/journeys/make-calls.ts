import { isUnavailable } from '../../base/errors.ts'
import type { Fetcher } from '../../base/fetch/fetch.ts'
import { FetchError } from '../../base/fetch/fetch-error.ts'
import type { TemplateVariables } from '../../content/liquid/variables.ts'
import type { Rendered } from '../../content/rendering/rendered.ts'
import type { Renderer } from '../../content/rendering/renderer.ts'
import { loadVariables, optionalVariablesIn, type VariableServices } from '../../content/rendering/variables-store.ts'
import type { LeasedCall } from '../entries/call-store.ts'
import { entryPerson } from '../entries/entry.ts'
import { flowsById } from '../flows/find-flows.ts'
import type { Flow, Graph, WebhookStep } from '../flows/flow.ts'
import type { DueEntryServices } from './due-entries.ts'
import { type CallOutcome, callKey, callRequest, judgeCall, webhookTexts } from './webhook-call.ts'

export type CallServices = DueEntryServices &
  Omit<VariableServices, 'groups'> & {
    readonly renderer: Renderer
    readonly fetcher: Fetcher
  }

/** Longer than a webhook may take to answer, and what its texts ask for before. */
const callMsMax = 40_000
/** A call that was not made, the database being away, is made so much later, business time. */
const awayMs = 5_000

/** What comes of each call, in their order: each is judged alone, and none rejects. Those of one step are rendered together. */
export function startCalls(callings: readonly LeasedCall[], parts: CallServices): Promise<CallOutcome>[] {
  const groups = Map.groupBy(callings, ({ entry: { flow_id, version, step } }) =>
    JSON.stringify([flow_id, version, step]),
  )
  const ends = new Map<LeasedCall, Promise<CallOutcome>>()
  for (const group of groups.values()) {
    const ready = makeReady(group, parts)
    for (const [i, calling] of group.entries()) {
      ends.set(
        calling,
        endOf(
          calling,
          ready.then(({ step, rendered }) => callOne(calling, step, rendered[i], parts)),
          parts,
        ),
      )
    }
  }
  return callings.map((calling) => ends.get(calling)!)
}

/** What a call comes to, whatever goes wrong with it. */
async function endOf(
  { entry, attempts }: LeasedCall,
  call: Promise<CallOutcome>,
  { clock, log }: CallServices,
): Promise<CallOutcome> {
  const failed = (refused: string) => judgeCall({ refused, temporary: true }, attempts, clock.now())
  const [called] = await Promise.allSettled([withinMs(callMsMax, call, () => failed('it took too long'))])
  if (called.status === 'fulfilled') return called.value
  if (isUnavailable(called.reason)) return { againMs: clock.now() + awayMs, isUnmade: true }
  const { entry_id, flow_id, step } = entry
  log.error({ err: called.reason, entry_id, flow_id, step }, 'a webhook could not be called')
  return failed('it could not be called')
}

/** What somebody else comes to, or `late` after so many milliseconds. */
export async function withinMs<T>(ms: number, work: Promise<T>, late: () => T): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<T>()
  const timer = setTimeout(() => resolve(late()), ms)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}

/** The step that some stand at, and its texts for each. */
async function makeReady(group: readonly LeasedCall[], parts: CallServices) {
  const { db, graphs } = parts
  const { flow_id, version, step: id } = group[0]!.entry
  const flow = (await flowsById(db, [flow_id])).get(flow_id)!
  const graph = await graphs.get(db, flow_id, version)
  const step = graph.steps.get(id)
  if (step?.type !== 'webhook') throw new Error(`${id} is no webhook`)
  return { step, rendered: await renderAll(group, step, flow, graph, parts) }
}

/** The texts of each call; undefined for somebody who is gone. */
async function renderAll(
  group: readonly LeasedCall[],
  step: WebhookStep,
  flow: Flow,
  graph: Graph,
  parts: CallServices,
): Promise<(Rendered | undefined)[]> {
  const { db, clock, renderer, workspaces } = parts
  const { workspace_id } = flow
  const texts = webhookTexts(step)
  const people = group.map(({ entry }) => entryPerson(entry))
  const known = await loadVariables(db, workspace_id, people, optionalVariablesIn(Object.values(texts)), {
    ...parts,
    groups: workspaces.get(workspace_id).groups,
  })
  const here = group.filter(({ entry }) => known.has(entry.profile_id))
  const personal = here.map(({ entry }): TemplateVariables => {
    const { properties, event, variant } = entry
    const name = graph.variants.find(({ id }) => id === variant)?.name
    return {
      ...known.get(entry.profile_id)!,
      ...(properties && {
        canvas_entry_properties: properties,
        context: properties,
        api_trigger_properties: properties,
      }),
      ...(event && { event_properties: event }),
      [flow.kind]: { name: flow.name, api_id: flow.id, ...(name !== undefined && { variant_name: name }) },
    }
  })
  const rendered = await renderer.renderMany(texts, personal, { workspace_id, nowMs: clock.now() })
  const byEntry = new Map(here.map(({ entry }, i) => [entry.entry_id, rendered[i]!]))
  return group.map(({ entry }) => byEntry.get(entry.entry_id))
}

async function callOne(
  { entry, attempts }: LeasedCall,
  step: WebhookStep,
  rendered: Rendered | undefined,
  { fetcher, clock }: CallServices,
): Promise<CallOutcome> {
  if (!rendered) return { ended: 'deleted', rule: 'the person is gone' }
  if (rendered.outcome === 'aborted') return { ended: 'aborted_by_template', rule: rendered.reason }
  if (rendered.outcome === 'failed') {
    const { outcome: _, message, ...place } = rendered
    return { ended: 'template_error', rule: message, inputs: place }
  }
  const { texts } = rendered
  const asked = callRequest(step, texts, callKey(entry.entry_id, entry.step, entry.visit))
  const [called] = await Promise.allSettled([fetcher.fetch(texts.url!, asked)])
  if (called.status === 'fulfilled') return judgeCall(called.value, attempts, clock.now())
  const { reason } = called
  if (!(reason instanceof FetchError)) throw reason
  return judgeCall({ refused: reason.message, temporary: reason.temporary }, attempts, clock.now())
}
