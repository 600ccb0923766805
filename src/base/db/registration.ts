/**
 * What a transaction registers as with its first command, for those who wait for its end (`wait-for-older-transactions.ts`):
 * - `people`: everything that may write rows of people, also under an id that it has read before. This is the default.
 * - `hand_over`: it checks whether mails may be sent, and hands them over.
 * - `migration`: a file of `migrations/`, which may take hours.
 * - `nothing`: it only reads. Nobody waits for it.
 */
export type Registration = 'people' | 'hand_over' | 'migration' | 'nothing'

/**
 * A registration that somebody waits for. A transaction adds `announcement` when it raises a number from which others conclude that its
 * rows are there (`announcement.ts`).
 */
export type Waited = Exclude<Registration, 'nothing'> | 'announcement'

/** The first number of the locks. It differs from that of `held-lock.ts`, so these locks never conflict with those. */
export const registrationClass = 0x4561736d

/** The second number of the lock of each registration. */
export const registrationLocks: Readonly<Record<Waited, number>> = {
  people: 1,
  hand_over: 2,
  migration: 3,
  announcement: 4,
}

/**
 * Returns the command that registers a transaction until its end. Send it before the first statement that reads or writes rows.
 *
 * It takes a lock that excludes nobody: it only makes the transaction appear in `pg_locks`. The alternatives have faults:
 * - A row in a table of its own would have to be committed before the transaction begins, and deleted after it: two more commits for
 *   each flush. A row of a process that was killed would stay until a lease expires.
 * - A row that the transaction itself writes or locks becomes free too early on Citus. There the transaction of the coordinator first
 *   ends for every reader, then the workers commit (COMMIT PREPARED), and only then the server gives back the locks of the transaction.
 *   This lock is given back last. The same is true of its transaction id: who compares ids or snapshots misses committed rows.
 *
 * The server gives the lock back when the transaction ends, however it ends, also when the process or its machine is lost. Nothing is
 * written, and no transaction id is assigned. A lock is known on one server only: on Citus all processes use the coordinator. There a
 * worker that is lost between both halves of a commit shows its rows later than that, when Citus has recovered them.
 *
 * A single statement outside a transaction does not register: none of them writes a new row of a person.
 */
export function registrationOf(waited: Waited): string {
  return `select pg_advisory_xact_lock_shared(${registrationClass}, ${registrationLocks[waited]})`
}
