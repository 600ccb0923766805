import { invalid } from '../../base/errors.ts'
import { readNonEmpty } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import type { IdentifierWords } from '../values/refusals.ts'
import {
  type Identifier,
  identifierOrThrow,
  readAlias,
  readEmail,
  readExternalId,
  readServiceId,
} from './identifier.ts'

/**
 * Reads the identifier of a query: `external_id`, `alias_name` with `alias_label`, `user_alias` (`label:name`), `email`, or `service_id`,
 * which is named after the service and also has the fixed name `person`. Returns undefined if there is none. Throws 400 for two at once
 * and for one that is not valid.
 */
export function readQueryIdentifier(query: Query, words: IdentifierWords): Identifier | undefined {
  const { serviceIdKey } = words
  const [alias_name, alias_label] = [readNonEmpty(query, 'alias_name'), readNonEmpty(query, 'alias_label')]
  const readers: readonly [unknown, (value: unknown) => Identifier | string][] = [
    [readNonEmpty(query, 'external_id'), (value) => readExternalId(value, true)],
    [alias_name ?? alias_label, () => readAlias({ alias_name, alias_label }, true)],
    [readNonEmpty(query, 'user_alias'), (value) => readAlias(splitAlias(String(value)), true)],
    [readNonEmpty(query, 'email'), readEmail],
    [readNonEmpty(query, serviceIdKey), (value) => readServiceId(value, words)],
    [readNonEmpty(query, 'person'), (value) => readServiceId(value, words)],
  ]
  const given = readers.filter(([value]) => value !== undefined)
  if (given.length > 1) throw invalid(onlyOneIdentifier(serviceIdKey))
  const [one] = given
  return one && identifierOrThrow(one[1](one[0]))
}

/** Splits at the first colon. A label that contains a colon must be given in a parameter of its own. */
function splitAlias(text: string): { alias_label: string; alias_name: string } {
  const at = text.indexOf(':')
  return at < 0
    ? { alias_label: '', alias_name: text }
    : { alias_label: text.slice(0, at), alias_name: text.slice(at + 1) }
}

export function onlyOneIdentifier(serviceIdKey: string): string {
  return `Exactly one of external_id, alias_name with alias_label, email and ${serviceIdKey} must be given`
}
