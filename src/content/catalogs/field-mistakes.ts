import type { Mistake } from './item-change.ts'
import { refusalSentence } from './refusals.ts'
import { arrayItemsMax, type Field, type FieldType, filteredCharactersMax } from './schema.ts'

const needs: Readonly<Record<FieldType, string>> = {
  string: 'a text',
  number: 'a number, such as 1.5',
  boolean: 'true or false',
  time: 'a time, such as 2030-01-31T09:00:00Z',
  object: 'an object, such as {"a": 1}',
  array: `a list of at most ${arrayItemsMax} texts, such as ["a", "b"]`,
  geo: 'a longitude and a latitude, such as [13.4, 52.5]',
}

/** Says what is wrong with an item in a sentence that names the field. Pure. */
export function describeMistake({ problem, field }: Mistake, fields: ReadonlyMap<string, Field>): string {
  if (field === undefined) return refusalSentence(problem)
  const type = fields.get(field)?.type
  if (problem === 'invalid-fields') return `The catalog has no field '${field}' that can be written`
  if (problem === 'unable-to-coerce-value' && type !== undefined) return `'${field}' must be ${needs[type]}`
  if (problem === 'filtered-set-field-too-long') {
    return `'${field}' can not exceed ${filteredCharactersMax} characters, because a selection uses it`
  }
  return `'${field}': ${refusalSentence(problem)}`
}
