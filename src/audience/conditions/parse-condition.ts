import { invalid } from '../../base/errors.ts'
import { isObject } from '../../people/values/values.ts'
import { joinPath, type Mistake } from '../../workspace/settings/mistake.ts'
import { patternCharactersCeiling, settingDefaults } from '../../workspace/settings/settings.ts'
import { apiLeaves, type LeafReader, segmentLeaves } from './parse-leaves.ts'
import { memberPath, mustBe, type OpenPart, type ParseState, wrong } from './parse-members.ts'
import { ownLeavesOf, type Tree } from './tree.ts'

/** Nodes from the top of a tree to a leaf, both counted. */
export const audienceDepthMax = 20
/** Leaves of one tree; each property of a condition on an event or purchase counts as one more. */
export const audienceLeavesMax = 500

/** The most mistakes of one outline. */
export const mistakesMax = 100

type Vocabulary = { readonly leaves: ReadonlyMap<string, LeafReader>; readonly groups: readonly string[] }

const api: Vocabulary = { leaves: apiLeaves, groups: ['AND', 'OR'] }
const segment: Vocabulary = { leaves: segmentLeaves, groups: ['AND', 'OR', 'NOT'] }

/**
 * Parses the connected audience of a request (specification 2.6, contract 4.8). Throws 400 with the path of the mistake:
 * `audience.AND[2].custom_attribute.comparison must be ...`. `patternMax` is the workspace's `regex_characters_max`.
 */
export function parseAudience(
  value: unknown,
  path: string,
  patternMax: number = settingDefaults.regex_characters_max,
): Tree {
  return treeOrThrow(parse(api, value, path, patternMax))
}

/**
 * Parses the tree of a stored segment, with all leaves of `docs/segments.md`. Nested segments are not filled in (`withSegments`). Regular
 * expressions were checked against the setting when the segment was stored, so here they may have the length of any setting.
 */
export function parseSegment(value: unknown, path: string): Tree {
  return treeOrThrow(tryParseSegment(value, path))
}

/**
 * Parses the same tree and returns the mistake as a value. For a segment that is not stored yet, `patternMax` is the workspace's
 * `regex_characters_max`.
 */
export function tryParseSegment(
  value: unknown,
  path: string,
  patternMax = patternCharactersCeiling,
): { tree: Tree } | { mistake: Mistake } {
  return parse(segment, value, path, patternMax)
}

/** A node of a tree with its path, such as `audience.AND[2].NOT`. */
export type Part = { readonly path: string; readonly tree: Tree }

/** What was parsed of a tree. `tree` is missing when there are mistakes. Parts come before the parts in them. */
export type Outline = {
  readonly tree: Tree | undefined
  readonly parts: readonly Part[]
  readonly mistakes: readonly Mistake[]
}

/** Parses the same tree, with the mistake of each condition and the tree of each node without one. */
export function outlineSegment(value: unknown, path: string, patternMax: number): Outline {
  const outline: { parts: OpenPart[]; mistakes: Mistake[] } = { parts: [], mistakes: [] }
  const reading: ParseState = { ...newState(patternMax), outline }
  const tree = readNode(segment, reading, value, path, 1)
  const mistakes = reading.mistake ? [...outline.mistakes, reading.mistake] : outline.mistakes
  const parts = outline.parts.flatMap((part) => (part.tree ? [{ path: part.path, tree: part.tree }] : []))
  return { tree: mistakes.length > 0 ? undefined : tree, parts, mistakes }
}

/** Returns a mistake for each part that names a segment which is not known. Pure. */
export function unknownSegments(parts: readonly Part[], isKnown: (idOrName: string) => boolean): Mistake[] {
  return parts.flatMap(({ path, tree }) => {
    const leaf = 'not' in tree ? tree.not : tree
    if (!('kind' in leaf) || leaf.kind !== 'segment' || isKnown(leaf.segment_id)) return []
    // A group of one condition has the tree of the condition.
    if (parts.some((inner) => inner.path.startsWith(`${path}.`))) return []
    const message = `names a segment that does not exist: ${JSON.stringify(leaf.segment_id)}`
    return [{ path: `${path}.segment.segment_id`, message }]
  })
}

/** Returns the ids or names of the segments that a tree refers to directly, each once. */
export function segmentIdsIn(tree: Tree): string[] {
  return [...new Set([...ownLeavesOf(tree)].flatMap((leaf) => (leaf.kind === 'segment' ? [leaf.segment_id] : [])))]
}

/** Fills in the name and the tree of the segments that a tree refers to. Unknown segments do not change. */
export function withSegments(
  tree: Tree,
  find: (segment_id: string) => { readonly name: string; readonly tree: Tree } | undefined,
): Tree {
  if ('all' in tree) return { all: tree.all.map((child) => withSegments(child, find)) }
  if ('any' in tree) return { any: tree.any.map((child) => withSegments(child, find)) }
  if ('not' in tree) return { not: withSegments(tree.not, find) }
  if (tree.kind !== 'segment') return tree
  const found = find(tree.segment_id)
  return found ? { kind: 'segment', segment_id: tree.segment_id, name: found.name, tree: found.tree } : tree
}

