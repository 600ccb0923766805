import type { Mistake } from '../../workspace/settings/mistake.ts'
import type { Path, Step } from './flow.ts'

/** A place where a step is named: the member, relative to the step, and the id. */
type StepLink = { readonly member: string; readonly to: string }

/**
 * What is wrong with steps as they stand together: a name of a step that is not there, one that is never come to, or a circle without a
 * delay, in which somebody would go round without end. `begins`: where variants begin. Pure.
 */
export function checkSteps(
  steps: readonly Step[],
  begins: readonly { readonly path: string; readonly first: string }[],
): Mistake | undefined {
  const byId = new Map(steps.map((step) => [step.id, step]))
  for (const { path, first } of begins) {
    if (!byId.has(first)) return { path, message: unknown(first) }
  }
  for (const [i, step] of steps.entries()) {
    const astray = linksFrom(step).find(({ to }) => !byId.has(to))
    if (astray) return { path: `steps[${i}].${astray.member}`, message: unknown(astray.to) }
  }
  const reached = reachedFrom(byId, new Set(begins.map(({ first }) => first)))
  const lost = steps.findIndex(({ id }) => !reached.has(id))
  if (lost >= 0) return { path: `steps[${lost}]`, message: `is never come to: no step leads to ${steps[lost]!.id}` }
  const circle = circleIn(steps, byId)
  if (!circle) return undefined
  const at = steps.findIndex(({ id }) => id === circle[0])
  const message = `goes in a circle without a delay: ${[...circle, circle[0]].join(' -> ')}`
  return { path: `steps[${at}]`, message }
}

/** Every way out of a step that leads to another one. */
export function linksFrom(step: Step): StepLink[] {
  switch (step.type) {
    case 'decision':
      return [...way('yes', step.yes), ...way('no', step.no)]
    case 'paths':
    case 'action_paths':
      return [...pathWays(step.paths), ...way('otherwise', step.otherwise)]
    case 'experiment':
      return pathWays(step.paths)
    default:
      return way('next', step.next)
  }
}

function way(member: string, to: string | undefined): StepLink[] {
  return to === undefined ? [] : [{ member, to }]
}

function pathWays(paths: readonly Path[]): StepLink[] {
  return paths.flatMap(({ next }, i) => way(`paths[${i}].next`, next))
}

function unknown(id: string): string {
  return `names a step that is not here: ${JSON.stringify(id)}`
}

function reachedFrom(byId: ReadonlyMap<string, Step>, reached: Set<string>): ReadonlySet<string> {
  // A set is walked in the order in which it grows.
  for (const id of reached) for (const { to } of linksFrom(byId.get(id)!)) reached.add(to)
  return reached
}

/** The steps of a circle in which nobody ever waits. */
function circleIn(steps: readonly Step[], byId: ReadonlyMap<string, Step>): string[] | undefined {
  const done = new Set<string>()
  const trail: string[] = []
  const visit = (id: string): string[] | undefined => {
    if (trail.includes(id)) return trail.slice(trail.indexOf(id))
    const step = byId.get(id)!
    if (done.has(id) || step.type === 'delay' || step.type === 'action_paths') return undefined
    trail.push(id)
    for (const { to } of linksFrom(step)) {
      const circle = visit(to)
      if (circle) return circle
    }
    trail.pop()
    done.add(id)
    return undefined
  }
  for (const { id } of steps) {
    const circle = visit(id)
    if (circle) return circle
  }
  return undefined
}
