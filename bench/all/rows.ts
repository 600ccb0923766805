import { countName, estimateName, scanName, typical } from '../audience.ts'
import { boundMailName } from '../bound-mail.ts'
import { bareEnterName, enterName, enterNames } from '../canvas.ts'
import { besideTimesMax, lookUpAloneName, lookUpName, pieceMsMax, pieceName } from '../counting.ts'
import { dueName } from '../due.ts'
import { historyName, historyPageName } from '../history.ts'
import { mailNames } from '../mail.ts'
import { newcomersName } from '../newcomers.ts'
import { boundRenderName, renderName } from '../render.ts'
import type { Comparison, Database, Figure } from '../report.ts'
import { restNames } from '../rest.ts'
import { seriesName } from '../series.ts'
import { suiteName } from '../suite.ts'
import { watchedName } from '../watched.ts'

/** What a run of `npm run bench` measures for some rows. */
export type PartName = keyof typeof parts

const few = 10_000
const million = 1_000_000
const tenMillion = 10_000_000
/** People with a hundred events each. */
const fewHistories = 10_000
const manyHistories = 1_000_000

type Part = {
  /** The benchmarks and options of a run. */
  args: readonly string[]
  /** A run takes an hour, so there is one whatever the number of turns. */
  once?: true
}

/** The runs in the order of the table. */
export const parts = {
  updates: { args: ['track', '--database=postgres', `--profiles=${few}`] },
  million: { args: ['newcomers', 'track', 'watched', 'audience', `--profiles=1000,${million}`] },
  due: { args: ['due', '--database=postgres'] },
  catalog: { args: ['catalog', `--profiles=${million}`] },
  mails: { args: ['mail', '--database=postgres', '--mails=4000'] },
  canvas: { args: ['canvas', '--database=postgres', `--profiles=${few}`] },
  render: { args: ['render'] },
  people: {
    args: ['track', 'export', 'audience', '--together', '--database=postgres', `--profiles=${few},${tenMillion}`],
    once: true,
  },
  // In a run of its own, because it leaves ten million dead rows, which would be cleaned up during the others.
  entries: { args: ['canvas', '--database=postgres', `--profiles=${few},${tenMillion}`], once: true },
  history: {
    args: ['history', '--together', '--database=postgres', `--profiles=${fewHistories},${manyHistories}`],
    once: true,
  },
  rest: { args: ['rest'] },
  suite: { args: ['suite'] },
} as const satisfies Record<string, Part>

/** A row of the table: one value of a run. `bound`: what the value is a share or a multiple of. */
export type Row = {
  readonly what: string
  readonly part: PartName
  readonly unit: Comparison['unit']
  readonly wanted: number
  readonly bound: string
  /** Returns the value, or undefined when the run has not measured it. */
  read(figures: Lookup): number | undefined
}

/** Finds the figures of a run. */
export class Lookup {
  readonly #figures: readonly Figure[]

  constructor(figures: readonly Figure[]) {
    this.#figures = figures
  }

  find(what: string, database: Figure['database'], people?: number): Figure | undefined {
    return this.#figures.find(
      (each) => each.what === what && each.database === database && (people === undefined || each.people === people),
    )
  }

  value(what: string, database: Figure['database'], people?: number): number | undefined {
    return this.find(what, database, people)?.value
  }

  /** Returns the figures of a database and a number of people whose names match. */
  matching(pattern: RegExp, database: Database, people: number): Figure[] {
    return this.#figures.filter(
      (each) => pattern.test(each.what) && each.database === database && each.people === people,
    )
  }
}

