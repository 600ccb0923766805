import { sql } from '../../base/db/sql.ts'

/** Whether an entry `e` of an order begins later, as `isPending` says. The first line is the condition of the index `entry_pending`. */
export const isPendingRow = sql`e.state = 'arriving' and e.dispatch_id is not null and e.due_at > e.entered_at
    and e.visit = 1 and (select count(*) from jsonb_object_keys(e.visits)) = 1`
