import { isObject } from '../../people/values/values.ts'
import { isWithinPath } from '../../workspace/settings/mistake.ts'
import { describeEntry } from './describe-entry.ts'
import { describeStep, type Outline, type OutlinedPath, type OutlinedStep, percentWords } from './describe-steps.ts'
import { type FlowKind, type StepType, stepTypes } from './flow.ts'
import type { FlowWording } from './flow-wording.ts'
import type { OutlinedDefinition } from './read-definition.ts'

type Given = Readonly<Record<string, unknown>>

/** Members outside the steps that the sentence about the entry is made of. */
const entryMembers = ['entry', 'segment', 'audience']

/**
 * Returns a definition in words, also one with mistakes. A step with a mistake has an empty sentence, and the paths that could be read. A
 * path to a step that does not exist leads to the end. Null without a step that could be drawn. Pure.
 */
export function describeGiven(
  kind: FlowKind,
  given: Given,
  outlined: OutlinedDefinition,
  wording: FlowWording,
): Outline | null {
  const { graph, mistakes } = outlined
  const isWrong = (path: string) => mistakes.some((mistake) => isWithinPath(mistake.path, path))
  const drawn = drawnSteps(kind, given, outlined, isWrong, wording)
  if (drawn.length === 0) return null
  const ids = new Set(drawn.map(({ id }) => id))
  const known = (paths: readonly OutlinedPath[]) =>
    paths.map((path) => (path.next !== null && ids.has(path.next) ? path : { ...path, next: null }))
  const starts =
    kind === 'campaign' || !Array.isArray(given.variants)
      ? graph.variants.map(({ name, percent, first }) => ({ name, words: percentWords(percent), next: first }))
      : given.variants.map((one: unknown, i) => rawPath(one, i, 'Variant', 'first'))
  return {
    sentence: entryMembers.some(isWrong) ? '' : describeEntry(graph),
    starts: known(starts),
    steps: drawn.map((step) => ({ ...step, paths: known(step.paths) })),
  }
}

/** Returns the steps, each id once, in the order of the definition. */
function drawnSteps(
  kind: FlowKind,
  given: Given,
  { stepPaths }: OutlinedDefinition,
  isWrong: (path: string) => boolean,
  wording: FlowWording,
): OutlinedStep[] {
  const byPath = new Map([...stepPaths].map(([step, path]) => [path, step]))
  const list = kind === 'canvas' ? 'steps' : 'messages'
  const all: readonly unknown[] = Array.isArray(given[list]) ? given[list] : []
  const steps = all.flatMap((raw, i): OutlinedStep[] => {
    const path = `${list}[${i}]`
    const step = byPath.get(path)
    // What is wrong with a reference is drawn as the end.
    if (step && step.id !== '' && !isWrong(path)) return [describeStep(step, wording)]
    if (step && step.id !== '' && kind === 'campaign')
      return [{ ...rawHead(step.id, step.name, 'message'), paths: [ended] }]
    return kind === 'canvas' ? rawStep(raw) : []
  })
  const first = new Map<string, OutlinedStep>()
  for (const step of steps) first.getOrInsert(step.id, step)
  return [...first.values()]
}

const ended: OutlinedPath = { name: '', words: '', next: null }

function rawHead(id: string, name: string, kind: StepType): Omit<OutlinedStep, 'paths'> {
  return { id, name, kind, sentence: '' }
}

/** Returns a step of which only the id, the type and the references to other steps are read. */
function rawStep(raw: unknown): OutlinedStep[] {
  if (!isObject(raw) || typeof raw.id !== 'string' || raw.id === '') return []
  const kind = stepTypes.find((type) => type === raw.type)
  if (kind === undefined) return []
  const head = rawHead(raw.id, textOr(raw.name, raw.id), kind)
  const paths = Array.isArray(raw.paths) ? raw.paths.map((one: unknown, i) => rawPath(one, i, 'Path', 'next')) : []
  const to = (name: string, member: string): OutlinedPath => ({ name, words: '', next: referenceIn(raw[member]) })
  switch (kind) {
    case 'decision':
      return [{ ...head, paths: [to('yes', 'yes'), to('no', 'no')] }]
    case 'paths':
    case 'action_paths':
      return [{ ...head, paths: [...paths, to('otherwise', 'otherwise')] }]
    case 'experiment':
      return [{ ...head, paths }]
    default:
      return [{ ...head, paths: [to('', 'next')] }]
  }
}

function rawPath(one: unknown, i: number, what: 'Path' | 'Variant', member: 'next' | 'first'): OutlinedPath {
  const { name, percent, [member]: next } = isObject(one) ? one : ({} as Given)
  const words = typeof percent === 'number' ? percentWords(percent) : ''
  return { name: textOr(name, `${what} ${i + 1}`), words, next: referenceIn(next) }
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value : otherwise
}

function referenceIn(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