function treeOrThrow(parsed: { tree: Tree } | { mistake: Mistake }): Tree {
  if ('tree' in parsed) return parsed.tree
  throw invalid(`${parsed.mistake.path} ${parsed.mistake.message}`)
}

function parse(
  vocabulary: Vocabulary,
  value: unknown,
  path: string,
  patternMax: number,
): { tree: Tree } | { mistake: Mistake } {
  const reading = newState(patternMax)
  const tree = readNode(vocabulary, reading, value, path, 1)
  if (reading.mistake) return { mistake: reading.mistake }
  return { tree: tree! }
}

function newState(patternMax: number): ParseState {
  return { patternMax, mistake: undefined, leaves: 0, patterns: 0, patternCharacters: 0 }
}

function readNode(
  vocabulary: Vocabulary,
  reading: ParseState,
  value: unknown,
  path: string,
  depth: number,
): Tree | undefined {
  const part: OpenPart = { path }
  reading.outline?.parts.push(part)
  const tree = readTree(vocabulary, reading, value, path, depth)
  if (tree) part.tree = tree
  return tree
}

function readTree(
  vocabulary: Vocabulary,
  reading: ParseState,
  value: unknown,
  path: string,
  depth: number,
): Tree | undefined {
  if (depth > audienceDepthMax) return wrong(reading, path, `is nested more than ${audienceDepthMax} deep`)
  const name = onlyMember(vocabulary, reading, value, path)
  if (name === undefined) return undefined
  const inner = (value as Record<string, unknown>)[name]
  const at = joinPath(path, name)
  if (name === 'AND' || name === 'OR') return readGroup(vocabulary, reading, name, inner, at, depth)
  if (name === 'NOT') {
    const child = readNode(vocabulary, reading, inner, at, depth + 1)
    return child && ('not' in child ? child.not : { not: child })
  }
  const leaf = vocabulary.leaves.get(name)!(reading, inner, at)
  if (++reading.leaves > audienceLeavesMax) return wrong(reading, at, tooMany)
  return leaf
}

const tooMany = `is one condition too many; at most ${audienceLeavesMax} are allowed`

/** Returns the name of the only member of a node: a group or a leaf. */
function onlyMember(
  { leaves, groups }: Vocabulary,
  reading: ParseState,
  value: unknown,
  path: string,
): string | undefined {
  const names = [...groups, ...leaves.keys()].join(', ')
  if (!isObject(value)) return mustBe(reading, path, `an object with one of ${names}`, value)
  let only: string | undefined
  for (const name in value) {
    if (!groups.includes(name) && !leaves.has(name)) {
      return wrong(reading, memberPath(path, name), `is not known here; known are ${names}`)
    }
    if (only !== undefined) return wrong(reading, path, `must have one member, not both ${only} and ${name}`)
    only = name
  }
  return only ?? wrong(reading, path, `is empty; it must have one of ${names}`)
}

/** Reads a group. A group with one child becomes that child, and a group in a group of the same kind is merged into it. */
function readGroup(
  vocabulary: Vocabulary,
  reading: ParseState,
  name: 'AND' | 'OR',
  value: unknown,
  path: string,
  depth: number,
): Tree | undefined {
  if (!Array.isArray(value)) return mustBe(reading, path, 'a list of conditions', value)
  if (value.length === 0) return wrong(reading, path, 'is empty; it must have at least one condition')
  if (value.length + reading.leaves > audienceLeavesMax) {
    return wrong(reading, path, `has too many conditions; at most ${audienceLeavesMax} are allowed in all`)
  }
  const children: Tree[] = []
  let isWhole = true
  for (let i = 0; i < value.length; i++) {
    const child = readNode(vocabulary, reading, value[i], `${path}[${i}]`, depth + 1)
    if (child === undefined) {
      if (!goesOn(reading)) return undefined
      isWhole = false
    } else if (name === 'AND' && 'all' in child) children.push(...child.all)
    else if (name === 'OR' && 'any' in child) children.push(...child.any)
    else children.push(child)
  }
  if (!isWhole) return undefined
  if (children.length === 1) return children[0]
  return name === 'AND' ? { all: children } : { any: children }
}

/** Puts the mistake of one condition on the list of mistakes. Returns whether the next one can be parsed. */
function goesOn(reading: ParseState): boolean {
  const { outline, mistake } = reading
  if (!outline) return false
  if (mistake && outline.mistakes.length < mistakesMax - 1) {
    outline.mistakes.push(mistake)
    reading.mistake = undefined
  }
  return reading.mistake === undefined && reading.leaves <= audienceLeavesMax
}
