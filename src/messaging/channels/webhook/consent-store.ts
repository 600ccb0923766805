import { type Sql, sql } from '../../../base/db/sql.ts'

/** A webhook asks nothing of the person. */
export const webhookColumns: Sql = sql`p.profile_id is null as is_gone`
export const webhookJoin: Sql = sql``
