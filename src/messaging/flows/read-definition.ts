import { type Members, membersOf, mustBe, type ParseState, wrong } from '../../audience/conditions/parse-members.ts'
import { sha256 } from '../../base/ids.ts'
import { isObject } from '../../people/values/values.ts'
import { joinPath, type Mistake } from '../../workspace/settings/mistake.ts'
import { channelNames } from '../channels/channels.ts'
import { checkSteps, findStepMistakes } from './check-steps.ts'
import type { FlowKind, Graph, MessageStep, Step, Variant } from './flow.ts'
import { readCondition } from './read-condition.ts'
import { readConversions, readEntry, readExit } from './read-entry.ts'
import { readContentAt, readSteps } from './read-steps.ts'
import {
  checkNames,
  checkPercents,
  type DefinitionContext,
  type FlowReading,
  hasFound,
  isGiven,
  listOf,
  optional,
  readLine,
  readPercent,
  readStepId,
  readWord,
} from './read-values.ts'
import { CampaignShape, CanvasShape, definitionMembers, rateMax, variantsMax } from './schema.ts'

/** A graph, or the first mistake of a definition. `more`: the first mistake of each other step. */
export type ReadResult = { readonly graph: Graph } | { readonly mistake: Mistake; readonly more: readonly Mistake[] }

/** What could be read of a definition with mistakes. */
export type OutlinedDefinition = {
  /** Valid without mistakes; otherwise what was refused is missing or a stand-in. */
  readonly graph: Graph
  /** Where each step stands. */
  readonly stepPaths: ReadonlyMap<Step, string>
  /** For each path the first one. */
  readonly mistakes: readonly Mistake[]
}

/** A flow as the workspace file gives it, with its id. */
export type GivenFlow = Readonly<Record<string, unknown>> & { readonly id: string }

const defaultEntry: Graph['entry'] = { by: new Set(['api']), on: undefined, schedule: undefined, again: 'never' }
const rateUnits: Readonly<Record<string, number>> = {
  second: 1000,
  min: 60_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
}

export function readDefinition(kind: FlowKind, given: GivenFlow, context: DefinitionContext): ReadResult {
  return kind === 'canvas' ? readCanvas(given, context) : readCampaign(given, context)
}

/** Reads a definition and goes on after a mistake. Pure. */
export function outlineDefinition(kind: FlowKind, given: GivenFlow, context: DefinitionContext): OutlinedDefinition {
  const reading = newReading(context, [])
  const graph = kind === 'canvas' ? canvasOf(reading, given) : campaignOf(reading, given)
  const byPath = new Map<string, Mistake>()
  for (const mistake of reading.all!) byPath.getOrInsert(mistake.path, mistake)
  return { graph, stepPaths: reading.stepPaths, mistakes: [...byPath.values()] }
}

/** Returns the graph of a canvas of the workspace file, or its mistakes with their paths in it. Pure. */
export function readCanvas(given: GivenFlow, context: DefinitionContext): ReadResult {
  const reading = newReading(context)
  return resultOf(reading, canvasOf(reading, given))
}

/** Returns the graph of a campaign, which is like a canvas with one message for each variant; or its mistakes. Pure. */
export function readCampaign(given: GivenFlow, context: DefinitionContext): ReadResult {
  const reading = newReading(context)
  return resultOf(reading, campaignOf(reading, given))
}

function canvasOf(reading: FlowReading, given: GivenFlow): Graph {
  return graphOf(reading, given, definitionMembers(CanvasShape), (members) => {
    const steps = readSteps(reading, given.steps, 'steps')
    const variants = readVariants(reading, members)
    if (reading.all) addStepMistakes(reading, given, steps)
    else {
      const mistake = reading.mistake ?? checkSteps(steps, firstSteps(members, variants))
      if (mistake) wrong(reading, mistake.path, mistake.message)
    }
    return { variants, steps, again: 'never' }
  })
}

function campaignOf(reading: FlowReading, given: GivenFlow): Graph {
  return graphOf(reading, given, definitionMembers(CampaignShape), () => {
    return { ...readMessages(reading, given, 'messages'), again: 'always' }
  })
}

