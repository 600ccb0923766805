import { type Members, membersOf, mustBe, type ParseState, wrong } from '../../audience/conditions/parse-members.ts'
import { sha256 } from '../../base/ids.ts'
import { joinPath, type Mistake } from '../../workspace/settings/mistake.ts'
import { checkSteps } from './check-steps.ts'
import type { FlowKind, Graph, MessageStep, Step, Variant } from './flow.ts'
import { readCondition } from './read-condition.ts'
import { readConversions, readEntry, readExit } from './read-entry.ts'
import { readEmailAt, readSteps } from './read-steps.ts'
import {
  checkNames,
  checkPercents,
  type DefinitionContext,
  type FlowReading,
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

/** A flow as the workspace file gives it, with its id. */
type GivenFlow = Readonly<Record<string, unknown>> & { readonly id: string }

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

/** Returns the graph of a canvas of the workspace file, or its mistakes with their paths in it. Pure. */
export function readCanvas(given: GivenFlow, context: DefinitionContext): ReadResult {
  return readWith(given, context, definitionMembers(CanvasShape), (reading, members) => {
    const steps = readSteps(reading, given.steps, 'steps')
    const variants = readVariants(reading, members)
    const mistake = reading.mistake ?? checkSteps(steps, firstSteps(members, variants))
    if (mistake) wrong(reading, mistake.path, mistake.message)
    return { variants, steps, again: 'never' }
  })
}

/** Returns the graph of a campaign, which is like a canvas with one message for each variant; or its mistakes. Pure. */
export function readCampaign(given: GivenFlow, context: DefinitionContext): ReadResult {
  return readWith(given, context, definitionMembers(CampaignShape), (reading) => {
    return { ...readMessages(reading, given, 'messages'), again: 'always' }
  })
}

type Body = {
  readonly variants: readonly Variant[]
  readonly steps: readonly Step[]
  readonly again: Graph['entry']['again']
}

function readWith(
  given: GivenFlow,
  context: DefinitionContext,
  names: readonly string[],
  readBody: (reading: FlowReading, members: Members) => Body,
): ReadResult {
  const { patternMax } = context
  const reading: FlowReading = {
    context,
    patternMax,
    mistake: undefined,
    more: [],
    leaves: 0,
    patterns: 0,
    patternCharacters: 0,
  }
  const members = { path: '', value: given }
  const unknownName = Object.keys(given).find((name) => !names.includes(name) && name !== 'id')
  if (unknownName !== undefined) wrong(reading, joinPath('', unknownName), 'is not known here')
  const isTransactional = readClass(reading, members) === 'transactional'
  const { variants, steps, again } = readBody(reading, members)
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
  checkSame(reading, graph)
  return reading.mistake ? { mistake: reading.mistake, more: reading.more } : { graph }
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
  return checkVariants(
    reading,
    'variants',
    read.flatMap((one) => one ?? []),
  )
}

function firstSteps(members: Members, variants: readonly Variant[]): { path: string; first: string }[] {
  if (!isGiven(members, 'variants')) return variants.map(({ first }) => ({ path: 'first', first }))
  return variants.map(({ first }, i) => ({ path: `variants[${i}].first`, first }))
}

function readMessages(reading: FlowReading, given: GivenFlow, path: string): { variants: Variant[]; steps: Step[] } {
  const what = { min: 1, max: variantsMax, what: 'messages' }
  const read = listOf(reading, given.messages, path, what, (item, at, i) => {
    const members = membersOf(reading, item, at, ['id', 'name', 'percent', 'email'])
    if (!members) return undefined
    const name = readVariantName(reading, members, i)
    const id = optional(members, 'id', (value, to) => readStepId(reading, value, to)) ?? derivedId(given.id, name)
    const email = readEmailAt(reading, members.value.email, joinPath(at, 'email'))
    const step: MessageStep = { id, name, type: 'message', channel: 'email', email, next: undefined }
    return { variant: { id, name, percent: readShare(reading, members, path), first: id }, step }
  })
  const messages = read.flatMap((one) => one ?? [])
  const variants = messages.map(({ variant }) => variant)
  checkNames(reading, path, variants, 'id')
  return { variants: checkVariants(reading, path, variants), steps: messages.map(({ step }) => step) }
}

function readVariantName(reading: FlowReading, members: Members, i: number): string {
  return optional(members, 'name', (value, at) => readLine(reading, value, at)) ?? `Variant ${i + 1}`
}

/** Reads `percent`. The only variant of a list may leave it out: then it is 100. */
function readShare(reading: FlowReading, members: Members, list: string): number {
  const isOnly = members.path === `${list}[0]` && !isGiven(members, 'percent')
  return isOnly ? 100 : readPercent(reading, members.value.percent, joinPath(members.path, 'percent'))
}

function checkVariants(reading: FlowReading, path: string, variants: Variant[]): Variant[] {
  checkNames(reading, path, variants, 'name')
  checkPercents(
    reading,
    path,
    variants.map(({ percent }) => percent),
  )
  return variants
}

/** Refuses `same` in a flow that no event begins: it compares with the event that began the entry. */
function checkSame(reading: FlowReading, { entry, exit, conversions, steps }: Graph): void {
  if (entry.on) return
  const message = 'has nothing to compare with: people do not enter by an event'
  const at = (path: string) => wrong(reading, `${path}.same`, message)
  for (const [i, { same }] of exit.on.entries()) if (same.length > 0) at(`exit.events[${i}]`)
  for (const [i, { on }] of conversions.entries()) {
    if (on.kind !== 'engagement' && on.same.length > 0) at(`conversions[${i}].on`)
  }
  for (const [i, step] of [...steps.values()].entries()) {
    if (step.type !== 'action_paths') continue
    for (const [j, { on }] of step.paths.entries()) if (on.same.length > 0) at(`steps[${i}].paths[${j}]`)
  }
}

/** Returns the id of a variant without one. The same name has the same id, so that applying the same file again changes nothing. */
function derivedId(flow: string, name: string): string {
  const hex = sha256(JSON.stringify([flow, name]))
    .toString('hex')
    .slice(0, 32)
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
