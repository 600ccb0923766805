import { parseAudience } from '../../audience/conditions/parse-condition.ts'
import { countPeople, pagePeople, samplePeople } from '../../audience/conditions/select-people.ts'
import type { Tree } from '../../audience/conditions/tree.ts'
import { countingMutex } from '../../audience/segments/daily-sizes.ts'
import { describePeople, type SegmentPeopleServices } from '../../audience/segments/segment-people.ts'
import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import type { KeyedMutex } from '../../base/work/keyed-mutex.ts'
import type { Person } from '../../people/identity/person.ts'
import { listReceived } from '../../people/received/received-store.ts'
import { bodyNotObject } from '../../people/values/refusals.ts'
import { isObject } from '../../people/values/values.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { countSentMarketing } from '../delivery/cap-store.ts'
import { capReason, capStartMs } from '../delivery/caps.ts'
import { findNamedRecipients, type SlotTrees } from '../expansion/find-recipients.ts'
import { conditionTrees } from '../flows/conditions.ts'
import { findFlow, unknownFlow } from '../flows/find-flows.ts'
import type { Flow, FlowKind, Graph } from '../flows/flow.ts'
import type { Graphs } from '../flows/graphs.ts'
import { listPendingEntries } from '../journeys/pending-entry-store.ts'
import { earlierEntries } from '../journeys/reentry.ts'
import { explainExclusion } from '../orders/explain-exclusion.ts'
import { type RecipientContext, readTriggerRecipients } from '../orders/read-trigger-recipients.ts'
import type { Recipient } from '../orders/sending.ts'
import { capsOf, type JudgeRules, judgeEntering, notJudged } from './dryrun-judge.ts'
import { type DryRunReply, dryRunMs, shownMax } from './dryrun-schema.ts'
import { listReach } from './dryrun-store.ts'
import { type Seen, Tally } from './dryrun-tally.ts'
import { shownFlow } from './why-flow.ts'

export type DryRunParts = SegmentPeopleServices & {
  readonly keyedMutex: KeyedMutex
  readonly graphs: Graphs
  readonly workspaces: Workspaces
}

/** One at a time: each may read everybody. */
const dryRunLane = 'dry runs'
/** People who are looked at together. */
const pageMax = 1_000

/** An order as it was asked about. */
type Order = { readonly recipients: readonly Recipient[]; readonly audience: Tree | undefined }

/** What all people of one run are judged by. */
type Run = {
  readonly call: Call
  readonly flow: Flow
  readonly graph: Graph
  readonly nowMs: number
  readonly rules: JudgeRules
  readonly tally: Tally
}

/**
 * Who would enter a canvas or a campaign now and get what it sends, and why others would not, as an order with these recipients or this
 * audience would decide it. Nothing is sent or written. People are read page by page, for at most `dryRunMs`. Throws 404 and 400.
 */
export async function dryRun(
  call: Call,
  kind: FlowKind,
  id: string,
  body: unknown,
  workspace_id: number,
  parts: DryRunParts,
): Promise<DryRunReply> {
  const { db, clock } = call
  const flow = await findFlow(db, workspace_id, kind, id)
  if (!flow) throw unknownFlow(kind, id)
  if (body !== undefined && body !== null && !isObject(body)) throw invalid(bodyNotObject)
  const order = readOrder(body ?? {}, workspace_id, parts)
  const { settings } = parts.workspaces.get(workspace_id)
  const graph = await parts.graphs.get(db, flow.flow_id, flow.version)
  const nowMs = clock.now()
  const rules = { flow, graph, settings, nowMs }
  const run: Run = { call, flow, graph, nowMs, rules, tally: new Tally(shownMax) }
  const trees = await treesFor(run, order)
  const look = () => (order.recipients.length > 0 ? lookAtNamed(run, order, trees) : lookAtAll(run, trees, parts))
  const complete = await parts.keyedMutex.run(dryRunLane, look)
  return {
    [kind]: shownFlow(flow),
    as_of: new Date(nowMs).toISOString(),
    complete,
    ...run.tally.counted(),
    not_judged: notJudged(rules),
    ...(flow.state !== 'active' && { notice: `Nobody enters: the ${kind} is ${flow.state}.` }),
    sample: await shown(run, parts),
  }
}

/** `recipients` and `audience` as an order gives them. Throws 400. */
function readOrder(
  { recipients, audience }: Readonly<Record<string, unknown>>,
  workspace_id: number,
  { workspaces, serviceName, parseServiceId }: DryRunParts,
): Order {
  const { settings, appIds, groups, reservedExternalIds } = workspaces.get(workspace_id)
  const rules: RecipientContext = {
    ...{ suspicious: true, appIds, groups, reservedExternalIds, serviceName, parseServiceId, setsGroups: false },
  }
  const isGiven = audience !== undefined && audience !== null
  return {
    recipients: readTriggerRecipients(recipients, rules).recipients,
    audience: isGiven ? parseAudience(audience, 'audience', settings.regex_characters_max) : undefined,
  }
}

async function treesFor({ call, flow, graph }: Run, { audience }: Order): Promise<SlotTrees> {
  const [segment] = graph.segment ? await conditionTrees(call.db, flow.workspace_id, [graph.segment]) : []
  return {
    ...(segment && { segment }),
    ...(graph.segment && !segment && { missing: 'The segment was deleted' }),
    ...(audience && { audience }),
  }
}

