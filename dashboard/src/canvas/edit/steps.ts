import { flowShapes } from '../../api/flow-shapes.ts'
import { type Path, valueAt, withInserted, withMoved, withValue } from '../../draft/path.ts'
import {
  type Definition,
  type GivenStep,
  isMembers,
  listAt,
  pathsOf,
  reachedIn,
  stepById,
  stepsIn,
  type Way,
  wayAt,
  waysFrom,
  waysIn,
} from './ways.ts'

/** The steps of a canvas at most, and the paths of one step. */
export const stepsMax = flowShapes.canvas.steps.maxItems
export const pathsMax = flowShapes.paths_step.paths.maxItems
const idCharactersMax = flowShapes.message_step.id.maxLength

/** A place in the graph where a step can be put: a way, by the step from which it leads and its number there. */
export type Place = { readonly from: string | undefined; readonly at: number }

/** Returns the definition with another next step of a way; undefined ends it there. Pure. */
export function withLink(document: Definition, { from, at }: Place, to: string | undefined): Definition {
  const way = wayAt(document, from, at)
  return way ? linked(document, way, to) : document
}

function linked(document: Definition, { path, to: before }: Way, to: string | undefined): Definition {
  // A member that is null or missing is an end already.
  if (before === to) return document
  return withValue(document, path, to)
}

/**
 * Returns the definition with a step on a way: the way leads to it, and its first way leads to where the way led before. A step whose id is
 * used gets another one. Pure.
 */
export function withStep(document: Definition, place: Place, given: GivenStep): { document: Definition; id: string } {
  const way = wayAt(document, place.from, place.at)
  const id = freeId(document, textOf(given.id) ?? textOf(given.type) ?? 'step')
  // What stands in place of a list stays: the reader mends it as text.
  if (!way || !isListOrNone(document.steps)) return { document, id }
  const steps = listAt(document, ['steps'])
  const after = stepById(document, place.from)?.index ?? -1
  const led = linked(document, way, id)
  const put = withInserted(led, ['steps'], Array.isArray(valueAt(document, ['steps'])) ? after + 1 : 0, {
    ...given,
    id,
  })
  const [first] = waysFrom(stepById(put, id)!)
  const target = way.to !== undefined && hasStep(steps, way.to) ? way.to : undefined
  return { document: first ? linked(put, first, target) : put, id }
}

/**
 * Returns the definition without a step. Ways to it lead to where its first way led that leads on; a way that would lead back to its own
 * step ends. Steps that only the removed one led to stay, without a way to them. Pure.
 */
export function withoutStep(document: Definition, id: string): Definition {
  const placed = stepById(document, id)
  if (!placed) return document
  const known = new Set(stepsIn(document).map((each) => each.id))
  const target = waysFrom(placed).find(({ to }) => to !== undefined && to !== id && known.has(to))?.to
  const around = waysIn(document).filter(({ from, to }) => to === id && from !== id)
  const led = around.reduce((before, way) => linked(before, way, way.from === target ? undefined : target), document)
  return withValue(led, placed.path, undefined)
}

/** Returns the definition without the steps to which no way leads. Pure. */
export function withoutUnreached(document: Definition): Definition {
  const reached = reachedIn(document)
  const lost = stepsIn(document).filter(({ id }) => !reached.has(id))
  return lost.toReversed().reduce((before, { path }) => withValue(before, path, undefined), document)
}

/** Returns how many steps a change has left without a way to them. Pure. */
export function lostBy(before: Definition, after: Definition): number {
  const [had, has] = [reachedIn(before), reachedIn(after)]
  return stepsIn(after).filter(({ id }) => had.has(id) && !has.has(id)).length
}

/**
 * Returns the definition with a step before the one that leads to it (-1), or after the one to which its first way leads (1). The same
 * object when there is no such step. Pure.
 */
