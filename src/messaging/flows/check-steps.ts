import type { Mistake } from '../../workspace/settings/mistake.ts'
import type { Path, Step } from './flow.ts'

/** A reference to another step: the member that has it, relative to the step, and the id. */
type StepLink = { readonly member: string; readonly to: string }

/**
 * Returns what is wrong with the graph of the steps: a reference to a step that does not exist, a step that is never reached, or a cycle
 * without a delay, which would never end. `starts`: the first steps of the variants. Pure.
 */
export function checkSteps(
  steps: readonly Step[],
  starts: readonly { readonly path: string; readonly first: string }[],
): Mistake | undefined {
  const byId = new Map(steps.map((step) => [step.id, step]))
  for (const { path, first } of starts) {
    if (!byId.has(first)) return { path, message: unknown(first) }
  }
  for (const [i, step] of steps.entries()) {
    const broken = linksFrom(step).find(({ to }) => !byId.has(to))
    if (broken) return { path: `steps[${i}].${broken.member}`, message: unknown(broken.to) }
  }
  const reached = reachedFrom(byId, new Set(starts.map(({ first }) => first)))
  const unreached = steps.findIndex(({ id }) => !reached.has(id))
  if (unreached >= 0) {
    return { path: `steps[${unreached}]`, message: neverReached(steps[unreached]!.id) }
  }
  const cycle = findCycle(steps, byId)
  if (!cycle) return undefined
  const at = steps.findIndex(({ id }) => id === cycle[0])
  return { path: `steps[${at}]`, message: inCycle(cycle) }
}

/** The steps of a definition with mistakes. */
export type PlacedSteps = {
  /** Those that could be read, with their paths. */
  readonly steps: readonly { readonly step: Step; readonly path: string }[]
  /** The ids of all steps, also of those that could not be read. */
  readonly ids: ReadonlySet<string>
  /** Whether all could be read. */
  readonly isWhole: boolean
}

/** Returns everything that is wrong with the graph of the steps. Empty ids stand for what could not be read. Pure. */
export function findStepMistakes(
  { steps, ids, isWhole }: PlacedSteps,
  starts: readonly { readonly path: string; readonly first: string }[],
): Mistake[] {
  const isBroken = (to: string) => to !== '' && !ids.has(to)
  const links = steps.flatMap(({ step, path }) =>
    linksFrom(step).map(({ member, to }) => ({ path: `${path}.${member}`, from: step.id, to })),
  )
  const broken = [
    ...starts.filter(({ first }) => isBroken(first)).map(({ path, first }) => ({ path, message: unknown(first) })),
    ...links.filter(({ to }) => isBroken(to)).map(({ path, to }) => ({ path, message: unknown(to) })),
  ]
  const byId = new Map(steps.map(({ step }) => [step.id, step]))
  const isBegun = isWhole && starts.length > 0 && starts.every(({ first }) => ids.has(first))
  const reached = isBegun ? reachedFrom(byId, new Set(starts.map(({ first }) => first))) : ids
  const unreached = steps.filter(({ step }) => step.id !== '' && !reached.has(step.id))
  // What is only reached from such a step is not told.
  const heads = unreached.filter(({ step }) => !links.some(({ from, to }) => to === step.id && from !== to))
  const cycle = findCycle(
    steps.map(({ step }) => step),
    byId,
  )
  const at = steps.find(({ step }) => step.id === cycle?.[0])
  return [
    ...broken,
    ...(heads.length > 0 ? heads : unreached.slice(0, 1)).map(({ step, path }) => ({
      path,
      message: neverReached(step.id),
    })),
    ...(cycle && at ? [{ path: at.path, message: inCycle(cycle) }] : []),
  ]
}

/** Returns the references of a step to next steps. */
export function linksFrom(step: Step): StepLink[] {
  switch (step.type) {
    case 'decision':
      return [...link('yes', step.yes), ...link('no', step.no)]
    case 'paths':
    case 'action_paths':
      return [...pathLinks(step.paths), ...link('otherwise', step.otherwise)]
    case 'experiment':
      return pathLinks(step.paths)
    default:
      return link('next', step.next)
  }
}

function link(member: string, to: string | undefined): StepLink[] {
  return to === undefined ? [] : [{ member, to }]
}

function pathLinks(paths: readonly Path[]): StepLink[] {
  return paths.flatMap(({ next }, i) => link(`paths[${i}].next`, next))
}

function unknown(id: string): string {
  return `names a step that does not exist: ${JSON.stringify(id)}`
}

function linksOf(byId: ReadonlyMap<string, Step>, id: string): StepLink[] {
  const step = byId.get(id)
  return step ? linksFrom(step) : []
}

function neverReached(id: string): string {
  return `is never reached: no step leads to ${id}`
}

function inCycle(cycle: readonly string[]): string {
  return `is in a cycle without a delay: ${[...cycle, cycle[0]].join(' -> ')}`
}

function reachedFrom(byId: ReadonlyMap<string, Step>, reached: Set<string>): ReadonlySet<string> {
  // The iteration includes what is added to the set meanwhile.
  for (const id of reached) for (const { to } of linksOf(byId, id)) reached.add(to)
  return reached
}

/** Returns the steps of a cycle in which no step waits. */
function findCycle(steps: readonly Step[], byId: ReadonlyMap<string, Step>): string[] | undefined {
  const done = new Set<string>()
  const trail: string[] = []
  const visit = (id: string): string[] | undefined => {
    if (trail.includes(id)) return trail.slice(trail.indexOf(id))
    const step = byId.get(id)
    if (!step || done.has(id) || step.type === 'delay' || step.type === 'action_paths') return undefined
    trail.push(id)
    for (const { to } of linksFrom(step)) {
      const cycle = visit(to)
      if (cycle) return cycle
    }
    trail.pop()
    done.add(id)
    return undefined
  }
  for (const { id } of steps) {
    const cycle = visit(id)
    if (cycle) return cycle
  }
  return undefined
}
