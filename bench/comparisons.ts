import { advanceNames, advancePairs, growthName } from './advance.ts'
import { countName, estimateMsMax, estimateName, pageName, scanName, typical } from './audience.ts'
import { exportSize, subscriptionSize } from './bodies.ts'
import { boundMailName } from './bound-mail.ts'
import { enterNames, enterPairs } from './canvas.ts'
import { boundOf, httpChannels, namesOf } from './channel-messages.ts'
import { dashboardLimits } from './dashboard.ts'
import { bareExpandName, expandMemoryName, expandName } from './dispatch.ts'
import { mailNames } from './mail.ts'
import { mailTurnNames } from './mail-turns.ts'
import { median, quantile } from './measure.ts'
import { boundRenderName, renderName } from './render.ts'
import type { Comparison, Database, Figure } from './report.ts'
import { restNames } from './rest.ts'
import { seriesMsMax, seriesName } from './series.ts'
import { telemetryNames } from './telemetry.ts'
import { watchedName } from './watched.ts'

const state = `state for ${subscriptionSize} e-mails`

/** The largest p99 of `/health` while the service sends mails, in milliseconds. */
const healthMsMax = 50

type Target = Pick<Comparison, 'wanted' | 'goal'>

/** Compares every figure with its bound in the same run, with the value that is wanted now and the goal of the design. */
export function compareAll(figures: readonly Figure[]): Comparison[] {
  const sizes = [...new Set(figures.map((figure) => figure.people).filter((people) => people !== undefined))]
  return [
    ...sizes.flatMap((people) => ofSize(figures, people)),
    ...(['postgres', 'pglite'] as const).flatMap((database) => ofGrowth(figures, database, sizes)),
    ...ofStart(figures),
    ...ofRest(figures),
    ...ofRender(figures),
    ...ofDashboard(figures),
    ...ofEstimates(figures),
    ...ofSeries(figures),
    ...ofTurns(figures),
  ]
}

/** Two figures of one database with the ratio of the first to the second. */
type Pair = { what: string; above: string; below: string; target?: Target }

const half: Target = { goal: 0.5 }

const pairs: readonly Pair[] = [
  {
    what: 'export, bare SQL / service',
    above: 'bound: bare SQL of an export',
    below: `export of ${exportSize}`,
    target: half,
  },
  { what: `${state}, bare SQL / service`, above: `bound: bare SQL of a ${state}`, below: state },
  ...['1 catalog item', '10 catalog items'].map((what) => {
    return { what: `${what}, bare SQL / look-up`, above: `bound: bare SQL of ${what}`, below: what, target: half }
  }),
  { what: 'merges / bare SQL of a merge', above: 'merges', below: 'bound: bare SQL of a merge' },
  ...mailNames.map((what) => {
    return { what: `${what} / the pool alone`, above: what, below: boundMailName, target: { goal: 0.7 } }
  }),
  { what: 'people expanded / bare SQL', above: expandName, below: bareExpandName },
  ...enterPairs,
  ...advancePairs.map((pair) => ({ ...pair, target: { goal: 0.3 } })),
  ...[1, 100].map((percent) => {
    return { what: `events, ${percent} % / 0 % watched`, above: watchedName(percent), below: watchedName(0) }
  }),
  ...telemetryNames.slice(1).map((what) => ({ what: `${what} / none`, above: what, below: telemetryNames[0]! })),
  ...Object.keys(typical).flatMap((segment) => [
    { what: `${countName(segment)}, scan / count`, above: scanName, below: countName(segment), target: half },
    { what: `${pageName(segment)}, scan / page`, above: scanName, below: pageName(segment), target: half },
  ]),
]

