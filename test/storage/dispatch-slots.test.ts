import assert from 'node:assert/strict'
import { sql } from '../../src/base/db/sql.ts'
import { claimSlot, insertSlots, type Turn } from '../../src/dispatch/slot-store.ts'
import { onBothDatabases } from '../databases.ts'
import { at, dispatchId, insert, workspace_id } from './crowd.ts'

const nowMs = Date.parse(at(30))
const lease = '11111111-0000-4000-8000-000000000001'

onBothDatabases(
  'slots are claimed so that large orders and small ones do not keep each other waiting',
  async (open) => {
    const db = await open()
    // Due in this order; of the even ones somebody was found.
    const classes = ['marketing', 'marketing', 'transactional', 'transactional'] as const
    for (const [i, kind] of classes.entries()) {
      const order = { dispatch_id: dispatchId(i), workspace_id, class: kind }
      const times = { created_at: at(i), updated_at: at(i), unsettled: false }
      await insert(db, 'dispatch', [{ ...order, ...times, state: 'active', sending: { broadcast: true } }])
      await insertSlots(db, order, 'waiting', [{ zone: '', dueMs: Date.parse(at(i)) }])
      if (i % 2 === 0) {
        await db.query(sql`update dispatch_slot set after_id = 1 where dispatch_id = ${order.dispatch_id}::uuid`)
      }
    }
    const claims = async (turn: Turn) => {
      const claimed: string[] = []
      for (;;) {
        const slot = await claimSlot(db, lease, turn, { nowMs, elapsedMs: nowMs, untilMs: nowMs + 1_000 })
        if (!slot) break
        claimed.push(slot.dispatch_id)
      }
      await db.query(sql`update dispatch_slot set state = 'waiting', lease = null, leased_until = null`)
      return claimed
    }
    assert.deepEqual(await claims('new'), [3, 2, 1, 0].map(dispatchId))
    assert.deepEqual(await claims('begun'), [2, 3, 0, 1].map(dispatchId))
  },
)
