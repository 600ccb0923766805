/**
 * `npm run bench -- all [PART...] [--turns=N] [--against=CHECKOUT] [--record=FILE] [--profile]`: the table of all figures with their wanted
 * values. The file gets all figures of each turn.
 *
 * `npm run bench -- picture`: draws the history of the figures for `docs/performance.md`, and writes their newest values into its table.
 *
 * `npm run bench -- [track] [newcomers] [watched] [history] [export] [subscription] [merge] [audience] [render] [compose] [catalog]
 *   [dispatch] [canvas] [mail] [sms] [webhook] [due] [start] [dashboard] [series] [move] [telemetry] [bytes] [absent] [rest] [suite]
 *   [simulate] [--quick] [--database=pglite|postgres] [--profiles=N,N] [--together] [--mails=N] [--turns=N] [--against=CHECKOUT]
 *   [--profile] [--record=FILE]`
 */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { benchAbsent } from './absent.ts'
import { parts } from './all/rows.ts'
import { namesOfParts, runAll } from './all/run.ts'
import { boundLoops, boundParser } from './bounds.ts'
import { benchBytes } from './bytes.ts'
import { benchCatalog } from './catalog.ts'
import { benchChannel, httpChannels } from './channel-messages.ts'
import { cleanUp } from './cleanup.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { compareAll } from './comparisons.ts'
import { benchCompose } from './compose.ts'
import { benchDashboard } from './dashboard.ts'
import { benchDue } from './due.ts'
import { benchHistory } from './history.ts'
import { benchMail } from './mail.ts'
import { benchMailTurns } from './mail-turns.ts'
import { type Effort, fullEffort, medianFigure, quickEffort } from './measure.ts'
import { benchMerge } from './merge.ts'
import { benchMove } from './move.ts'
import { benchNewcomers } from './newcomers.ts'
import { writePicture } from './picture.ts'
import { openProfiler, printProfile } from './profile.ts'
import { benchRender } from './render.ts'
import {
  appendHistory,
  type Comparison,
  type Database,
  describeCommit,
  describeMachine,
  type Figure,
  print,
  printComparisons,
  printFigures,
} from './report.ts'
import { benchRest } from './rest.ts'
import { benchSeries } from './series.ts'
import { type Bound, openSetup, type Setup } from './setup.ts'
import { reportSimulation } from './simulate/report.ts'
import { benchExport, benchSubscription } from './single-connection.ts'
import { benchStart } from './start.ts'
import { benchSuite } from './suite.ts'
import { benchTelemetry } from './telemetry.ts'
import { benchTrack } from './track.ts'
import { benchWatched } from './watched.ts'

const benches = [
  'track',
  'newcomers',
  'watched',
  'history',
  'export',
  'subscription',
  'merge',
  'audience',
  'render',
  'compose',
  'catalog',
  'dispatch',
  'canvas',
  'mail',
  'sms',
  'webhook',
  'due',
  'start',
  'dashboard',
  'series',
  'move',
  'telemetry',
  'bytes',
  'absent',
  'rest',
  'suite',
  'simulate',
] as const
/** Benchmarks without people. */
const withoutPeople: ReadonlySet<string> = new Set(['start', 'render', 'compose', 'simulate', 'suite'])
/** Benchmarks that run only when they are named: they take long, or need much of the disk. */
const named: ReadonlySet<string> = new Set(['history', 'suite'])
const databases = ['postgres', 'pglite'] as const
const interrupted = 130
/** People whose wait in a canvas ends at the same instant. */
const dueTogether = 5_000
const noiseCoresMax = 0.25
/** How often services with different numbers of people are measured that run together. */
const roundsTogether = 5

type Options = {
  benches: ReadonlySet<string>
  databases: readonly Database[]
  sizes: number[]
  mails: number
  /** How often things are measured that are measured in turns. */
  turns: number
  /** The checkout whose mails are compared with those of this one. */
  against?: string
  /** Whether the services with different numbers of people run at the same time and are measured in turns. */
  together: boolean
  /** The file for the figures, instead of the history. */
  record?: string
  /** Shows the largest parts of each hot path. */
  profile: boolean
  effort: Effort
}

function readWords() {
  return parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: 'boolean' },
      database: { type: 'string' },
      profiles: { type: 'string' },
      mails: { type: 'string' },
      turns: { type: 'string' },
      together: { type: 'boolean' },
      against: { type: 'string' },
      seconds: { type: 'string' },
      profile: { type: 'boolean' },
      record: { type: 'string' },
    },
  })
}

type Words = ReturnType<typeof readWords>

