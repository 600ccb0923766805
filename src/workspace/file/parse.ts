import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type ParsedNode,
  parseDocument,
  type Scalar,
} from 'yaml'
import { readNumber } from '../../base/exact-number.ts'
import { joinPath, type Locate, type Mistake, mistakesToFailure } from '../settings/mistake.ts'
import { fileBytesMax } from '../settings/schema.ts'
import { checkFile, type WorkspaceFile } from './check-file.ts'
import type { ConfigSection } from './config-section.ts'

const nodesMax = 200_000
const depthMax = 50
/** Numbers as JSON has them. YAML has more forms, such as `0x1f` and `.5`. */
const decimalForm = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** Parses a workspace file, YAML or JSON. Throws 400 when it cannot be read. Mistakes in its shape are in the result. */
export function parseFile(text: string, source: string, sections: readonly ConfigSection[]): WorkspaceFile {
  if (Buffer.byteLength(text) > fileBytesMax)
    throw mistakesToFailure(source, [{ path: '', message: `must be at most ${fileBytesMax} bytes` }])
  const lines = new LineCounter()
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    logLevel: 'error',
    keepSourceTokens: false,
  })
  const broken = document.errors[0]
  if (broken) {
    const { line, col } = lines.linePos(broken.pos[0])
    throw mistakesToFailure(source, [{ path: '', message: `is not YAML: ${broken.message}` }], () => ({
      line,
      column: col,
    }))
  }
  const offsets = new Map<string, number>()
  const mistakes: Mistake[] = []
  const value = plainOf(document, offsets, mistakes)
  const locate: Locate = (path) => {
    const { line, col } = lines.linePos(offsets.get(nearest(path, offsets)) ?? 0)
    return { line, column: col }
  }
  if (mistakes.length > 0) throw mistakesToFailure(source, mistakes, locate)
  return checkFile(value ?? {}, source, locate, sections)
}

/** Returns the document as plain values and adds the offset of each path. Anchors are expanded up to `nodesMax` values. */
function plainOf(document: Document.Parsed, offsets: Map<string, number>, mistakes: Mistake[]): unknown {
  let nodes = 0
  const read = (node: Node | null | undefined, path: string, depth: number): unknown => {
    if (++nodes > nodesMax || depth > depthMax) {
      if (mistakes.length === 0)
        mistakes.push({ path, message: `is too much: ${nodesMax} values, ${depthMax} deep, anchors followed` })
      return null
    }
    rememberOffset(path, node)
    if (isAlias(node)) {
      const target = node.resolve(document)
      if (target !== undefined) return read(target, path, depth + 1)
      mistakes.push({ path, message: `names an anchor that is not there: *${node.source}` })
      return null
    }
    if (isSeq<ParsedNode>(node)) return node.items.map((item, i) => read(item, `${path}[${i}]`, depth + 1))
    if (isMap<ParsedNode, ParsedNode | null>(node)) {
      return Object.fromEntries(
        node.items.map(({ key, value }) => {
          const name = isScalar(key) ? String(key.value) : ''
          const at = joinPath(path, name)
          rememberOffset(at, key)
          if (!isScalar(key)) mistakes.push({ path: at, message: 'must have a plain word as its name' })
          return [name, read(value, at, depth + 1)]
        }),
      )
    }
    return isScalar(node) ? scalarOf(node) : null
  }
  const rememberOffset = (path: string, node: Node | null | undefined) => {
    if (node?.range && !offsets.has(path)) offsets.set(path, node.range[0])
  }
  return read(document.contents, '', 0)
}

/** Returns the value; a number with all its digits. */
function scalarOf({ value, source = '' }: Scalar): unknown {
  return typeof value === 'number' && decimalForm.test(source) ? readNumber(source) : value
}

/** Returns the path when the file has it, else the closest path around it: a missing property is reported at its parent. */
function nearest(path: string, offsets: ReadonlyMap<string, number>): string {
  let at = path
  while (at !== '' && !offsets.has(at)) at = at.slice(0, Math.max(0, at.lastIndexOf('.'), at.lastIndexOf('[')))
  return at
}
