import assert from 'node:assert/strict'
import type { Db, Tx } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { keyLookupsOnly } from '../../src/base/db/transaction-settings.ts'
import { channelOf } from '../../src/messaging/channels/channels.ts'
import { lockEligibility } from '../../src/messaging/delivery/eligibility-store.ts'
import { claimMessages } from '../../src/messaging/messages/claim-store.ts'
import type { LeasedMessage } from '../../src/messaging/messages/message.ts'
import { requeue } from '../../src/messaging/messages/outcome.ts'
import { writeHandOvers, writeOutcomes } from '../../src/messaging/messages/outcome-store.ts'
import { onAllDatabases } from '../support/databases.ts'
import { many } from '../support/people.ts'
import { at, dispatchId, insert, workspace_id } from './crowd.ts'

const nowMs = Date.parse(at(30))
const queued = 2_000
const leased = 5
/** A session plans a statement for all parameters after five executions. */
const turns = 8

function addMessages(db: Db): Promise<unknown> {
  const rows = many(queued, (i) => {
    const key = { bucket: 1, message_id: String(i), profile_id: String(i), cause: dispatchId(1), step: '', visit: 0 }
    const counts = { attempts: 0, crashes: 0, rates_granted: 0, maybe_sent: false }
    const message = { ...key, ...counts, workspace_id, class: 'marketing', channel: 'email', state: 'queued' }
    return { ...message, planned_at: at(1), due_at: at(1) }
  })
  return insert(db, 'message', rows)
}

/** Returns how many messages the transaction has read, and how many of them without an index. */
async function readSoFar(tx: Tx): Promise<{ all: number; scanned: number }> {
  const [row] = await tx.query<{ all: number; scanned: number }>(sql`
    select (seq_tup_read + idx_tup_fetch)::int as all, seq_tup_read::int as scanned from pg_stat_xact_user_tables
    where relname = 'message'`)
  return row!
}

const share = { workspace_id, channel: 'email', class: 'marketing', count: leased } as const
const lease = '11111111-0000-4000-8000-000000000001'

function handOver(message: LeasedMessage) {
  return { message, address: 'ann@example.com', subject: 'Hi', links: [], warnings: [] }
}

// The planner takes few messages for leased, whatever it knows of the table, and would read all of them to find these.
onAllDatabases('a hand-over reads its own messages, and not all others', async (open) => {
  const db = await open()
  await addMessages(db)
  const work = async (tx: Tx) => {
    const messages = await claimMessages(tx, [share], { lease, nowMs, untilMs: nowMs })
    const before = await readSoFar(tx)
    const rows = await lockEligibility(tx, channelOf('email'), messages)
    await writeHandOvers(tx, messages.map(handOver), 'handed_over', nowMs)
    const written = await writeOutcomes(
      tx,
      messages.map((message) => ({ message, outcome: requeue(message) })),
      nowMs * 1000,
    )
    const after = await readSoFar(tx)
    return {
      found: rows.length,
      written: written.size,
      read: after.all - before.all,
      scanned: after.scanned - before.scanned,
    }
  }
  for (let turn = 0; turn < turns; turn++) {
    const { found, written, read, scanned } = await db.transaction(work, { settings: keyLookupsOnly })
    assert.deepEqual({ found, written, scanned }, { found: leased, written: leased, scanned: 0 })
    // Each statement finds each message once, beside older versions of the row.
    // All rows are in one bucket here, so a condition on the buckets of a shard tells the planner nothing.
    if (db.placement === undefined) assert.ok(read < queued / 2, `${read} rows were read in turn ${turn}`)
  }
})