function readOptions({ values, positionals }: Words): Options {
  const effort = values.quick ? quickEffort : fullEffort
  const sizes = (values.profiles ?? (values.quick ? '2000' : '10000,1000000')).split(',').map(Number)
  const wanted = databases.filter((database) => values.database === undefined || values.database === database)
  const unknown = positionals.filter((bench) => !(benches as readonly string[]).includes(bench))
  if (unknown.length > 0 || wanted.length === 0 || sizes.some((size) => !(size >= 50))) {
    const names = benches.map((bench) => `[${bench}]`).join(' ')
    throw new Error(
      `usage: npm run bench -- ${names} [--quick] [--database=pglite|postgres] [--profiles=N,N] [--mails=N] ` +
        '[--together] [--turns=N] [--against=CHECKOUT] [--seconds=N] [--profile] [--record=FILE]',
    )
  }
  return {
    benches: new Set(positionals.length > 0 ? positionals : benches.filter((bench) => !named.has(bench))),
    databases: wanted,
    sizes: sizes.sort((a, b) => a - b),
    mails: Number(values.mails ?? (values.quick ? 300 : 20_000)),
    turns: Number(values.turns ?? (values.quick ? 1 : 6)),
    ...(values.against !== undefined && { against: resolve(values.against) }),
    ...(values.record !== undefined && { record: resolve(values.record) }),
    together: values.together ?? false,
    profile: values.profile ?? false,
    effort: values.seconds === undefined ? effort : { ...effort, measureMs: Number(values.seconds) * 1000 },
  }
}

/** Prints the table of all figures, and returns its rows. */
async function measureAll({ values, positionals }: Words): Promise<Comparison[]> {
  const names = namesOfParts(positionals.slice(1))
  if (names === undefined) {
    const words = Object.keys(parts).map((part) => `[${part}]`)
    throw new Error(
      `usage: npm run bench -- all ${words.join(' ')} [--turns=N] [--against=CHECKOUT] [--record=FILE] [--profile] [--quick]`,
    )
  }
  return runAll({
    names,
    turns: Number(values.turns ?? 1),
    ...(values.against !== undefined && { against: resolve(values.against) }),
    ...(values.record !== undefined && { record: resolve(values.record) }),
    more: [...(values.profile ? ['--profile'] : []), ...(values.quick ? ['--quick'] : [])],
  })
}

async function measure(options: Options): Promise<Figure[]> {
  const figures: Figure[] = []
  const add = (more: readonly Figure[]) => {
    printFigures(more)
    figures.push(...more)
  }
  const nowMs = Date.now()
  if (options.benches.has('start')) add(await benchStart(options.effort.quick ? 1 : 3))
  if (options.benches.has('track'))
    add([await boundParser(options.effort, nowMs), ...boundLoops(options.effort, nowMs)])
  if (options.benches.has('render')) add(await benchRender(options.effort))
  if (options.benches.has('compose')) add(await benchCompose(options.effort))
  if (options.benches.has('simulate')) reportSimulation()
  if (options.benches.has('suite')) add([await benchSuite(nowMs % 1_000_000)])
  if (options.benches.isSubsetOf(withoutPeople)) return figures
  const withoutSetup = new Set([
    ...withoutPeople,
    'catalog',
    'mail',
    'due',
    ...httpChannels,
    'move',
    'telemetry',
    'bytes',
    'absent',
    'rest',
  ])
  for (const database of options.databases) {
    await using cluster = database === 'postgres' ? await startCluster() : undefined
    if (options.benches.has('rest')) add(await benchRest(cluster, options.effort))
    if (options.benches.has('absent') && cluster) add(await benchAbsent(cluster))
    if (options.benches.has('mail')) add(await benchMails(options, cluster, nowMs))
    if (options.benches.has('due')) add(await benchDue(options.effort.quick ? 300 : dueTogether, cluster, nowMs))
    for (const channel of httpChannels) {
      if (options.benches.has(channel)) add(await benchChannel(channel, options.mails, options.turns, cluster, nowMs))
    }
    for (const size of options.sizes) {
      if (options.benches.has('catalog')) add(await benchCatalog(size, cluster, options.effort))
      if (options.benches.has('move') && cluster) add(await benchMove(size, nowMs, cluster, options.effort))
      if (options.benches.has('telemetry')) add(await benchTelemetry(size, nowMs, cluster, options.effort))
      if (options.benches.has('bytes') && cluster) add(await benchBytes(size, nowMs, cluster, options.effort))
    }
    if (!options.benches.isSubsetOf(withoutSetup)) {
      const groups = options.together ? [options.sizes] : options.sizes.map((size) => [size])
      for (const sizes of groups) add(await benchWithPeople(options, sizes, nowMs, cluster))
    }
  }
  return figures
}

