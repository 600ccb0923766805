import type { Mistake } from '../../workspace/settings/mistake.ts'
import { audienceLeavesMax, segmentIdsIn } from '../conditions/parse-condition.ts'
import { type Leaf, ownLeavesOf, type Tree } from '../conditions/tree.ts'
import { levelsMax } from './schema.ts'

/** The data of a segment that the checks of nesting need. */
export type NamedSegment = { readonly id: string; readonly name: string; readonly tree: Tree }

/** The levels and conditions of a segment, with all segments nested in it at any depth. */
type NestedSize = { levels: number; conditions: number }

/**
 * Checks all segments of a workspace against each other and returns mistakes with the ids of their segments: a name that is the id of
 * another segment, a nested segment that does not exist, a cycle, too many levels or conditions. Pure.
 */
export function nestingMistakes(segments: readonly NamedSegment[]): { id: string; mistake: Mistake }[] {
  const find = finderByIdOrName(segments)
  const found: { id: string; mistake: Mistake }[] = []
  const add = ({ id }: NamedSegment, path: string, message: string) =>
    void found.push({ id, mistake: { path, message } })
  const ids = new Set(segments.map(({ id }) => id))
  for (const segment of segments) {
    if (segment.name !== segment.id && ids.has(segment.name)) {
      add(segment, 'name', 'is the id of another segment, and both may be used to name one')
    }
    const unknown = segmentIdsIn(segment.tree).find((idOrName) => find(idOrName) === undefined)
    if (unknown !== undefined)
      add(segment, 'audience', `names a segment that does not exist: ${JSON.stringify(unknown)}`)
  }
  const sizes = new Map<string, NestedSize | undefined>()
  const measure = (segment: NamedSegment, trail: readonly NamedSegment[]): NestedSize | undefined => {
    const at = trail.indexOf(segment)
    if (at >= 0) {
      const cycle = trail.slice(at)
      const names = [...cycle, segment].map(({ name }) => JSON.stringify(name)).join(' -> ')
      for (const each of cycle) add(each, 'audience', `forms a cycle: ${names}`)
      return undefined
    }
    if (sizes.has(segment.id)) return sizes.get(segment.id)
    const size = sizeOfTree(segment.tree, (idOrName) => {
      const nested = find(idOrName)
      return nested && measure(nested, [...trail, segment])
    })
    const reported = size && withinLimits(size)
    sizes.set(segment.id, reported)
    if (size && size.levels > levelsMax) {
      add(segment, 'audience', `names segments ${size.levels} levels deep; at most ${levelsMax} are allowed`)
    }
    if (size && size.conditions > audienceLeavesMax) {
      const message = `has ${size.conditions} conditions with those of the segments it names; at most ${audienceLeavesMax} are allowed`
      add(segment, 'audience', message)
    }
    return reported
  }
  for (const segment of segments) measure(segment, [])
  return found
}

/** Returns a function that finds a segment by its id, or else by its name. */
export function finderByIdOrName<S extends { readonly id: string; readonly name: string }>(
  segments: readonly S[],
): (idOrName: string) => S | undefined {
  const byId = new Map(segments.map((segment) => [segment.id, segment]))
  const byName = new Map(segments.map((segment) => [segment.name, segment]))
  return (idOrName) => byId.get(idOrName) ?? byName.get(idOrName)
}

/**
 * Returns the size that counts for segments that refer to this one. A size over a limit counts as 1, so that only this segment has the
 * mistake.
 */
function withinLimits({ levels, conditions }: NestedSize): NestedSize {
  return { levels: levels > levelsMax ? 1 : levels, conditions: conditions > audienceLeavesMax ? 1 : conditions }
}

/** Returns the size of a tree with its nested segments; undefined when one of these has none. */
function sizeOfTree(tree: Tree, sizeOf: (idOrName: string) => NestedSize | undefined): NestedSize | undefined {
  let levels = 0
  let conditions = 0
  for (const leaf of ownLeavesOf(tree)) {
    conditions += conditionsOf(leaf)
    if (leaf.kind !== 'segment') continue
    const size = sizeOf(leaf.segment_id)
    if (size === undefined) return undefined
    levels = Math.max(levels, size.levels)
    conditions += size.conditions
  }
  return { levels: levels + 1, conditions }
}

/** Counts the conditions of a tree, as the parser does. */
function conditionsOf(leaf: Leaf): number {
  return leaf.kind === 'occurrences' || leaf.kind === 'occurrence_time' ? 1 + leaf.what.properties.length : 1
}
