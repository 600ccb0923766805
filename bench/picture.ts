import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rows } from './all/rows.ts'
import { type HistoryLine, withFigures } from './figures-table.ts'
import { amount, print } from './report.ts'
import { root } from './server.ts'

const file = 'docs/images/performance.svg'
const page = 'docs/performance.md'
const columns = 3
const panel = { width: 300, height: 164, left: 12, right: 12, top: 60, bottom: 26 } as const
/** Characters of a line of a title, of which there are two at most. */
const titleChars = 44
const ink = '#1f2430'
const quiet = '#69707d'
const line = '#2f6fb5'
const goal = '#b5542f'

type Panel = { title: string; wanted: number; unit: string; points: { date: string; value: number }[] }

/** The comparisons that runs have made from the beginning. Those of the table of all figures follow. */
const first = [
  { what: 'events / psql \\copy', database: 'postgres', people: 1_000_000, wanted: 0.65 },
  { what: 'mixed / psql \\copy', database: 'postgres', people: 1_000_000, wanted: 0.45 },
  { what: 'mixed, embedded / PostgreSQL', database: 'pglite', people: 1_000_000, wanted: 0.85 },
  { what: 'export, bare SQL / service', database: 'postgres', people: 1_000_000, wanted: 0.5 },
  { what: 'growth: track mixed', database: 'postgres', people: 1_000_000, wanted: 0.8 },
  { what: 'mails / the pool alone', database: 'postgres', people: 4000, wanted: 0.75 },
] as const

/** Draws how the figures have changed, one panel each, from the lines of the history. A figure with one point is left out. */
export function drawHistory(history: readonly HistoryLine[]): string {
  const panels: Panel[] = [
    ...first.map(({ what, database, people, wanted }) => ({
      title: `${what}, ${people.toLocaleString('en')}`,
      ...{ wanted, unit: 'x' },
      points: history.filter(
        (each) => each.what === what && each.database === database && each.people === people && each.unit === 'x',
      ),
    })),
    ...rows.map(({ what, wanted, unit }) => {
      return {
        title: what,
        wanted,
        unit,
        points: history.filter((each) => each.what === what && each.database === 'none'),
      }
    }),
  ].filter(({ points }) => points.length > 1)
  const width = columns * panel.width
  const height = Math.ceil(panels.length / columns) * panel.height
  const drawn = panels.map((each, i) => {
    const [x, y] = [(i % columns) * panel.width, Math.floor(i / columns) * panel.height]
    return `<g transform="translate(${x} ${y})">${drawPanel(each)}</g>`
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img"`,
    ` aria-label="The figures of the benchmarks by date, with the wanted value of each as a dashed line"`,
    ` font-family="system-ui, sans-serif" font-size="11">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...drawn,
    '</svg>\n',
  ].join('\n')
}

function drawPanel({ title, wanted, unit, points }: Panel): string {
  const sorted = [...points].sort((a, b) => (a.date < b.date ? -1 : 1))
  const top = Math.max(wanted, ...points.map(({ value }) => value)) * 1.1
  const inner = { width: panel.width - panel.left - panel.right, height: panel.height - panel.top - panel.bottom }
  const xOf = (i: number) => panel.left + (inner.width * i) / (sorted.length - 1)
  const yOf = (value: number) => panel.top + inner.height * (1 - value / top)
  const path = sorted
    .map(({ value }, i) => `${i === 0 ? 'M' : 'L'}${xOf(i).toFixed(1)} ${yOf(value).toFixed(1)}`)
    .join(' ')
  const last = sorted.at(-1)!
  const dates = [sorted[0]!.date, last.date].map((date) => date.slice(0, 10))
  const bottom = panel.height - 8
  const wantedY = yOf(wanted).toFixed(1)
  return [
    ...titleLines(title).map((text, i) => {
      return `<text x="${panel.left}" y="${18 + i * 14}" fill="${ink}" font-weight="600">${escapeText(text)}</text>`
    }),
    `<text x="${panel.left}" y="47" fill="${quiet}">${amount(last.value)} ${unit}, wanted ${wanted}</text>`,
    `<line x1="${panel.left}" x2="${panel.width - panel.right}" y1="${wantedY}" y2="${wantedY}" stroke="${goal}" stroke-dasharray="4 3"/>`,
    `<path d="${path}" fill="none" stroke="${line}" stroke-width="1.5"/>`,
    ...sorted.map(
      ({ value }, i) => `<circle cx="${xOf(i).toFixed(1)}" cy="${yOf(value).toFixed(1)}" r="2" fill="${line}"/>`,
    ),
    `<text x="${panel.left}" y="${bottom}" fill="${quiet}">${dates[0]}</text>`,
    `<text x="${panel.width - panel.right}" y="${bottom}" fill="${quiet}" text-anchor="end">${dates[1]}</text>`,
  ].join('\n')
}

/** Breaks a title that is too long for one line at a blank. */
function titleLines(title: string): string[] {
  if (title.length <= titleChars) return [title]
  const at = title.lastIndexOf(' ', titleChars)
  return [title.slice(0, at), title.slice(at + 1)]
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

export function readHistory(): HistoryLine[] {
  const lines = readFileSync(join(root, 'bench/history.jsonl'), 'utf8').trim().split('\n')
  return lines.map((line) => JSON.parse(line) as HistoryLine)
}

/** Draws the picture of `docs/performance.md` and writes its table anew. */
export function writePicture(): void {
  const history = readHistory()
  writeFileSync(join(root, file), drawHistory(history))
  writeFileSync(join(root, page), withFigures(readFileSync(join(root, page), 'utf8'), history))
  print(`wrote ${file} and the table of ${page}`)
}
