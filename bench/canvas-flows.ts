import type { Db } from '../src/base/db/db.ts'
import { sql } from '../src/base/db/sql.ts'
import { weekdays } from '../src/messaging/flows/schema.ts'
import type { Population } from './people.ts'

const wait = { id: 'wait', type: 'delay', for: 'P1D' }
const later = { id: 'later', type: 'delay', for: 'P2D' }
const mail = { app_id: 'bench', from: 'News <news@shop.example>', subject: 'Hi', body: '<p>Hi</p>' }
const hello = { id: 'hello', type: 'message', channel: 'email', message: mail }
const gold = { AND: [{ custom_attribute: { custom_attribute_name: 'plan', comparison: 'equals', value: 'gold' } }] }

/** Returns canvases that begin with a wait of a day, by the step after it, and one that begins with a message. */
const canvasesAt = (nowMs: number) => ({
  'a delay': { first: 'wait', steps: [{ ...wait, next: 'later' }, later] },
  'a time of day': {
    first: 'wait',
    steps: [
      { ...wait, next: 'later' },
      { id: 'later', type: 'delay', until: '09:00', weekdays: [farWeekday(nowMs)] },
    ],
  },
  'a decision': {
    first: 'wait',
    steps: [
      { ...wait, next: 'is-gold' },
      { id: 'is-gold', type: 'decision', audience: gold, yes: 'later', no: 'other' },
      later,
      { ...later, id: 'other' },
    ],
  },
  'a message': { first: 'wait', steps: [{ ...wait, next: 'hello' }, hello] },
  'a message at once': { first: 'hello', steps: [hello] },
})

export type CanvasName = keyof ReturnType<typeof canvasesAt>

/** Returns the weekday three days later. In no time zone it begins during the benchmark, whose entries would then move on. */
function farWeekday(nowMs: number): string {
  return weekdays[(new Date(nowMs).getUTCDay() + 2) % 7]!
}

/** Inserts the canvases. Returns the id of each. */
export async function addCanvases(db: Db, { workspaceId, nowMs }: Population): Promise<Map<CanvasName, number>> {
  const numbers = new Map<CanvasName, number>()
  const now = new Date(nowMs).toISOString()
  for (const [name, canvas] of Object.entries(canvasesAt(nowMs))) {
    const definition = JSON.stringify({ id: name, entry: { by: ['api'] }, ...canvas })
    const [flow] = await db.query<{ flow_id: number }>(sql`
      with f as (
        insert into flow (workspace_id, kind, id, name, state, class, version, created_at, updated_at)
        values (${workspaceId}::int4, 'canvas', ${name}, ${name}, 'active', 'marketing', 1, ${now}, ${now}) returning flow_id),
      v as (insert into flow_version (flow_id, version, definition, created_at) select flow_id, 1, ${definition}::jsonb, ${now} from f)
      select flow_id from f`)
    numbers.set(name as CanvasName, flow!.flow_id)
  }
  return numbers
}
