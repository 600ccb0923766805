import assert from 'node:assert/strict'
import { virtualClock } from '../../src/base/clock.ts'
import { int4Array, int8Array } from '../../src/base/db/arrays.ts'
import { sql } from '../../src/base/db/sql.ts'
import { nextProfileId } from '../../src/base/ids.ts'
import { openSmtp } from '../../src/messaging/mail/smtp.ts'
import { startMailServer } from '../servers/smtp.ts'
import { onBothDatabases } from '../support/databases.ts'
import { deliverer, keepSecret, order } from '../support/delivery.ts'
import { many } from '../support/people.ts'

const peopleCount = 40
const messagesEach = 4
const settings = { frequency_cap: [{ count: 2, per: 'P1D' }] }

onBothDatabases('two workers together send each person exactly as many mails as the cap allows', async (open) => {
  const dbs = await open.processes(2)
  const [db] = dbs as [(typeof dbs)[number]]
  await keepSecret(db)
  const clock = virtualClock()
  const server = await startMailServer()
  const { dispatch_id, people } = await order(
    db,
    clock,
    many(peopleCount, (i) => `one${i}@capped.example`),
  )
  const ids = many(messagesEach - 1, () => people.map(({ bucket }) => nextProfileId(bucket, clock.elapsed())))
  for (const [i, own] of ids.entries()) {
    await db.query(sql`
      insert into message (message_id, profile_id, bucket, workspace_id, cause, visit, channel, class, state, planned_at, due_at)
      select v.message_id, m.profile_id, m.bucket, m.workspace_id, m.cause, ${i + 1}::int4, m.channel, m.class, 'queued', m.planned_at,
        m.due_at
      from unnest(${int4Array(people.map(({ bucket }) => bucket))}::int4[],
        ${int8Array(people.map(({ message_id }) => message_id))}::int8[], ${int8Array(own)}::int8[]) v(bucket, first_id, message_id)
      join message m on m.bucket = v.bucket and m.message_id = v.first_id`)
  }
  const workers = [db, dbs.at(-1)!].map((each) => {
    const transport = openSmtp({ url: server.url, connections: 5 })
    return { transport, loop: deliverer(each, clock, transport, { settings }) }
  })
  await Promise.all(workers.map(({ loop }) => loop.nextTurn()))
  for (const { loop, transport } of workers) {
    await loop.close()
    await transport.close()
  }
  const rows = await db.query<{ profile_id: string; sent: number; capped: number }>(sql`
    select profile_id, count(*) filter (where reason = 'sent')::int as sent,
      count(*) filter (where reason = 'frequency_capped')::int as capped
    from message where cause = ${dispatch_id}::uuid group by 1`)
  assert.equal(rows.length, peopleCount)
  for (const { sent, capped } of rows) assert.deepEqual([sent, capped], [2, messagesEach - 2])
  assert.equal(server.taken.length, 2 * peopleCount)
  await server.close()
})