/** Adds what is wrong with the graph of steps, as far as they could be read. */
function addStepMistakes(
  reading: FlowReading,
  { first, variants, steps: all }: GivenFlow,
  steps: readonly Step[],
): void {
  if (!Array.isArray(all)) return
  const ids = new Set(all.flatMap((one) => (isObject(one) && typeof one.id === 'string' ? [one.id] : [])))
  const starts = Array.isArray(variants)
    ? variants.map((one, i) => ({ path: `variants[${i}].first`, first: isObject(one) ? one.first : undefined }))
    : [{ path: 'first', first }]
  const placed = {
    steps: steps.map((step) => ({ step, path: reading.stepPaths.get(step)! })),
    ids,
    isWhole: steps.length === all.length,
  }
  const named = starts.map(({ path, first: to }) => ({ path, first: typeof to === 'string' ? to : '' }))
  // An id with a mistake of its own names no step.
  const own = named.map(({ path, first: to }) => ({ path, first: hasFound(reading, (at) => at === path) ? '' : to }))
  for (const { path, message } of findStepMistakes(placed, own)) wrong(reading, path, message)
}

type Given = Readonly<Record<string, unknown>>

type Body = {
  readonly variants: readonly Variant[]
  readonly steps: readonly Step[]
  readonly again: Graph['entry']['again']
}

function newReading(context: DefinitionContext, all?: Mistake[]): FlowReading {
  const { patternMax } = context
  const counts = { leaves: 0, patterns: 0, patternCharacters: 0 }
  return { context, patternMax, mistake: undefined, more: [], stepPaths: new Map(), ...counts, ...(all && { all }) }
}

function resultOf({ mistake, more }: FlowReading, graph: Graph): ReadResult {
  return mistake ? { mistake, more } : { graph }
}

function graphOf(
  reading: FlowReading,
  given: GivenFlow,
  names: readonly string[],
  readBody: (members: Members) => Body,
): Graph {
  const members = { path: '', value: given }
  const unknownNames = Object.keys(given).filter((name) => !names.includes(name) && name !== 'id')
  for (const name of unknownNames) wrong(reading, joinPath('', name), 'is not known here')
  const isTransactional = readClass(reading, members) === 'transactional'
  const { variants, steps, again } = readBody(members)
  const graph: Graph = {
    segment: readCondition(reading, members),
    entry: optional(members, 'entry', (value, at) => readEntry(reading, value, at, again)) ?? {
      ...defaultEntry,
      again,
    },
    exit: optional(members, 'exit', (value, at) => readExit(reading, value, at)) ?? { on: [], condition: undefined },
    conversions: optional(members, 'conversions', (value, at) => readConversions(reading, value, at)) ?? [],
    controlPercent: optional(members, 'control_percent', (value, at) => readPercent(reading, value, at)) ?? 0,
    variants,
    wanted: readWanted(reading, members, isTransactional),
    quietHours: readWord(reading, members, 'quiet_hours', ['hold', 'skip', 'ignore'], 'hold'),
    rate: optional(members, 'rate', (value, at) => readRate(reading, value, at)),
    steps: new Map(steps.map((step) => [step.id, step])),
  }
  checkSame(reading, graph, steps)
  return graph
}

/** Returns the class of a definition, `marketing` by default. */
export function classOf(given: Readonly<Record<string, unknown>>): 'marketing' | 'transactional' {
  return given.class === 'transactional' ? 'transactional' : 'marketing'
}

function readClass(reading: ParseState, members: Members): 'marketing' | 'transactional' {
  return readWord(reading as FlowReading, members, 'class', ['marketing', 'transactional'], 'marketing')
}

function readWanted(reading: FlowReading, members: Members, isTransactional: boolean): Graph['wanted'] {
  const words = ['opted_in', 'subscribed', 'all'] as const
  const name = 'recipient_subscription_state'
  const wanted = readWord(reading, members, name, words, isTransactional ? 'all' : 'subscribed')
  if (wanted === 'all' && !isTransactional) wrong(reading, name, 'must not be all unless class is transactional')
  return wanted
}

function readRate(reading: FlowReading, given: unknown, path: string): Graph['rate'] {
  const [, digits, unit] = typeof given === 'string' ? (/^([1-9]\d{0,6})\/([a-z]+)$/.exec(given) ?? []) : []
  const count = Number(digits)
  const perMs = Object.hasOwn(rateUnits, unit ?? '') ? rateUnits[unit!] : undefined
  if (perMs !== undefined && count <= rateMax) return { count, perMs }
  return mustBe(reading, path, `1 to ${rateMax} in a second, min, hour or day, such as 500/min`, given)
}