export const rows: readonly Row[] = [
  copies('mixed update, process + PostgreSQL, in CPU of one \\copy row', 'track mixed', 4.2),
  copies('plain event, the same', 'track events', 2.2),
  ...both((database, name) => [
    {
      what: `creating new people, ${name}: at a million / at a thousand`,
      ...{ part: 'million', unit: 'x', wanted: 0.9, bound: '-' },
      read: (run) => divide(run.value(newcomersName, database, million), run.value(newcomersName, database, 1000)),
    },
    {
      what: `creating new people, ${name}: p99 at a million`,
      ...{ part: 'million', unit: 'ms', wanted: 150, bound: '-' },
      read: (run) => run.find(newcomersName, database, million)?.p99Ms,
    },
  ]),
  {
    what: '5,000 people due together, to the last mail',
    ...{ part: 'due', unit: 's', wanted: 5, bound: 'the pool alone' },
    read: (run) => run.value(dueName, 'postgres'),
  },
  {
    what: 'events when all are watched / none',
    ...{ part: 'million', unit: 'x', wanted: 0.75, bound: 'none watched' },
    read: (run) =>
      divide(run.value(watchedName(100), 'postgres', million), run.value(watchedName(0), 'postgres', million)),
  },
  {
    what: 'embedded with a million people, mixed',
    ...{ part: 'million', unit: 'x', wanted: 0.85, bound: 'PostgreSQL' },
    read: (run) => divide(run.value('track mixed', 'pglite', million), run.value('track mixed', 'postgres', million)),
  },
  ...both((database, name) => [
    scans(`audience count at a million, a group, ${name}`, database, 'a group', 0.5),
    scans(`audience count at a million, a pattern, ${name}`, database, 'a pattern', 0.3),
    {
      what: `longest estimate of an audience at a million, ${name}`,
      ...{ part: 'million', unit: 'ms', wanted: 150, bound: '-' },
      read: (run) => most(Object.keys(typical).map((each) => run.value(estimateName(each), database, million))),
    },
  ]),
  {
    what: 'any count, embedded, at a million: longest piece',
    ...{ part: 'million', unit: 'ms', wanted: pieceMsMax, bound: '-' },
    read: (run) =>
      most(run.matching(new RegExp(`${pieceName('^count of .*')}$`), 'pglite', million).map(({ value }) => value)),
  },
  {
    what: "any count, embedded, at a million: others' p99 / without it",
    ...{ part: 'million', unit: 'times', wanted: besideTimesMax, bound: 'without a count' },
    read: (run) =>
      divide(
        most(run.matching(new RegExp(`^${lookUpName('count of .*')}$`), 'pglite', million).map(({ value }) => value)),
        run.value(lookUpAloneName, 'pglite', million),
      ),
  },
  ...both((database, name) => [
    {
      what: `selection of 10 catalog items of a million, ${name}`,
      ...{ part: 'catalog', unit: 'ms', wanted: 5, bound: 'a look-up of 0.5 ms' },
      read: (run) => divide(run.value('selection of 10 catalog items', database, million), 1000),
    },
  ]),
  mails('mails', mailNames[0], 0.75),
  mails('mails, signed', mailNames[2], 0.65),
  {
    what: 'canvas entered / bare SQL',
    ...{ part: 'canvas', unit: 'x', wanted: 0.6, bound: 'the same rows by bare SQL' },
    read: (run) =>
      least(
        (['a delay', 'a message at once'] as const).map((first) =>
          divide(run.value(enterName(first), 'postgres', few), run.value(bareEnterName(first), 'postgres', few)),
        ),
      ),
  },
  {
    what: 'render / liquidjs alone',
    ...{ part: 'render', unit: 'x', wanted: 0.8, bound: 'liquidjs alone' },
    read: (run) => divide(run.find(boundRenderName, 'none')?.nodeUs, run.find(renderName, 'none')?.nodeUs),
  },
  growth('people', 'track', /^track /),
  growth('people', 'export', /^export of/),
  growth('people', 'audience, first page', /: first page$/),
  growth('entries', 'entries', new RegExp(`^(entries advanced|${enterNames.join('|')})((?!memory).)*$`)),
  history('export of 50', 'export of 50'),
  history('series', seriesName('')),
  history('history page', historyPageName),
  ...both((database, name) => [
    {
      what: `memory at rest, ${name}`,
      ...{ part: 'rest', unit: 'MB', wanted: database === 'pglite' ? 400 : 110 },
      bound: database === 'pglite' ? 'the engine alone: 305 MB' : 'Node.js alone: 42 MB',
      read: (run) => run.value(restNames[1], database),
    },
    {
      what: `CPU at rest, ${name}`,
      ...{ part: 'rest', unit: '%', wanted: 0.3, bound: '0' },
      read: (run) => run.value(restNames[0], database),
    },
  ]),
  {
    what: 'npm test, on two quiet cores',
    ...{ part: 'suite', unit: 'min', wanted: 4, bound: '-' },
    read: (run) => run.value(suiteName, 'none'),
  },
]

