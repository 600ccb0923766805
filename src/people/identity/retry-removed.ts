import { unavailable } from '../../base/errors.ts'

/**
 * Somebody is not there any more, was merged away, or is not called so any more: nothing was written, and who it is has to be asked
 * again.
 */
export class PersonRemoved extends Error {}

/** People who are merged one after the other can make a transaction look again as often. */
const attemptsMax = 16

/**
 * Runs a transaction again while people depart from under it, or others have taken the id or an identifier of somebody new; `attempt`
 * counts from 1. In the end it is 503: nothing was applied.
 */
export async function retryWhenRemoved<T>(transact: (attempt: number) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transact(attempt)
    } catch (error) {
      if (!(error instanceof PersonRemoved || isTaken(error))) throw error
      if (attempt === attemptsMax) throw unavailable('The database is busy', error)
    }
  }
}

/** 23505 is the SQLSTATE of a violated unique key; its name is longer on a shard. */
function isTaken(error: unknown): boolean {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown }
  return code === '23505' && /^(profile|identifier)_pkey/.test(String(constraint))
}
