import type { Call } from '../../base/call.ts'
import type { Query } from '../../base/http/route.ts'
import type { HashAddress } from '../identity/person.ts'
import { formatSecond, type PageSlice, readListQuery, readPageSlice } from './list-query.ts'
import { hashedAddress } from './suppress.ts'
import { type BouncedRow, findHardBounced, listHardBounced } from './suppression-store.ts'

export type HardBounces = { emails: { email: string; hard_bounced_at: string }[]; message: 'success' }

/**
 * Addresses that bounced for good, each once with its latest time, the newest first (contract 10.2): between two midnights, UTC, the
 * first included; or one address, whenever it was.
 */
export async function listHardBounces(
  call: Call,
  query: Query,
  { hashAddress }: { readonly hashAddress: HashAddress },
): Promise<HardBounces> {
  const { db, workspace_id } = call
  const asked = readListQuery(query, () => readPageSlice(query))
  if (!('email' in asked)) return toReply(await listHardBounced(db, workspace_id, asked, asked.page))
  const { email, page } = asked
  const at = await findHardBounced(db, hashedAddress(workspace_id, email, hashAddress))
  return toReply(at && isOnPage(page) ? [{ email, hard_bounced_at: at }] : [])
}

/** Whether the one and only entry is. */
function isOnPage({ limit, offset }: PageSlice): boolean {
  return limit > 0 && offset === 0
}

function toReply(rows: readonly BouncedRow[]): HardBounces {
  const emails = rows.map(({ email, hard_bounced_at }) => ({ email, hard_bounced_at: formatSecond(hard_bounced_at) }))
  return { emails, message: 'success' }
}
