/** Microseconds of a part of the work, where the figure is from, and why the part is needed. */
export type Part = { readonly us: number; readonly from: string; readonly why: string }

/**
 * The parts of statements, in microseconds. All but one were measured on one PostgreSQL, by one client on one machine without fsync; then
 * nothing waits, and the time of a statement is also its CPU time. Only `hop` is from several nodes: what Citus adds to the simplest
 * statement. Parts without another source are from the measurements of 22 November 2026, which docs/capacity.md lists.
 */
export const statementParts = {
  statement: {
    us: 100,
    from: 'PostgreSQL 15: select by key 0.10 ms, update by key 0.10 ms',
    why: 'A command that does next to nothing: BEGIN, COPY, PREPARE TRANSACTION, a task for one more shard.',
  },
  hop: {
    us: 300,
    from: 'Citus against PostgreSQL: select by key 0.42 and 0.10 ms, update by key 0.38 and 0.10 ms',
    why: 'The coordinator plans the statement and sends it to the node of the shard.',
  },
  rowThroughEntry: {
    us: 1.04,
    from: 'PostgreSQL 15: binary COPY into a table without an index, 1.04 us a row',
    why: 'INSERT ... SELECT over several shards: the coordinator reads each row and writes it to COPY.',
  },
  rowOfBatch: {
    us: 3.4,
    from: 'PostgreSQL 15: an event in a batch, 3.4 to 4.7 us',
    why: 'The work of a row that is done once wherever the row is. The rest of a statement with rows is parsing and planning.',
  },
  absentRowWritten: {
    us: 4.06,
    from: 'bench/history.jsonl, "absent row of an update", 28 November 2026 (`npm run bench -- absent`)',
    why: 'An UPDATE with a join is sent to each shard with all its parameters. Most of these rows are in another shard.',
  },
  absentRowRead: {
    us: 1.25,
    from: 'bench/history.jsonl, "absent row of a select", 28 November 2026',
    why: 'So is a look-up with a join.',
  },
} as const satisfies Readonly<Record<string, Part>>

/** CPU microseconds of one update, of the process and of the database. */
export type UpdateCost = { readonly processUs: number; readonly databaseUs: number }

/** How a process gathers requests: the limits are those of `people/intake/intake.ts`. */
export const gathering = {
  requestsMax: 200,
  updatesMax: 1600,
  waitingUpdatesMax: 50_000,
} as const

export const flowParts = {
  parse: {
    us: 1.23,
    from: 'bench/history.jsonl, "bound: a server that only parses", 21 November 2026: 1.23 us an update',
    why: 'A process parses the next requests while the database applies a flush.',
  },
  gap: {
    us: 1200,
    from: 'bench/history.jsonl, "track events", a million people: 1,600 updates take 10.7 ms, of which the database computes 9.5 ms',
    why: 'The database waits for the first statements of a flush, and the process for COMMIT. Taken from events; mixed updates test it.',
  },
} as const satisfies Readonly<Record<string, Part>>

/** CPU microseconds of the database for each flush, however small it is; they are in the cost of an update of a full flush too. */
export const flushUs = {
  events: {
    us: 170,
    from: 'one PostgreSQL, events: 6.8 us an update in transactions of 50, 3.4 us in those of 2,500',
    why: 'With little traffic a flush is one request, and an update costs more.',
  },
  mixed: {
    us: 315,
    from: 'one PostgreSQL, mixed: 12.7 us an update in transactions of 50, 6.4 us in those of 2,500',
    why: 'The same.',
  },
} as const satisfies Readonly<Record<string, Part>>
