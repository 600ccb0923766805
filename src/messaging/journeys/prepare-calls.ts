import type { TextLimit } from '../../content/liquid/run.ts'
import type { TemplateVariables } from '../../content/liquid/variables.ts'
import type { Credential } from '../../content/rendering/credential.ts'
import type { Rendered } from '../../content/rendering/rendered.ts'
import type { Renderer } from '../../content/rendering/renderer.ts'
import { loadVariables, optionalVariablesIn, type VariableServices } from '../../content/rendering/variables-store.ts'
import { ExpectedBytes, MemoryAllowance, type MemoryLimits, memorySlices } from '../delivery/memory-allowance.ts'
import type { LeasedCall } from '../entries/call-store.ts'
import { entryPerson } from '../entries/entry.ts'
import { flowsById } from '../flows/find-flows.ts'
import type { Flow, Graph, WebhookStep } from '../flows/flow.ts'
import { findCredential } from '../mail/secret-store.ts'
import type { DueEntryServices } from './due-entries.ts'
import { credentialsIn, webhookTexts } from './webhook-call.ts'

/** Bytes of the calls that are in memory, from rendering until the answer. A workspace alone cannot use all of it. */
export const callBytesMax: MemoryLimits = { transactional: 64 * 2 ** 20, marketing: 48 * 2 ** 20 }
/** Characters of all rendered texts of one call. */
export const callCharactersMax = 1_048_576
/** Characters of a rendered URL, and of a rendered header. */
export const callLineCharactersMax = 8_192
/** A character of a call is in memory as rendered text and as a part of the request. */
export const bytesPerCharacter = 2

export type PrepareCallServices = DueEntryServices & Omit<VariableServices, 'groups'> & { readonly renderer: Renderer }

/** A call that can be made. `rendered` is undefined for a person who was deleted. */
export type ReadyCall = {
  readonly step: WebhookStep
  readonly credentials: ReadonlyMap<string, Credential>
  readonly rendered: Rendered | undefined
  /** Frees the memory of the call. */
  readonly release: () => void
}

/** The memory of the calls of a process. */
export class CallMemory {
  readonly allowance = new MemoryAllowance(callBytesMax)
  /** Characters that are expected of calls, by their steps. */
  readonly expected = new ExpectedBytes(callCharactersMax)
}

/**
 * Renders the texts of calls of one step, as many at a time as memory allows, and reports each call that is ready by its position. Rejects
 * when some could not be rendered.
 */
export async function prepareCalls(
  group: readonly LeasedCall[],
  services: PrepareCallServices,
  { allowance, expected }: CallMemory,
  onReady: (i: number, call: ReadyCall) => void,
): Promise<void> {
  const { step, credentials, flow, graph } = await readStep(group, services)
  const texts = webhookTexts(step)
  const variables = await variablesOf(group, texts, flow, graph, services)
  const report = (i: number, rendered: Rendered | undefined, release = () => {}) =>
    onReady(i, { step, credentials, rendered, release })
  const known = [...group.keys()].filter((i) => variables[i])
  for (const i of group.keys()) if (!variables[i]) report(i, undefined)
  const { flow_id, version, step: id, class: kind } = group[0]!.entry
  const key = `${flow_id}/${version}/${id}`
  const textsBytes = Buffer.byteLength(Object.values(texts).join(''))
  const options = {
    workspace_id: flow.workspace_id,
    nowMs: services.clock.now(),
    kind,
    limits: Object.fromEntries(Object.keys(texts).map((name) => [name, textLimit(name)])),
  }
  for (let left = known; left.length > 0; ) {
    const characters = expected.of(key, textsBytes)
    const isLargest = characters === callCharactersMax
    const bytesEach = characters * bytesPerCharacter
    const slice = isLargest ? left.slice(0, 1) : memorySlices(left, bytesEach, callBytesMax[kind])[0]!
    await allowance.reserve(bytesEach * slice.length, kind)
    let later: readonly number[]
    try {
      const people = slice.map((i) => variables[i]!)
      const rendered = await services.renderer.renderWithin(texts, people, characters * slice.length, options)
      for (const [n, i] of slice.entries()) {
        const one = rendered[n] ?? (isLargest ? tooLong : undefined)
        if (!one) continue
        const bytes = bytesPerCharacter * charactersOf(one)
        allowance.add(bytes)
        report(i, one, () => allowance.free(bytes))
      }
      later = isLargest ? [] : slice.filter((_, n) => !rendered[n])
    } finally {
      allowance.free(bytesEach * slice.length)
    }
    if (later.length > 0) expected.grow(key, characters)
    left = [...later, ...left.slice(slice.length)]
  }
}

const tooLong: Rendered = {
  outcome: 'failed',
  message: `the texts of the call have more than ${callCharactersMax} characters`,
}

function textLimit(name: string): TextLimit {
  return { charactersMax: name.startsWith('body') ? callCharactersMax : callLineCharactersMax }
}

function charactersOf(rendered: Rendered): number {
  if (rendered.outcome !== 'rendered') return 0
  return Object.values(rendered.texts).reduce((sum, text) => sum + text.length, 0)
}

/** Reads the step at which these entries are. */
async function readStep(group: readonly LeasedCall[], { db, graphs }: PrepareCallServices) {
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
  return { step, credentials, flow, graph }
}

/** Returns the variables of each call; undefined for a person who was deleted. */
async function variablesOf(
  group: readonly LeasedCall[],
  texts: Readonly<Record<string, string>>,
  flow: Flow,
  graph: Graph,
  services: PrepareCallServices,
): Promise<(TemplateVariables | undefined)[]> {
  const { db, workspaces } = services
  const { workspace_id } = flow
  const people = group.map(({ entry }) => entryPerson(entry))
  const known = await loadVariables(db, workspace_id, people, optionalVariablesIn(Object.values(texts)), {
    ...services,
    groups: workspaces.get(workspace_id).groups,
  })
  return group.map(({ entry }) => {
    const { properties, event, variant } = entry
    const name = graph.variants.find(({ id }) => id === variant)?.name
    const personal = known.get(entry.profile_id)
    return (
      personal && {
        ...personal,
        ...(properties && {
          canvas_entry_properties: properties,
          context: properties,
          api_trigger_properties: properties,
        }),
        ...(event && { event_properties: event }),
        [flow.kind]: { name: flow.name, api_id: flow.id, ...(name !== undefined && { variant_name: name }) },
      }
    )
  })
}
