import type { TSchema } from 'typebox'
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
} from 'yaml'
import type { Given, Member } from './member.ts'
import { type Locate, type Mistake, memberOf, refused } from './mistake.ts'
import { fileBytesMax, Head } from './schema.ts'
import { type SettingsGiven, SettingsShape } from './settings.ts'
import { mistakesOf } from './shape.ts'

const nodesMax = 200_000
const depthMax = 50
const entriesMax = 10_000

/** A workspace file of the right shape. Whether it fits what is there already is for `plan` to say. */
export type WorkspaceFile = {
  /** How mistakes name it; empty when it came as a request. */
  source: string
  locate: Locate
  head?: Head
  settings: SettingsGiven
  /** Names of settings that go back to their default. */
  unset: string[]
  entries: ReadonlyMap<string, readonly Given[]>
  /** Of what is one entry alone its path, which mistakes leave out. */
  entry?: string
}

/** YAML or JSON text as a workspace file. Throws a 400 that lists every mistake with line and column. */
export function parseFile(text: string, source: string, members: readonly Member[]): WorkspaceFile {
  if (Buffer.byteLength(text) > fileBytesMax)
    throw refused(source, [{ path: '', message: `must be at most ${fileBytesMax} bytes` }])
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
    throw refused(source, [{ path: '', message: `is not YAML: ${broken.message}` }], () => ({ line, column: col }))
  }
  const offsets = new Map<string, number>()
  const mistakes: Mistake[] = []
  const value = plainOf(document, offsets, mistakes)
  const locate: Locate = (path) => {
    const { line, col } = lines.linePos(offsets.get(nearest(path, offsets)) ?? 0)
    return { line, column: col }
  }
  if (mistakes.length > 0) throw refused(source, mistakes, locate)
  return checkFile(value ?? {}, source, locate, members)
}

/** A parsed value as a workspace file: what `parseFile` does after reading, and what a request body goes through. */
export function checkFile(
  value: unknown,
  source: string,
  locate: Locate,
  members: readonly Member[],
  entry?: string,
): WorkspaceFile {
  if (!isObject(value)) {
    throw refused(source, [{ path: '', message: 'must be an object of members such as settings or apps' }], locate)
  }
  // An empty section (`apps:` and nothing under it) is as good as none.
  const given = withoutNulls(value)
  const settings = isObject(given.settings) ? withoutNulls(given.settings) : given.settings
  const unset = isObject(given.settings) ? nulls(given.settings) : []
  const mistakes: Mistake[] = [
    ...unknownNames(value, ['workspace', 'settings', ...members.map((member) => member.name)], ''),
    ...(given.workspace === undefined ? [] : mistakesOf(Head, given.workspace, 'workspace')),
    ...(settings === undefined ? [] : mistakesOf(SettingsShape, settings, 'settings')),
    ...unknownNames(
      Object.fromEntries(unset.map((name) => [name, null])),
      Object.keys(SettingsShape.properties),
      'settings',
    ),
    ...members.flatMap((member) => entryMistakes(member, given[member.name])),
  ]
  if (mistakes.length > 0) throw refused(source, mistakes, locate, entry)
  const entries = members.map((member) => [member.name, (given[member.name] ?? []) as Given[]] as const)
  const head = given.workspace as Head | undefined
  return {
    source,
    locate,
    ...(head && { head }),
    settings: (settings ?? {}) as SettingsGiven,
    unset,
    entries: new Map(entries),
    ...(entry !== undefined && { entry }),
  }
}

function unknownNames(value: object, known: readonly string[], path: string): Mistake[] {
  const unknown = Object.keys(value).filter((name) => !known.includes(name))
  return unknown.map((name) => ({
    path: memberOf(path, name),
    message: `is not known here; known are ${known.join(', ')}`,
  }))
}

function entryMistakes(member: Member, given: unknown): Mistake[] {
  if (given === undefined) return []
  if (!Array.isArray(given)) return [{ path: member.name, message: 'must be a list' }]
  if (given.length > entriesMax) return [{ path: member.name, message: `must have at most ${entriesMax} entries` }]
  const shape: TSchema = member.shape
  return given.flatMap((entry, i) => mistakesOf(shape, entry, `${member.name}[${i}]`))
}

/** The document as plain values, with the place of each path. Anchors are followed; their growth is bounded. */
function plainOf(document: Document.Parsed, offsets: Map<string, number>, mistakes: Mistake[]): unknown {
  let nodes = 0
  const read = (node: Node | null | undefined, path: string, depth: number): unknown => {
    if (++nodes > nodesMax || depth > depthMax) {
      if (mistakes.length === 0)
        mistakes.push({ path, message: `is too much: ${nodesMax} values, ${depthMax} deep, anchors followed` })
      return null
    }
    place(path, node)
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
          const at = memberOf(path, name)
          place(at, key)
          if (!isScalar(key)) mistakes.push({ path: at, message: 'must have a plain word as its name' })
          return [name, read(value, at, depth + 1)]
        }),
      )
    }
    return isScalar(node) ? node.value : null
  }
  const place = (path: string, node: Node | null | undefined) => {
    if (node?.range && !offsets.has(path)) offsets.set(path, node.range[0])
  }
  return read(document.contents, '', 0)
}

/** The path itself when it is in the file, else the closest one around it: a missing member is shown at its parent. */
function nearest(path: string, offsets: ReadonlyMap<string, number>): string {
  let at = path
  while (at !== '' && !offsets.has(at)) at = at.slice(0, Math.max(0, at.lastIndexOf('.'), at.lastIndexOf('[')))
  return at
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function nulls(settings: Record<string, unknown>): string[] {
  return Object.keys(settings).filter((name) => settings[name] === null)
}

function withoutNulls(settings: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null))
}
