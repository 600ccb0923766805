import type { Fetcher } from '../base/fetch/fetch.ts'
import { Refused } from '../base/fetch/refused.ts'
import { newUuid } from '../base/ids.ts'
import type { Personal, Rendered } from '../content/personal.ts'
import { loadPersonal, type PersonalParts, wantedBy } from '../content/personal-store.ts'
import type { Renderer } from '../content/render.ts'
import { flowsById } from '../flows/find.ts'
import type { Flow, Graph, WebhookStep } from '../flows/flow.ts'
import { recordDecisions } from '../ledger/record.ts'
import { untilNobodyDeparts } from '../profiles/departed.ts'
import type { GroupRow } from '../workspace/store.ts'
import { askedOf, type CallEnd, callKey, judgeCall } from './call.ts'
import { type Calling, claimCalls, lockCalling, releaseAllCalls, releaseCalls } from './call-store.ts'
import { personOf } from './facts.ts'
import { moveEntries } from './move.ts'
import type { WorkerParts } from './worker.ts'
import { decisionOf } from './write.ts'

export type CallParts = WorkerParts &
  Omit<PersonalParts, 'groups'> & {
    readonly renderer: Renderer
    readonly fetcher: Fetcher
    groupsOf(workspace_id: number): ReadonlyMap<string, GroupRow>
  }

/** Webhooks that are called at the same time. */
const callsAtOnce = 16
/** Longer than a call may take, what comes before and after it included; then somebody else calls. */
const leaseMs = 60_000

const channel = 'webhook'

/**
 * Turns that call webhooks: outside any transaction, at least once each, under one key for all calls of a step and visit. Whatever comes of
 * it, the entry goes on.
 */
export function openCalling(parts: CallParts): () => Promise<boolean> {
  const { db, clock } = parts
  // Nobody else works in an embedded database: what is leased was leased by a process that is gone.
  let freed = db.backend !== 'pglite'
  return async () => {
    if (!freed) await releaseAllCalls(db)
    freed = true
    const elapsedMs = clock.elapsed()
    const times = { nowMs: clock.now(), elapsedMs, untilMs: elapsedMs + leaseMs }
    const callings = await claimCalls(db, newUuid(), callsAtOnce, times)
    if (callings.length === 0) return false
    const ends = await callAll(callings, parts)
    await untilNobodyDeparts(() => conclude(callings, ends, parts))
    parts.onMoved()
    return true
  }
}

async function conclude(callings: readonly Calling[], ends: readonly CallEnd[], parts: CallParts): Promise<void> {
  const { db, clock } = parts
  await db.transaction(async (tx) => {
    const ours = await lockCalling(tx, callings)
    const over = callings.flatMap(({ entry: { entry_id } }, i) => {
      const entry = ours.get(entry_id)
      return entry ? [{ entry, end: ends[i]! }] : []
    })
    await releaseCalls(
      tx,
      over.flatMap(({ entry, end }) => ('againMs' in end ? [{ entry, dueMs: end.againMs }] : [])),
    )
    const done = over.flatMap(({ entry, end }) => ('ended' in end ? [{ entry, end }] : []))
    await moveEntries(
      tx,
      done.map(({ entry }) => ({ entry, happening: { kind: 'call_ended' } })),
      parts,
    )
    const stampUs = clock.stamp()
    await recordDecisions(
      tx,
      done.map(({ entry, end: { ended: reason, ...why } }) => {
        return { ...decisionOf(entry, { reason, ...why }, stampUs), channel }
      }),
    )
  })
}

/** What comes of each call, in their order; those of one step are rendered together. */
async function callAll(callings: readonly Calling[], parts: CallParts): Promise<CallEnd[]> {
  const { db, graphs } = parts
  const flows = await flowsById(
    db,
    callings.map(({ entry }) => entry.flow_id),
  )
  const ends: CallEnd[] = new Array(callings.length)
  const groups = Map.groupBy(callings.keys(), (i) => {
    const { flow_id, version, step } = callings[i]!.entry
    return JSON.stringify([flow_id, version, step])
  })
  await Promise.all(
    [...groups.values()].map(async (places) => {
      const group = places.map((i) => callings[i]!)
      const { flow_id, version, step: id } = group[0]!.entry
      const graph = await graphs.graphOf(db, flow_id, version)
      const step = graph.steps.get(id)
      if (step?.type !== 'webhook') throw new Error(`${id} is no webhook`)
      const rendered = await renderAll(group, step, flows.get(flow_id)!, graph, parts)
      await Promise.all(
        places.map(async (place, n) => {
          ends[place] = await callOne(callings[place]!, step, rendered[n], parts)
        }),
      )
    }),
  )
  return ends
}

/** The texts of each call; undefined for somebody who is gone. */
async function renderAll(
  group: readonly Calling[],
  { url, headers, body }: WebhookStep,
  flow: Flow,
  graph: Graph,
  parts: CallParts,
): Promise<(Rendered | undefined)[]> {
  const { db, clock, renderer, groupsOf } = parts
  const { workspace_id } = flow
  const texts = { url, body: body ?? '', ...prefixed(headers) }
  const people = group.map(({ entry }) => personOf(entry))
  const known = await loadPersonal(db, workspace_id, people, wantedBy(Object.values(texts)), {
    ...parts,
    groups: groupsOf(workspace_id),
  })
  const here = group.filter(({ entry }) => known.has(entry.profile_id))
  const personal = here.map(({ entry }): Personal => {
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
  { entry, attempts }: Calling,
  { method, headers, body }: WebhookStep,
  rendered: Rendered | undefined,
  { fetcher, clock }: CallParts,
): Promise<CallEnd> {
  if (!rendered) return { ended: 'deleted', rule: 'the person is gone' }
  if (rendered.outcome === 'aborted') return { ended: 'aborted_by_template', rule: rendered.reason }
  if (rendered.outcome === 'failed') {
    const { outcome: _, message, ...place } = rendered
    return { ended: 'template_error', rule: message, inputs: place }
  }
  const { texts } = rendered
  const said = Object.fromEntries(Object.keys(headers).map((name) => [name, texts[headerPrefix + name]!]))
  const key = callKey(entry.entry_id, entry.step, entry.visit)
  const asked = askedOf({ method, headers: said, body: body === undefined ? undefined : texts.body }, key)
  const [called] = await Promise.allSettled([fetcher.fetch(texts.url!, asked)])
  if (called.status === 'fulfilled') return judgeCall(called.value, attempts, clock.now())
  const { reason } = called
  if (!(reason instanceof Refused)) throw reason
  return judgeCall({ refused: reason.message, temporary: reason.temporary }, attempts, clock.now())
}

const headerPrefix = 'header '

function prefixed(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, text]) => [headerPrefix + name, text]))
}