/** Reads `first`, or a list of `variants`. */
function readVariants(reading: FlowReading, members: Members): Variant[] {
  const { id } = members.value
  if (!isGiven(members, 'variants')) {
    const first = readStepId(reading, members.value.first, 'first')
    return [{ id: derivedId(`${id}`, 'Variant 1'), name: 'Variant 1', percent: 100, first }]
  }
  if (isGiven(members, 'first')) wrong(reading, 'first', 'must be left out: the variants say where they begin')
  const what = { min: 1, max: variantsMax, what: 'variants' }
  const read = listOf(reading, members.value.variants, 'variants', what, (item, at, i) => {
    const variant = membersOf(reading, item, at, ['name', 'percent', 'first'])
    if (!variant) return undefined
    const name = readVariantName(reading, variant, i)
    const first = readStepId(reading, variant.value.first, joinPath(at, 'first'))
    return { id: derivedId(`${id}`, name), name, percent: readShare(reading, variant, 'variants'), first }
  })
  return checkVariants(reading, 'variants', read)
}

function firstSteps(members: Members, variants: readonly Variant[]): { path: string; first: string }[] {
  if (!isGiven(members, 'variants')) return variants.map(({ first }) => ({ path: 'first', first }))
  return variants.map(({ first }, i) => ({ path: `variants[${i}].first`, first }))
}

function readMessages(reading: FlowReading, given: GivenFlow, path: string): { variants: Variant[]; steps: Step[] } {
  const what = { min: 1, max: variantsMax, what: 'messages' }
  const read = listOf(reading, given.messages, path, what, (item, at, i) => {
    const members = membersOf(reading, item, at, ['id', 'name', 'percent', ...channelNames()])
    if (!members) return undefined
    const name = readVariantName(reading, members, i)
    const id = optional(members, 'id', (value, to) => readStepId(reading, value, to)) ?? derivedId(given.id, name)
    const channel = readMessageChannel(reading, members)
    const content = readContentAt(reading, channel, members.value[channel], joinPath(at, channel))
    const step: MessageStep = { id, name, type: 'message', channel, content, next: undefined }
    reading.stepPaths.set(step, at)
    return { variant: { id, name, percent: readShare(reading, members, path), first: id }, step }
  })
  const variants = read.map((one) => one?.variant)
  // Derived ids are the same when the names are, which is told by itself when all mistakes are wanted.
  const isOwn = (i: number) => !reading.all || isGiven({ path, value: (given.messages as Given[])[i]! }, 'id')
  checkNames(
    reading,
    path,
    variants.map((variant, i) => (variant && isOwn(i) ? variant : undefined)),
    'id',
  )
  return { variants: checkVariants(reading, path, variants), steps: read.flatMap((one) => one?.step ?? []) }
}

/** Returns the channel whose content a message has. */
function readMessageChannel(reading: FlowReading, members: Members): string {
  const [first, other] = channelNames().filter((name) => isGiven(members, name))
  if (other !== undefined) wrong(reading, joinPath(members.path, other), `must be left out: the message has ${first}`)
  return first ?? channelNames()[0]!
}

function readVariantName(reading: FlowReading, members: Members, i: number): string {
  return optional(members, 'name', (value, at) => readLine(reading, value, at)) ?? `Variant ${i + 1}`
}

/** Reads `percent`. The only variant of a list may leave it out: then it is 100. */
function readShare(reading: FlowReading, members: Members, list: string): number {
  const isOnly = members.path === `${list}[0]` && !isGiven(members, 'percent')
  return isOnly ? 100 : readPercent(reading, members.value.percent, joinPath(members.path, 'percent'))
}

function checkVariants(reading: FlowReading, path: string, read: readonly (Variant | undefined)[]): Variant[] {
  checkNames(reading, path, read, 'name')
  const variants = read.flatMap((one) => one ?? [])
  checkPercents(
    reading,
    path,
    variants.map(({ percent }) => percent),
  )
  return variants
}

/** Refuses `same` in a flow that no event begins: it compares with the event that began the entry. */
function checkSame(reading: FlowReading, { entry, exit, conversions }: Graph, steps: readonly Step[]): void {
  if (entry.on || hasFound(reading, (path) => path.startsWith('entry'))) return
  const message = 'has nothing to compare with: people do not enter by an event'
  const at = (path: string) => wrong(reading, `${path}.same`, message)
  for (const [i, { same }] of exit.on.entries()) if (same.length > 0) at(`exit.events[${i}]`)
  for (const [i, { on }] of conversions.entries()) {
    if (on.kind !== 'engagement' && on.same.length > 0) at(`conversions[${i}].on`)
  }
  for (const step of steps) {
    if (step.type !== 'action_paths') continue
    const path = reading.stepPaths.get(step)
    for (const [j, { on }] of step.paths.entries()) if (on.same.length > 0) at(`${path}.paths[${j}]`)
  }
}

/** Returns the id of a variant without one. The same name has the same id, so that applying the same file again changes nothing. */
function derivedId(flow: string, name: string): string {
  const hex = sha256(JSON.stringify([flow, name]))
    .toString('hex')
    .slice(0, 32)
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
