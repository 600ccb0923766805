import { posix } from 'node:path'
import { isProgram, lineOf, type Source, type Tree } from './source.ts'

/** One import of a program file. */
export type Import = {
  readonly from: Source
  readonly line: number
  /** As written: a relative path, `node:fs`, a package. */
  readonly specifier: string
  /** The path inside the project, when the specifier is relative. */
  readonly path?: string
  /** The names that exist at run time, without types. */
  readonly values: readonly string[]
}

const statement = /^(?:import|export)\b(\s+type\b)?([\w$*{},\s]*?)\bfrom\s*(['"])/gm
const bare = /^import()()\s*(['"])/gm
const dynamic = /\bimport\(()()\s*(['"])/g
const asUrl = /\bnew URL\(()()\s*(['"])(?=[^\n]*import\.meta\.url)/g

/** Every import of a file: statements, `import()`, and workers named by `new URL('./x.ts', import.meta.url)`. */
export function importsOf(from: Source): Import[] {
  if (!isProgram(from)) return []
  return [statement, bare, dynamic, asUrl].flatMap((pattern) =>
    [...from.code.matchAll(pattern)].flatMap((match) => {
      const start = match.index + match[0].length
      const specifier = from.text.slice(start, from.text.indexOf(match[3]!, start))
      const isFile = /^\.{1,2}\//.test(specifier)
      if (pattern === asUrl && !(isFile && /\.(ts|mjs)$/.test(specifier))) return []
      const values = match[1] ? [] : valuesOf(match[2]!)
      const line = lineOf(from.code, match.index)
      const path = isFile ? { path: posix.join(posix.dirname(from.path), specifier) } : {}
      return [{ from, line, specifier, values, ...path }]
    }),
  )
}

function valuesOf(clause: string): string[] {
  return clause
    .replace(/[{}]/g, ',')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '' && !part.startsWith('type '))
    .map((part) => part.split(/\s+as\s+/)[0]!)
}

/** The files that each file imports, or names in a string, as programs to start are named. */
export function graphOf(tree: Tree): Map<string, { imports: readonly string[]; names: readonly string[] }> {
  const paths = new Set(tree.files.map((file) => file.path))
  const programs = tree.files.filter(isProgram)
  return new Map(
    programs.map((file) => {
      const imports = importsOf(file).flatMap(({ path }) => (path && paths.has(path) ? [path] : []))
      const named = [...file.strings.matchAll(/[\w./-]+\.(?:ts|mjs)\b/g)].flatMap(([name]) => [
        posix.join(posix.dirname(file.path), name),
        posix.join(name),
      ])
      return [file.path, { imports, names: named.filter((path) => paths.has(path)) }]
    }),
  )
}
