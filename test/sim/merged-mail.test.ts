import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { Random } from '../../bench/random.ts'
import { raw, sql } from '../../src/base/db/sql.ts'
import { seed, sizes } from '../sizes.ts'
import { drawDatabases } from '../support/harness.ts'
import { mailedOf } from '../support/mailed-people.ts'
import { letter, sendingWorkspace } from '../support/messages.ts'
import { many, only } from '../support/people.ts'
import { checkInvariants } from './people-invariants.ts'

const pairsCount = 24
const deletedCount = 6
const pauseMsMax = 60
const completionMsMax = 240_000
/** The service follows the clock of the database. */
const clocksDifferMs = 50

type Wrong = { what: string }

for (const database of drawDatabases('merges in a send')) {
  describe(`mail to people who are merged and deleted meanwhile (${database})`, () => {
    const people = mailedOf(database, { workspace: sendingWorkspace })

    /** Returns rows that must not exist, by the error in them. */
    const wrongs = {
      'a message that has not ended': sql`select message_id::text as what from message where ended_at is null`,
      'a message without exactly one decision': sql`
        select m.message_id::text as what from message m
        left join decision d on d.bucket = m.bucket and d.profile_id = m.profile_id and d.message_id = m.message_id
        group by m.message_id, m.reason having count(d.message_id) <> 1 or max(d.reason) <> max(m.reason)`,
      'a decision without its message': sql`
        select d.message_id::text as what from decision d left join message m on m.bucket = d.bucket and m.message_id = d.message_id
        where m.message_id is null`,
      'a mail that is not in the inbox just once': sql`
        select m.message_id::text as what from message m
        left join inbox i on i.bucket = m.bucket and i.profile_id = m.profile_id and i.message_id = m.message_id
        where m.state = 'accepted' group by m.message_id having count(i.mail_id) <> 1`,
      'a recipient without a mail': sql`
        select p.external_id as what from profile p
        where p.merged_into is null and p.external_id like 'kept-%' and not exists (
          select 1 from message m where m.bucket = p.bucket and m.profile_id = p.profile_id and m.state = 'accepted')`,
    }

    test('each person gets one mail and no second one after a merge, and each message has one outcome', async (t) => {
      t.diagnostic(`seed ${seed}`)
      for (let round = 0; round < sizes.mergedMailRounds; round++) await play(round, new Random(seed + round))
      await people.settled()
      const ends = await people.db.query<{ reason: string; count: number }>(sql`
        select reason, count(*)::int as count from message group by reason order by reason`)
      t.diagnostic(ends.map(({ reason, count }) => `${count} ${reason}`).join(', '))
      for (const [what, statement] of Object.entries(wrongs)) {
        assert.deepEqual(await people.db.query<Wrong>(statement), [], what)
      }
      const query = async (text: string) => ({ rows: await people.db.query(raw(text)) })
      await checkInvariants({ query } as unknown as pg.Client, new Set())
    })

    async function play(round: number, chance: Random): Promise<void> {
      const pairs = many(pairsCount, (i) => [`gone-${round}-${i}`, `kept-${round}-${i}`] as const)
      const deleted = many(deletedCount, (i) => `deleted-${round}-${i}`)
      const everybody = [...pairs.flat(), ...deleted]
      await people.set(...everybody.slice(0, 50).map(withAddress))
      if (everybody.length > 50) await people.set(...everybody.slice(50).map(withAddress))
      const audience = {
        AND: [{ custom_attribute: { custom_attribute_name: 'round', comparison: 'equals', value: round } }],
      }
      const { status, text, body } = await people.service.post('/messages/send', letter({ broadcast: true, audience }))
      assert.equal(status, 201, text)
      await pause(chance.below(pauseMsMax))
      const merge_updates = pairs.map(([gone, kept]) => {
        return { identifier_to_merge: { external_id: gone }, identifier_to_keep: { external_id: kept } }
      })
      await Promise.all([
        people.send('/users/merge', { merge_updates }),
        people.send('/users/delete', { external_ids: deleted }),
      ])
      await people.settled()
      const mergedMs = Date.now() + clocksDifferMs
      await ended(body.dispatch_id)
      const second = await people.db.query<Wrong>(sql`
        select a.message_id::text as what from message a join message b on b.bucket = a.bucket and b.profile_id = a.profile_id
          and b.cause = a.cause and b.message_id <> a.message_id
        where a.cause = ${body.dispatch_id}::uuid and a.state = 'accepted' and b.state = 'accepted'
          and greatest(a.ended_at, b.ended_at) > ${new Date(mergedMs)}`)
      assert.deepEqual(second, [], 'a second mail after the merge')

      function withAddress(external_id: string) {
        return { external_id, email: `${external_id}@example.com`, round }
      }
    }

    async function ended(dispatch_id: string): Promise<void> {
      const untilMs = performance.now() + completionMsMax
      for (;;) {
        const rows = await people.db.query<{ open: number }>(sql`
          select (select count(*) from dispatch_slot where dispatch_id = ${dispatch_id}::uuid and state <> 'done')::int
            + (select count(*) from message where cause = ${dispatch_id}::uuid and ended_at is null)::int as open`)
        if (only(rows).open === 0) return
        assert.ok(performance.now() < untilMs, 'the dispatch ends in time')
        await pause(20)
      }
    }
  })
}
