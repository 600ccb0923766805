import { unavailable } from '../errors.ts'
import type { Db, Tx } from './db.ts'

/** A database, and the function after which it answers nobody who has it. */
export type FencedDb = { readonly db: Db; fence(): void }

/**
 * Returns a `Db` that can be taken away from everything that has it: after `fence`, every statement is refused, also those of open
 * transactions. Closing it does not close the database.
 */
export function fencedDb(own: Db): FencedDb {
  let isFenced = false
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isFenced) throw unavailable('The database is not available')
    const result = await work()
    if (isFenced) throw unavailable('The database is not available')
    return result
  }
  const fencedTx = (tx: Tx): Tx => ({
    query: (statement) => guarded(() => tx.query(statement)),
    placement: tx.placement,
  })
  const db: Db = {
    backend: own.backend,
    log: own.log,
    ...(own.files && { files: own.files }),
    usage: own.usage,
    get placement() {
      return own.placement
    },
    query: (statement) => guarded(() => own.query(statement)),
    transaction: (work, options) =>
      guarded(() =>
        own.transaction(async (tx) => {
          const result = await work(fencedTx(tx))
          if (isFenced) throw unavailable('The database is not available')
          return result
        }, options),
      ),
    execute: (text) => guarded(() => own.execute(text)),
    close: async () => {},
  }
  return {
    db,
    fence() {
      isFenced = true
    },
  }
}
