/**
 * How much of it a test does: the first number in `npm test`, the second in `npm run test:long`. One table, so that what
 * each run covers can be read in one place.
 */
const table = {
  /** SIGKILL under load, per database. */
  kills: [3, 40],
  /** Ends of the embedded engine's thread under load. */
  enginesEnded: [3, 60],
  /** Cuts of all connections to a server under load. */
  connectionsCut: [15, 600],
  /** Identifiers that are spread over the buckets. */
  spreadIdentifiers: [100_000, 1_000_000],
  /** Runs of a property that needs no database. */
  propertyRuns: [200, 20_000],
  /** Runs of a property against a database. */
  databasePropertyRuns: [20, 1_000],
  /** People who share one e-mail address. */
  peopleOnOneAddress: [10_000, 100_000],
} as const satisfies Readonly<Record<string, readonly [test: number, long: number]>>

/** Whether this is the long run. */
export const long = process.env.EASEL_TEST_LONG === '1'

/** The sizes of this run, by the names of the table. */
export const sizes = Object.fromEntries(
  Object.entries(table).map(([name, [test, longer]]) => [name, long ? longer : test]),
) as Readonly<Record<keyof typeof table, number>>

/**
 * The seed of everything that is drawn in this run. The runner chooses one, prints it and hands it to every file;
 * `EASEL_TEST_SEED=n npm test -- file` repeats a run.
 */
export const seed = Number(process.env.EASEL_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31))
