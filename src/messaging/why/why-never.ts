import { explainAt, explanationSentence, type PastFacts, type PastValue } from '../../audience/conditions/explain-at.ts'
import { needsOf } from '../../audience/conditions/facts.ts'
import { loadFacts } from '../../audience/conditions/facts-store.ts'
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
import { type Reason, reasons } from '../ledger/reasons.ts'
import { everyoneZone, noZone } from '../orders/schedule.ts'
import { momentsMax, type WhyMoment, type WhyNever } from './entered-schema.ts'
import {
  type EntryRow,
  findAudiences,
  findStamps,
  findVersionsAt,
  listBroadcasts,
  listWatchedSince,
  type StampRow,
} from './entered-store.ts'
import { triggerWords } from './entry-waits.ts'

export type NeverParts = {
  readonly db: Db
  readonly graphs: Graphs
  readonly zone: Zone
  readonly nowMs: number
  formatServiceId(profile_id: string): string
}

/** When somebody could have entered. */
type Chance = {
  readonly atMs: number
  readonly what: 'now' | 'order' | 'schedule' | 'event'
  readonly dispatch_id?: string
  readonly audience?: unknown
}

/** What was asked of somebody at a chance, by the version that was current then. */
type Asked = {
  readonly chance: Chance
  readonly version: number | undefined
  readonly segment?: Tree
  readonly audience?: Tree
}

/** Somebody who never entered a flow: what is known of them there, and their entries, each of which ended at once; newest first. */
export type Outsider = {
  readonly flow: Flow
  readonly graph: Graph
  readonly row: ReceivedRow | undefined
  readonly refusals: readonly EntryRow[]
}

/**
 * Why somebody never entered a flow: the segment as it judges them now, and as it judged them when they could have entered. Undefined for
 * somebody who is gone in this moment.
 */
export async function whyNever(outsider: Outsider, who: Person, parts: NeverParts): Promise<WhyNever | undefined> {
  const { flow, graph, refusals } = outsider
  const { zone, formatServiceId } = parts
  const [stamps, lastMs] = await Promise.all([
    findStamps(parts.db, who),
    graph.entry.on && lastTimeOf(graph.entry.on, flow.workspace_id, who, parts),
  ])
  if (!stamps) return undefined
  const asked = await askedOf(flow, await chancesOf(flow, stamps, lastMs, refusals, parts), parts)
  const pastAt = await pastsOf(flow, who, stamps, asked, parts)
  if (!pastAt) return undefined
  const moments: WhyMoment[] = []
  for (const each of asked) {
    const { chance, version } = each
    moments.push({
      at: iso(chance.atMs),
      what: chance.what,
      dispatch_id: chance.dispatch_id === undefined ? null : uuidToHex(chance.dispatch_id),
      version: version ?? null,
      ...judgeChance(each, await pastAt(each), flow, zone),
    })
  }
  const [reason, because] = summary({ ...outsider, moments, lastMs, zone })
  return { person: formatServiceId(who.profile_id), reason, because, moments }
}

