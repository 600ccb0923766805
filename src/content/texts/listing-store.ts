import { type Sql, sql } from '../../base/db/sql.ts'
import type { Listing } from './listing.ts'

/** Selects one page of a workspace's stored texts, oldest first. */
export function listingPage(workspace_id: number, { after, before, limit, offset }: Listing): Sql {
  return sql`
    where workspace_id = ${workspace_id} and updated_at >= ${after}::timestamptz and updated_at <= ${before}::timestamptz
    order by created_at, id collate "C" limit ${limit} offset ${offset}`
}
