import { type Row, rows } from './all/rows.ts'
import { amount, type Comparison, isMet } from './report.ts'

/** A line of the history that compares a figure with its bound. */
export type HistoryLine = Comparison & { date: string }

const marks = ['<!-- The figures: npm run bench -- picture -->\n', '<!-- The end of the figures. -->\n'] as const
const head = [
  '| figure | bound | value | half of the turns | turns | wanted | met | on |',
  '|---|---|---:|---:|---:|---:|---|---|',
]

/** Returns the page with the newest value of each figure in its table. */
export function withFigures(page: string, history: readonly HistoryLine[]): string {
  const [from, until] = [page.indexOf(marks[0]) + marks[0].length, page.indexOf(marks[1])]
  if (from < marks[0].length || until < from) throw new Error('the page has no place for the figures')
  const lines = [...head, ...rows.map((row) => lineOf(row, history))]
  return `${page.slice(0, from)}\n${lines.join('\n')}\n\n${page.slice(until)}`
}

function lineOf({ what, bound, wanted, unit }: Row, history: readonly HistoryLine[]): string {
  const measured = history
    .filter((line) => line.what === what && line.database === 'none')
    .toSorted((a, b) => (a.date < b.date ? -1 : 1))
    .at(-1)
  const cells = measured ? cellsOf(measured, wanted) : { value: '', spread: '', turns: '', met: 'not measured', on: '' }
  const { value, spread, turns, met, on } = cells
  return `| ${[what, bound, value, spread, turns, `${wanted} ${unit}`, met, on].join(' | ').replaceAll('\\', '\\\\')} |`
}

function cellsOf(measured: HistoryLine, wanted: number) {
  const { value, unit, spread, turns = 1, date } = measured
  return {
    value: `${amount(value)} ${unit}`,
    spread: turns > 1 ? (spread?.map((each) => amount(each)).join(' to ') ?? '') : '',
    turns: String(turns),
    met: isMet(measured, wanted) ? 'yes' : '**no**',
    on: date.slice(0, 10),
  }
}
