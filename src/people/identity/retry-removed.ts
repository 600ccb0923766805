import { violatedKey } from '../../base/db/unique-violation.ts'
import { unavailable } from '../../base/errors.ts'

/**
 * Thrown when a person was merged or deleted, or lost the identifier, while a transaction ran. The transaction has written nothing, and the
 * people must be looked up again.
 */
export class PersonRemoved extends Error {}

/** With a chain of merges, one transaction may run that often. */
const attemptsMax = 16

/**
 * Runs a transaction again while people in it are merged or deleted, or another transaction has taken the id or an identifier of a new
 * person. `attempt` counts from 1. Throws 503 after the last attempt, and then nothing was applied.
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

function isTaken(error: unknown): boolean {
  return /^(profile|identifier)_pkey/.test(violatedKey(error) ?? '')
}
