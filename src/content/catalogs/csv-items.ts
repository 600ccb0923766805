import type { Json } from '../../people/values/values.ts'
import { cellValue } from './csv-columns.ts'
import type { CsvRecord } from './csv-records.ts'
import { describeMistake } from './field-mistakes.ts'
import { type CatalogRules, type ItemChange, readChange } from './item-change.ts'
import { idProblems } from './read-items.ts'
import { refusalSentence } from './refusals.ts'

const shownCharactersMax = 60

/** A line that is no item, and why. */
export type RefusedLine = { readonly line: number; readonly message: string }

/** An item of a line. */
export type LineItem = { readonly line: number; readonly id: string; readonly change: ItemChange }

export type ReadLines = {
  readonly items: readonly LineItem[]
  readonly refused: readonly RefusedLine[]
  /** The lines that have a valid id, also those that are refused for another reason. */
  readonly ids: readonly { readonly id: string; readonly line: number }[]
}

/** Reads records as items of a catalog, with what is wrong with the others. `earlier`: lines of ids before these. Pure. */
export function readLines(
  records: Iterable<CsvRecord>,
  header: readonly string[],
  rules: CatalogRules,
  earlier: ReadonlyMap<string, number>,
): ReadLines {
  const items: LineItem[] = []
  const refused: RefusedLine[] = []
  const lines = new Map<string, number>()
  const idAt = header.indexOf('id')
  for (const record of records) {
    const { line, cells, mistake } = record
    const problem = mistake ?? shapeProblem(record, header.length)
    if (problem !== undefined) {
      refused.push({ line, message: problem })
      continue
    }
    const id = cells[idAt]!.text
    const idProblem = problemOfId(id, earlier.get(id) ?? lines.get(id))
    if (idProblem === undefined) lines.set(id, line)
    const change = readChange(valuesOf(record, header, rules), rules, false)
    const problems = [...(idProblem === undefined ? [] : [idProblem]), ...problemsOf(record, header, rules, change)]
    if (problems.length > 0) refused.push({ line, message: problems.join('. ') })
    else items.push({ line, id, change })
  }
  return { items, refused, ids: [...lines].map(([id, line]) => ({ id, line })) }
}

function shapeProblem({ cells }: CsvRecord, columns: number): string | undefined {
  if (cells.length === columns) return undefined
  return `The line has ${count(cells.length, 'cell')}, and the header has ${count(columns, 'column')}`
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`
}

function problemOfId(id: string, line: number | undefined): string | undefined {
  if (id === '') return 'The id is empty'
  const [problem] = idProblems(id)
  if (problem !== undefined) return refusalSentence(problem)
  return line === undefined ? undefined : `The id '${id}' is on line ${line} already`
}

/** A value that is no JSON is left as undefined, which fits no type. */
function valuesOf({ cells }: CsvRecord, header: readonly string[], { fields }: CatalogRules) {
  const values: { [name: string]: Json | undefined } = {}
  for (const [i, name] of header.entries()) {
    if (name !== 'id') values[name] = cellValue(fields.get(name)!.type, cells[i]!)
  }
  return values
}

function problemsOf(
  { cells }: CsvRecord,
  header: readonly string[],
  { fields }: CatalogRules,
  { mistakes }: ItemChange,
): string[] {
  return mistakes.map((mistake) => {
    const sentence = describeMistake(mistake, fields)
    if (mistake.field === undefined || mistake.problem !== 'unable-to-coerce-value') return sentence
    return `${sentence}; the line has ${JSON.stringify(shortened(cells[header.indexOf(mistake.field)]!.text))}`
  })
}

function shortened(text: string): string {
  return text.length <= shownCharactersMax ? text : `${text.slice(0, shownCharactersMax).toWellFormed()}...`
}
