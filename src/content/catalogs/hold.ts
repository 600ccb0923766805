import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import type { KeyedMutex } from '../../base/work/keyed-mutex.ts'
import { lockConfig } from '../../workspace/settings/store.ts'
import { isName } from './read-items.ts'
import { unknownCatalog } from './refusals.ts'
import { type Catalog, lockCatalog } from './store.ts'

export type CatalogParts = { keyedMutex: KeyedMutex }

/**
 * Work on a catalog that stays as it is, and there, until the work has ended; nobody else writes to it or to its items. Throws 404
 * when there is none of this name.
 */
export function inCatalog<T>(
  call: Call,
  { keyedMutex }: CatalogParts,
  name: string,
  work: (tx: Tx, catalog: Catalog) => Promise<T>,
): Promise<T> {
  return held(call, keyedMutex, name, work, async () => undefined)
}

/** The same for work that changes what a catalog is: workspace files, which do so too, wait for it. */
export function inDefinition<T>(
  call: Call,
  { keyedMutex }: CatalogParts,
  name: string,
  work: (tx: Tx, catalog: Catalog) => Promise<T>,
): Promise<T> {
  return held(call, keyedMutex, name, work, lockConfig)
}

async function held<T>(
  { db, workspace_id }: Call,
  keyedMutex: KeyedMutex,
  name: string,
  work: (tx: Tx, catalog: Catalog) => Promise<T>,
  before: (tx: Tx) => Promise<void>,
): Promise<T> {
  if (!isName(name)) throw unknownCatalog(name)
  return keyedMutex.run(`catalog ${workspace_id} ${name}`, () =>
    db.transaction(async (tx) => {
      await before(tx)
      const catalog = await lockCatalog(tx, workspace_id, name)
      if (catalog === undefined) throw unknownCatalog(name)
      return work(tx, catalog)
    }),
  )
}
