import type { Db } from '../../base/db/db.ts'
import { findNames, insertNames, listNamesById } from './name-store.ts'

/** What small numbers stand for: names of events, ids of products, ids of apps. */
export type NameKind = 'event' | 'product' | 'app'

/** Above this many names a process forgets all and starts over: clients choose the names, so their number has no bound. */
const cachedMax = 500_000

type Cache = { ids: Map<string, Map<string, number>>; names: Map<number, string> }

const caches = new WeakMap<Db, Cache>()

/** The numbers this process knows; about a name that is missing `nameIds` must be asked. */
export function cachedNames(db: Db, workspace_id: number, kind: NameKind): ReadonlyMap<string, number> {
  return idsOfKind(getCache(db), workspace_id, kind)
}

/**
 * The numbers of names; new names get one. Runs its own statements, outside any transaction of the caller: what the cache says
 * must be committed. So call it before a transaction begins, not inside.
 */
export async function resolveNameIds(
  db: Db,
  workspace_id: number,
  kind: NameKind,
  names: Iterable<string>,
): Promise<Map<string, number>> {
  const cache = getCache(db)
  const known = idsOfKind(cache, workspace_id, kind)
  const found = new Map<string, number>()
  const missing = new Set<string>()
  for (const name of names) {
    const id = known.get(name)
    if (id === undefined) missing.add(name)
    else found.set(name, id)
  }
  if (missing.size > 0)
    for (const [name, id] of await resolveNames(db, workspace_id, kind, missing)) found.set(name, id)
  return found
}

/** The names behind numbers, the other way round. Numbers that were never given are left out. */
export async function findNamesById(db: Db, ids: Iterable<number>): Promise<Map<number, string>> {
  const cache = getCache(db)
  const found = new Map<number, string>()
  const missing = new Set<number>()
  for (const id of ids) {
    const name = cache.names.get(id)
    if (name === undefined) missing.add(id)
    else found.set(id, name)
  }
  if (missing.size === 0) return found
  for (const row of await listNamesById(db, [...missing])) {
    remember(cache, row.workspace_id, row.kind, row.name, row.name_id)
    found.set(row.name_id, row.name)
  }
  return found
}

/** Empties the cache: the database behind `db` was put back to an earlier state. */
export function forgetNames(db: Db): void {
  caches.delete(db)
}

async function resolveNames(
  db: Db,
  workspace_id: number,
  kind: NameKind,
  names: Set<string>,
): Promise<Map<string, number>> {
  const resolved = new Map<string, number>()
  const wanted = () => [...names].filter((name) => !resolved.has(name))
  const add = (rows: readonly { name: string; name_id: number }[]) => {
    for (const row of rows) resolved.set(row.name, row.name_id)
  }
  add(await findNames(db, workspace_id, kind, wanted()))
  if (resolved.size < names.size) add(await insertNames(db, workspace_id, kind, wanted()))
  // Another process may have been first with some of them.
  if (resolved.size < names.size) add(await findNames(db, workspace_id, kind, wanted()))
  const cache = getCache(db)
  for (const [name, id] of resolved) remember(cache, workspace_id, kind, name, id)
  return resolved
}

function remember(cache: Cache, workspace_id: number, kind: string, name: string, id: number): void {
  if (cache.names.size >= cachedMax) {
    cache.ids.clear()
    cache.names.clear()
  }
  idsOfKind(cache, workspace_id, kind).set(name, id)
  cache.names.set(id, name)
}

function idsOfKind(cache: Cache, workspace_id: number, kind: string): Map<string, number> {
  const key = `${kind} ${workspace_id}`
  let ids = cache.ids.get(key)
  if (!ids) {
    ids = new Map()
    cache.ids.set(key, ids)
  }
  return ids
}

function getCache(db: Db): Cache {
  let cache = caches.get(db)
  if (!cache) {
    cache = { ids: new Map(), names: new Map() }
    caches.set(db, cache)
  }
  return cache
}
