import type { Call } from '../../base/call.ts'
import type { Query } from '../../base/http/route.ts'
import type { HashAddress } from '../identity/person.ts'
import { formatSecond, type PageSlice, readListQuery, readPageSlice } from './list-query.ts'
import { hashedAddress } from './suppress.ts'
import { type BouncedRow, findHardBounced, listHardBounced } from './suppression-store.ts'

export type HardBounces = { emails: { email: string; hard_bounced_at: string }[]; message: 'success' }

/**
 * Lists addresses with hard bounces, each once with its latest time, the newest first (contract 10.2). The query has two UTC midnights, the
 * first included, or one address without dates.
 */
export async function listHardBounces(
  call: Call,
  query: Query,
  { hashAddress }: { readonly hashAddress: HashAddress },
): Promise<HardBounces> {
  const { db, workspace_id } = call
  const request = readListQuery(query, () => readPageSlice(query))
  if (!('email' in request)) return toReply(await listHardBounced(db, workspace_id, request, request.page))
  const { email, page } = request
  const at = await findHardBounced(db, hashedAddress(workspace_id, email, hashAddress))
  return toReply(at && isOnPage(page) ? [{ email, hard_bounced_at: at }] : [])
}

/** Returns whether the only entry is on this page. */
function isOnPage({ limit, offset }: PageSlice): boolean {
  return limit > 0 && offset === 0
}

function toReply(rows: readonly BouncedRow[]): HardBounces {
  const emails = rows.map(({ email, hard_bounced_at }) => ({ email, hard_bounced_at: formatSecond(hard_bounced_at) }))
  return { emails, message: 'success' }
}
