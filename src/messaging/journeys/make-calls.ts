import { isUnavailable } from '../../base/errors.ts'
import type { Fetcher } from '../../base/fetch/fetch.ts'
import { FetchError } from '../../base/fetch/fetch-error.ts'
import type { TemplateVariables } from '../../content/liquid/variables.ts'
import type { Credential } from '../../content/rendering/credential.ts'
import type { Rendered } from '../../content/rendering/rendered.ts'
import type { Renderer } from '../../content/rendering/renderer.ts'
import { loadVariables, optionalVariablesIn, type VariableServices } from '../../content/rendering/variables-store.ts'
import type { LeasedCall } from '../entries/call-store.ts'
import { entryPerson } from '../entries/entry.ts'
import { flowsById } from '../flows/find-flows.ts'
import type { Flow, Graph, WebhookStep } from '../flows/flow.ts'
import { findCredential } from '../mail/secret-store.ts'
import type { DueEntryServices } from './due-entries.ts'
import {
  type CallOutcome,
  callKey,
  callRequest,
  credentialsIn,
  outcomeOfAnswer,
  refusedCredential,
  webhookTexts,
} from './webhook-call.ts'

export type CallServices = DueEntryServices &
  Omit<VariableServices, 'groups'> & {
    readonly renderer: Renderer
    readonly fetcher: Fetcher
  }

/** Longer than the rendering of the texts and the answer of a webhook may take. */
const callMsMax = 40_000
/** A call that was not made, because the database was unavailable, is made after this business time. */
const unavailableMs = 5_000

/**
 * Makes calls. Returns one promise for each, in the same order, which never rejects. The texts of calls of one step are rendered together.
 */
export function startCalls(calls: readonly LeasedCall[], services: CallServices): Promise<CallOutcome>[] {
  const groups = Map.groupBy(calls, ({ entry: { flow_id, version, step } }) => JSON.stringify([flow_id, version, step]))
  const outcomes = new Map<LeasedCall, Promise<CallOutcome>>()
  for (const group of groups.values()) {
    const rendering = renderStep(group, services)
    for (const [i, call] of group.entries()) {
      outcomes.set(
        call,
        outcomeOf(
          call,
          rendering.then(({ step, credentials, rendered }) => makeCall(call, step, rendered[i], credentials, services)),
          services,
        ),
      )
    }
  }
  return calls.map((call) => outcomes.get(call)!)
}

/** Returns the outcome of a call. Never rejects. */
async function outcomeOf(
  { entry, attempts }: LeasedCall,
  call: Promise<CallOutcome>,
  { clock, log }: CallServices,
): Promise<CallOutcome> {
  const failed = (refused: string) => outcomeOfAnswer({ refused, temporary: true }, attempts, clock.now())
  try {
    return await withinMs(callMsMax, call, () => failed('it took too long'))
  } catch (error) {
    // The entry must continue after any error, so an error is an outcome.
    if (isUnavailable(error)) return { againMs: clock.now() + unavailableMs, isUnmade: true }
    const { entry_id, flow_id, step } = entry
    log.error({ err: error, entry_id, flow_id, step }, 'a webhook could not be called')
    return failed('it could not be called')
  }
}

/** Resolves with the work, or with `late()` after so many milliseconds. */
export async function withinMs<T>(ms: number, work: Promise<T>, late: () => T): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<T>()
  const timer = setTimeout(() => resolve(late()), ms)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Reads the step at which these entries are, and renders its texts for each. */
async function renderStep(group: readonly LeasedCall[], services: CallServices) {
  const { db, graphs } = services
  const { flow_id, version, step: id } = group[0]!.entry
  const flow = (await flowsById(db, [flow_id])).get(flow_id)!
  const graph = await graphs.get(db, flow_id, version)
  const step = graph.steps.get(id)
  if (step?.type !== 'webhook') throw new Error(`step ${id} is not a webhook`)
  const credentials = new Map<string, Credential>()
  for (const name of credentialsIn(step)) {
    const found = await findCredential(db, flow.workspace_id, name)
    if (found) credentials.set(name, found)
  }
  return { step, credentials, rendered: await renderAll(group, step, flow, graph, services) }
}

/** Renders the texts of each call. Undefined for a person who was deleted. */
async function renderAll(
  group: readonly LeasedCall[],
  step: WebhookStep,
  flow: Flow,
  graph: Graph,
  services: CallServices,
): Promise<(Rendered | undefined)[]> {
  const { db, clock, renderer, workspaces } = services
  const { workspace_id } = flow
  const texts = webhookTexts(step)
  const people = group.map(({ entry }) => entryPerson(entry))
  const known = await loadVariables(db, workspace_id, people, optionalVariablesIn(Object.values(texts)), {
    ...services,
    groups: workspaces.get(workspace_id).groups,
  })
  const existing = group.filter(({ entry }) => known.has(entry.profile_id))
  const personal = existing.map(({ entry }): TemplateVariables => {
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
  const rendered = await renderer.renderMany(texts, personal, {
    workspace_id,
    nowMs: clock.now(),
    isTransactional: group[0]!.entry.class === 'transactional',
  })
  const byEntry = new Map(existing.map(({ entry }, i) => [entry.entry_id, rendered[i]!]))
  return group.map(({ entry }) => byEntry.get(entry.entry_id))
}

async function makeCall(
  { entry, attempts }: LeasedCall,
  step: WebhookStep,
  rendered: Rendered | undefined,
  credentials: ReadonlyMap<string, Credential>,
  { fetcher, clock }: CallServices,
): Promise<CallOutcome> {
  if (!rendered) return { ended: 'deleted', rule: 'the person was deleted' }
  if (rendered.outcome === 'aborted') return { ended: 'aborted_by_template', rule: rendered.reason }
  if (rendered.outcome === 'failed') {
    const { outcome: _, message, ...position } = rendered
    return { ended: 'template_error', rule: message, inputs: position }
  }
  const { texts } = rendered
  const refused = refusedCredential(step, texts.url!, credentials)
  if (refused) return outcomeOfAnswer(refused, attempts, clock.now())
  const request = callRequest(step, texts, callKey(entry.entry_id, entry.step, entry.visit), credentials)
  try {
    return outcomeOfAnswer(await fetcher.fetch(texts.url!, request), attempts, clock.now())
  } catch (error) {
    // A receiver that cannot be reached is an outcome.
    if (!(error instanceof FetchError)) throw error
    return outcomeOfAnswer({ refused: error.message, temporary: error.temporary }, attempts, clock.now())
  }
}
