import { invalid } from '../../base/errors.ts'
import { aliasParts, identifierOrThrow, idText, isGiven, readAlias, readExternalId } from '../identity/identifier.ts'
import { bodyNotObject, notAnObject, notValid, tooManyIds } from '../values/refusals.ts'
import { isCleanText, isObject } from '../values/values.ts'
import type { AliasUpdate, ExternalIdRename } from './identifier-changes.ts'
import { itemsMax, notIds, notObjects, tooManyItems } from './schema.ts'

type Item = Readonly<Record<string, unknown>>

/** An alias for the person with the external_id, or for a new person. */
export type NewAlias = {
  readonly external_id: string | null
  readonly alias_label: string
  readonly alias_name: string
}

/** Reads the body of `/users/alias/new` (contract 10.1). Throws 400. */
export function readNewAliases(body: unknown): NewAlias[] {
  return readObjects(body, 'user_aliases', 'user aliases').map((item) => {
    if (isGiven(item.user_alias) && !isObject(item.user_alias)) throw invalid(notValid('user_alias'))
    const alias = isObject(item.user_alias) ? item.user_alias : item
    return {
      external_id: isGiven(item.external_id) ? readId(item, 'external_id') : null,
      alias_label: readLabel(alias, 'alias_label'),
      alias_name: readName(alias, 'alias_name'),
    }
  })
}

/** Reads the body of `/users/alias/update`. */
export function readAliasUpdates(body: unknown): AliasUpdate[] {
  return readObjects(body, 'alias_updates', 'alias updates').map((item) => ({
    alias_label: readLabel(item, 'alias_label'),
    old_alias_name: readName(item, 'old_alias_name'),
    new_alias_name: readName(item, 'new_alias_name'),
  }))
}

/**
 * Reads the body of `/users/external_ids/rename`. An item that is refused becomes a text with the reason; the other items are read
 * (contract 10.1).
 */
export function readRenames(body: unknown): (ExternalIdRename | string)[] {
  return readList(body, 'external_id_renames', 'external id renames').map((item) => {
    if (!isObject(item)) return notAnObject
    const current_external_id = textOf(item.current_external_id)
    const new_external_id = textOf(item.new_external_id)
    if (current_external_id === undefined) return notValid('current_external_id')
    if (new_external_id === undefined) return notValid('new_external_id')
    return { current_external_id, new_external_id }
  })
}

/** Reads the body of `/users/external_ids/remove`; undefined for an item that is not an id. */
export function readRemovals(body: unknown): (string | undefined)[] {
  if (!isObject(body)) throw invalid(bodyNotObject)
  const { external_ids } = body
  if (!Array.isArray(external_ids) || external_ids.length === 0) throw invalid(notIds('external_ids'))
  if (external_ids.length > itemsMax) throw invalid(tooManyIds)
  return external_ids.map(textOf)
}

function readList(body: unknown, name: string, items: string): unknown[] {
  if (!isObject(body)) throw invalid(bodyNotObject)
  const list = body[name]
  if (!Array.isArray(list) || list.length === 0) throw invalid(notObjects(name))
  if (list.length > itemsMax) throw invalid(tooManyItems(items))
  return list
}

function readObjects(body: unknown, name: string, items: string): Item[] {
  const list = readList(body, name, items)
  if (!list.every(isObject)) throw invalid(notObjects(name))
  return list
}

function readId(item: Item, field: string): string {
  return identifierOrThrow(readExternalId(item[field], true)).value
}

function textOf(value: unknown): string | undefined {
  const text = idText(value)
  return text && isCleanText(text) ? text : undefined
}

// Each member of an alias is read with a valid value of the other one, so that the error names the right field.

function readLabel(item: Item, field: string): string {
  const alias = readAlias({ alias_label: item[field], alias_name: 'name' }, true)
  if (typeof alias === 'string') throw invalid(notValid(field))
  return aliasParts(alias.value).alias_label
}

function readName(item: Item, field: string): string {
  const alias = readAlias({ alias_label: 'label', alias_name: item[field] }, true)
  if (typeof alias === 'string') throw invalid(notValid(field))
  return aliasParts(alias.value).alias_name
}
