import type { Db } from '../../base/db/db.ts'
import { findNames, insertNames, listNamesById } from './name-store.ts'

/** Kinds of texts that tables store as small ids: names of events, ids of products, ids of apps. */
export type NameKind = 'event' | 'product' | 'app'

/** With this many bytes of names the cache is emptied: clients choose the names, so their number has no limit. */
const cachedBytesMax = 64 * 1_048_576
/** Bytes of a name besides its text: a place in two maps. */
const nameBytes = 150

type Cache = { ids: Map<string, Map<string, number>>; names: Map<number, string>; bytes: number }

const caches = new WeakMap<Db, Cache>()

/** Returns the ids in the cache. A name that is not in the cache may be stored: `resolveNameIds` reads it. */
export function cachedNames(db: Db, workspace_id: number, kind: NameKind): ReadonlyMap<string, number> {
  return idsOfKind(getCache(db), workspace_id, kind)
}

/**
 * Returns the ids of names and stores new names. Call it before a transaction begins, not inside: it runs its own statements, because only
 * committed names may be in the cache.
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

/** Returns the ids of names that are stored. */
export async function findNameIds(
  db: Db,
  workspace_id: number,
  kind: NameKind,
  names: readonly string[],
): Promise<Map<string, number>> {
  return new Map((await findNames(db, workspace_id, kind, names)).map(({ name, name_id }) => [name, name_id]))
}

/** Returns the names of ids, without unknown ids. */
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
  // Another process may have stored some of them in the meantime.
  if (resolved.size < names.size) add(await findNames(db, workspace_id, kind, wanted()))
  const cache = getCache(db)
  for (const [name, id] of resolved) remember(cache, workspace_id, kind, name, id)
  return resolved
}

function remember(cache: Cache, workspace_id: number, kind: string, name: string, id: number): void {
  if (cache.names.has(id)) return
  if (cache.bytes >= cachedBytesMax) {
    cache.ids.clear()
    cache.names.clear()
    cache.bytes = 0
  }
  cache.bytes += nameBytes + 2 * name.length
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
    cache = { ids: new Map(), names: new Map(), bytes: 0 }
    caches.set(db, cache)
  }
  return cache
}
