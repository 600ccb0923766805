import { explainAt, explanationSentence, type PastFacts, type PastValue } from '../../audience/conditions/explain-at.ts'
import { needsOf } from '../../audience/conditions/facts.ts'
import { loadFacts } from '../../audience/conditions/load-facts-store.ts'
import { parseAudience } from '../../audience/conditions/parse-condition.ts'
import { momentWords, type Zone } from '../../audience/conditions/phrases.ts'
import type { Tree } from '../../audience/conditions/tree.ts'
import type { Db } from '../../base/db/db.ts'
import { uuidToHex } from '../../base/ids.ts'
import type { Person } from '../../people/identity/person.ts'
import { changesKeptMs, listAttributesAt } from '../../people/profile/change-store.ts'
import type { ReceivedRow } from '../../people/received/received.ts'
import { patternCharactersCeiling } from '../../workspace/settings/settings.ts'
import { conditionTrees } from '../flows/conditions.ts'
import type { Flow, Graph, Trigger } from '../flows/flow.ts'
import type { Graphs } from '../flows/graphs.ts'
import { toConditionTest } from '../flows/match-trigger.ts'
import { type Reason, reasons } from '../ledger/reasons.ts'
import { everyoneZone, noZone } from '../orders/schedule.ts'
import { describeTrigger } from './entry-wait.ts'
import { momentsMax, type WhyMoment, type WhyNever } from './flow-explanation-schema.ts'
import {
  type ExplainedEntryRow,
  findAudiences,
  findStamps,
  findVersionsAt,
  listFlowBroadcasts,
  listWatchedSince,
  type StampRow,
} from './flow-explanation-store.ts'
import { neverSentence } from './sentences.ts'

export type ExplainServices = {
  readonly db: Db
  readonly graphs: Graphs
  readonly zone: Zone
  readonly nowMs: number
  formatServiceId(profile_id: string): string
}

/** A moment at which the person could have entered. */
type EntryChance = {
  readonly atMs: number
  readonly what: 'now' | 'order' | 'schedule' | 'event'
  readonly dispatch_id?: string
  readonly audience?: unknown
}

/** A moment, and the conditions of the version that was current then. */
type ConditionsAt = {
  readonly chance: EntryChance
  readonly version: number | undefined
  readonly segment?: Tree
  readonly audience?: Tree
}

/** A person who never entered a flow: what they received of it, and their entries, newest first. Each entry ended at once. */
export type NeverEntered = {
  readonly flow: Flow
  readonly graph: Graph
  readonly received: ReceivedRow | undefined
  readonly refusals: readonly ExplainedEntryRow[]
}

/**
 * Explains why a person never entered a flow, by the segment now and at the moments when the person could have entered. Returns undefined
 * for a person who is removed meanwhile.
 */
export async function explainNeverEntered(
  neverEntered: NeverEntered,
  person: Person,
  services: ExplainServices,
): Promise<WhyNever | undefined> {
  const { flow, graph, refusals } = neverEntered
  const { zone, formatServiceId } = services
  const [stamps, lastMs] = await Promise.all([
    findStamps(services.db, person),
    graph.entry.on && findLastTime(graph.entry.on, flow.workspace_id, person, services),
  ])
  if (!stamps) return undefined
  const conditions = await loadConditions(flow, await listChances(flow, stamps, lastMs, refusals, services), services)
  const pastAt = await loadPasts(flow, person, stamps, conditions, services)
  if (!pastAt) return undefined
  const moments: WhyMoment[] = []
  for (const each of conditions) {
    const { chance, version } = each
    moments.push({
      at: iso(chance.atMs),
      what: chance.what,
      dispatch_id: chance.dispatch_id === undefined ? null : uuidToHex(chance.dispatch_id),
      version: version ?? null,
      ...evaluateMoment(each, await pastAt(each), flow, zone),
    })
  }
  const [reason, because] = summarize({ ...neverEntered, moments, lastMs, zone })
  const sentence = neverSentence(flow, because)
  return { person: formatServiceId(person.profile_id), reason, because, sentence, moments }
}

