import { unavailable } from '../../base/errors.ts'

/**
 * A person was merged or deleted, or lost the identifier, while a transaction ran. It has written nothing, and the people must be looked up
 * again.
 */
export class PersonRemoved extends Error {}

/** A chain of merges can make one transaction run again as many times. */
const attemptsMax = 16

/**
 * Runs a transaction again as long as people in it are merged or deleted, or another transaction has taken the id or an identifier of a new
 * person. `attempt` counts from 1. Throws 503 at the end; nothing was applied then.
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

/** 23505 is the SQLSTATE of a violated unique key. The name of the key is longer on a shard. */
function isTaken(error: unknown): boolean {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown }
  return code === '23505' && /^(profile|identifier)_pkey/.test(String(constraint))
}
