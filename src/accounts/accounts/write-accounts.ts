import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import type { KeyedMutex } from '../../base/work/keyed-mutex.ts'

export type AccountWriting = { readonly keyedMutex: KeyedMutex }

/**
 * Runs work that writes accounts in a transaction. Each such transaction locks all accounts, so they run one after the other: a call that
 * waits holds no session of the database. Throws 503 when too many calls wait.
 */
export function writeAccounts<T>(
  { db }: Call,
  { keyedMutex }: AccountWriting,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  return keyedMutex.run('accounts', () => db.transaction(work))
}
