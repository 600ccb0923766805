import { isObject } from '../../people/values/values.ts'
import { valueCharacters } from './coerce.ts'
import { missingIds, type RefusalId, refusal } from './refusals.ts'
import { itemsPerRequestMax, nameCharactersMax, namePattern } from './schema.ts'

type GivenItem = Readonly<Record<string, unknown>>
export type Refusals = readonly (ReturnType<typeof refusal> | ReturnType<typeof missingIds>)[]

/** An item of a request, with the values to write. */
export type RequestedItem = { readonly id: string; readonly given: GivenItem }

/** The items of a request, with all refusals that do not depend on the catalog. */
export type ItemsRequest = { readonly items: readonly RequestedItem[]; readonly refusals: Refusals }

/** Reads the body of a request for one item, which the path names. Pure. */
export function readItem(body: unknown, item_id: string): ItemsRequest {
  const list = listIn(body)
  const about = { id: item_id }
  const refusals = idProblems(item_id).map((problem) => refusal(problem, about))
  if (list === undefined) return { items: [], refusals: [...refusals, refusal('item-array-invalid')] }
  if (list.length > 1) return { items: [], refusals: [...refusals, refusal('request-includes-too-many-items')] }
  const { id, ...given } = list[0]!
  if (id !== undefined) refusals.push(refusal('id-in-body', about))
  return { items: [{ id: item_id, given }], refusals }
}

/**
 * Reads the body of a request for several items, each with its id. `notString`: the refusal of an id of another type, of which the
 * interface has two. Pure.
 */
export function readItems(
  body: unknown,
  notString: 'ids-not-strings' | 'ids-not-string' = 'ids-not-strings',
): ItemsRequest {
  const list = listIn(body)
  if (list === undefined) return { items: [], refusals: [refusal('item-array-invalid')] }
  if (list.length > itemsPerRequestMax) {
    return { items: [], refusals: [refusal('request-includes-too-many-items')] }
  }
  const items: RequestedItem[] = []
  const refusals: ReturnType<typeof refusal>[] = []
  const seen = new Set<string>()
  let missing = 0
  for (const { id, ...given } of list) {
    if (id === undefined || id === null || id === '') missing++
    else if (typeof id !== 'string') refusals.push(refusal(notString, { id }))
    else {
      refusals.push(...idProblems(id).map((problem) => refusal(problem, { id })))
      if (seen.has(id)) refusals.push(refusal('ids-not-unique', { id }))
      seen.add(id)
      items.push({ id, given })
    }
  }
  return { items, refusals: missing === 0 ? refusals : [missingIds(missing), ...refusals] }
}

function listIn(body: unknown): GivenItem[] | undefined {
  const list = isObject(body) ? body.items : undefined
  return Array.isArray(list) && list.length > 0 && list.every(isObject) ? list : undefined
}

/** Returns what is wrong with the id of an item. */
export function idProblems(id: string): RefusalId[] {
  if (valueCharacters(id) > nameCharactersMax) return ['ids-too-large']
  return namePattern.test(id) ? [] : ['invalid-ids']
}

/** Whether a catalog, field, selection or item may have this name. */
export function isCatalogName(text: string): boolean {
  return text.length <= nameCharactersMax && namePattern.test(text)
}
