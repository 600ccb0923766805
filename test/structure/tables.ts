import { sharedTables, writersByHand } from './lists.ts'
import { areaOf, isProgram, type Problem, type Tree } from './source.ts'

const creation = /\bcreate table (?:if not exists )?(\w+)/gi
const removal = /\bdrop table (?:if exists )?(\w+)/gi
const write = /\b(?:insert into|update(?: only)?|delete from(?: only)?|truncate(?: table)?|copy)\s+(\w+)/gi

/** Every table of the migrations with the rooms that write it, as `wing/room`. Partitions count as their table. */
export function writersOf(tree: Tree): Map<string, Set<string>> {
  const migrations = tree.files.filter(({ path }) => path.startsWith('migrations/'))
  const namesIn = (statement: RegExp) =>
    migrations.flatMap(({ strings }) => [...strings.matchAll(statement)].map(([, name]) => name!))
  const dropped = new Set(namesIn(removal))
  const writers = new Map(
    namesIn(creation)
      .filter((name) => !name.endsWith('_old') && !dropped.has(name))
      .map((name) => [name, new Set(name in writersByHand ? [writersByHand[name]!] : [])]),
  )
  for (const file of tree.files.filter((each) => isProgram(each) && areaOf(each.path) === 'src')) {
    for (const [, name] of file.strings.matchAll(write)) writers.get(name!.replace(/_old$/, ''))?.add(roomOf(file.path))
  }
  return writers
}

function roomOf(path: string): string {
  return path.split('/').slice(1, 3).join('/')
}

/** A table is written by one room, so that one room decides what its rows may be. */
export function checkWriters(tree: Tree): Problem[] {
  const writers = writersOf(tree)
  const shared = [...writers].filter(([table, rooms]) => rooms.size > 1 && !(table in sharedTables))
  const stale = Object.keys(sharedTables).filter((table) => (writers.get(table)?.size ?? 2) < 2)
  const path = 'test/structure/lists.ts'
  return [
    ...shared.map(([table, rooms]) => ({
      path,
      message: `table ${table} is written by ${[...rooms].join(', ')}: let one of them write it, or give the reason in sharedTables`,
    })),
    ...stale.map((table) => ({ path, message: `table ${table} has one writer: take it out of sharedTables` })),
  ]
}
