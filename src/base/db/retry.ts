import { unavailable } from '../errors.ts'

/**
 * Attempts of a transaction, the first included. With pauses that double, a transaction with a short lock timeout is retried for about
 * five seconds in all, as long as a client waits.
 */
const TRIES_MAX = 12
const PAUSE_MS = 10
const PAUSE_MAX_MS = 400

/** The SQLSTATEs after which the same transaction may succeed when it runs again from its start. Nothing of it was committed. */
const worthRetrying: Readonly<Record<string, string>> = {
  '40001': 'serialization failure: another transaction changed what this one read',
  '40P01': 'deadlock: this transaction was chosen to be rolled back',
  '55P03': 'lock not available within lock_timeout',
}

/** Runs `attempt` again while it fails with one of the SQLSTATEs above. Throws `unavailable` after the last attempt. */
export async function retried<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      if (!isWorthRetrying(error)) throw error
      if (tries === TRIES_MAX) throw unavailable('The database is busy', error)
      await new Promise((resolve) => setTimeout(resolve, Math.min(PAUSE_MS * 2 ** tries, PAUSE_MAX_MS)))
    }
  }
}

function isWorthRetrying(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code) in worthRetrying
}
