import type { FieldType } from './cell-value.ts'

const labels: Readonly<Record<FieldType, string>> = {
  string: 'string: a text',
  number: 'number',
  boolean: 'boolean: true or false',
  time: 'time',
  object: 'object: JSON with names',
  array: 'array: a list of texts',
  geo: 'geo: longitude and latitude',
}

/** The types of a field, as a form offers them. */
export const typeOptions = Object.entries(labels).map(([value, label]) => ({ value, label }))
