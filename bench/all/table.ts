import { median, quantile } from '../measure.ts'
import { amount, type Comparison, type Figure, isMet, printTable } from '../report.ts'
import { Lookup, type Row, rows } from './rows.ts'

/** A row of the table after some turns. Undefined: not measured. */
export type Result = {
  readonly row: Row
  /** The value of each turn. */
  readonly values: readonly number[]
  /** The same of the other checkout. */
  readonly others: readonly number[]
}

/** The figures of a turn, of this checkout or of the other one. */
export type Turn = { readonly other: boolean; readonly figures: readonly Figure[] }

/** Reads the value of each row from each turn. */
export function readResults(turns: readonly Turn[], wanted: readonly Row[] = rows): Result[] {
  const valuesOf = (row: Row, other: boolean) =>
    turns
      .filter((turn) => turn.other === other)
      .map((turn) => row.read(new Lookup(turn.figures)))
      .filter((value) => value !== undefined)
  return wanted.map((row) => ({ row, values: valuesOf(row, false), others: valuesOf(row, true) }))
}

/** Returns the medians of the rows that were measured. */
export function comparisonsOf(results: readonly Result[]): Comparison[] {
  return results.flatMap(({ row, values }): Comparison[] => {
    if (values.length === 0) return []
    const { what, unit, wanted } = row
    const spread = [quantile(values, 0.25), quantile(values, 0.75)] as const
    return [{ what, database: 'none', value: median(values), unit, wanted, turns: values.length, spread }]
  })
}

export function printResults(results: readonly Result[]): void {
  const hasOther = results.some(({ others }) => others.length > 0)
  printTable(
    ['figure', 'bound', 'value', 'half of the turns', 'turns', 'wanted', '', ...(hasOther ? ['other checkout'] : [])],
    results.map(({ row, values, others }) => [
      row.what,
      row.bound,
      ...valueCells(row, values),
      String(values.length),
      `${row.wanted} ${row.unit}`,
      verdict(row, values),
      ...(hasOther ? [others.length === 0 ? '' : `${amount(median(others))} ${row.unit}`] : []),
    ]),
    2,
  )
}

function valueCells({ unit }: Row, values: readonly number[]): [string, string] {
  if (values.length === 0) return ['', '']
  return [`${amount(median(values))} ${unit}`, `${amount(quantile(values, 0.25))} to ${amount(quantile(values, 0.75))}`]
}

/** Whether the median is at least the wanted value, or at most when less is better. */
function verdict({ what, unit, wanted }: Row, values: readonly number[]): string {
  if (values.length === 0) return 'not measured'
  return isMet({ what, database: 'none', value: median(values), unit }, wanted) ? 'yes' : 'NO'
}
