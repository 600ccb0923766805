import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import type { KeyedMutex } from '../../base/work/keyed-mutex.ts'
import { lockConfig } from '../../workspace/settings/store.ts'
import { isCatalogName } from './read-items.ts'
import { catalogNotFound } from './refusals.ts'
import { type Catalog, lockCatalog } from './store.ts'

export type CatalogServices = { keyedMutex: KeyedMutex }

/**
 * Runs work in a transaction that locks a catalog: no other transaction changes or deletes it or writes its items meanwhile. Throws 404
 * when no catalog has this name.
 */
export function withCatalog<T>(
  call: Call,
  { keyedMutex }: CatalogServices,
  name: string,
  work: (tx: Tx, catalog: Catalog) => Promise<T>,
): Promise<T> {
  return withLock(call, keyedMutex, name, work, async () => undefined)
}

/** Runs work that changes the definition in such a transaction. It also locks the configuration, which workspace files change. */
export function withDefinition<T>(
  call: Call,
  { keyedMutex }: CatalogServices,
  name: string,
  work: (tx: Tx, catalog: Catalog) => Promise<T>,
): Promise<T> {
  return withLock(call, keyedMutex, name, work, lockConfig)
}

async function withLock<T>(
  { db, workspace_id }: Call,
  keyedMutex: KeyedMutex,
  name: string,
  work: (tx: Tx, catalog: Catalog) => Promise<T>,
  before: (tx: Tx) => Promise<void>,
): Promise<T> {
  if (!isCatalogName(name)) throw catalogNotFound(name)
  return keyedMutex.run(`catalog ${workspace_id} ${name}`, () =>
    db.transaction(async (tx) => {
      await before(tx)
      const catalog = await lockCatalog(tx, workspace_id, name)
      if (catalog === undefined) throw catalogNotFound(name)
      return work(tx, catalog)
    }),
  )
}
