import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

/** One file of the project. The three readings have the length of `text`; all other characters are blanks. */
export type Source = {
  readonly path: string
  readonly text: string
  /** Without comments and without the inside of strings and regular expressions. */
  readonly code: string
  /** Only the inside of strings and templates. */
  readonly strings: string
  readonly comments: string
}

/** The project, or a small one that a test has made. */
export type Tree = {
  readonly files: readonly Source[]
  readonly packages: { dependencies: readonly string[]; devDependencies: readonly string[]; entries: readonly string[] }
  /** The tables that `src/people/merge/owned-tables.ts` lists. */
  readonly ownedTables: readonly string[]
}

export type Problem = { readonly path: string; readonly line?: number; readonly message: string }

const foldersLeftOut = /^(\.git|data)\/|(^|\/)(node_modules|dist)\//
const textFiles = /\.(ts|tsx|mjs|sql|md|json|ya?ml|example)$|(^|\/)(run|Dockerfile|\.dockerignore|\.gitignore)$/

/** Reads every text file below `root`. */
export function readTree(root: string, ownedTables: readonly string[]): Tree {
  const files: Record<string, string> = {}
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = relative(root, join(entry.parentPath, entry.name)).split(sep).join('/')
    if (foldersLeftOut.test(path)) continue
    if (entry.isFile() && textFiles.test(path) && path !== 'package-lock.json')
      files[path] = readFileSync(join(root, path), 'utf8')
  }
  return treeOf(files, ownedTables)
}

/** A tree of the given texts; `package.json` among them names the packages and the entry points. */
export function treeOf(texts: Readonly<Record<string, string>>, ownedTables: readonly string[] = []): Tree {
  const manifest = JSON.parse(texts['package.json'] ?? '{}')
  const commands = [...Object.values(manifest.scripts ?? {}), ...Object.values(manifest.bin ?? {})].join(' ')
  return {
    files: Object.entries(texts).map(([path, text]) => ({ path, text, ...readingsOf(path, text) })),
    packages: {
      dependencies: Object.keys(manifest.dependencies ?? {}),
      devDependencies: Object.keys(manifest.devDependencies ?? {}),
      entries: commands.match(/\b[\w/-][\w./-]*\.(ts|mjs)\b/g) ?? [],
    },
    ownedTables,
  }
}

/** Whether a file is program text, which most rules are about. */
export function isProgram({ path }: Source): boolean {
  return /\.(ts|tsx|mjs)$/.test(path)
}

/** Declarations for code of others: no file imports them, and their names come from there. */
export function isAmbient(path: string): boolean {
  return path.endsWith('.d.ts')
}

/** Returns the top folder of a file: `src`, `cli`, `test`, ... */
export function areaOf(path: string): string {
  return path.split('/')[0]!
}

export function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

/** Returns a problem for every match of a global `pattern` in one reading of a file. */
export function findAll(
  source: Source,
  reading: string,
  pattern: RegExp,
  message: (found: string) => string,
): Problem[] {
  return [...reading.matchAll(pattern)].map((match) => ({
    path: source.path,
    line: lineOf(reading, match.index),
    message: message(match[0].trim()),
  }))
}

function readingsOf(path: string, text: string): Pick<Source, 'code' | 'strings' | 'comments'> {
  if (/\.(ts|tsx|mjs)$/.test(path)) return readProgram(text)
  const blank = text.replace(/[^\n]/g, ' ')
  return { code: blank, strings: path.endsWith('.sql') ? text.replace(/--.*/g, blanks) : blank, comments: blank }
}

function blanks(text: string): string {
  return text.replace(/[^\n]/g, ' ')
}

type Kind = 'code' | 'strings' | 'comments'
type Piece = { readonly kind: Kind; readonly end: number }

// What may stand before a slash that begins a regular expression; after anything else a slash divides.
const beforeRegExp = /(^|[=(,:[!&|?{};+*%~^<>-]|\b(return|typeof|case|in|of|do|else|await|yield|throw))\s*$/

function readProgram(text: string): Record<Kind, string> {
  const out: Record<Kind, string[]> = { code: [], strings: [], comments: [] }
  const templateDepths: number[] = []
  let depth = 0
  let codeTail = ''
  for (let at = 0; at < text.length; ) {
    const opened = text[at]!
    if (opened === '{') depth++
    const resumes = opened === '}' && --depth === templateDepths.at(-1)
    if (resumes) templateDepths.pop()
    const piece = pieceAt(text, at, resumes, codeTail)
    if (piece.kind === 'strings' && text.startsWith('${', piece.end - 2) && '`}'.includes(opened)) {
      templateDepths.push(depth)
      depth++
    }
    const body = text.slice(at, piece.end)
    for (const kind of ['code', 'strings', 'comments'] as const)
      out[kind].push(piece.kind === kind ? body : blanks(body))
    // A string keeps its quotes in the code, so that its position can be found there.
    if (piece.kind === 'strings' && body.length > 1) out.code.splice(-1, 1, quotesOnly(body))
    if (piece.kind !== 'comments') codeTail = (codeTail + (piece.kind === 'code' ? body : 'x')).slice(-20)
    at = piece.end
  }
  return { code: out.code.join(''), strings: out.strings.join(''), comments: out.comments.join('') }
}

function quotesOnly(body: string): string {
  const quote = /['"`]/
  const first = quote.test(body[0]!) ? body[0]! : ' '
  const last = quote.test(body.at(-1)!) ? body.at(-1)! : ' '
  return first + blanks(body.slice(1, -1)) + last
}

// Sticky patterns, tried at one position after the other.
const plainCode = /[^'"`/{}]+/y
const lineComment = /\/\/[^\n]*/y
const blockComment = /\/\*[\s\S]*?\*\//y
const plainString = /'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"/y
const templateStart = /`(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)/y
const templateRest = /\}(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)/y
const regExp = /\/(?![*/])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y

function pieceAt(text: string, at: number, resumes: boolean, codeTail: string): Piece {
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at
    return pattern.test(text) ? pattern.lastIndex : undefined
  }
  const tries: [Kind, RegExp, boolean][] = [
    ['code', plainCode, true],
    ['comments', lineComment, true],
    ['comments', blockComment, true],
    ['strings', plainString, true],
    ['strings', templateStart, true],
    ['strings', templateRest, resumes],
    ['strings', regExp, text[at] === '/' && beforeRegExp.test(codeTail)],
  ]
  for (const [kind, pattern, applies] of tries) {
    const end = applies ? match(pattern) : undefined
    if (end !== undefined) return { kind, end }
  }
  return { kind: 'code', end: at + 1 }
}
