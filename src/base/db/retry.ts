import { unavailable } from '../errors.ts'

/**
 * Tries of a transaction, the first included. Who gives way after a short `lock_timeout` waits longer and longer until it is let
 * through: about five seconds in all, which is what a client waits.
 */
const TRIES_MAX = 12
const PAUSE_MS = 10
const PAUSE_MAX_MS = 400

/** The SQLSTATEs after which the same transaction, run again from its start, may well succeed. Nothing of it was kept. */
const worthRetrying: Readonly<Record<string, string>> = {
  '40001': 'serialization failure: another transaction changed what this one read',
  '40P01': 'deadlock: this transaction was chosen to give way',
  '55P03': 'lock not available within lock_timeout',
}

/** Runs `attempt` again while it fails with one of the SQLSTATEs above; when that does not help, the database is unavailable. */
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
