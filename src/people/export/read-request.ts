import { invalid } from '../../base/errors.ts'
import {
  aliasParts,
  type Identifier,
  identifierOrThrow,
  isGiven,
  readAlias,
  readEmail,
  readExternalId,
  readPhone,
  readServiceId,
} from '../identity/identifier.ts'
import { IdentifierLists, type RefusedItem } from '../identity/identifier-lists.ts'
import { nearestName } from '../values/nearest-name.ts'
import { bodyNotObject, type IdentifierWords, identifierWords, notValid, tooManyIds } from '../values/refusals.ts'
import { isCleanText, isObject } from '../values/values.ts'
import { recordFields } from './record.ts'
import {
  exportIdRequired,
  exportIdsMax,
  fieldErrorsMax,
  fieldsRequired,
  oneAddressOnly,
  unknownField,
} from './schema.ts'

/** `names` has the identifiers, each with the text that is listed when no person matches. */
export type ExportRequest = { names: Map<Identifier, string>; fields: ReadonlySet<string> }

type Body = Readonly<Record<string, unknown>>

/** Reads the body of `/users/export/ids` (specification 4.5). Null and empty lists count as absent. Throws 400. */
export function readExport(body: unknown, serviceName: string, exportAllFields: boolean): ExportRequest {
  if (!isObject(body)) throw invalid(bodyNotObject)
  const words = identifierWords(serviceName)
  const fields = readFields(body.fields_to_export, words, exportAllFields)
  const names = new Map<Identifier, string>()
  readLists(body, names)
  readServiceIdentifier(body[words.serviceIdKey], words, names)
  readOnlyOne(body, names)
  if (names.size === 0) throw invalid(exportIdRequired(serviceName))
  return { names, fields }
}

/** Reads `fields_to_export`. The configured word for the service id becomes `service_id`. Throws 400 with the nearest known field. */
export function readFields(given: unknown, words: IdentifierWords, exportAllFields: boolean): ReadonlySet<string> {
  if (isAbsent(given) && exportAllFields) return new Set(recordFields)
  if (!Array.isArray(given) || given.length === 0 || !given.every((field) => typeof field === 'string')) {
    throw invalid(fieldsRequired)
  }
  // Requests use the configured word for the service id, not `service_id`.
  const known = new Set(recordFields.map((field) => (field === 'service_id' ? words.serviceIdKey : field)))
  const errors = unknownFields(given, known, words.serviceIdKey)
  if (errors[0]) throw invalid(errors[0].type, errors)
  return new Set(given.map((field) => (field === words.serviceIdKey ? 'service_id' : field)))
}

function unknownFields(given: readonly string[], known: ReadonlySet<string>, serviceIdKey: string): RefusedItem[] {
  const names = [...new Set([...known, 'service_id'])]
  const errors: RefusedItem[] = []
  for (const [index, field] of given.entries()) {
    if (known.has(field)) continue
    const nearest = nearestName(field, names)!
    const type = unknownField(field, nearest === 'service_id' ? serviceIdKey : nearest)
    errors.push({ type, input_array: 'fields_to_export', index })
    if (errors.length === fieldErrorsMax) break
  }
  return errors
}

/** Reads `external_ids` and `user_aliases`. */
function readLists(body: Body, names: Map<Identifier, string>): void {
  const ids = listIn(body, 'external_ids')
  const aliases = listIn(body, 'user_aliases')
  if (ids.length + aliases.length > exportIdsMax) throw invalid(tooManyIds)
  const lists = new IdentifierLists()
  for (const identifier of lists.read(ids, 'external_ids', (id) => readExternalId(id, true))) {
    names.set(identifier, identifier.value)
  }
  for (const identifier of lists.read(aliases, 'user_aliases', (alias) => readAlias(alias, true))) {
    names.set(identifier, aliasParts(identifier.value).alias_name)
  }
  lists.checkExactly()
}

function listIn(body: Body, name: string): readonly unknown[] {
  const given = body[name]
  if (isAbsent(given)) return []
  if (!Array.isArray(given)) throw invalid(`'${name}' must be an array`)
  return given
}

function readServiceIdentifier(given: unknown, words: IdentifierWords, names: Map<Identifier, string>): void {
  if (isGiven(given)) names.set(identifierOrThrow(readServiceId(given, words)), String(given))
}

const kinds = { device_id: 'device', email_address: 'email', phone: 'phone' } as const

/** Reads at most one of `device_id`, `email_address` and `phone`. A malformed address matches no person. */
function readOnlyOne(given: Body, names: Map<Identifier, string>): void {
  const named = (Object.keys(kinds) as (keyof typeof kinds)[]).filter((name) => isGiven(given[name]))
  if (named.length > 1) throw invalid(oneAddressOnly)
  const [name] = named
  if (!name) return
  const value = given[name]
  if (typeof value !== 'string' || !isCleanText(value)) throw invalid(notValid(name))
  const identifier = name === 'email_address' ? readEmail(value) : name === 'phone' ? readPhone(value) : undefined
  // A malformed address is looked up unchanged, so that it is listed among the invalid ids.
  names.set(typeof identifier === 'object' ? identifier : { kind: kinds[name], value }, value)
}

/** Returns whether a value counts as absent: null, an empty text or an empty list. */
export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
}
