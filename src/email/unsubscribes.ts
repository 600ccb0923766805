import type { Call } from '../base/call.ts'
import { invalid } from '../base/errors.ts'
import { readWhole } from '../base/http/query.ts'
import type { Query } from '../base/http/route.ts'
import { isCalendarDate, parseTime } from '../profiles/dates.ts'
import { accepted, readEmail } from '../profiles/identifier.ts'
import { placeOf } from '../profiles/ref.ts'
import { notValid } from '../profiles/refusals.ts'
import { endRequired, endsBeforeStart, listedDefault, listedMax, startRequired } from './schema.ts'
import { findUnsubscribed, listUnsubscribed, type Page } from './unsubscribe-store.ts'

export type Unsubscribes = { emails: { email: string; unsubscribed_at: string }[]; message: 'success' }

/**
 * Addresses of people who have unsubscribed, each once with its latest time (contract 10.2): between two midnights, UTC, the first
 * included; or one address, whenever it was.
 */
export async function listUnsubscribes(call: Call, query: Query): Promise<Unsubscribes> {
  const { db, workspace_id } = call
  const [start, end] = [readDay(query, 'start_date'), readDay(query, 'end_date')]
  if (end === undefined) throw invalid(endRequired)
  const page = readPage(query)
  const email = query.email?.[0]
  if (email) {
    const { value } = accepted(readEmail(email))
    const { bucket } = placeOf(workspace_id, 'email', value)
    return shown(await findUnsubscribed(db, { bucket, workspace_id, email: value }, page))
  }
  if (start === undefined) throw invalid(startRequired)
  if (end <= start) throw invalid(endsBeforeStart)
  return shown(await listUnsubscribed(db, workspace_id, start * 1000, end * 1000, page))
}

function shown(rows: readonly { email: string; unsubscribed_at: Date }[]): Unsubscribes {
  const emails = rows.map(({ email, unsubscribed_at }) => {
    const [day, time] = unsubscribed_at.toISOString().split('T') as [string, string]
    return { email, unsubscribed_at: `${day} ${time.slice(0, 8)} +0000` }
  })
  return { emails, message: 'success' }
}

/** Epoch milliseconds of the midnight that begins a day written `yyyy-MM-dd`. */
function readDay(query: Query, name: string): number | undefined {
  const text = query[name]?.[0]
  if (!text) return undefined
  if (!isCalendarDate(text)) throw invalid(notValid(name))
  return parseTime(text)
}

function readPage(query: Query): Page {
  const direction = query.sort_direction?.[0] || 'desc'
  if (direction !== 'asc' && direction !== 'desc') throw invalid(notValid('sort_direction'))
  const limit = Math.min(readWhole(query, 'limit', listedDefault), listedMax)
  return { direction, limit, offset: readWhole(query, 'offset', 0) }
}