async function lookAtNamed(run: Run, { recipients }: Order, trees: SlotTrees): Promise<true> {
  const { call, flow, nowMs, tally } = run
  const { people, unknown } = await call.db.transaction((tx) => {
    return findNamedRecipients(tx, flow.workspace_id, recipients, trees, nowMs)
  })
  for (const { asked } of unknown) tally.add({ outcome: 'no_such_user', asked })
  for (const { person: who, refused } of people) if (refused) tally.add({ outcome: refused.reason, who, refused })
  await judgePage(
    run,
    people.flatMap(({ person: who, refused }) => (refused ? [] : [who])),
  )
  return true
}

/** False when there was no time for everybody. */
async function lookAtAll(run: Run, trees: SlotTrees, { keyedMutex }: DryRunParts): Promise<boolean> {
  const { call, flow, nowMs, tally } = run
  const { db, clock } = call
  const { workspace_id } = flow
  const { segment, audience, missing } = trees
  const untilMs = clock.elapsed() + dryRunMs
  const count = (tree: Tree) => keyedMutex.run(countingMutex, () => countPeople(db, workspace_id, tree, nowMs))
  const leftOut = async (outcome: 'not_in_segment' | 'not_in_audience', tree: Tree, within: Tree) => {
    const outside = (await count(within)) - (await count({ all: [within, tree] }))
    tally.count(outcome, Math.max(outside, 0))
    if (outside > 0) await sampleOutside(run, outcome, tree, within)
  }
  if (missing !== undefined) {
    tally.count('not_in_segment', await count(everyone))
    return true
  }
  if (segment) await leftOut('not_in_segment', segment, everyone)
  const within = segment ?? everyone
  if (audience) await leftOut('not_in_audience', audience, within)
  const whole = audience ? { all: [within, audience] } : within
  for (let after: Person | undefined; ; ) {
    const page = await pagePeople(db, workspace_id, whole, nowMs, { ...(after && { after }), limit: pageMax })
    await judgePage(run, page.people)
    if (page.next === undefined) return true
    if (clock.elapsed() > untilMs) return false
    after = page.next
  }
}

const everyone: Tree = { all: [] }

/** Some of those whom a tree leaves out, and why. */
async function sampleOutside(
  { call, flow, nowMs, tally }: Run,
  outcome: 'not_in_segment' | 'not_in_audience',
  tree: Tree,
  within: Tree,
): Promise<void> {
  const outside: Tree = { all: [within, { not: tree }] }
  const some = await samplePeople(call.db, flow.workspace_id, outside, nowMs, { limit: shownMax, seed: 0 })
  const excluded = await explainExclusion(call.db, flow.workspace_id, outcome, tree, some, nowMs)
  for (const { person, refused } of excluded) tally.show({ outcome, who: person, refused })
}

/** People who are in segment and audience. */
async function judgePage({ call, flow, rules, tally }: Run, people: readonly Person[]): Promise<void> {
  if (people.length === 0) return
  const [received, ahead, reach] = await Promise.all([
    listReceived(call.db, people, [flow.flow_id]),
    listPendingEntries(call.db, people, flow.flow_id),
    listReach(call.db, people),
  ])
  const rows = new Map(received.map((row) => [row.profile_id, row]))
  const reached = new Map(reach.map((row) => [row.profile_id, row]))
  const seen = people.flatMap((who) => {
    const row = reached.get(who.profile_id)
    // Whoever was deleted or merged in between would not be found.
    const before = earlierEntries(rows.get(who.profile_id), ahead.get(who.profile_id))
    return row ? [{ who, ...judgeEntering(rules, who, before, row) }] : []
  })
  const capped = await cappedOf(
    call,
    seen.flatMap(({ who, outcome }) => (outcome === 'would_enter' ? [who] : [])),
    rules,
  )
  for (const each of seen) tally.add(capped.get(each.who.profile_id) ?? each)
}

/** Those who have had enough messages, by `profile_id`. */
async function cappedOf({ db }: Call, people: readonly Person[], rules: JudgeRules): Promise<Map<string, Seen>> {
  const { nowMs } = rules
  const asked = people.flatMap((who) => capsOf(rules).map((cap) => ({ who, cap })))
  const capped = new Map<string, Seen>()
  if (asked.length === 0) return capped
  const counts = await countSentMarketing(
    db,
    asked.map(({ who, cap }) => ({ message: { ...who, message_id: '0' }, sinceMs: capStartMs(cap, nowMs) })),
  )
  for (const [i, { who, cap }] of asked.entries()) {
    const had = counts.get(i) ?? 0
    if (had < cap.count || capped.has(who.profile_id)) continue
    capped.set(who.profile_id, { outcome: 'frequency_capped', who, refused: capReason(cap, had, nowMs) })
  }
  return capped
}

/** The people of the sample, each outcome's together. */
async function shown({ call, tally }: Run, parts: DryRunParts): Promise<DryRunReply['sample']> {
  const sampled = tally.sampled()
  const people = sampled.flatMap(({ who }) => who ?? [])
  const faces = await describePeople(call, people, parts)
  const key = `${parts.serviceName}_id`
  const faceOf = new Map(faces.map((face) => [(face as unknown as Record<string, string>)[key], face]))
  return sampled.map(({ outcome, who, asked, variant, refused, because }) => ({
    ...{ outcome, person: (who && faceOf.get(parts.formatServiceId(who.profile_id))) ?? null, ...(asked && { asked }) },
    ...{ variant: variant ?? null, because, rule: refused?.rule ?? null, inputs: refused?.inputs ?? null },
  }))
}
