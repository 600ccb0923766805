import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import { readLimit, readNonEmpty, readSingle } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import { findPeople } from '../identity/find-people.ts'
import { aliasIdentifier, type Identifier, idBytesMax, toE164, toEmail } from '../identity/identifier.ts'
import { type foundByKinds, queryCharactersMax, searchDefault, searchMax } from './schema.ts'
import { summaryOf } from './summary.ts'
import { listNewestSummaries, listSummaries, type SummaryCursor } from './summary-store.ts'

export type SearchServices = {
  formatServiceId(profile_id: string): string
  parseServiceId(text: string): string | undefined
}

type FoundBy = (typeof foundByKinds)[number]

/** Finds people by any of their identifiers, or lists everybody, newest first. */
export async function searchPeople(call: Call, workspace_id: number, query: Query, services: SearchServices) {
  const q = (readSingle(query, 'q') ?? '').trim()
  const limit = readLimit(query, searchDefault, searchMax)
  const cursor = readSummaryCursor(query, services)
  if (q === '') return listNewest(call, workspace_id, cursor, limit, services)
  if (cursor) throw invalid("'cursor' cannot be combined with 'q': a search has one page")
  if (q.length > queryCharactersMax) throw invalid(`'q' must have at most ${queryCharactersMax} characters`)
  return findByIdentifier(call, workspace_id, q, limit, services)
}

async function listNewest(
  { db }: Call,
  workspace_id: number,
  cursor: SummaryCursor | undefined,
  limit: number,
  { formatServiceId }: SearchServices,
) {
  const rows = await listNewestSummaries(db, workspace_id, cursor, limit + 1)
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    people: page.map((row) => ({ ...summaryOf(row, formatServiceId), found_by: [] })),
    cursor: last && rows.length > limit ? `${last.created_us}-${formatServiceId(last.profile_id)}` : null,
  }
}

async function findByIdentifier(
  { db }: Call,
  workspace_id: number,
  q: string,
  limit: number,
  { formatServiceId, parseServiceId }: SearchServices,
) {
  const found = await findPeople(db, workspace_id, identifiersIn(q), parseServiceId, limit)
  const foundBy = new Map<string, FoundBy[]>()
  for (const { identifier, people } of found) {
    const kind = identifier.kind === 'service_id' ? 'id' : (identifier.kind as FoundBy)
    for (const { profile_id } of people) foundBy.set(profile_id, [...(foundBy.get(profile_id) ?? []), kind])
  }
  const everyone = new Map(found.flatMap(({ people }) => people).map((one) => [one.profile_id, one]))
  const rows = await listSummaries(db, [...everyone.values()].slice(0, limit))
  return {
    people: rows.map((row) => ({ ...summaryOf(row, formatServiceId), found_by: foundBy.get(row.profile_id) ?? [] })),
    cursor: null,
  }
}

/** Returns every identifier that a text may be. Pure. */
export function identifiersIn(text: string): Identifier[] {
  const [email, phone] = [toEmail(text), toE164(text)]
  const colon = text.indexOf(':')
  const isShort = Buffer.byteLength(text) <= idBytesMax
  return [
    ...(isShort ? [{ kind: 'external_id', value: text } as const] : []),
    ...(/^[0-9a-f]{24}$/i.test(text) ? [{ kind: 'service_id', value: text.toLowerCase() } as const] : []),
    ...(email === undefined ? [] : [{ kind: 'email', value: email } as const]),
    ...(phone === undefined ? [] : [{ kind: 'phone', value: phone } as const]),
    ...(isShort && colon > 0 && colon < text.length - 1
      ? [aliasIdentifier(text.slice(0, colon), text.slice(colon + 1))]
      : []),
    ...(isShort ? [{ kind: 'device', value: text } as const] : []),
  ]
}

const cursorForm = /^(\d{1,17})-([0-9a-f]{24})$/

function readSummaryCursor(query: Query, { parseServiceId }: SearchServices): SummaryCursor | undefined {
  const text = readNonEmpty(query, 'cursor')
  if (text === undefined) return undefined
  const [, createdUs = '', id = ''] = cursorForm.exec(text) ?? []
  const profile_id = parseServiceId(id)
  if (profile_id === undefined) throw invalid("'cursor' must be the 'cursor' of an earlier response")
  return { createdUs: Number(createdUs), profile_id }
}
