import assert from 'node:assert/strict'
import { claimCallbacks, claimExport, insertExport } from '../../src/audience/exports/store.ts'
import type { Db } from '../../src/base/db/db.ts'
import { raw, sql } from '../../src/base/db/sql.ts'
import { newUuid } from '../../src/base/ids.ts'
import { claimMessages } from '../../src/messaging/messages/claim-store.ts'
import { claimSlot, insertSlots } from '../../src/messaging/orders/slot-store.ts'
import { onAllDatabases } from '../support/databases.ts'
import { many } from '../support/people.ts'
import { at, dispatchId, insert, workspace_id } from './crowd.ts'

const nowMs = Date.parse(at(30))
const lease = '11111111-0000-4000-8000-000000000001'
const claimTimes = { nowMs, elapsedMs: nowMs, untilMs: nowMs + 1_000 }
const rowCount = 4

/** How rows of a table are made, and a claim that takes at most one of them. Returns how many it took. */
type Claim = { readonly table: string; add(db: Db, i: number): Promise<unknown>; claim(db: Db): Promise<number> }

const sent = { created_at: at(1), updated_at: at(1), unsettled: false, state: 'active', sending: { broadcast: true } }

const claims: { readonly [name: string]: Claim } = {
  'an export': {
    table: 'segment_export',
    add: addExport,
    claim: async (db) => ((await claimExport(db, newUuid(), nowMs, nowMs + 1_000)) ? 1 : 0),
  },
  'a callback': {
    table: 'segment_export',
    async add(db, i) {
      await addExport(db, i)
      await db.query(
        sql`update segment_export set state = 'done', callback_state = 'waiting', callback_at = ${at(1)}::timestamptz`,
      )
    },
    claim: async (db) => (await claimCallbacks(db, 1, nowMs, nowMs + 1_000)).length,
  },
  'a slot': {
    table: 'dispatch_slot',
    async add(db, i) {
      const order = { dispatch_id: dispatchId(i), workspace_id, class: 'marketing' } as const
      await insert(db, 'dispatch', [{ ...order, ...sent }])
      await insertSlots(db, order, 'waiting', [{ zone: '', dueMs: Date.parse(at(1)) }])
    },
    claim: async (db) => ((await claimSlot(db, lease, 'new', claimTimes)) ? 1 : 0),
  },
  'a message': {
    table: 'message',
    add: (db, i) => {
      const key = { bucket: 1, message_id: String(i), profile_id: String(i), cause: dispatchId(1), step: '', visit: 0 }
      const counts = { attempts: 0, crashes: 0, rates_granted: 0, maybe_sent: false }
      const message = { ...key, ...counts, workspace_id, class: 'marketing', channel: 'email', state: 'queued' }
      return insert(db, 'message', [{ ...message, planned_at: at(1), due_at: at(1) }])
    },
    claim: async (db) =>
      (
        await claimMessages(db, [{ workspace_id, channel: 'email', class: 'marketing', count: 1 }], {
          lease,
          nowMs,
          untilMs: nowMs,
        })
      ).length,
  },
}

async function addExport(db: Db, i: number): Promise<void> {
  const request = { segment_id: `s${i}`, fields: ['email'], custom_attributes: [], output_format: 'zip' } as const
  const key = { workspace_id, id: newUuid() }
  await insertExport(db, key, { ...request, callback_endpoint: 'https://example.com/' }, nowMs * 1_000)
}

// A planner that expects one row may begin with the rows that are updated, and look for the claimed one beside each of them.
for (const [name, { table, add, claim }] of Object.entries(claims)) {
  onAllDatabases(
    `a claim of ${name} takes one, and leaves the others, where the planner expects one row`,
    async (open) => {
      const db = await open()
      await add(db, 0)
      await db.query(raw(`analyze ${table}`))
      for (let i = 1; i < rowCount; i++) await add(db, i)
      const claimed: number[] = []
      for (let i = 0; i <= rowCount; i++) claimed.push(await claim(db))
      assert.deepEqual(claimed, [...many(rowCount, () => 1), 0])
    },
  )
}
