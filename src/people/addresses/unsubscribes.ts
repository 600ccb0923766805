import type { Call } from '../../base/call.ts'
import { readDirection } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import { bucketsOf } from '../identity/person.ts'
import { formatSecond, readListQuery, readPageSlice } from './list-query.ts'
import { findUnsubscribed, listUnsubscribed, type UnsubscribesPage } from './unsubscribe-store.ts'

export type Unsubscribes = { emails: { email: string; unsubscribed_at: string }[]; message: 'success' }

/**
 * Lists addresses of people who unsubscribed, each once with its latest time (contract 10.2). The query has two UTC midnights, the first
 * included, or one address without dates.
 */
export async function listUnsubscribes(call: Call, query: Query): Promise<Unsubscribes> {
  const { db, workspace_id } = call
  const request = readListQuery(query, () => readPage(query))
  if ('email' in request) {
    const { email, page } = request
    const { bucket } = bucketsOf(workspace_id, 'email', email)
    return toReply(await findUnsubscribed(db, { bucket, workspace_id, email }, page))
  }
  return toReply(await listUnsubscribed(db, workspace_id, request.sinceUs, request.untilUs, request.page))
}

function toReply(rows: readonly { email: string; unsubscribed_at: Date }[]): Unsubscribes {
  const emails = rows.map(({ email, unsubscribed_at }) => ({ email, unsubscribed_at: formatSecond(unsubscribed_at) }))
  return { emails, message: 'success' }
}

function readPage(query: Query): UnsubscribesPage {
  const direction = readDirection(query, 'desc')
  return { direction, ...readPageSlice(query) }
}