export function withMovedStep(document: Definition, id: string, by: -1 | 1): Definition {
  const placed = stepById(document, id)
  if (!placed) return document
  if (by === 1) {
    const next = stepById(document, waysFrom(placed)[0]?.to)
    return next && next.id !== id && mainWayBefore(document, next.id)?.from === id
      ? swapped(document, id, next.id)
      : document
  }
  const before = mainWayBefore(document, id)
  return before?.from !== undefined && before.from !== id ? swapped(document, before.from, id) : document
}

/** Returns the only way to a step, when it is one. */
function mainWayBefore(document: Definition, id: string): Way | undefined {
  const ways = waysIn(document).filter(({ to }) => to === id)
  return ways.length === 1 ? ways[0] : undefined
}

/** Puts `lower`, to which a single way of `upper` leads, before it. */
function swapped(document: Definition, upper: string, lower: string): Definition {
  const between = waysFrom(stepById(document, upper)!).find(({ to }) => to === lower)
  const on = waysFrom(stepById(document, lower)!)[0]
  if (!between || !on) return document
  const into = waysIn(document).filter(({ to, path }) => to === upper && path !== on.path && !isSame(path, on.path))
  const target = on.to === lower ? upper : on.to
  const led = into.reduce((before, way) => linked(before, way, lower), document)
  return linked(linked(led, between, target), on, upper)
}

/** Returns the definition with another id of a step, and of all ways to it. An id that is used changes nothing. Pure. */
export function withStepId(document: Definition, id: string, to: string): Definition {
  const placed = stepById(document, id)
  if (!placed || to === '' || hasStep(listAt(document, ['steps']), to)) return document
  const led = waysIn(document)
    .filter((way) => way.to === id)
    .reduce((before, way) => linked(before, way, to), document)
  return withValue(led, [...placed.path, 'id'], to)
}

/** Returns the definition with another path at the end of a step that has paths. Pure. */
export function withPath(document: Definition, id: string, given: GivenStep): Definition {
  const placed = stepById(document, id)
  if (!placed || !isListOrNone(placed.step.paths)) return document
  return withInserted(document, [...placed.path, 'paths'], listAt(placed.step, ['paths']).length, given)
}

/** Returns the definition without a path of a step. Pure. */
export function withoutPath(document: Definition, id: string, index: number): Definition {
  const placed = stepById(document, id)
  const paths: Path = [...(placed?.path ?? []), 'paths']
  return placed && index < listAt(document, paths).length ? withValue(document, [...paths, index], undefined) : document
}

/** Returns the definition with a path of a step at another place: the first path that fits is taken. Pure. */
export function withMovedPath(document: Definition, id: string, from: number, to: number): Definition {
  const placed = stepById(document, id)
  return placed ? withMoved(document, [...placed.path, 'paths'], from, to) : document
}

/** Returns a name for a path that no other path of the step has. Pure. */
export function freePathName(step: GivenStep): string {
  const used = new Set(pathsOf(step).map(({ name }) => name))
  return Array.from({ length: used.size + 1 }, (_, i) => `Path ${i + 1}`).find((name) => !used.has(name))!
}

/** Returns an id for a step that no step has: `message`, `message_2` and so on. Pure. */
export function freeId(document: Definition, wanted: string): string {
  const base =
    wanted
      .replace(/[^A-Za-z0-9._-]/g, '_')
      .replace(/^[^A-Za-z0-9]+/, '')
      .slice(0, idCharactersMax) || 'step'
  const steps = listAt(document, ['steps'])
  // A way to a step that is missing must not lead to this one by chance.
  const named = new Set(waysIn(document).flatMap(({ to }) => to ?? []))
  const isFree = (id: string) => !hasStep(steps, id) && !named.has(id)
  if (isFree(base)) return base
  for (let number = 2; ; number++) {
    const end = `_${number}`
    const id = base.slice(0, idCharactersMax - end.length) + end
    if (isFree(id)) return id
  }
}

function isListOrNone(value: unknown): boolean {
  return value === undefined || value === null || Array.isArray(value)
}

function hasStep(steps: readonly unknown[], id: string): boolean {
  return steps.some((step) => isMembers(step) && step.id === id)
}

function isSame(one: Path, other: Path): boolean {
  return one.length === other.length && one.every((part, i) => part === other[i])
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
