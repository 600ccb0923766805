import { parseAudience } from '../../audience/conditions/parse-condition.ts'
import { countPeople, filterPeople, pagePeople, samplePeople } from '../../audience/conditions/select-people.ts'
import { describeTree, type Wording } from '../../audience/conditions/sentence.ts'
import type { Tree } from '../../audience/conditions/tree.ts'
import { requireAttributes } from '../../audience/conditions/unset-attributes.ts'
import { countingMutex } from '../../audience/segments/daily-sizes.ts'
import { getSegment } from '../../audience/segments/find.ts'
import { describePeople, type SegmentPeopleServices } from '../../audience/segments/segment-people.ts'
import { loadWording } from '../../audience/segments/wording.ts'
import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { invalid } from '../../base/errors.ts'
import { Notices } from '../../base/http/notices.ts'
import type { KeyedMutex } from '../../base/work/keyed-mutex.ts'
import type { Person } from '../../people/identity/person.ts'
import { listReceived } from '../../people/received/received-store.ts'
import { bodyNotObject } from '../../people/values/refusals.ts'
import { isObject } from '../../people/values/values.ts'
import type { WorkspaceRow } from '../../workspace/settings/store.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { countSentMarketing } from '../delivery/cap-store.ts'
import { capReason, windowOf } from '../delivery/caps.ts'
import { findNamedRecipients, loadSegments, type SlotTrees } from '../expansion/find-recipients.ts'
import type { Condition, Flow, FlowKind, Graph } from '../flows/flow.ts'
import type { Graphs } from '../flows/graphs.ts'
import { listPendingEntries } from '../journeys/pending-entry-store.ts'
import { earlierEntries } from '../journeys/reentry.ts'
import { explainExclusion } from '../orders/explain-exclusion.ts'
import { isPresent } from '../orders/read-body.ts'
import { type RecipientContext, readTriggerRecipients } from '../orders/read-trigger-recipients.ts'
import type { Recipient } from '../orders/sending.ts'
import { type DryRunReply, dryRunMs, sampleMax } from './dry-run-schema.ts'
import { type ConsentFactsRow, listConsentFacts } from './dry-run-store.ts'
import { dryRunSubject } from './dry-run-subject.ts'
import { DryRunTally, type EvaluatedPerson } from './dry-run-tally.ts'
import {
  applicableCaps,
  type ConsentByChannel,
  channelsOf,
  type EvaluationContext,
  evaluatePerson,
  reasonsAtSending,
} from './evaluate-person.ts'
import { toWhyFlow } from './explain-flow.ts'

export type DryRunServices = SegmentPeopleServices & {
  readonly keyedMutex: KeyedMutex
  readonly graphs: Graphs
  readonly workspaces: Workspaces
}

/** One dry run at a time: each may read every person. */
const dryRunMutex = 'dry runs'
/** People who are evaluated together. */
const pageMax = 1_000

/** The order that the request describes. */
type DryRunOrder = { readonly recipients: readonly Recipient[]; readonly audience: Tree | undefined }

/** What one dry run needs to evaluate people. */
type DryRun = {
  readonly call: Call
  readonly flow: Flow
  readonly graph: Graph
  readonly nowMs: number
  readonly context: EvaluationContext
  readonly tally: DryRunTally
  /** Selects the people that the conditions choose for their attributes; undefined when the conditions choose no others. */
  readonly required: Tree | undefined
}

/**
 * Counts the people who would enter a canvas or a campaign now and get its messages, and the others by reason. Decides like an order with
 * these recipients or this audience. Nothing is sent or written. People are read page by page, for at most `dryRunMs`. Throws 400 and 404.
 */
export async function dryRun(
  call: Call,
  kind: FlowKind,
  id: string,
  body: unknown,
  workspace: WorkspaceRow,
  services: DryRunServices,
): Promise<DryRunReply> {
  const { db, clock } = call
  const { workspace_id } = workspace
  if (body !== undefined && body !== null && !isObject(body)) throw invalid(bodyNotObject)
  const order = readOrder(body ?? {}, workspace_id, services)
  const { settings } = services.workspaces.get(workspace_id)
  const { flow, graph, isGiven } = await dryRunSubject(call, workspace, kind, id, body?.definition, services.graphs)
  const nowMs = clock.now()
  const context = { flow, graph, settings, nowMs }
  const segment = isPresent(body?.segment_id) ? await getSegment(db, workspace_id, body?.segment_id) : undefined
  const trees = await loadTrees(call, [graph.segment, segment && { segment_id: segment.id }], flow, order)
  const required = requireAttributes({ all: conditionsOf(trees) })
  const run: DryRun = { call, flow, graph, nowMs, context, tally: new DryRunTally(sampleMax), required }
  const evaluate = () =>
    order.recipients.length > 0 ? evaluateNamed(run, order, trees) : evaluateAll(run, trees, services)
  const complete = await services.keyedMutex.run(dryRunMutex, evaluate)
  return {
    [kind]: toWhyFlow(flow),
    as_of: new Date(nowMs).toISOString(),
    complete,
    ...run.tally.counted(),
    variant_names: Object.fromEntries(graph.variants.map(({ id: variant, name }) => [variant, name])),
    words: describeTrees(trees, await loadWording(db, workspace)),
    not_judged: reasonsAtSending(context),
    ...(!isGiven && flow.state !== 'active' && { notice: `Nobody enters: the ${kind} is ${flow.state}.` }),
    sample: await describeSample(run, services),
  }
}

