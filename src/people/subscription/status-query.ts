import { invalid } from '../../base/errors.ts'
import type { Query } from '../../base/http/route.ts'
import { type Identifier, identifierOrThrow, readEmail, readExternalId, readPhone } from '../identity/identifier.ts'
import { tooManyIds } from '../values/refusals.ts'
import { nobodyNamed, usersMax } from './schema.ts'

/** An identifier of a query, and its text as it was sent. */
export type QueriedIdentifier = { identifier: Identifier; given: string }

const readers = { external_id: (text: string) => readExternalId(text, true), email: readEmail, phone: readPhone }

export type QueriedKind = keyof typeof readers

/** Reads the identifiers of a query by kind, at most 50 of each kind. Empty texts count as absent. */
export function readIdentifiers(query: Query): { [kind in QueriedKind]: readonly QueriedIdentifier[] } {
  const identifiers = {
    external_id: readKind(query, 'external_id'),
    email: readKind(query, 'email'),
    phone: readKind(query, 'phone'),
  }
  if (Object.values(identifiers).every((list) => list.length === 0)) throw invalid(nobodyNamed)
  return identifiers
}

function readKind(query: Query, kind: QueriedKind): QueriedIdentifier[] {
  const given = (query[kind] ?? []).filter((text) => text !== '')
  if (given.length > usersMax) throw invalid(tooManyIds)
  return given.map((text) => ({ identifier: identifierOrThrow(readers[kind](text)), given: text }))
}
