import { isObject, type Json } from '../../people/values/values.ts'
import type { RefusalId } from './refusals.ts'
import {
  arrayItemsMax,
  type Field,
  filteredCharactersMax,
  type Item,
  type ItemFields,
  itemCharactersMax,
} from './schema.ts'
import { charactersOf, coerce } from './values.ts'

/** What becomes of one value: it is set, or texts are added to and removed from an array. */
type Step =
  | { readonly set: Json; readonly add?: undefined }
  | { readonly add: readonly string[]; readonly remove: readonly string[] }

/** What a request says of an item's values, by token, each as its field wants it; and what is wrong with the rest. */
export type Change = { readonly steps: ReadonlyMap<string, Step>; readonly problems: ReadonlySet<RefusalId> }

/** What a catalog's fields are for a write: by name, and which of them selections use. */
export type Rules = { readonly fields: ReadonlyMap<string, Field>; readonly filtered: ReadonlySet<string> }

/** Reads the values of an item; `$add` and `$remove` are understood where an item is changed in part. Pure. */
export function readChange(given: Readonly<Record<string, unknown>>, rules: Rules, inPart: boolean): Change {
  const steps = new Map<string, Step>()
  const problems = new Set<RefusalId>()
  for (const [name, value] of Object.entries(given)) {
    const field = rules.fields.get(name)
    if (field === undefined || field.name === 'id') {
      problems.add('invalid-fields')
      continue
    }
    const step = inPart && field.type === 'array' && isObject(value) ? readOperators(value) : readValue(field, value)
    if (typeof step === 'string') problems.add(step)
    else steps.set(field.token, step)
    if (rules.filtered.has(name) && typeof value === 'string' && charactersOf(value) > filteredCharactersMax) {
      problems.add('filtered-set-field-too-long')
    }
  }
  const characters = [...steps.values()].reduce((sum, step) => sum + (step.add ? 0 : charactersOf(step.set)), 0)
  if (characters > itemCharactersMax) problems.add('items-too-large')
  return { steps, problems }
}

function readValue({ type }: Field, given: unknown): Step | RefusalId {
  const coerced = coerce(type, given)
  return coerced.problem ?? { set: coerced.value }
}

function readOperators(given: Readonly<Record<string, unknown>>): Step | RefusalId {
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

export type Changed = { readonly fields: ItemFields; readonly problem?: RefusalId }

/**
 * The values of an item after a change. Without `before` it has nothing else; with it, what the change does not name stays, as long
 * as its field is there. `$add` comes before `$remove`, a text that is in the array already is not added again, and what is removed
 * from nothing leaves nothing. Pure.
 */
export function changed(before: ItemFields | undefined, { steps }: Change, fields: readonly Field[]): Changed {
  const after: { [token: string]: Json } = {}
  for (const { token } of fields) {
    const step = steps.get(token)
    const value = step === undefined ? before?.[token] : step.add ? stepped(before?.[token], step) : step.set
    if (value !== undefined && value !== null) after[token] = value
  }
  const values = Object.values(after)
  if (values.some((value) => Array.isArray(value) && value.length > arrayItemsMax)) {
    return { fields: after, problem: 'unable-to-coerce-value' }
  }
  const characters = values.reduce<number>((sum, value) => sum + charactersOf(value), 0)
  return characters > itemCharactersMax ? { fields: after, problem: 'items-too-large' } : { fields: after }
}

function stepped(before: Json | undefined, step: Exclude<Step, { set: Json }>): Json | undefined {
  const had = Array.isArray(before) ? (before as readonly string[]) : []
  const removed = new Set(step.remove)
  const now = [...had, ...new Set(step.add).difference(new Set(had))].filter((text) => !removed.has(text))
  return now.length === 0 && before === undefined ? undefined : now
}

/** Bytes that an item takes as it is kept. */
export function bytesOf(item_id: string, fields: ItemFields): number {
  return item_id.length + Buffer.byteLength(JSON.stringify(fields))
}

/** An item as everybody sees it. */
export function itemOf(item_id: string, kept: ItemFields, fields: readonly Field[]): Item {
  const values = fields.slice(1).map(({ name, token }) => [name, kept[token] ?? null] as const)
  return Object.fromEntries([['id', item_id], ...values])
}