/** Measures mails; with another checkout, only the comparison with it. */
function benchMails({ mails, turns, against }: Options, cluster: Cluster | undefined, nowMs: number) {
  return against === undefined
    ? benchMail(mails, cluster, nowMs)
    : benchMailTurns(against, mails, turns, cluster, nowMs)
}

/** The benchmark of each bound. */
const boundOf: Record<Bound, (typeof benches)[number]> = {
  copy: 'track',
  export: 'export',
  subscription: 'subscription',
  merge: 'merge',
  audience: 'audience',
  dispatch: 'dispatch',
  canvas: 'canvas',
  dashboard: 'dashboard',
  series: 'series',
  history: 'history',
}

/**
 * Measures services with so many people each. Several are measured in turns, because the speed of a machine changes within minutes; then a
 * figure is the median. A benchmark ends before the next begins, which may change what it would find.
 */
async function benchWithPeople(
  { benches, effort }: Options,
  sizes: readonly number[],
  nowMs: number,
  cluster: Cluster | undefined,
): Promise<Figure[]> {
  const bounds = (Object.keys(boundOf) as Bound[]).filter((bound) => benches.has(boundOf[bound]))
  await using open = new AsyncDisposableStack()
  const setups: Setup[] = []
  for (const people of sizes)
    setups.push(open.use(await openSetup({ people, nowMs, bounds, ...(cluster && { cluster }) }, effort)))
  const rounds = sizes.length > 1 && !effort.quick ? roundsTogether : 1
  const figures: Figure[] = []
  for (const [name, bench] of Object.entries(withPeople)) {
    if (!benches.has(name)) continue
    for (let round = 0; round < rounds; round++)
      for (const setup of setups) figures.push(...(await bench(setup, effort, round)))
  }
  const kinds = Map.groupBy(figures, ({ what, people }) => `${what} ${people}`)
  return [...setups.flatMap((setup) => setup.bounds), ...[...kinds.values()].map((measured) => medianFigure(measured))]
}

/** Measures a service. `round`: how often it was measured before. */
type BenchSetup = (setup: Setup, effort: Effort, round: number) => Promise<Figure[]>

const withPeople: Partial<Record<(typeof benches)[number], BenchSetup>> = {
  export: benchExport,
  subscription: benchSubscription,
  track: benchTrack,
  newcomers: benchNewcomers,
  watched: benchWatched,
  dashboard: benchDashboard,
  history: benchHistory,
  series: benchSeries,
  // Last, because it reduces the number of people.
  merge: benchMerge,
}

let exiting: Promise<void> | undefined

/** Ends the run after its processes have ended. */
function exit(status: number): void {
  exiting ??= cleanUp().finally(() => process.exit(status))
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => exit(interrupted))
process.on('uncaughtException', (error) => {
  // Errors during the clean-up are a consequence of it.
  if (!exiting) process.stderr.write(`${error.stack}\n`)
  exit(1)
})

/** Measures the named benchmarks, prints their figures, and stores them. */
async function runBenches(options: Options): Promise<void> {
  if (options.profile) openProfiler()
  const figures = await measure(options)
  const comparisons = compareAll(figures)
  if (figures.length > 0) {
    printFigures(figures)
    printComparisons(comparisons)
  }
  const noise = Math.max(0, ...figures.map((figure) => figure.otherCores ?? 0))
  if (noise > noiseCoresMax)
    print(
      `\nOther processes were using up to ${noise.toFixed(1)} cores: compare the CPU time per update, not the rates.`,
    )
  printProfile()
  if (options.record !== undefined) appendHistory(figures, [], at, options.record)
  else if (options.effort.quick)
    print('\nA quick run only shows that the benchmarks work. Its figures are not recorded.')
  else if (!options.profile) appendHistory(figures, comparisons, at)
}

const words = readWords()
const at = { commit: describeCommit(), date: new Date().toISOString() }
const machine = describeMachine()
print(
  `${at.commit}, ${machine.cores} x ${machine.cpu}, ${machine.memoryGb} GB, Linux ${machine.kernel}, Node ${machine.node}`,
)
if (words.positionals[0] === 'all') {
  const comparisons = await measureAll(words)
  if (!words.values.quick && !words.values.profile) appendHistory([], comparisons, at)
} else if (words.positionals[0] === 'picture') {
  writePicture()
} else await runBenches(readOptions(words))
exit(0)
