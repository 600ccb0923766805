import { partCount } from '../scripts/parts.ts'

/**
 * How much of it a test does: the first number in `npm test`, the second in `npm run test:long`. One table, so that what
 * each run covers can be read in one place.
 */
const table = {
  /** SIGKILL under load, per database. */
  kills: [3, 40],
  /** SIGKILL during the first start, per database. */
  killsAtStart: [2, 90],
  /** Ends of the embedded engine's thread under load. */
  enginesEnded: [2, 60],
  /** Rounds in which two processes write to the same people: of a second, or of three in the long run. */
  twoProcessesRounds: [1, 30],
  /** Ends of one of three processes of different roles under load, without warning. */
  killsOfThree: [4, 60],
  /** Times that two processes race for the same new identifier, for each kind of it. */
  contests: [10, 1_000],
  /** Times that a disk is filled and emptied, for each place of it. */
  disksFilled: [1, 5],
  /** Times that four processes race for a folder, each time but the first over a dead holder. */
  foldersContested: [2, 20],
  /** Cuts of all connections to a server under load. */
  connectionsCut: [5, 300],
  /** Identifiers that are spread over the buckets. */
  spreadIdentifiers: [40_000, 1_000_000],
  /** Runs of a property that needs no database. */
  propertyRuns: [100, 20_000],
  /** Runs of a property against a database. */
  databasePropertyRuns: [10, 1_000],
  /** Random audiences over one crowd of people, and such crowds, per database. */
  audienceTrees: [30, 1_000],
  audienceCrowds: [1, 4],
  /** Random filters of SCIM over a few accounts, per database. */
  scimFilters: [200, 10_000],
  /** Random programs about a few people, per database. */
  peopleModelRuns: [5, 500],
  /** Crowds of such programs at once, per database. */
  peopleCrowdRuns: [1, 40],
  /** Rounds of such programs at once about the same people, by two processes. */
  peopleTogetherRounds: [1, 100],
  /** Trios of people merged in every order, per database. */
  mergedTrios: [2, 200],
  /** Rounds in which clients track and merge the same people, per database, and the seconds of each. */
  mergeCrowdRounds: [1, 20],
  mergeCrowdSeconds: [1.5, 3],
  /** SIGKILL in the middle of merges and deletions, per database. */
  killsAtWork: [2, 40],
  /** Rounds in which people are merged and deleted while a dispatch goes out to them, per database. */
  mergedMailRounds: [2, 100],
  /** SIGKILL while events are sent to webhooks, per database. */
  killsAtWebhooks: [2, 30],
  /** SIGKILL in the middle of an export of a segment, per database, and the people in it. */
  killsAtExport: [1, 40],
  peopleAtExport: [1_000, 2_000],
  /** Lines of a file that is imported, per database: while the command and the server are killed, and in the long run also without that. */
  rowsAtImport: [4_500, 100_000],
  /** Random canvases and what happens to a few people in them, beside a model, per database. */
  canvasRounds: [1, 15],
  /** Programs of canvases that are carried out in days of a virtual clock and in seconds of a real one. */
  scaledRounds: [1, 8],
  /** Programs of canvases in a hurry that two workers carry out, and how often one of them is killed or leaves in each. */
  canvasHurries: [1, 12],
  restartsInHurry: [2, 8],
  /** Rounds in which dispatches are paused, resumed and cancelled while two processes find their people, per database. */
  dispatchRounds: [1, 40],
  /** SIGKILL in the middle of a send, per database, and its recipients: half of the messages are marketing. */
  killsAtSending: [2, 10],
  recipientsAtSending: [200, 2_000],
  /** People who go through the sixty days of the tutorial together, per database. */
  peopleInTutorial: [40, 1_000],
  /** Events of somebody who is put out and in again, line by line, per database. */
  eventsOfSomebody: [6_000, 25_000],
  /** SIGKILL in the middle of a canvas with delays, per database, and the people in it. */
  killsAtCanvas: [2, 12],
  peopleAtCanvas: [150, 20_000],
  /** SIGKILL in the middle of a canvas, and of merges and deletions of its people, per database, and these people. */
  killsAtTallies: [1, 10],
  peopleAtTallies: [80, 4_000],
  /** People in the canvas that the dashboard looks into. */
  peopleInWalk: [1_000, 10_000],
  /** People in a canvas in whose middle something is wrong: the database is away, a worker hangs for seconds, clocks are off. */
  peopleInTrouble: [30, 3_000],
  outagesOfCanvas: [1, 6],
  hangsInCanvas: [1, 4],
  hangSeconds: [11, 65],
  /** SIGKILL while what happens moves people, per database, and these people. */
  killsAtSignals: [2, 40],
  peopleAtSignals: [20, 40],
  /** Sends whose recipients unsubscribe while they go out, per database. */
  unsubscribeRaces: [1, 30],
  /** Sends in whose middle the database goes away. */
  databaseAwaySends: [1, 30],
  /** Rounds of sends that five processes carry out together, one of which is killed on the way. */
  dispatchTogetherRounds: [1, 20],
  /** People who share one e-mail address. */
  peopleOnOneAddress: [2_000, 100_000],
  /**
   * Random programs of half-valid requests whose answers must name what is not kept, per database: track requests, states of subscription
   * groups, merges with identifications and aliases, recipients of orders, exports, and mails. A thousand together; in the long run a
   * million together on both databases.
   */
  unnamedPrograms: [400, 330_000],
  unnamedStates: [200, 80_000],
  unnamedMerges: [100, 10_000],
  unnamedRecipients: [100, 20_000],
  unnamedExports: [150, 55_000],
  unnamedMails: [50, 5_000],
  /** How many track requests and mails of a neighbour are measured in each round of an attack, at least. */
  neighbourRequests: [50, 1_000],
  neighbourMails: [5, 100],
  /** Endpoints that get the largest bodies, each of which takes long to send and to read. */
  endpointsOfLargeBodies: [30, 1_000],
} as const satisfies Readonly<Record<string, readonly [test: number, long: number]>>

/** Whether this is the long run. */
export const long = process.env.EASEL_TEST_LONG === '1'

/** Whether this run leaves nothing to other seeds: no file, database or row from which a usual run draws. The long run is complete too. */
export const complete = long || process.env.EASEL_TEST_COMPLETE === '1'

/** The sizes of this run, by the names of the table. */
export const sizes = Object.fromEntries(
  Object.entries(table).map(([name, [test, longer]]) => [name, long ? longer : test]),
) as Readonly<Record<keyof typeof table, number>>

/**
 * The seed of everything that is drawn in this run. The runner chooses one, prints it and hands it to every file;
 * `EASEL_TEST_SEED=n npm test -- file` repeats a run.
 */
export const seed = Number(process.env.EASEL_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31))

/** What the seed draws besides the part of the suite. It does not depend on the part, or each file would always see the same draw. */
export const drawn = Math.floor(seed / partCount)

/** Returns every n-th of items that take long each. The seed says which ones, so that many runs have all; a complete run has all. */
export function drawEvery<T>(n: number, items: readonly T[]): readonly T[] {
  return complete ? items : items.filter((_, i) => i % n === drawn % n)
}
