import { isObject, type Json } from '../../people/values/values.ts'
import { coerce, valueCharacters } from './coerce.ts'
import type { RefusalId } from './refusals.ts'
import {
  arrayItemsMax,
  type Field,
  filteredCharactersMax,
  type Item,
  type ItemFields,
  itemCharactersMax,
} from './schema.ts'

/** The change of one value: it is set, or texts are added to and removed from an array. */
type ValueChange =
  | { readonly set: Json; readonly add?: undefined }
  | { readonly add: readonly string[]; readonly remove: readonly string[] }

/** What is wrong with an item, and with which of its fields; absent when it is about all of them. */
export type Mistake = { readonly problem: RefusalId; readonly field?: string }

/** The changes of an item's values by token, coerced to the types of their fields, and the mistakes in the others. */
export type ItemChange = {
  readonly changes: ReadonlyMap<string, ValueChange>
  readonly mistakes: readonly Mistake[]
}

/** The fields of a catalog by name, and the names of those that selections use. */
export type CatalogRules = { readonly fields: ReadonlyMap<string, Field>; readonly filtered: ReadonlySet<string> }

/** Reads the values of an item. `inPart`: arrays may be changed with `$add` and `$remove`. Pure. */
export function readChange(given: Readonly<Record<string, unknown>>, rules: CatalogRules, inPart: boolean): ItemChange {
  const changes = new Map<string, ValueChange>()
  const mistakes: Mistake[] = []
  for (const [name, value] of Object.entries(given)) {
    const field = rules.fields.get(name)
    if (field === undefined || field.name === 'id') {
      mistakes.push({ problem: 'invalid-fields', field: name })
      continue
    }
    const change = inPart && field.type === 'array' && isObject(value) ? readOperators(value) : readValue(field, value)
    if (typeof change === 'string') mistakes.push({ problem: change, field: name })
    else changes.set(field.token, change)
    if (rules.filtered.has(name) && typeof value === 'string' && valueCharacters(value) > filteredCharactersMax) {
      mistakes.push({ problem: 'filtered-set-field-too-long', field: name })
    }
  }
  const characters = [...changes.values()].reduce(
    (sum, change) => sum + (change.add ? 0 : valueCharacters(change.set)),
    0,
  )
  if (characters > itemCharactersMax) mistakes.push({ problem: 'items-too-large' })
  return { changes, mistakes }
}

function readValue({ type }: Field, given: unknown): ValueChange | RefusalId {
  const coerced = coerce(type, given)
  return coerced.problem ?? { set: coerced.value }
}

function readOperators(given: Readonly<Record<string, unknown>>): ValueChange | RefusalId {
  const { $add, $remove, ...rest } = given
  const isEmpty = $add === undefined && $remove === undefined
  const [add, remove] = [textsOf($add ?? []), textsOf($remove ?? [])]
  if (isEmpty || Object.keys(rest).length > 0 || !add || !remove) return 'unable-to-coerce-value'
  return { add, remove }
}

function textsOf(given: unknown): readonly string[] | undefined {
  const { problem, value } = { value: undefined, ...coerce('array', given) }
  return problem === undefined ? (value as readonly string[]) : undefined
}

export type ChangedItem = { readonly fields: ItemFields; readonly problem?: RefusalId }

/**
 * Applies a change to the values `before`. Other values stay if their fields still exist. `$add` comes before `$remove`. A text that is
 * already in the array is not added again. Removing from a value that is not set has no effect. Pure.
 */
export function applyChange(
  before: ItemFields | undefined,
  { changes }: ItemChange,
  fields: readonly Field[],
): ChangedItem {
  const after: { [token: string]: Json } = {}
  for (const { token } of fields) {
    const change = changes.get(token)
    const value =
      change === undefined ? before?.[token] : change.add ? editedArray(before?.[token], change) : change.set
    if (value !== undefined && value !== null) after[token] = value
  }
  const values = Object.values(after)
  if (values.some((value) => Array.isArray(value) && value.length > arrayItemsMax)) {
    return { fields: after, problem: 'unable-to-coerce-value' }
  }
  const characters = values.reduce<number>((sum, value) => sum + valueCharacters(value), 0)
  return characters > itemCharactersMax ? { fields: after, problem: 'items-too-large' } : { fields: after }
}

function editedArray(before: Json | undefined, change: Exclude<ValueChange, { set: Json }>): Json | undefined {
  const had = Array.isArray(before) ? (before as readonly string[]) : []
  const removed = new Set(change.remove)
  const now = [...had, ...new Set(change.add).difference(new Set(had))].filter((text) => !removed.has(text))
  return now.length === 0 && before === undefined ? undefined : now
}

/** Returns the bytes of a stored item. */
export function itemBytes(item_id: string, fields: ItemFields): number {
  return item_id.length + Buffer.byteLength(JSON.stringify(fields))
}

/** Returns the item for answers and templates. */
export function toItem(item_id: string, stored: ItemFields, fields: readonly Field[]): Item {
  const values = fields.slice(1).map(({ name, token }) => [name, stored[token] ?? null] as const)
  return Object.fromEntries([['id', item_id], ...values])
}
