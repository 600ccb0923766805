import type { Db, Tx } from '../../base/db/db.ts'
import { retried } from '../../base/db/retry.ts'
import { AttributeNameCache } from './attribute-name-cache.ts'
import {
  type AttributeNameRow,
  findAttributeNames,
  listAttributeNames,
  storeAttributeNames,
} from './attribute-name-store.ts'
import { type AttributeTypes, type ChangeItem, newTypes } from './attribute-types.ts'

/**
 * The most names of custom attributes that a workspace keeps. Further ones are stored with people, but not listed. Processes that store
 * names at the same moment may together keep a few more.
 */
export const attributeNamesMax = 10_000
/** Names of one statement. */
const namesAtOnce = 5_000
/** With this many bytes of names the cache is emptied. */
const cachedBytesMax = 64 * 1_048_576

const caches = new WeakMap<Db, AttributeNameCache>()
/** The names that transactions have written which may still be rolled back. */
const uncommitted = new WeakMap<Tx, Set<string>>()

/** Returns the names and types that changes set and that the cache does not have; undefined when there are none. No I/O. */
export function unknownAttributes(
  db: Db,
  workspace_id: number,
  items: readonly ChangeItem[],
): Map<string, number> | undefined {
  const cache = getCache(db)
  const types = cache.typesOf(workspace_id)
  const found = newTypes(items, types)
  if (found === undefined || !cache.isFull(workspace_id)) return found
  for (const name of found.keys()) if (!types.has(name)) found.delete(name)
  return found.size === 0 ? undefined : found
}

/** Keeps names and types of attributes. Call it before a transaction begins: only committed names may be in the cache. */
export async function keepAttributeNames(db: Db, workspace_id: number, found: AttributeTypes): Promise<void> {
  const names = [...found]
  for (let from = 0; from < names.length; from += namesAtOnce) {
    const part = new Map(names.slice(from, from + namesAtOnce))
    if (await keepPart(db, workspace_id, part)) continue
    // Of a full workspace only the names that it has can get a further type.
    const types = getCache(db).typesOf(workspace_id)
    const left = names.slice(from + namesAtOnce).filter(([name, bits]) => bits & ~(types.get(name) ?? bits))
    if (left.length > 0) await storeAlone(db, workspace_id, new Map(left))
    return
  }
}

/** Returns false when the workspace has no place for some of the names. */
async function keepPart(db: Db, workspace_id: number, found: AttributeTypes): Promise<boolean> {
  const cache = getCache(db)
  const left = await findMissing(db, workspace_id, found, (row) => cache.add(workspace_id, row))
  if (left.size === 0) return true
  const stored = await storeAlone(db, workspace_id, left)
  for (const row of stored) cache.add(workspace_id, row)
  if (stored.length === left.size) return true
  const page = { limit: 2 * attributeNamesMax, offset: 0 }
  cache.addFull(workspace_id, await listAttributeNames(db, workspace_id, page))
  return false
}

/**
 * Stores names by one statement outside a transaction. A transaction that moves entries stores the names of each step when it comes to it,
 * so in any order. In a deadlock with such a transaction this statement is repeated.
 */
function storeAlone(db: Db, workspace_id: number, added: AttributeTypes): Promise<AttributeNameRow[]> {
  return retried(() => storeAttributeNames(db, workspace_id, added, attributeNamesMax))
}

/** Keeps names and types of attributes in the caller's transaction. `db` is the database of the transaction, whose cache is used. */
export async function keepAttributeNamesWithin(
  tx: Tx,
  db: Db,
  workspace_id: number,
  found: AttributeTypes,
): Promise<void> {
  const cache = getCache(db)
  const own = uncommitted.get(tx) ?? new Set()
  const keyOf = (name: string) => `${workspace_id} ${name}`
  const left = await findMissing(tx, workspace_id, found, (row) => {
    if (!own.has(keyOf(row.name))) cache.add(workspace_id, row)
  })
  if (left.size === 0) return
  uncommitted.set(tx, own)
  for (const name of left.keys()) own.add(keyOf(name))
  await storeAttributeNames(tx, workspace_id, left, attributeNamesMax)
}

/** Returns what is not stored yet. */
async function findMissing(
  tx: Tx,
  workspace_id: number,
  found: AttributeTypes,
  onFound: (row: AttributeNameRow) => void,
): Promise<Map<string, number>> {
  const left = new Map(found)
  for (const row of await findAttributeNames(tx, workspace_id, [...found.keys()])) {
    onFound(row)
    if (((found.get(row.name) ?? 0) & ~row.types) === 0) left.delete(row.name)
  }
  return left
}

function getCache(db: Db): AttributeNameCache {
  return caches.getOrInsertComputed(db, () => new AttributeNameCache(cachedBytesMax))
}
