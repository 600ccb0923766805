/** The SQLSTATE of a violated unique key. */
const uniqueViolation = '23505'
/** The SQLSTATE of an internal error. Citus gives it to a violation inside INSERT ... SELECT, with the message of the shard. */
const internalError = 'XX000'

/**
 * Returns the name of the unique key that an error is about; undefined for any other error. On a shard the name is longer: it ends with
 * the number of the shard.
 */
export function violatedKey(error: unknown): string | undefined {
  const { code, constraint, message } = error as { code?: unknown; constraint?: unknown; message?: unknown }
  if (code !== uniqueViolation && code !== internalError) return undefined
  if (code === uniqueViolation && typeof constraint === 'string') return constraint
  return /duplicate key value violates unique constraint "([^"]+)"/.exec(String(message))?.[1]
}
