import { builtinModules } from 'node:module'
import { posix } from 'node:path'
import { graphOf, type Import, importsOf } from './imports.ts'
import { areas, entryPoints, ladder } from './lists.ts'
import { areaOf, isAmbient, isProgram, type Problem, type Tree } from './source.ts'

const ladderText = ladder.map((rung) => rung.join(', ')).join(' -> ')

/** The place of a file of `src` on the ladder: its file name, its folder, or base and the folder. */
function moduleOf(path: string): string {
  const [, first = '', second = ''] = path.replace(/\.ts$/, '').split('/')
  if (first !== 'base') return first
  return `base/${second}`
}

function rungOf(path: string): number {
  return ladder.findIndex((rung) => rung.includes(moduleOf(path)))
}

/** Imports go down the ladder only. */
export function checkLadder(tree: Tree): Problem[] {
  const sources = tree.files.filter((file) => isProgram(file) && areaOf(file.path) === 'src')
  const strangers = sources
    .filter(({ path }) => rungOf(path) < 0)
    .map(({ path }) => ({ path, message: `has no place on the ladder: move it into a folder of it (${ladderText})` }))
  return [...strangers, ...sources.flatMap((file) => importsOf(file).flatMap(climbs))]
}

function climbs({ from, line, path }: Import): Problem[] {
  if (path === undefined || areaOf(path) !== 'src') return []
  const [here, there] = [rungOf(from.path), rungOf(path)]
  const ground = ladder.length - 1
  if (here < 0 || there < 0 || there > here || moduleOf(from.path) === moduleOf(path)) return []
  if (here === ground && there === ground) return []
  const how = there === here ? 'beside it on the ladder' : 'above it on the ladder'
  const remedy = 'move what is shared down, hand it over from app.ts, or make it data that the lower one lists'
  return [{ path: from.path, line, message: `imports ${path}, which is ${how}: ${remedy}` }]
}

/** A top folder imports only from the folders below it: the product knows nothing of its tests and scripts. */
export function checkAreas(tree: Tree): Problem[] {
  return tree.files.flatMap(importsOf).flatMap(({ from, line, path }) => {
    const allowed = areas[areaOf(from.path)]
    if (path === undefined || allowed === undefined || !path.includes('/') || allowed.includes(areaOf(path))) return []
    const message = `imports ${path}: ${areaOf(from.path)} may import from ${allowed.join(', ')} only; move the shared part there`
    return [{ path: from.path, line, message }]
  })
}

const isStore = (path: string) => /(^|\/)([a-z0-9]+-)?store\.ts$/.test(path)

/** Inside a folder: routes, then verbs, then stores, then schema and other pure files. */
export function checkFolders(tree: Tree): Problem[] {
  const graph = graphOf(tree)
  const inFolder = (path: string) =>
    (graph.get(path)?.imports ?? []).filter((other) => posix.dirname(other) === posix.dirname(path))
  const usesStore = (path: string, seen = new Set<string>()): boolean =>
    inFolder(path).some((other) => {
      if (isStore(other)) return true
      if (seen.has(other)) return false
      seen.add(other)
      return usesStore(other, seen)
    })
  return [...graph.keys()]
    .filter((path) => areaOf(path) === 'src' && path.split('/').length > 2)
    .flatMap((path) =>
      inFolder(path).flatMap((other) => {
        const complain = (message: string) => [{ path, message: `imports ${other}: ${message}` }]
        if (/\/routes\.ts$/.test(other))
          return complain('routes come first in a folder, only src/routes.ts imports them')
        const verb = !isStore(other) && usesStore(other)
        if (isStore(path) && verb) return complain('a store knows no verb; move the pure part to a file without SQL')
        if (/\/schema\.ts$/.test(path) && (verb || isStore(other)))
          return complain('schema is the last in a folder, it only declares')
        return []
      }),
    )
}

const mayHoldSql = (path: string) => isStore(path) || /^src\/(base\/db\/|profiles\/history\.ts$)/.test(path)

/** SQL is written where storage is the subject. */
export function checkSqlPlaces(tree: Tree): Problem[] {
  return tree.files
    .filter(({ path }) => areaOf(path) === 'src' && !mayHoldSql(path))
    .flatMap(importsOf)
    .filter(({ path, values }) => path === 'src/base/db/sql.ts' && values.length > 0)
    .map(({ from, line }) => ({
      path: from.path,
      line,
      message: 'writes SQL: move the statement to store.ts (or a <noun>-store.ts) of its folder and call it by name',
    }))
}

/** No file imports itself by a round trip. */
export function checkCycles(tree: Tree): Problem[] {
  const graph = graphOf(tree)
  const done = new Set<string>()
  const problems: Problem[] = []
  const walk = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) {
      const round = [...trail.slice(trail.indexOf(path)), path].join(' -> ')
      problems.push({ path, message: `is in a cycle (${round}): move what both need into a file of its own` })
      return
    }
    if (done.has(path)) return
    for (const other of graph.get(path)?.imports ?? []) walk(other, [...trail, path])
    done.add(path)
  }
  for (const path of graph.keys()) walk(path, [])
  return problems
}

/** Every package that is imported is in package.json; what runs in production is a dependency. */
export function checkPackages(tree: Tree): Problem[] {
  const { dependencies, devDependencies } = tree.packages
  return tree.files.flatMap(importsOf).flatMap(({ from, line, specifier, path }) => {
    if (path !== undefined || specifier.startsWith('node:')) return []
    const name = specifier
      .split('/')
      .slice(0, specifier.startsWith('@') ? 2 : 1)
      .join('/')
    const complain = (message: string) => [{ path: from.path, line, message: `imports ${name}: ${message}` }]
    if (builtinModules.includes(name)) return complain(`write node:${name}`)
    if (dependencies.includes(name)) return []
    if (!devDependencies.includes(name)) return complain('it is not in package.json; add the pinned version there')
    if (['src', 'cli'].includes(areaOf(from.path)))
      return complain('production code needs it in dependencies, not devDependencies')
    return []
  })
}

/** Every program file is reached from an entry point; the product not only through its tests. */
export function checkReached(tree: Tree): Problem[] {
  const graph = graphOf(tree)
  const isTest = (path: string) => path.endsWith('.test.ts')
  const entries = [...graph.keys()].filter((path) => tree.packages.entries.includes(path) || entryPoints.includes(path))
  const product = reachedFrom(entries, graph)
  const anything = reachedFrom([...entries, ...[...graph.keys()].filter(isTest)], graph)
  const paths = [...graph.keys()].filter((path) => !isAmbient(path))
  return paths.flatMap((path) => {
    if (!anything.has(path))
      return [{ path, message: 'nobody imports it: remove it, or list it in package.json or as an entry point' }]
    if (['src', 'cli'].includes(areaOf(path)) && !product.has(path)) {
      return [{ path, message: 'only tests import it: use it from the product or remove it' }]
    }
    return []
  })
}

function reachedFrom(entries: readonly string[], graph: ReturnType<typeof graphOf>): Set<string> {
  const reached = new Set<string>()
  const walk = (path: string): void => {
    if (reached.has(path)) return
    reached.add(path)
    const { imports, names } = graph.get(path) ?? { imports: [], names: [] }
    for (const other of [...imports, ...names]) walk(other)
  }
  for (const path of entries) walk(path)
  return reached
}