/** Lists now and the latest moments at which an order named the person or selected people, or the person triggered the flow. */
async function listChances(
  flow: Flow,
  { time_zone }: StampRow,
  lastMs: number | undefined,
  refusals: readonly ExplainedEntryRow[],
  { db, nowMs }: ExplainServices,
): Promise<EntryChance[]> {
  const zones = [everyoneZone, time_zone ?? noZone]
  const broadcasts = await listFlowBroadcasts(db, flow.flow_id, zones, nowMs, momentsMax)
  const selecting = new Set(broadcasts.map(({ dispatch_id }) => dispatch_id))
  const naming = refusals.flatMap(({ dispatch_id, entered_at, ended_at }) => {
    const atMs = (ended_at ?? entered_at).getTime()
    const isSelected = dispatch_id !== null && selecting.has(dispatch_id) && atMs === entered_at.getTime()
    return dispatch_id === null || isSelected ? [] : [{ dispatch_id, atMs }]
  })
  const audiences = await findAudiences(
    db,
    naming.map(({ dispatch_id }) => dispatch_id),
  )
  const earlier: EntryChance[] = [
    ...naming.map(({ dispatch_id, atMs }) => {
      return { atMs, what: 'order' as const, dispatch_id, audience: audiences.get(dispatch_id) }
    }),
    ...broadcasts.map(({ dispatch_id, by, audience, at }) => {
      const what = by === 'schedule' ? ('schedule' as const) : ('order' as const)
      return { atMs: at.getTime(), what, dispatch_id, audience: audience ?? undefined }
    }),
    ...(lastMs === undefined ? [] : [{ atMs: lastMs, what: 'event' as const }]),
  ]
  return [{ atMs: nowMs, what: 'now' }, ...earlier.toSorted((a, b) => b.atMs - a.atMs).slice(0, momentsMax)]
}

/** Loads the conditions of each moment. The segment of a version is loaded once. */
async function loadConditions(
  flow: Flow,
  chances: readonly EntryChance[],
  { db, graphs }: ExplainServices,
): Promise<ConditionsAt[]> {
  const momentsMs = chances.map(({ atMs }) => atMs)
  const versions = await findVersionsAt(db, flow.flow_id, momentsMs)
  const segments = new Map<number, Tree | undefined>()
  for (const version of new Set([flow.version, ...versions])) {
    if (version === undefined) continue
    const { segment } = await graphs.get(db, flow.flow_id, version)
    const [tree] = segment ? await conditionTrees(db, flow.workspace_id, [segment]) : [everyone]
    segments.set(version, tree)
  }
  return chances.map((chance, i): ConditionsAt => {
    const version = chance.what === 'now' ? flow.version : versions[i]
    const segment = version === undefined ? undefined : segments.get(version)
    const audience =
      chance.audience === undefined ? undefined : parseAudience(chance.audience, 'audience', patternCharactersCeiling)
    return { chance, version, ...(segment && { segment }), ...(audience && { audience }) }
  })
}

/**
 * Loads the facts of a person at each moment. Everything is loaded once, except the histories, which are loaded for each moment. Returns
 * undefined for a person who is removed meanwhile.
 */
async function loadPasts(
  flow: Flow,
  person: Person,
  stamps: StampRow,
  conditions: readonly ConditionsAt[],
  { db, nowMs }: ExplainServices,
): Promise<((each: ConditionsAt) => Promise<PastFacts>) | undefined> {
  const needs = needsOf({ all: conditions.flatMap(({ segment, audience }) => [segment, audience].filter(isTree)) })
  const names = [...needs.custom, ...needs.columns]
  const momentsMs = conditions.map(({ chance }) => chance.atMs)
  const needsChanges = names.length > 0 && conditions.length > 1
  const [now, changes, watched] = await Promise.all([
    loadFacts(db, flow.workspace_id, person, needs, nowMs),
    needsChanges ? listAttributesAt(db, person, names, momentsMs) : [],
    needsChanges ? listWatchedSince(db, flow.workspace_id, ['', ...names]) : new Map<string, number>(),
  ])
  if (!now) return undefined
  const kept = Map.groupBy(
    changes.map(({ name, time, value }): PastValue & { name: string } => ({ name, atMs: time.getTime(), value })),
    ({ name }) => name,
  )
  return async ({ chance: { what, atMs } }) => {
    const isNow = what === 'now'
    const then =
      isNow || needs.histories.size === 0 ? undefined : await loadFacts(db, flow.workspace_id, person, needs, atMs)
    return {
      ...{ atMs, isNow, facts: then ?? now, changes: kept },
      createdMs: stamps.created_at.getTime(),
      writtenMs: stamps.updated_at.getTime(),
      statedMs: { email: msOf(stamps.email_subscribe_at), push: msOf(stamps.push_subscribe_at) },
      keptMs: nowMs - changesKeptMs,
      watchedMs: (name) => watched.get(name) ?? watched.get(''),
    }
  }
}