function both(make: (database: Database, name: string) => Row[]): Row[] {
  return [...make('postgres', 'PostgreSQL'), ...make('pglite', 'embedded')]
}

/** CPU of the process and the database in that of PostgreSQL for a row of `\copy`. */
function copies(what: string, name: string, wanted: number): Row {
  return {
    ...{ what, part: 'updates', unit: 'rows', wanted, bound: 'one row of psql \\copy' },
    read: (run) => {
      const figure = run.find(name, 'postgres', few)
      return divide(figure && cpuOf(figure), run.find('bound: psql \\copy of the events', 'postgres', few)?.databaseUs)
    },
  }
}

function scans(what: string, database: Database, segment: string, wanted: number): Row {
  return {
    ...{ what, part: 'million', unit: 'x', wanted, bound: 'one scan of profile' },
    read: (run) => divide(run.value(scanName, database, million), run.value(countName(segment), database, million)),
  }
}

function mails(what: string, name: string, wanted: number): Row {
  return {
    what: `${what} / nodemailer's pool with ready mails`,
    ...{ part: 'mails', unit: 'x', wanted, bound: 'the pool alone' },
    read: (run) => divide(run.value(name, 'postgres'), run.value(boundMailName, 'postgres')),
  }
}

/** The worst ratio of the figures whose names match, between two numbers of people: of their CPU where it was measured. */
function growth(part: PartName, what: string, pattern: RegExp): Row {
  return {
    what: `ten million people: ${what}`,
    ...{ part, unit: 'x', wanted: 0.8, bound: 'ten thousand people' },
    read: (run) => worst(run, pattern, few, tenMillion),
  }
}

/** The worst ratio of the figures of a year of events whose names begin so. */
function history(what: string, name: string): Row {
  return {
    what: `a hundred million events, 52 weeks: ${what}`,
    ...{ part: 'history', unit: 'x', wanted: 0.8, bound: 'a million events' },
    read: (run) => worst(run, new RegExp(`^${historyName(name)}`), fewHistories, manyHistories),
  }
}

function worst(run: Lookup, pattern: RegExp, small: number, large: number): number | undefined {
  return least(
    run.matching(pattern, 'postgres', large).map((grown) => {
      const before = run.find(grown.what, 'postgres', small)
      const [spent, spentBefore] = [cpuOf(grown), before && cpuOf(before)]
      // CPU is steadier than time, which depends on what else the machine does.
      if (spent !== undefined && spentBefore !== undefined) return divide(spentBefore, spent)
      return grown.unit === 'ms' ? divide(before?.value, grown.value) : divide(grown.value, before?.value)
    }),
  )
}

/** Returns the CPU of process and database for one unit of work; undefined when it was not measured. */
function cpuOf({ nodeUs, databaseUs }: Figure): number | undefined {
  return nodeUs === undefined || databaseUs === undefined ? undefined : nodeUs + databaseUs
}

function divide(above: number | undefined, below: number | undefined): number | undefined {
  return above === undefined || below === undefined ? undefined : above / below
}

function least(values: readonly (number | undefined)[]): number | undefined {
  return values.length === 0 || values.includes(undefined) ? undefined : Math.min(...(values as number[]))
}

function most(values: readonly (number | undefined)[]): number | undefined {
  return values.length === 0 || values.includes(undefined) ? undefined : Math.max(...(values as number[]))
}
