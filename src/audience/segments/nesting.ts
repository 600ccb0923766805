import type { Mistake } from '../../workspace/settings/mistake.ts'
import { audienceLeavesMax, segmentIdsIn } from '../conditions/parse-condition.ts'
import { type Leaf, ownLeavesOf, type Tree } from '../conditions/tree.ts'
import { levelsMax } from './schema.ts'

/** A segment as far as its place among the others goes. */
export type NamedSegment = { readonly id: string; readonly name: string; readonly tree: Tree }

/** What a segment comes to with all the segments that it names, by itself or through others. */
type NestedSize = { levels: number; conditions: number }

/**
 * What is wrong with segments as they would stand together, each mistake with the id of its segment: a name that is another's id, a
 * nested segment that is not there, a circle, or more levels or conditions than may be. Pure.
 */
export function nestingMistakes(segments: readonly NamedSegment[]): { id: string; mistake: Mistake }[] {
  const find = finderByIdOrName(segments)
  const found: { id: string; mistake: Mistake }[] = []
  const tell = ({ id }: NamedSegment, path: string, message: string) =>
    void found.push({ id, mistake: { path, message } })
  const ids = new Set(segments.map(({ id }) => id))
  for (const segment of segments) {
    if (segment.name !== segment.id && ids.has(segment.name)) {
      tell(segment, 'name', 'is the id of another segment, and both may be used to name one')
    }
    const unknown = segmentIdsIn(segment.tree).find((word) => find(word) === undefined)
    if (unknown !== undefined) tell(segment, 'audience', `names a segment that is not here: ${JSON.stringify(unknown)}`)
  }
  const weights = new Map<string, NestedSize | undefined>()
  const weigh = (segment: NamedSegment, trail: readonly NamedSegment[]): NestedSize | undefined => {
    const at = trail.indexOf(segment)
    if (at >= 0) {
      const round = trail.slice(at)
      const names = [...round, segment].map(({ name }) => JSON.stringify(name)).join(' -> ')
      for (const each of round) tell(each, 'audience', `goes in a circle: ${names}`)
      return undefined
    }
    if (weights.has(segment.id)) return weights.get(segment.id)
    const weight = sizeOfTree(segment.tree, (word) => {
      const nested = find(word)
      return nested && weigh(nested, [...trail, segment])
    })
    const heard = weight && withinLimits(weight)
    weights.set(segment.id, heard)
    if (weight && weight.levels > levelsMax) {
      tell(segment, 'audience', `names segments ${weight.levels} levels deep; at most ${levelsMax} are allowed`)
    }
    if (weight && weight.conditions > audienceLeavesMax) {
      const message = `has ${weight.conditions} conditions with those of the segments it names; at most ${audienceLeavesMax} are allowed`
      tell(segment, 'audience', message)
    }
    return heard
  }
  for (const segment of segments) weigh(segment, [])
  return found
}

/** Finds a segment by its id or else by its name. */
export function finderByIdOrName<S extends { readonly id: string; readonly name: string }>(
  segments: readonly S[],
): (word: string) => S | undefined {
  const byId = new Map(segments.map((segment) => [segment.id, segment]))
  const byName = new Map(segments.map((segment) => [segment.name, segment]))
  return (word) => byId.get(word) ?? byName.get(word)
}

/** Whoever names too much is told once; those who name it in turn are not told of the same. */
function withinLimits({ levels, conditions }: NestedSize): NestedSize {
  return { levels: levels > levelsMax ? 1 : levels, conditions: conditions > audienceLeavesMax ? 1 : conditions }
}

/** The conditions of a tree and, where it names segments, also theirs; undefined when one of those has no weight. */
function sizeOfTree(tree: Tree, weightOf: (word: string) => NestedSize | undefined): NestedSize | undefined {
  let levels = 0
  let conditions = 0
  for (const leaf of ownLeavesOf(tree)) {
    conditions += conditionsOf(leaf)
    if (leaf.kind !== 'segment') continue
    const weight = weightOf(leaf.segment_id)
    if (weight === undefined) return undefined
    levels = Math.max(levels, weight.levels)
    conditions += weight.conditions
  }
  return { levels: levels + 1, conditions }
}

/** As they are counted when a tree is read. */
function conditionsOf(leaf: Leaf): number {
  return leaf.kind === 'occurrences' || leaf.kind === 'occurrence_time' ? 1 + leaf.what.properties.length : 1
}
