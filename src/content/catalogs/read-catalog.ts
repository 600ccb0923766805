import { isObject } from '../../people/values/values.ts'
import { coerce, valueCharacters } from './coerce.ts'
import { type ReadFields, readFields } from './read-fields.ts'
import { type Refusal, refusal } from './refusals.ts'
import { fieldsMax, nameCharactersMax, namePattern } from './schema.ts'

export type ReadCatalog = {
  readonly name: string
  readonly description: string
  readonly fields: ReadFields['fields']
  readonly refusals: readonly Refusal[]
}

/** Reads the body of `POST /catalogs`, with all refusals (contract 4.9.3). Pure. */
export function readCatalog(body: unknown): ReadCatalog {
  const list = isObject(body) ? body.catalogs : undefined
  if (!Array.isArray(list) || list.length === 0 || !list.every(isObject)) return rejected('catalog-array-invalid')
  if (list.length > 1) return rejected('too-many-catalog-atoms')
  const { name, description, fields: listed } = list[0]!
  const { fields, refusals } = readFields(listed, { count: fieldsMax, id: 'too-many-fields' }, [])
  const [first] = fields
  const isNotId = first !== undefined && (first.name !== 'id' || first.type !== 'string')
  return {
    name: typeof name === 'string' ? name : '',
    description: typeof description === 'string' ? description : '',
    fields,
    refusals: [
      ...nameProblems(name),
      ...descriptionProblems(description),
      ...(isNotId ? [refusal('id-not-first-column', { name: first.name, type: first.type })] : []),
      ...refusals,
    ],
  }
}

function rejected(id: 'catalog-array-invalid' | 'too-many-catalog-atoms'): ReadCatalog {
  return { name: '', description: '', fields: [], refusals: [refusal(id)] }
}

function nameProblems(name: unknown): Refusal[] {
  if (typeof name === 'string' && valueCharacters(name) > nameCharactersMax) {
    return [refusal('catalog-name-too-large', { name })]
  }
  return typeof name === 'string' && namePattern.test(name) ? [] : [refusal('invalid-catalog-name', { name })]
}

function descriptionProblems(given: unknown): Refusal[] {
  const description = given ?? ''
  if (typeof description !== 'string' || coerce('string', description).problem) {
    return [refusal('arbitrary-error', { description: given }, "'description' is not valid")]
  }
  return valueCharacters(description) > nameCharactersMax ? [refusal('description-too-long', { description })] : []
}
