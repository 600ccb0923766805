import { isObject, isUnsafeKey } from '../../people/values/values.ts'
import { valueCharacters } from './coerce.ts'
import { type Refusal, type RefusalId, refusal } from './refusals.ts'
import { type Field, type FieldType, fieldTypes, idField, nameCharactersMax, namePattern } from './schema.ts'

/** A field of a request; it has no token yet. */
export type NewField = { readonly name: string; readonly type: FieldType }

export type ReadFields = { readonly fields: readonly NewField[]; readonly refusals: readonly Refusal[] }

const malformed = "'fields' must be an array of objects with name and type"

/** Reads a list of fields, with all refusals. `taken`: names that they may not have. Pure. */
export function readFields(
  given: unknown,
  tooMany: { count: number; id: RefusalId },
  taken: readonly string[],
): ReadFields {
  if (!Array.isArray(given) || given.length === 0 || !given.every(isObject)) {
    return { fields: [], refusals: [refusal('invalid-fields', {}, malformed)] }
  }
  if (given.length > tooMany.count) return { fields: [], refusals: [refusal(tooMany.id)] }
  const refusals: Refusal[] = []
  const seen = new Set(taken)
  for (const { name, type } of given) {
    if (typeof name !== 'string' || !isFieldName(name)) refusals.push(refusal(nameProblem(name), { name }))
    else if (seen.has(name)) refusals.push(refusal('field-names-not-unique', { name }))
    else seen.add(name)
    if (!fieldTypes.includes(type as FieldType)) refusals.push(refusal('invalid-field-types', { type }))
  }
  return { fields: given.map(({ name, type }) => ({ name, type }) as NewField), refusals }
}

function isFieldName(name: string): boolean {
  return namePattern.test(name) && name.length <= nameCharactersMax && !isUnsafeKey(name)
}

function nameProblem(name: unknown): RefusalId {
  const isLong = typeof name === 'string' && valueCharacters(name) > nameCharactersMax
  return isLong ? 'field-names-too-large' : 'invalid-field-names'
}

/** Gives fields their tokens, from `next_token` up. `id` has a token of its own. */
export function withTokens(fields: readonly NewField[], next_token: number): Field[] {
  let token = next_token
  return fields.map(({ name, type }) => (name === 'id' ? idField : { name, type, token: String(token++) }))
}