type EvaluatedMoment = Pick<WhyMoment, 'in_segment' | 'in_audience' | 'sentence' | 'because'>

function evaluateMoment(
  { version, segment, audience }: ConditionsAt,
  past: PastFacts,
  { kind }: Flow,
  zone: Zone,
): EvaluatedMoment {
  const { atMs } = past
  const when = momentWords(atMs, zone)
  const none = { in_audience: null, because: null }
  if (version === undefined) return { ...none, in_segment: null, sentence: `there was no ${kind} on ${when}` }
  if (past.createdMs > atMs) return { ...none, in_segment: false, sentence: `the person was not known on ${when}` }
  if (!segment) return { ...none, in_segment: false, sentence: 'not in segment: the segment was deleted' }
  const because = explainAt(segment, past, { zone })
  const inAudience = audience && explainAt(audience, past, { zone })
  const isOut = because.holds === true && inAudience !== undefined && inAudience.holds !== true
  return {
    in_segment: because.holds,
    in_audience: inAudience?.holds ?? null,
    sentence: isOut
      ? explanationSentence(inAudience, atMs, { zone }).replace('segment', 'the audience of the order')
      : explanationSentence(because, atMs, { zone }),
    because: isOut ? { segment: because, audience: inAudience } : because,
  }
}

const everyone: Tree = { all: [] }

function isTree(tree: Tree | undefined): tree is Tree {
  return tree !== undefined
}

/** Returns when the person last triggered the flow, epoch milliseconds. */
async function findLastTime(
  { kind, name, tests }: Trigger,
  workspace_id: number,
  person: Person,
  { db, nowMs }: ExplainServices,
): Promise<number | undefined> {
  const properties = tests.flatMap(({ property, comparison, value }) => {
    const test = toConditionTest(comparison, value)
    return test ? [{ name: property, test }] : []
  })
  const what = { of: kind, name, days: undefined, properties } as const
  const needs = needsOf({ kind: 'occurrences', what, times: { comparison: 'greater_than', number: 0 } })
  const facts = await loadFacts(db, workspace_id, person, needs, nowMs)
  return facts?.histories.values().next().value?.last
}

type Explained = NeverEntered & {
  readonly moments: readonly WhyMoment[]
  readonly lastMs: number | undefined
  readonly zone: Zone
}

/** Returns the reason and one sentence: the last refusal, else the last moment, else why there was none. */
function summarize({ flow, graph, received, refusals, moments, lastMs, zone }: Explained): [Reason | null, string] {
  const [now, last] = moments
  const refusal = lastRefusal(received, refusals)
  if (refusal && !(last && Date.parse(last.at) > refusal.atMs)) {
    const { reason, atMs } = refusal
    const sentence = `${reasons[reason]}, on ${momentWords(atMs, zone)}`
    return [reason, last && reasonOf(last) === reason ? last.sentence : sentence]
  }
  if (last) return [reasonOf(last), last.sentence]
  const by = [...graph.entry.by].join(', ')
  const on = lastMs === undefined ? graph.entry.on : undefined
  const parts = [
    `there was no occasion to enter: no request named the person, no order selected people${
      on ? `, and the person never had the event that lets people enter: ${describeTrigger(on)}` : ''
    } (entered by ${by})`,
    ...(flow.state === 'active' ? [] : [`the ${flow.kind} is ${flow.state}`]),
    ...(now?.in_segment === false ? [now.sentence] : []),
  ]
  return [null, parts.join('; ')]
}

type DatedReason = { readonly reason: Reason; readonly atMs: number }

/** Returns the last refusal, by an order or after an event. */
function lastRefusal(
  received: ReceivedRow | undefined,
  entries: readonly ExplainedEntryRow[],
): DatedReason | undefined {
  const [entry] = entries
  const all: DatedReason[] = [
    ...(received?.refused && received.refused_at
      ? [{ reason: received.refused as Reason, atMs: received.refused_at.getTime() }]
      : []),
    ...(entry?.ended && entry.ended !== 'completed'
      ? [{ reason: entry.ended, atMs: (entry.ended_at ?? entry.entered_at).getTime() }]
      : []),
  ]
  return all.toSorted((a, b) => b.atMs - a.atMs)[0]
}

function reasonOf({ in_segment, in_audience }: WhyMoment): Reason | null {
  if (in_segment === false) return 'not_in_segment'
  return in_segment === true && in_audience === false ? 'not_in_audience' : null
}

function msOf(at: Date | null): number | null {
  return at === null ? null : at.getTime()
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}