/** Reads `recipients` and `audience` as those of an order. Throws 400. */
function readOrder(
  { recipients, audience }: Readonly<Record<string, unknown>>,
  workspace_id: number,
  { workspaces, serviceName, parseServiceId }: DryRunServices,
): DryRunOrder {
  const { settings, appIds, groups, reservedExternalIds } = workspaces.get(workspace_id)
  const context: RecipientContext = {
    ...{ suspicious: true, appIds, groups, reservedExternalIds, serviceName, parseServiceId, setsGroups: false },
    notices: new Notices(false),
  }
  const hasAudience = isPresent(audience)
  return {
    recipients: readTriggerRecipients(recipients, context).recipients,
    audience: hasAudience ? parseAudience(audience, 'audience', settings.regex_characters_max) : undefined,
  }
}

async function loadTrees(
  { db }: Call,
  conditions: readonly (Condition | undefined)[],
  { workspace_id }: Flow,
  { audience }: DryRunOrder,
): Promise<SlotTrees> {
  return {
    ...(await loadSegments(db, workspace_id, conditions)),
    ...(audience && { audience }),
  }
}

function conditionsOf({ segment, audience }: SlotTrees): Tree[] {
  return [segment, audience].filter((tree) => tree !== undefined)
}

function describeTrees({ segment, audience }: SlotTrees, wording: Wording): DryRunReply['words'] {
  return {
    ...(segment && { segment: describeTree(segment, wording) }),
    ...(audience && { audience: describeTree(audience, wording) }),
  }
}

async function evaluateNamed(run: DryRun, { recipients }: DryRunOrder, trees: SlotTrees): Promise<true> {
  const { call, flow, nowMs, tally } = run
  const { people, unknown } = await call.db.transaction((tx) => {
    return findNamedRecipients(tx, flow.workspace_id, recipients, trees, nowMs)
  })
  for (const { asked } of unknown) tally.add({ outcome: 'no_such_user', asked })
  for (const { person, refused } of people) if (refused) tally.add({ outcome: refused.reason, person, refused })
  await evaluatePage(
    run,
    people.flatMap(({ person, refused }) => (refused ? [] : [person])),
  )
  return true
}

/** Evaluates all people in segment and audience. Returns false when the time was not enough. */
async function evaluateAll(run: DryRun, trees: SlotTrees, { keyedMutex }: DryRunServices): Promise<boolean> {
  const { call, flow, nowMs, tally } = run
  const { db, clock } = call
  const { workspace_id } = flow
  const { segment, audience, missing } = trees
  const untilMs = clock.elapsed() + dryRunMs
  const count = (tree: Tree) => keyedMutex.run(countingMutex, () => countPeople(db, workspace_id, tree, nowMs))
  const countExcluded = async (outcome: 'not_in_segment' | 'not_in_audience', tree: Tree, within: Tree) => {
    const outside = (await count(within)) - (await count({ all: [within, tree] }))
    tally.count(outcome, Math.max(outside, 0))
    if (outside > 0) await sampleExcluded(run, outcome, tree, within)
  }
  if (missing !== undefined) {
    tally.count('not_in_segment', await count(everyone))
    return true
  }
  if (segment) await countExcluded('not_in_segment', segment, everyone)
  const within = segment ?? everyone
  if (audience) await countExcluded('not_in_audience', audience, within)
  const included = audience ? { all: [within, audience] } : within
  for (let after: Person | undefined; ; ) {
    const page = await pagePeople(db, workspace_id, included, nowMs, { ...(after && { after }), limit: pageMax })
    await evaluatePage(run, page.people)
    if (page.next === undefined) return true
    if (clock.elapsed() > untilMs) return false
    after = page.next
  }
}

