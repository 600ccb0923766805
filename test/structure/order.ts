import { builtinModules } from 'node:module'
import { posix } from 'node:path'
import { graphOf, type Import, importsOf } from './imports.ts'
import { areas, entryPoints, topFiles, wings } from './lists.ts'
import { areaOf, isAmbient, isProgram, type Problem, type Tree } from './source.ts'

/** Where a file of `src` stands: the row of its wing, its wing, and the row of its room. */
type Position = { readonly row: number; readonly wing: string; readonly room: number; readonly name: string }

const wingNames = wings.flat().map(({ wing }) => wing)
const baseFiles = [
  'errors',
  'config',
  'config-values',
  'log',
  'clock',
  'dates',
  'days',
  'ids',
  'interval',
  'encrypt',
  'root-secrets',
  'exact-number',
  'file-signatures',
  'edit-distance',
  'sync-path',
  'parse-json',
  'watch-parent',
  'release-memory',
  'telemetry',
  'service-account',
  'push-variables',
  'telemetry-variables',
  'variable',
]

function positionOf(path: string): Position | undefined {
  const [, first = '', second = '', third] = path.replace(/\.ts$/, '').split('/')
  if (second === '') {
    const room = topFiles.findIndex((names) => names.includes(first))
    return room < 0 ? undefined : { row: -1, wing: '', room, name: first }
  }
  const row = wings.findIndex((each) => each.some(({ wing }) => wing === first))
  const rooms = wings[row]?.find(({ wing }) => wing === first)?.rooms ?? []
  const name = third === undefined && baseFiles.includes(second) ? '' : second
  if (third === undefined && first !== 'base') return undefined
  const room = rooms.indexOf(name)
  return room < 0 ? undefined : { row, wing: first, room, name: name === '' ? path : `${first}/${name}` }
}

/** Imports go down: from wing to wing, and inside a wing from room to room. */
export function checkLadder(tree: Tree): Problem[] {
  const sources = tree.files.filter((file) => isProgram(file) && areaOf(file.path) === 'src')
  const strangers = sources
    .filter(({ path }) => positionOf(path) === undefined)
    .map(({ path }) => ({
      path,
      message: `stands in no room: move it into a room of a wing (${wingNames.join(', ')}), as test/structure/lists.ts has them`,
    }))
  return [...strangers, ...sources.flatMap((file) => importsOf(file).flatMap(climbs))]
}

function climbs({ from, line, path }: Import): Problem[] {
  if (path === undefined || areaOf(path) !== 'src') return []
  const [here, there] = [positionOf(from.path), positionOf(path)]
  if (here === undefined || there === undefined) return []
  const how = directionOf(here, there)
  if (how === 'down') return []
  const remedy = 'move what is shared down, or make it a list of rules that the lower one takes from services.ts'
  return [{ path: from.path, line, message: `imports ${path}, which is ${how} it: ${remedy}` }]
}

function directionOf(here: Position, there: Position): 'down' | 'above' | 'beside' {
  if (here.row !== there.row) return here.row < there.row ? 'down' : 'above'
  if (here.wing !== there.wing) return 'beside'
  if (here.room !== there.room) return here.room < there.room ? 'down' : 'above'
  return here.wing === '' && here.name !== there.name ? 'beside' : 'down'
}

/** A top folder imports only from the folders below it: the product does not import its tests and scripts. */
export function checkAreas(tree: Tree): Problem[] {
  return tree.files.flatMap(importsOf).flatMap(({ from, line, path }) => {
    const allowed = areas[areaOf(from.path)]
    if (path === undefined || allowed === undefined || !path.includes('/') || allowed.includes(areaOf(path))) return []
    const message = `imports ${path}: ${areaOf(from.path)} may import from ${allowed.join(', ')} only; move the shared part there`
    return [{ path: from.path, line, message }]
  })
}

const isStore = (path: string) => /(^|\/)([a-z0-9]+-)*store\.ts$/.test(path)

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
        if (/[/-]routes\.ts$/.test(other) && !/[/-]routes\.ts$/.test(path))
          return complain('routes come first in a folder, only src/routes.ts imports them')
        const verb = !isStore(other) && usesStore(other)
        if (isStore(path) && verb) return complain('a store knows no verb; move the pure part to a file without SQL')
        if (/[/-]schema\.ts$/.test(path) && (verb || isStore(other)))
          return complain('schema is the last in a folder, it only declares')
        return []
      }),
    )
}

const mayHoldSql = (path: string) => isStore(path) || /^src\/(base\/db\/|people\/history\/history\.ts$)/.test(path)

/** SQL is written in stores only. */
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

/** No file imports itself through other files. */
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