/** Now, and the latest times at which an order named them, the flow looked for people like them, or they did what it is entered by. */
async function chancesOf(
  flow: Flow,
  { time_zone }: StampRow,
  lastMs: number | undefined,
  refusals: readonly EntryRow[],
  { db, nowMs }: NeverParts,
): Promise<Chance[]> {
  const zones = [everyoneZone, time_zone ?? noZone]
  const broadcasts = await listBroadcasts(db, flow.flow_id, zones, nowMs, momentsMax)
  const looked = new Set(broadcasts.map(({ dispatch_id }) => dispatch_id))
  const naming = refusals.flatMap(({ dispatch_id, entered_at, ended_at }) => {
    const atMs = (ended_at ?? entered_at).getTime()
    const isLooked = dispatch_id !== null && looked.has(dispatch_id) && atMs === entered_at.getTime()
    return dispatch_id === null || isLooked ? [] : [{ dispatch_id, atMs }]
  })
  const audiences = await findAudiences(
    db,
    naming.map(({ dispatch_id }) => dispatch_id),
  )
  const earlier: Chance[] = [
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

/** The trees by which each chance is judged; those of a version are read once. */
async function askedOf(flow: Flow, chances: readonly Chance[], { db, graphs }: NeverParts): Promise<Asked[]> {
  const momentsMs = chances.map(({ atMs }) => atMs)
  const versions = await findVersionsAt(db, flow.flow_id, momentsMs)
  const segments = new Map<number, Tree | undefined>()
  for (const version of new Set([flow.version, ...versions])) {
    if (version === undefined) continue
    const { segment } = await graphs.get(db, flow.flow_id, version)
    const [tree] = segment ? await conditionTrees(db, flow.workspace_id, [segment]) : [everyone]
    segments.set(version, tree)
  }
  return chances.map((chance, i): Asked => {
    const version = chance.what === 'now' ? flow.version : versions[i]
    const segment = version === undefined ? undefined : segments.get(version)
    const audience =
      chance.audience === undefined ? undefined : parseAudience(chance.audience, 'audience', patternCharactersCeiling)
    return { chance, version, ...(segment && { segment }), ...(audience && { audience }) }
  })
}

/**
 * What can be said of somebody at each chance. Everything is read once but histories, of which it is asked for each moment what had
 * happened by then. Undefined for somebody who is gone.
 */
async function pastsOf(
  flow: Flow,
  who: Person,
  stamps: StampRow,
  asked: readonly Asked[],
  { db, nowMs }: NeverParts,
): Promise<((each: Asked) => Promise<PastFacts>) | undefined> {
  const needs = needsOf({ all: asked.flatMap(({ segment, audience }) => [segment, audience].filter(isTree)) })
  const names = [...needs.custom, ...needs.columns]
  const momentsMs = asked.map(({ chance }) => chance.atMs)
  const isAsked = names.length > 0 && asked.length > 1
  const [[now], changes, watched] = await Promise.all([
    loadFacts(db, flow.workspace_id, [who], needs, nowMs),
    isAsked ? listAttributesAt(db, who, names, momentsMs) : [],
    isAsked ? listWatchedSince(db, flow.workspace_id, ['', ...names]) : new Map<string, number>(),
  ])
  if (!now) return undefined
  const kept = Map.groupBy(
    changes.map(({ name, time, value }): PastValue & { name: string } => ({ name, atMs: time.getTime(), value })),
    ({ name }) => name,
  )
  return async ({ chance: { what, atMs } }) => {
    const isNow = what === 'now'
    const [then] = isNow || needs.histories.size === 0 ? [] : await loadFacts(db, flow.workspace_id, [who], needs, atMs)
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

type Judged = Pick<WhyMoment, 'in_segment' | 'in_audience' | 'sentence' | 'because'>

function judgeChance({ version, segment, audience }: Asked, past: PastFacts, { kind }: Flow, zone: Zone): Judged {
  const { atMs } = past
  const when = momentWords(atMs, zone)
  const none = { in_audience: null, because: null }
  if (version === undefined) return { ...none, in_segment: null, sentence: `there was no ${kind} on ${when}` }
  if (past.createdMs > atMs) return { ...none, in_segment: false, sentence: `nobody knew the person on ${when}` }
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

/** When somebody last did what a flow is entered by, epoch milliseconds; its properties are looked at. */
async function lastTimeOf(
  { kind, name, tests }: Trigger,
  workspace_id: number,
  who: Person,
  { db, nowMs }: NeverParts,
): Promise<number | undefined> {
  const properties = tests.map(({ property, comparison, value }) => {
    return { name: property, test: testOf(comparison, value) as never }
  })
  const what = { of: kind, name, days: undefined, properties } as const
  const needs = needsOf({ kind: 'occurrences', what, times: { comparison: 'greater_than', number: 0 } })
  const [facts] = await loadFacts(db, workspace_id, [who], needs, nowMs)
  return facts?.histories.values().next().value?.last
}

function testOf(comparison: string, value: unknown): object {
  if (typeof value === 'string') return { comparison, text: value }
  if (typeof value === 'number') return { comparison, number: value }
  if (typeof value === 'boolean')
    return { comparison: comparison === 'not_equal' ? 'does_not_equal' : comparison, flag: value }
  return { comparison }
}

type Told = Outsider & {
  readonly moments: readonly WhyMoment[]
  readonly lastMs: number | undefined
  readonly zone: Zone
}

/** In one sentence: the last refusal, else the last chance that somebody had, else why there was none. */
function summary({ flow, graph, row, refusals, moments, lastMs, zone }: Told): [Reason | null, string] {
  const [now, last] = moments
  const refusal = lastRefusal(row, refusals)
  if (refusal && !(last && Date.parse(last.at) > refusal.atMs)) {
    const { reason, atMs } = refusal
    const said = `${reasons[reason]}, on ${momentWords(atMs, zone)}`
    return [reason, last && reasonOf(last) === reason ? last.sentence : said]
  }
  if (last) return [reasonOf(last), last.sentence]
  const by = [...graph.entry.by].join(', ')
  const on = lastMs === undefined ? graph.entry.on : undefined
  const said = [
    `nothing brought the person in: no request named them, no order looked for people${
      on ? ` and the person never did what enters it: ${triggerWords(on)}` : ''
    } (entered by ${by})`,
    ...(flow.state === 'active' ? [] : [`the ${flow.kind} is ${flow.state}`]),
    ...(now?.in_segment === false ? [now.sentence] : []),
  ]
  return [null, said.join('; ')]
}

type Refusal = { readonly reason: Reason; readonly atMs: number }

/** The last time that somebody was refused, by an order or after something that happened. */
function lastRefusal(row: ReceivedRow | undefined, entries: readonly EntryRow[]): Refusal | undefined {
  const [entry] = entries
  const all: Refusal[] = [
    ...(row?.refused && row.refused_at ? [{ reason: row.refused as Reason, atMs: row.refused_at.getTime() }] : []),
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
