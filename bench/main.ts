/**
 * `npm run bench -- [track] [watched] [export] [subscription] [merge] [audience] [render] [catalog] [dispatch] [canvas] [mail]
 *   [start]
 *   [--quick] [--database=pglite|postgres] [--profiles=N,N] [--mails=N]`
 */
import { parseArgs } from 'node:util'
import { benchExport, benchSubscription } from './alone.ts'
import { boundLoops, boundParser } from './bounds.ts'
import { benchCatalog } from './catalog.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { leaveNothing } from './leftovers.ts'
import { benchMail } from './mail.ts'
import { type Effort, fullEffort, quickEffort } from './measure.ts'
import { benchMerge } from './merge.ts'
import { benchRender } from './render.ts'
import {
  type Database,
  describeCommit,
  describeMachine,
  type Figure,
  keep,
  say,
  sayFigures,
  sayVerdicts,
} from './report.ts'
import { type Bound, openStage } from './stage.ts'
import { benchStart } from './start.ts'
import { benchTrack } from './track.ts'
import { judge } from './verdicts.ts'
import { benchWatched } from './watched.ts'

const benches = [
  'track',
  'watched',
  'export',
  'subscription',
  'merge',
  'audience',
  'render',
  'catalog',
  'dispatch',
  'canvas',
  'mail',
  'start',
] as const
/** These need no people. */
const alone: ReadonlySet<string> = new Set(['start', 'render'])
const databases = ['postgres', 'pglite'] as const
const interrupted = 130
const noiseCoresMax = 0.25

type Wish = {
  benches: ReadonlySet<string>
  databases: readonly Database[]
  sizes: number[]
  mails: number
  effort: Effort
}

function readWish(): Wish {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: 'boolean' },
      database: { type: 'string' },
      profiles: { type: 'string' },
      mails: { type: 'string' },
      seconds: { type: 'string' },
    },
  })
  const effort = values.quick ? quickEffort : fullEffort
  const sizes = (values.profiles ?? (values.quick ? '2000' : '10000,1000000')).split(',').map(Number)
  const wanted = databases.filter((database) => values.database === undefined || values.database === database)
  const unknown = positionals.filter((bench) => !(benches as readonly string[]).includes(bench))
  if (unknown.length > 0 || wanted.length === 0 || sizes.some((size) => !(size >= 50))) {
    const names = benches.map((bench) => `[${bench}]`).join(' ')
    throw new Error(
      `usage: npm run bench -- ${names} [--quick] [--database=pglite|postgres] [--profiles=N,N] [--mails=N] [--seconds=N]`,
    )
  }
  return {
    benches: new Set(positionals.length > 0 ? positionals : benches),
    databases: wanted,
    sizes: sizes.sort((a, b) => a - b),
    mails: Number(values.mails ?? (values.quick ? 300 : 20_000)),
    effort: values.seconds === undefined ? effort : { ...effort, measureMs: Number(values.seconds) * 1000 },
  }
}

async function measure(wish: Wish): Promise<Figure[]> {
  const figures: Figure[] = []
  const add = (more: readonly Figure[]) => {
    sayFigures(more)
    figures.push(...more)
  }
  const nowMs = Date.now()
  if (wish.benches.has('start')) add(await benchStart(wish.effort.quick ? 1 : 3))
  if (wish.benches.has('track')) add([await boundParser(wish.effort, nowMs), ...boundLoops(wish.effort, nowMs)])
  if (wish.benches.has('render')) add(await benchRender(wish.effort))
  if (wish.benches.isSubsetOf(alone)) return figures
  const stageless = new Set([...alone, 'catalog', 'mail'])
  for (const database of wish.databases) {
    await using cluster = database === 'postgres' ? await startCluster() : undefined
    if (wish.benches.has('mail')) add(await benchMail(wish.mails, cluster, nowMs))
    for (const size of wish.sizes) {
      if (wish.benches.has('catalog')) add(await benchCatalog(size, cluster, wish.effort))
      if (!wish.benches.isSubsetOf(stageless)) add(await onStage(wish, size, nowMs, cluster))
    }
  }
  return figures
}

/** Which bench each bound stands beside. */
const boundOf: Record<Bound, (typeof benches)[number]> = {
  copy: 'track',
  export: 'export',
  subscription: 'subscription',
  merge: 'merge',
  audience: 'audience',
  dispatch: 'dispatch',
  canvas: 'canvas',
}

async function onStage(wish: Wish, people: number, nowMs: number, cluster: Cluster | undefined): Promise<Figure[]> {
  const bounds = (Object.keys(boundOf) as Bound[]).filter((bound) => wish.benches.has(boundOf[bound]))
  await using stage = await openStage({ people, nowMs, bounds, ...(cluster ? { cluster } : {}) }, wish.effort)
  return [
    ...stage.bounds,
    ...(wish.benches.has('export') ? await benchExport(stage, wish.effort) : []),
    ...(wish.benches.has('subscription') ? await benchSubscription(stage, wish.effort) : []),
    ...(wish.benches.has('track') ? await benchTrack(stage, wish.effort) : []),
    ...(wish.benches.has('watched') ? await benchWatched(stage, wish.effort) : []),
    // Last, because it leaves fewer people.
    ...(wish.benches.has('merge') ? await benchMerge(stage) : []),
  ]
}

let leaving: Promise<void> | undefined

/** However the run ends, what it started ends first. */
function leave(status: number): void {
  leaving ??= leaveNothing().finally(() => process.exit(status))
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => leave(interrupted))
process.on('uncaughtException', (error) => {
  // What is being taken down complains; nobody wants to read that.
  if (!leaving) process.stderr.write(`${error.stack}\n`)
  leave(1)
})
const wish = readWish()
const at = { commit: describeCommit(), date: new Date().toISOString() }
const machine = describeMachine()
say(
  `${at.commit}, ${machine.cores} x ${machine.cpu}, ${machine.memoryGb} GB, Linux ${machine.kernel}, Node ${machine.node}`,
)
const figures = await measure(wish)
const verdicts = judge(figures)
sayFigures(figures)
sayVerdicts(verdicts)
const noise = Math.max(0, ...figures.map((figure) => figure.otherCores ?? 0))
if (noise > noiseCoresMax)
  say(`\nOthers were using up to ${noise.toFixed(1)} cores meanwhile: compare CPU per update, not rates.`)
if (wish.effort.quick) say('\nA quick run only shows that the benchmarks work; its figures are not kept.')
else keep(figures, verdicts, at)
leave(0)
