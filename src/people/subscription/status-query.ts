import { invalid } from '../../base/errors.ts'
import type { Query } from '../../base/http/route.ts'
import { type Identifier, identifierOrThrow, readEmail, readExternalId, readPhone } from '../identity/identifier.ts'
import { tooManyIds } from '../values/refusals.ts'
import { nobodyNamed, usersMax } from './schema.ts'

/** Somebody asked for in a query: the identifier, and how it was written. */
export type QueriedIdentifier = { identifier: Identifier; given: string }

const readers = { external_id: (text: string) => readExternalId(text, true), email: readEmail, phone: readPhone }

export type QueriedKind = keyof typeof readers

/** The values of a query by their kind, each kind at most 50. Empty texts count as absent. */
export function readIdentifiers(query: Query): { [kind in QueriedKind]: readonly QueriedIdentifier[] } {
  const asked = {
    external_id: readKind(query, 'external_id'),
    email: readKind(query, 'email'),
    phone: readKind(query, 'phone'),
  }
  if (Object.values(asked).every((list) => list.length === 0)) throw invalid(nobodyNamed)
  return asked
}

function readKind(query: Query, kind: QueriedKind): QueriedIdentifier[] {
  const given = (query[kind] ?? []).filter((text) => text !== '')
  if (given.length > usersMax) throw invalid(tooManyIds)
  return given.map((text) => ({ identifier: identifierOrThrow(readers[kind](text)), given: text }))
}
