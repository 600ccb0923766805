import assert from 'node:assert/strict'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import type { MessageState } from '../../src/messaging/messages/states.ts'

/**
 * Every state of a message, and the states that may follow it: a model of all statements that write states.
 * `test/storage/message-states.test.ts` compares each of them with it; simulations check what a running service writes.
 */
export const nextStates: Readonly<Record<MessageState, readonly MessageState[]>> = {
  queued: ['held', 'leased', 'cancelled', 'uncertain'],
  held: ['queued', 'cancelled', 'uncertain'],
  leased: [
    ...(['queued', 'held', 'handed_over', 'uncertain'] as const),
    // The inbox is in the same database, so a message is never handed over without an outcome.
    'accepted',
    ...(['suppressed', 'aborted', 'cancelled', 'failed'] as const),
  ],
  handed_over: ['queued', 'accepted', 'bounced', 'failed', 'uncertain'],
  accepted: [],
  suppressed: [],
  aborted: [],
  cancelled: [],
  missed: [],
  bounced: [],
  failed: [],
  uncertain: [],
}

/** Records every change of the state of a message from now on. Call it once, for a database that only this test uses. */
export async function watchMessageStates(db: Db): Promise<void> {
  await db.query(sql`create table message_change (old text not null, new text not null)`)
  await db.query(sql`
    create function note_message_change() returns trigger language plpgsql as $$
      begin
        insert into message_change (old, new) values (old.state, new.state);
        return null;
      end $$`)
  await db.query(sql`
    create trigger message_change after update of state on message for each row
    when (old.state <> new.state) execute function note_message_change()`)
}

/** Asserts that the model allows every recorded change. Returns how many kinds of changes there were. */
export async function assertMessageStates(db: Db): Promise<number> {
  const rows = await db.query<{ old: MessageState; new: MessageState }>(
    sql`select distinct old, new from message_change`,
  )
  const strange = rows.filter((row) => !nextStates[row.old].includes(row.new))
  assert.deepEqual(strange, [])
  return rows.length
}