const everyone: Tree = { all: [] }

/** Adds some people who are not in a tree to the sample, with the reason. */
async function sampleExcluded(
  { call, flow, nowMs, tally }: DryRun,
  outcome: 'not_in_segment' | 'not_in_audience',
  tree: Tree,
  within: Tree,
): Promise<void> {
  const outside: Tree = { all: [within, { not: tree }] }
  const sample = await samplePeople(call.db, flow.workspace_id, outside, nowMs, { limit: sampleMax, seed: 0 })
  const excluded = await explainExclusion(call.db, flow.workspace_id, outcome, tree, sample, nowMs)
  for (const { person, refused } of excluded) tally.sample({ outcome, person, refused })
}

/** Evaluates people who are in segment and audience. */
async function evaluatePage(run: DryRun, people: readonly Person[]): Promise<void> {
  if (people.length === 0) return
  const { call, flow, context, tally, required, nowMs } = run
  const [received, pending, consentOf] = await Promise.all([
    listReceived(call.db, people, [flow.flow_id]),
    listPendingEntries(call.db, people, flow.flow_id),
    loadConsent(call.db, people, run.graph),
  ])
  const receivedOf = new Map(received.map((row) => [row.profile_id, row]))
  const evaluated = people.flatMap((person) => {
    const earlier = earlierEntries(receivedOf.get(person.profile_id), pending.get(person.profile_id))
    // Undefined for a person who is removed meanwhile.
    const consent = consentOf.get(person.profile_id)
    return consent ? [{ person, ...evaluatePerson(context, person, earlier, consent) }] : []
  })
  const capped = await findCapped(
    call,
    evaluated.flatMap(({ person, outcome }) => (outcome === 'would_enter' ? [person] : [])),
    context,
  )
  const outcomes = evaluated.map((each) => capped.get(each.person.profile_id) ?? each)
  for (const each of outcomes) tally.add(each)
  const entering = outcomes.flatMap(({ outcome, person }) => (outcome === 'would_enter' && person ? [person] : []))
  if (required === undefined || entering.length === 0) return
  const chosen = await filterPeople(call.db, flow.workspace_id, required, nowMs, entering)
  for (const { profile_id } of entering) if (!chosen.has(profile_id)) tally.addWithoutAttribute()
}

/** Loads what decides whether people get messages of the channels of a flow, by `profile_id`. */
async function loadConsent(
  tx: Tx,
  people: readonly Person[],
  graph: Graph,
): Promise<ReadonlyMap<string, ConsentByChannel>> {
  const found = new Map<string, Map<string, ConsentFactsRow>>()
  for (const channel of channelsOf(graph)) {
    for (const row of await listConsentFacts(tx, channel, people)) {
      found.getOrInsertComputed(row.profile_id, () => new Map()).set(channel.name, row)
    }
  }
  return found
}

/** Finds the people who have reached a frequency cap, by `profile_id`. */
async function findCapped(
  { db }: Call,
  people: readonly Person[],
  context: EvaluationContext,
): Promise<Map<string, EvaluatedPerson>> {
  const { nowMs } = context
  const checks = people.flatMap((person) => applicableCaps(context).map((cap) => ({ person, cap })))
  const capped = new Map<string, EvaluatedPerson>()
  if (checks.length === 0) return capped
  const counts = await countSentMarketing(
    db,
    checks.map(({ person, cap }) => ({ message: { ...person, message_id: '0' }, ...windowOf(cap, nowMs) })),
  )
  for (const [i, { person, cap }] of checks.entries()) {
    const sent = counts.get(i) ?? 0
    if (sent < cap.count || capped.has(person.profile_id)) continue
    capped.set(person.profile_id, { outcome: 'frequency_capped', person, refused: capReason(cap, sent, nowMs) })
  }
  return capped
}

/** Describes the sample, grouped by outcome. */
async function describeSample({ call, tally }: DryRun, services: DryRunServices): Promise<DryRunReply['sample']> {
  const sampled = tally.sampled()
  const people = sampled.flatMap(({ person }) => person ?? [])
  const described = await describePeople(call, people, services)
  const key = `${services.serviceName}_id`
  const byServiceId = new Map(described.map((each) => [(each as unknown as Record<string, string>)[key], each]))
  return sampled.map(({ outcome, person, asked, variant, refused, because }) => ({
    ...{
      outcome,
      person: (person && byServiceId.get(services.formatServiceId(person.profile_id))) ?? null,
      ...(asked && { asked }),
    },
    ...{ variant: variant ?? null, because, rule: refused?.rule ?? null, inputs: refused?.inputs ?? null },
  }))
}
