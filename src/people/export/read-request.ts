import { invalid } from '../../base/errors.ts'
import {
  aliasParts,
  type Identifier,
  identifierOrThrow,
  readAlias,
  readEmail,
  readExternalId,
  readPhone,
  readServiceId,
} from '../identity/identifier.ts'
import { bodyNotObject, type IdentifierWords, identifierWords, notValid, tooManyIds } from '../values/refusals.ts'
import { isCleanText, isObject } from '../values/values.ts'
import { recordFields } from './record.ts'
import { exportIdRequired, exportIdsMax, fieldsRequired, oneAddressOnly } from './schema.ts'

/** `names` has the identifiers, each with the text that is listed when no person matches. */
export type ExportRequest = { names: Map<Identifier, string>; fields: ReadonlySet<string> }

type Body = Readonly<Record<string, unknown>>

/** Reads the body of `/users/export/ids` (specification 4.5). Null and empty lists count as absent. Throws 400. */
export function readExport(body: unknown, serviceName: string, exportAllFields: boolean): ExportRequest {
  if (!isObject(body)) throw invalid(bodyNotObject)
  const words = identifierWords(serviceName)
  const fields = readFields(body.fields_to_export, words, exportAllFields)
  const names = new Map<Identifier, string>()
  readExternalIds(body.external_ids, names)
  readAliases(body.user_aliases, names)
  if (names.size > exportIdsMax) throw invalid(tooManyIds)
  readServiceIdentifier(body[words.serviceIdKey], words, names)
  readOnlyOne(body, names)
  if (names.size === 0) throw invalid(exportIdRequired(serviceName))
  return { names, fields }
}

/** Reads `fields_to_export`. The configured word for the service id becomes `service_id`. */
export function readFields(given: unknown, words: IdentifierWords, exportAllFields: boolean): ReadonlySet<string> {
  if (isAbsent(given) && exportAllFields) return new Set(recordFields)
  if (!Array.isArray(given) || given.length === 0) throw invalid(fieldsRequired)
  // Requests use the configured word for the service id, not `service_id`.
  const known = given.filter(
    (field) => typeof field === 'string' && (field !== 'service_id' || field === words.serviceIdKey),
  )
  return new Set(known.map((field) => (field === words.serviceIdKey ? 'service_id' : field)))
}

function readExternalIds(given: unknown, names: Map<Identifier, string>): void {
  if (isAbsent(given)) return
  const list = typeof given === 'string' || typeof given === 'number' ? [given] : given
  if (!Array.isArray(list)) throw invalid(notAList('external_ids'))
  for (const each of list) {
    const identifier = identifierOrThrow(readExternalId(each, true))
    names.set(identifier, identifier.value)
  }
}

function readAliases(given: unknown, names: Map<Identifier, string>): void {
  if (isAbsent(given)) return
  if (!Array.isArray(given)) throw invalid(notAList('user_aliases'))
  for (const each of given) {
    const identifier = identifierOrThrow(readAlias(each, true))
    names.set(identifier, aliasParts(identifier.value).alias_name)
  }
}

function readServiceIdentifier(given: unknown, words: IdentifierWords, names: Map<Identifier, string>): void {
  if (isAbsent(given)) return
  names.set(identifierOrThrow(readServiceId(given, words)), String(given))
}

const kinds = { device_id: 'device', email_address: 'email', phone: 'phone' } as const

/** Reads at most one of `device_id`, `email_address` and `phone`. A malformed address matches no person. */
function readOnlyOne(given: Body, names: Map<Identifier, string>): void {
  const named = (Object.keys(kinds) as (keyof typeof kinds)[]).filter((name) => !isAbsent(given[name]))
  if (named.length > 1) throw invalid(oneAddressOnly)
  const [name] = named
  if (!name) return
  const value = given[name]
  if (typeof value !== 'string' || !isCleanText(value)) throw invalid(notValid(name))
  const identifier = name === 'email_address' ? readEmail(value) : name === 'phone' ? readPhone(value) : undefined
  // A malformed address is looked up unchanged, so that it is listed among the invalid ids.
  names.set(typeof identifier === 'object' ? identifier : { kind: kinds[name], value }, value)
}

function notAList(name: string): string {
  return `'${name}' must be an array`
}

/** Returns whether a value counts as absent: null, an empty text or an empty list. */
export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
}