function ofSize(figures: readonly Figure[], people: number): Comparison[] {
  const found = (what: string, database: Database) =>
    figures.find((figure) => figure.what === what && figure.database === database && figure.people === people)
  const ratio = (
    what: string,
    database: Database,
    above?: number,
    below?: number,
    target: Target = {},
  ): Comparison[] =>
    above === undefined || below === undefined
      ? []
      : [{ what, database, people, value: above / below, unit: 'x', ...target }]
  const copy = found('bound: psql \\copy of the events', 'postgres')?.value
  const parser = figures.find((figure) => figure.what === 'bound: a server that only parses')?.value
  const events = found('track events', 'postgres')?.value
  const mixed = found('track mixed', 'postgres')?.value
  const embedded = found('track mixed', 'pglite')?.value
  return [
    ...ratio('events / psql \\copy', 'postgres', events, copy, { wanted: 0.5, goal: 0.65 }),
    ...ratio('mixed / psql \\copy', 'postgres', mixed, copy, { wanted: 0.35, goal: 0.45 }),
    ...ratio('mixed / parsing alone', 'postgres', mixed, parser, { goal: 0.2 }),
    ...ratio('mixed, embedded / PostgreSQL', 'pglite', embedded, mixed, { wanted: 0.55, goal: 0.7 }),
    ...(['postgres', 'pglite'] as const).flatMap((database) => [
      ...latencies(figures, database, people),
      ...pairs.flatMap(({ what, above, below, target }) =>
        ratio(what, database, found(above, database)?.value, found(below, database)?.value, target),
      ),
      ...[expandMemoryName, ...[...enterNames, ...advanceNames].map(growthName)].flatMap((what) =>
        memoryOf(found(what, database)),
      ),
    ]),
  ]
}

function isMail(what: string): boolean {
  return (mailNames as readonly string[]).includes(what)
}

/** For any number of people: one page and uncollected garbage. */
const expandMemoryMaxMb = 64

function memoryOf(figure: Figure | undefined): Comparison[] {
  if (!figure) return []
  const { what, database, people, value } = figure
  return [{ what, database, ...(people !== undefined && { people }), value, unit: 'MB', wanted: expandMemoryMaxMb }]
}

function latencies(figures: readonly Figure[], database: Database, people: number): Comparison[] {
  const limits: Record<string, number> = {
    'track events': 150,
    'track mixed': 150,
    [`export of ${exportSize}`]: 25,
    ...Object.fromEntries(mailNames.map((what) => [what, healthMsMax])),
  }
  return figures
    .filter((figure) => figure.database === database && figure.people === people && figure.what in limits)
    .map(({ what, p99Ms }) => ({
      what: `${what}, p99${isMail(what) ? ' of /health' : ''}`,
      database,
      people,
      value: p99Ms!,
      unit: 'ms',
      wanted: limits[what]!,
    }))
}

/** Figures that depend on the number of people: bounds, and work that reads all people or items, which has a bound of its own. */
const dependsOnSize = /^bound|: count$|^selection |memory/

/** Compares the rate at the largest number of people of the run with that at the smallest. */
function ofGrowth(figures: readonly Figure[], database: Database, sizes: readonly number[]): Comparison[] {
  const small = Math.min(...sizes)
  const large = Math.max(...sizes)
  if (sizes.length < 2) return []
  return figures
    .filter((figure) => figure.database === database && figure.people === large && !dependsOnSize.test(figure.what))
    .flatMap((grown): Comparison[] => {
      const before = figures.find(
        (each) => each.what === grown.what && each.database === database && each.people === small,
      )
      if (!before) return []
      const isTime = grown.unit === 'ms' || grown.unit === 'us'
      const value = isTime ? before.value / grown.value : grown.value / before.value
      return [{ what: `growth: ${grown.what}`, database, people: large, value, unit: 'x', goal: 0.8 }]
    })
}

/** The CPU time that two things took in the same turns: the first divided by the second. */
const turnPairs: readonly Pair[] = [
  ...httpChannels.flatMap((channel) =>
    namesOf(channel).map((name) => {
      return {
        what: `${name}, CPU of undici alone / ours`,
        above: boundOf(channel),
        below: name,
        target: { goal: 0.6 },
      }
    }),
  ),
  {
    what: 'mails, CPU of the other checkout / of this one',
    above: mailTurnNames[1],
    below: mailTurnNames[0],
    target: { wanted: 0.97 },
  },
]

