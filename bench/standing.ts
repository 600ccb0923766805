import type { Db } from '../src/base/db/db.ts'
import { sql } from '../src/base/db/sql.ts'
import type { Population } from './people.ts'

/** The canvas in which people stand. */
export const standingCanvas = 'people stand here'
/** Of ten thousand people so many stand in it. */
const standing = 1_000
const steps = [
  { id: 'wait', type: 'delay', for: 'P1D', next: 'later' },
  { id: 'later', type: 'delay', for: 'P2D' },
]
const deadlineMs = 600_000

/** Lets a tenth of the people stand at two steps of a canvas. */
export async function writeStanding(db: Db, { workspaceId, nowMs }: Population): Promise<void> {
  const now = new Date(nowMs).toISOString()
  const definition = JSON.stringify({ id: standingCanvas, entry: { by: ['api'] }, first: 'wait', steps })
  await db.transaction(
    (tx) =>
      tx.query(sql`
      with f as (
        insert into flow (workspace_id, kind, id, name, state, class, version, created_at, updated_at)
        values (${workspaceId}::int4, 'canvas', ${standingCanvas}, ${standingCanvas}, 'active', 'marketing', 1, ${now}, ${now})
        returning flow_id),
      v as (insert into flow_version (flow_id, version, definition, created_at) select flow_id, 1, ${definition}::jsonb, ${now} from f)
      insert into entry (bucket, profile_id, entry_id, workspace_id, flow_id, version, class, state, variant, step, visit, due_at,
        entered_at, trail)
      select p.bucket, p.profile_id, gen_random_uuid(), ${workspaceId}::int4, f.flow_id, 1, 'marketing', 'waiting', 'variant-1', s.step, 1,
        ${now}::timestamptz + interval '1 year', ${now}::timestamptz, jsonb_build_array(jsonb_build_array(s.step, ${nowMs}::int8))
      from profile p cross join f
      cross join lateral (select case when p.random_bucket % 10 = 0 then 'later' else 'wait' end as step) s
      where p.workspace_id = ${workspaceId}::int4 and p.random_bucket < ${standing}::int4`),
    { deadlineMs },
  )
  await db.execute('vacuum (analyze) entry')
}
