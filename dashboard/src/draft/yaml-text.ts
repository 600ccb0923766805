import { isMap, isSeq, LineCounter, type Node, parseDocument, type Scalar, stringify } from 'yaml'
import { isWithin, type Path } from './path.ts'

/** What is wrong with a text at a line. Lines count from 1. */
export type TextMistake = { readonly line: number; readonly column: number; readonly message: string }

/** A text that was read: its value, and where the part of it at a path stands. */
export type ReadYaml = {
  readonly value: unknown
  /** Returns the line of the value at a path; of what is around it when it is missing. */
  placeOf(path: Path): { readonly line: number; readonly column: number }
}

const lineWidth = 120
/** Anchors may stand for so many values together. */
const aliasesMax = 1_000

/** Reads YAML or JSON. Returns the first mistake when it is neither. Pure. */
export function readYaml(text: string): ReadYaml | { readonly mistake: TextMistake } {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'error' })
  const [broken] = document.errors
  if (broken) {
    const { line, col } = lines.linePos(broken.pos[0])
    return { mistake: { line, column: col, message: broken.message } }
  }
  const places: { path: Path; offset: number }[] = []
  notePlaces(document.contents, [], places)
  try {
    return {
      value: document.toJS({ maxAliasCount: aliasesMax }) as unknown,
      placeOf(path) {
        const around = places.filter((place) => isWithin(path, place.path))
        const nearest = around.reduce((best, place) => (place.path.length > best.path.length ? place : best), {
          path: [] as Path,
          offset: 0,
        })
        const { line, col } = lines.linePos(nearest.offset)
        return { line, column: col }
      },
    }
  } catch (error) {
    return { mistake: { line: 1, column: 1, message: error instanceof Error ? error.message : String(error) } }
  }
}

/** Writes a value as YAML. Pure. */
export function writeYaml(value: unknown): string {
  return stringify(value, { lineWidth, aliasDuplicateObjects: false })
}

function notePlaces(node: unknown, path: Path, places: { path: Path; offset: number }[]): void {
  const { range } = (node ?? {}) as Node
  if (range) places.push({ path, offset: range[0] })
  if (isSeq(node)) {
    for (const [i, item] of node.items.entries()) notePlaces(item, [...path, i], places)
  }
  if (!isMap(node)) return
  for (const { key, value } of node.items) {
    const { value: name, range: at } = key as Scalar
    const inner = [...path, String(name)]
    if (at) places.push({ path: inner, offset: at[0] })
    if (typeof value === 'object' && value !== null) notePlaces(value, inner, places)
  }
}