function ofTurns(figures: readonly Figure[]): Comparison[] {
  return turnPairs.flatMap(({ what, above, below, target }) =>
    figures
      .filter((figure) => figure.what === below)
      .flatMap((own): Comparison[] => {
        const { database, people } = own
        const other = figures.find((figure) => {
          return figure.what === above && figure.database === database && figure.people === people
        })
        const ratios = other?.turnsUs?.map((us, turn) => us / own.turnsUs![turn]!)
        if (ratios === undefined) return []
        const spread = [quantile(ratios, 0.25), quantile(ratios, 0.75)] as const
        const size = people === undefined ? {} : { people }
        return [{ what, database, value: median(ratios), unit: 'x', spread, ...size, ...target }]
      }),
  )
}

function ofStart(figures: readonly Figure[]): Comparison[] {
  const limits: Record<string, number> = {
    'npm start, new directory': 5,
    'npm start, after a clean stop': 2,
    'npm start, after SIGKILL': 5,
  }
  return figures
    .filter((figure) => figure.what in limits)
    .map(({ what, database, value }) => ({ what, database, value, unit: 's', wanted: limits[what]! }))
}

/** Compares what the service takes at rest with its limits. The embedded database is part of the process. */
function ofRest(figures: readonly Figure[]): Comparison[] {
  const limits: Record<Database, Record<(typeof restNames)[number], number>> = {
    postgres: { 'CPU at rest': 0.3, 'memory at rest': 110 },
    pglite: { 'CPU at rest': 0.3, 'memory at rest': 400 },
  }
  return figures.flatMap(({ what, database, value }): Comparison[] => {
    const name = restNames.find((each) => each === what)
    if (name === undefined || database === 'none') return []
    return [{ what, database, value, unit: name === 'CPU at rest' ? '%' : 'MB', wanted: limits[database][name] }]
  })
}

function ofRender(figures: readonly Figure[]): Comparison[] {
  const spentUs = (what: string) => figures.find((figure) => figure.what === what)?.nodeUs
  const [ours, alone] = [spentUs(renderName), spentUs(boundRenderName)]
  if (ours === undefined || alone === undefined) return []
  return [{ what: 'render / liquidjs alone', database: 'none', value: alone / ours, unit: 'x', goal: 0.8 }]
}

/** Compares what the dashboard loads and how long its requests take with their limits. */
function ofDashboard(figures: readonly Figure[]): Comparison[] {
  return figures.flatMap(({ what, database, people, value, unit }) => {
    const wanted = dashboardLimits[what]
    if (wanted === undefined || (unit !== 'ms' && unit !== 'kB')) return []
    return [{ what, database, value, unit, wanted, ...(people !== undefined && { people }) }]
  })
}

/** Compares how long an estimate of each segment takes with its limit. */
function ofEstimates(figures: readonly Figure[]): Comparison[] {
  const names = new Set(Object.keys(typical).map(estimateName))
  return figures.flatMap(({ what, database, people, value }) => {
    if (!names.has(what)) return []
    return [
      { what, database, value, unit: 'ms' as const, wanted: estimateMsMax, ...(people !== undefined && { people }) },
    ]
  })
}

/** Compares how long 99 of 100 requests for a series take with their limit. */
function ofSeries(figures: readonly Figure[]): Comparison[] {
  return figures.flatMap(({ what, database, people, p99Ms }) => {
    if (!what.startsWith(seriesName('')) || p99Ms === undefined) return []
    const size = people === undefined ? {} : { people }
    return [{ what: `${what}, p99`, database, value: p99Ms, unit: 'ms' as const, wanted: seriesMsMax, ...size }]
  })
}
