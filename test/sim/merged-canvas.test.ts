import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Random } from '../../bench/random.ts'
import { sql } from '../../src/base/db/sql.ts'
import { seed, sizes } from '../sizes.ts'
import { drawDatabases } from '../support/harness.ts'
import { mailedOf } from '../support/mailed-people.ts'
import { mail } from '../support/messages.ts'
import { apps, type Item, many } from '../support/people.ts'

const pairsCount = 20
const deletedCount = 6
/** Long, because the canvas takes only one or two seconds. */
const pauseMsMax = 1_500
const completionMsMax = 240_000

const canvas: Item = {
  ...{ id: 'walk', name: 'Walk', state: 'active', class: 'transactional', entry: { by: ['api'], again: 'never' } },
  first: 'hello',
  steps: [
    { id: 'hello', type: 'message', message: mail({ subject: 'hello' }), next: 'wait' },
    { id: 'wait', type: 'delay', for: 'PT1S', next: 'bye' },
    { id: 'bye', type: 'message', message: mail({ subject: 'bye' }) },
  ],
}
const workspace = { apps: Object.values(apps), canvases: [canvas] }

type Wrong = { what: string }

for (const database of drawDatabases('merges in a canvas')) {
  describe(`a canvas whose people are merged and deleted meanwhile (${database})`, () => {
    const people = mailedOf(database, { workspace })

    /** Returns rows that must not exist, by the error in them. */
    const wrongs = {
      'a message without exactly one decision': sql`
        select m.message_id::text as what from message m
        left join decision d on d.bucket = m.bucket and d.profile_id = m.profile_id and d.message_id = m.message_id
        group by m.message_id, m.reason having count(d.message_id) <> 1 or max(d.reason) <> max(m.reason)`,
      'an entry or received mail of a removed person': sql`
        select e.entry_id::text as what from entry e
        left join profile p on p.bucket = e.bucket and p.profile_id = e.profile_id and p.merged_into is null
        where p.profile_id is null
        union all
        select r.profile_id::text from received r
        left join profile p on p.bucket = r.bucket and p.profile_id = r.profile_id and p.merged_into is null
        where p.profile_id is null`,
      'a message apart from its entry': sql`
        select m.message_id::text as what from message m
        left join entry e on e.bucket = m.bucket and e.profile_id = m.profile_id and e.entry_id = m.cause
        where e.entry_id is null`,
      'two entries of an order that count': sql`
        select min(e.entry_id::text) as what from entry e where not e.is_duplicate
        group by e.bucket, e.profile_id, e.dispatch_id having count(*) > 1`,
      'a kept person who did not reach the end once': sql`
        select p.external_id as what from profile p where p.merged_into is null and p.external_id like 'kept-%' and (
          (select count(*) from entry e where e.bucket = p.bucket and e.profile_id = p.profile_id and e.ended = 'completed') = 0
          or not exists (select 1 from message m where m.bucket = p.bucket and m.profile_id = p.profile_id and m.step = 'bye'
            and m.state = 'accepted'))`,
    }

    test('each person reaches the end, and no kept profile gets a mail twice after a merge', async (t) => {
      t.diagnostic(`seed ${seed}`)
      for (let round = 0; round < sizes.mergedMailRounds; round++) await play(round, new Random(seed + round))
      await people.settled()
      const ends = await people.db.query<{ ended: string; count: number }>(sql`
        select ended, count(*)::int as count from entry group by ended order by ended`)
      t.diagnostic(ends.map(({ ended, count }) => `${count} ${ended}`).join(', '))
      for (const [what, statement] of Object.entries(wrongs)) {
        assert.deepEqual(await people.db.query<Wrong>(statement), [], what)
      }
    })

    async function play(round: number, chance: Random): Promise<void> {
      const pairs = many(pairsCount, (i) => [`gone-${round}-${i}`, `kept-${round}-${i}`] as const)
      const deleted = many(deletedCount, (i) => `deleted-${round}-${i}`)
      await people.set(
        ...[...pairs.flat(), ...deleted].map((external_id) => ({ external_id, email: `${external_id}@example.com` })),
      )
      // Of some pairs both profiles are in it, of others only the merged one or only the kept one.
      const ids = [...pairs.flatMap((pair, i) => pair.slice(i % 3 === 1 ? 1 : 0, i % 3 === 2 ? 1 : 2)), ...deleted]
      const recipients = ids.map((external_user_id) => ({ external_user_id }))
      const { status, text } = await people.service.post('/canvas/trigger/send', { canvas_id: 'walk', recipients })
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
      const mergedAt = new Date(Date.now() + 50)
      await ended()
      const second = await people.db.query<Wrong>(sql`
        select a.message_id::text as what from message a join message b on b.bucket = a.bucket and b.profile_id = a.profile_id
          and b.step = a.step and b.message_id <> a.message_id
        where a.state = 'accepted' and b.state = 'accepted' and a.ended_at > ${mergedAt} and b.ended_at > ${mergedAt}`)
      assert.deepEqual(second, [], 'a second mail after the merge')
    }

    async function ended(): Promise<void> {
      const untilMs = performance.now() + completionMsMax
      for (;;) {
        const [row] = await people.db.query<{ open: number }>(sql`
          select (select count(*) from dispatch_slot where state <> 'done')::int
            + (select count(*) from message where ended_at is null)::int
            + (select count(*) from entry where state <> 'ended')::int as open`)
        if (row!.open === 0) return
        assert.ok(performance.now() < untilMs, `it ends in time: ${JSON.stringify(await openOnes())}`)
        await pause(50)
      }
    }

    function openOnes(): Promise<unknown[]> {
      return people.db.query(sql`
        select e.state, e.step, e.due_at, m.state as message, p.external_id, p.merged_into from entry e
        left join message m on m.bucket = e.bucket and m.cause = e.entry_id and m.ended_at is null
        left join profile p on p.bucket = e.bucket and p.profile_id = e.profile_id where e.state <> 'ended'`)
    }
  })
}
