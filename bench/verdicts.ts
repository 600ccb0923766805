import { countName, pageName, scanName, typical } from './audience.ts'
import { exportSize, subscriptionSize } from './bodies.ts'
import type { Database, Figure, Verdict } from './report.ts'

const state = `state for ${subscriptionSize} e-mails`

type Mark = Pick<Verdict, 'wanted' | 'goal'>

/** Every figure against its bound in the same run, with what is wanted by now and where the design wants it to be. */
export function judge(figures: readonly Figure[]): Verdict[] {
  const sizes = [...new Set(figures.map((figure) => figure.people).filter((people) => people !== undefined))]
  return [
    ...sizes.flatMap((people) => ofSize(figures, people)),
    ...(['postgres', 'pglite'] as const).flatMap((database) => ofGrowth(figures, database, sizes)),
    ...ofStart(figures),
    ...ofRender(figures),
  ]
}

function ofSize(figures: readonly Figure[], people: number): Verdict[] {
  const found = (what: string, database: Database) =>
    figures.find((figure) => figure.what === what && figure.database === database && figure.people === people)
  const ratio = (what: string, database: Database, above?: number, below?: number, mark: Mark = {}): Verdict[] =>
    above === undefined || below === undefined
      ? []
      : [{ what, database, people, value: above / below, unit: 'x', ...mark }]
  const copy = found('bound: psql \\copy of the events', 'postgres')?.value
  const parser = figures.find((figure) => figure.what === 'bound: a server that only parses')?.value
  const events = found('track events', 'postgres')?.value
  const mixed = found('track mixed', 'postgres')?.value
  return [
    ...ratio('events / psql \\copy', 'postgres', events, copy, { wanted: 0.5, goal: 0.65 }),
    ...ratio('mixed / psql \\copy', 'postgres', mixed, copy, { wanted: 0.35, goal: 0.45 }),
    ...ratio('mixed / parsing alone', 'postgres', mixed, parser, { goal: 0.2 }),
    ...ratio('mixed, embedded / PostgreSQL', 'pglite', found('track mixed', 'pglite')?.value, mixed, {
      wanted: 0.55,
      goal: 0.7,
    }),
    ...(['postgres', 'pglite'] as const).flatMap((database) => {
      const exported = found(`export of ${exportSize}`, database)
      const bare = found('bound: bare SQL of an export', database)
      return [
        ...latencies(figures, database, people),
        ...ratio('export, bare SQL / service', database, bare?.value, exported?.value, { goal: 0.5 }),
        ...ratio(
          `${state}, bare SQL / service`,
          database,
          found(`bound: bare SQL of a ${state}`, database)?.value,
          found(state, database)?.value,
        ),
        ...['1 catalog item', '10 catalog items'].flatMap((what) => {
          const bound = found(`bound: bare SQL of ${what}`, database)
          return ratio(`${what}, bare SQL / look-up`, database, bound?.value, found(what, database)?.value, {
            goal: 0.5,
          })
        }),
        ...ratio(
          'merges / bare SQL of a merge',
          database,
          found('merges', database)?.value,
          found('bound: bare SQL of a merge', database)?.value,
        ),
        ...Object.keys(typical).flatMap((segment) => {
          const scan = found(scanName, database)?.value
          return [
            ...ratio(
              `${countName(segment)}, scan / count`,
              database,
              scan,
              found(countName(segment), database)?.value,
              {
                goal: 0.5,
              },
            ),
            ...ratio(`${pageName(segment)}, scan / page`, database, scan, found(pageName(segment), database)?.value, {
              goal: 0.5,
            }),
          ]
        }),
      ]
    }),
  ]
}

function latencies(figures: readonly Figure[], database: Database, people: number): Verdict[] {
  const limits: Record<string, number> = { 'track events': 150, 'track mixed': 150, [`export of ${exportSize}`]: 25 }
  return figures
    .filter((figure) => figure.database === database && figure.people === people && figure.what in limits)
    .map(({ what, p99Ms }) => ({
      what: `${what}, p99`,
      database,
      people,
      value: p99Ms!,
      unit: 'ms',
      wanted: limits[what]!,
    }))
}

/** Bounds, and what reads everybody or everything: that has a bound of its own. */
const growsAnyway = /^bound|: count$|^selection /

/** What is left of the rate when the number of people grows from the smallest to the largest size of the run. */
function ofGrowth(figures: readonly Figure[], database: Database, sizes: readonly number[]): Verdict[] {
  const small = Math.min(...sizes)
  const large = Math.max(...sizes)
  if (sizes.length < 2) return []
  return figures
    .filter((figure) => figure.database === database && figure.people === large && !growsAnyway.test(figure.what))
    .flatMap((grown): Verdict[] => {
      const before = figures.find(
        (each) => each.what === grown.what && each.database === database && each.people === small,
      )
      if (!before) return []
      const isTime = grown.unit === 'ms' || grown.unit === 'us'
      const value = isTime ? before.value / grown.value : grown.value / before.value
      return [{ what: `growth: ${grown.what}`, database, people: large, value, unit: 'x', goal: 0.8 }]
    })
}

function ofStart(figures: readonly Figure[]): Verdict[] {
  const limits: Record<string, number> = {
    'npm start, new directory': 5,
    'npm start, after a clean stop': 2,
    'npm start, after SIGKILL': 5,
  }
  return figures
    .filter((figure) => figure.what in limits)
    .map(({ what, database, value }) => ({ what, database, value, unit: 's', wanted: limits[what]! }))
}

function ofRender(figures: readonly Figure[]): Verdict[] {
  const found = (what: string) => figures.find((figure) => figure.what === what)?.value
  const [rendered, alone] = [found('render'), found('bound: liquidjs alone')]
  if (rendered === undefined || alone === undefined) return []
  return [{ what: 'render / liquidjs alone', database: 'none', value: rendered / alone, unit: 'x', wanted: 0.5 }]
}
