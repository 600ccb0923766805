import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from '../../src/base/db/sql.ts'
import { describedOrdersMax, overviewHoursMax } from '../../src/messaging/overview/schema.ts'
import { makeAccount, signIn } from '../support/accounts.ts'
import { eventually } from '../support/eventually.ts'
import { drawDatabases } from '../support/harness.ts'
import { mailedOf } from '../support/mailed-people.ts'
import { letter, mail, sendingWorkspace } from '../support/messages.ts'
import { many, newId } from '../support/people.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read single members of an answer.
type Any = any

/** The overview that is read until it has what was done. */
const laterHours = 48

const steps = [
  { id: 'wait', name: 'Wait', type: 'delay', for: 'P1D', next: 'hello' },
  { id: 'hello', name: 'Hello', type: 'message', channel: 'email', message: mail({ subject: 'Three tips' }) },
]

for (const database of drawDatabases('admin-overview')) {
  describe(`GET /admin/overview (${database})`, () => {
    const people = mailedOf(database, { env: { EASEL_CLOCK: 'virtual' }, workspace: sendingWorkspace })
    let hours = 2
    /** An overview is kept for some seconds. Other hours are another one. */
    const read = async (query = '', given = ++hours): Promise<Any> => {
      const { status, body, text } = await people.service.admin('GET', `/admin/overview?hours=${given}${query}`)
      assert.equal(status, 200, text)
      return body
    }
    const kinds = ({ attention }: Any): string[] => attention.map(({ kind }: Any) => kind)
    const countWritten = async () => {
      const [row] = await people.db.query<{ count: number }>(sql`
        select coalesce(sum(count), 0)::int4 as count from traffic_minute where route in ('POST /users/track', 'POST /users/merge')`)
      return row!.count
    }

    test('all is well where nothing has happened', async () => {
      await people.service.admin('POST', '/admin/workspace', { id: 'empty', name: 'Empty' })
      const { message: _, at, clock_at, requests, outcomes, ...rest } = await read('&workspace=empty')
      assert.ok(Date.parse(at) > 0 && Date.parse(clock_at) > 0)
      const { columns, ...sums } = requests
      assert.deepEqual(sums, { ok: 0, refused: 0, failed: 0, updates: 0, routes: [], step_ms: 3_600_000 })
      assert.equal(columns.length, hours)
      assert.equal(outcomes.columns.length, hours)
      assert.deepEqual(rest, {
        sentence: 'All is well.',
        is_well: true,
        attention: [],
        people: { count: 0, is_estimate: false },
        updates_a_minute: 0,
        due: ['slots', 'entries', 'messages', 'people'].map((work) => {
          return { work, waiting: 0, is_more: false, next_at: null, late_ms: 0 }
        }),
        under_way: [],
      })
    })

    test('requests are counted by what was answered, and updates by what was accepted', async () => {
      const before = (await read()).requests
      const written = await countWritten()
      const ids = many(3, () => ({ external_id: newId() }))
      await people.service.post('/users/track', { attributes: ids, events: [] })
      await people.service.post('/users/track', { attributes: 'none' })
      await people.service.post('/users/merge', { merge_updates: [] })
      await people.service.post('/users/track', { attributes: ids }, { key: 'of-nobody' })
      await eventually('requests are counted', async () => (await countWritten()) >= written + 3)
      const { requests, people: counted } = await read()
      const grown = (name: string) => requests[name] - before[name]
      assert.deepEqual(['ok', 'refused', 'failed', 'updates'].map(grown), [2, 1, 0, 3])
      const track = requests.routes.find(({ route }: Any) => route === 'POST /users/track')
      assert.ok(track.count >= 2 && track.refused >= 1 && track.items >= 3 && track.mean_ms > 0, JSON.stringify(track))
      assert.equal(requests.columns.at(-1).ok, requests.ok)
      assert.ok(counted.count >= 3)
    })

    test('messages are counted by what became of them', async () => {
      const before = (await read()).outcomes
      const [ada, bo] = [newId(), newId()]
      await people.set({ external_id: ada, email: `${ada}@example.com` })
      await people.set({ external_id: bo, email: `${bo}@example.com`, email_subscribe: 'unsubscribed' })
      const sent = await people.service.post('/messages/send', letter({ external_user_ids: [ada, bo] }))
      assert.equal(sent.status, 201, sent.text)
      await people.service.advance('PT1M')
      let { outcomes } = await read()
      const grown = (family: string) => outcomes[family] - before[family]
      // What takes the database long to count is counted again a little later.
      await eventually('both messages are counted', async () => {
        outcomes = (await read('', laterHours)).outcomes
        return grown('sent') === 1 && grown('held') === 1
      })
      assert.deepEqual(['waiting', 'failed', 'uncertain'].map(grown), [0, 0, 0])
      const sums = outcomes.columns.reduce((sum: number, column: Any) => sum + column.sent, 0)
      assert.equal(sums, outcomes.sent)
    })

    test('what waits is counted, and what is paused needs somebody', async () => {
      const ada = newId()
      await people.set({ external_id: ada, email: `${ada}@example.com` })
      const { body } = await people.service.admin('POST', '/admin/canvases', {
        ...{ name: 'Cart', state: 'active', entry: { by: ['api'] }, first: 'wait', steps },
      })
      const { id } = body.canvas
      const recipients = [{ external_user_id: ada }]
      const entered = await people.service.post('/canvas/trigger/send', { canvas_id: id, recipients })
      assert.equal(entered.status, 201, entered.text)
      await people.service.advance('PT1M')
      const due = (await read()).due.find(({ work }: Any) => work === 'entries')
      assert.equal(due.waiting, 1)
      assert.ok(Date.parse(due.next_at) > 0)

      const later = await people.service.post('/messages/schedule/create', {
        ...letter({ external_user_ids: [ada] }),
        schedule: { time: '2040-01-01T10:00:00Z' },
      })
      assert.equal(later.status, 201, later.text)
      assert.equal((await read()).due.find(({ work }: Any) => work === 'slots').waiting, 1)
      const { dispatches } = (await people.service.admin('GET', '/admin/dispatches')).body
      const { dispatch_id } = dispatches[0]
      assert.equal((await people.service.admin('POST', `/admin/dispatches/${dispatch_id}/pause`)).status, 200)
      assert.equal((await people.service.admin('POST', `/admin/canvases/${id}/pause`)).status, 200)
      await people.write(ada, { state: 'uncertain' })
      const overview = await read()
      assert.deepEqual(kinds(overview), ['uncertain', 'paused_canvas', 'paused_dispatch'])
      assert.equal(overview.sentence, 'Three things need you.')
      assert.deepEqual(
        overview.attention.map((each: Any) => each.id),
        [null, id, dispatch_id],
      )
      assert.equal(overview.attention[1].sentence, 'The canvas "Cart" is paused.')
      assert.equal((await people.service.admin('POST', `/admin/canvases/${id}/resume`)).status, 200)
      assert.equal((await people.service.admin('POST', `/admin/dispatches/${dispatch_id}/cancel`)).status, 200)
      assert.deepEqual(kinds(await read()), ['uncertain'])
    })

    test('orders that go out now are described, a few of them, and their subjects only to those who may read them', async () => {
      const ids = many(describedOrdersMax + 1, () => newId())
      for (const external_id of ids) {
        await people.set({ external_id, email: `${external_id}@example.com` })
        const sent = await people.service.post('/messages/send', letter({ external_user_ids: [external_id] }))
        assert.equal(sent.status, 201, sent.text)
      }
      await people.service.advance('PT1M')
      assert.deepEqual((await read()).under_way, [])
      await people.db.query(sql`
        update message set state = 'handed_over', reason = null where cause in (
          select cause from message m join profile p using (bucket, profile_id)
          where p.external_id = any(array(select jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb))))`)
      const { under_way } = await read()
      assert.equal(under_way.length, describedOrdersMax)
      assert.ok(under_way.every(({ subject }: Any) => typeof subject === 'string'))

      const looking = await signIn(
        people.service,
        people.db,
        await makeAccount(people.db, {
          appGroup: [{ appGroupId: 'default', appGroupPermissions: ['view_usage_data'] }],
        }),
      )
      const seen = await looking.send('GET', `/admin/overview?hours=${hours}`)
      assert.equal(seen.status, 200, seen.text)
      assert.deepEqual(
        seen.body.under_way.map(({ subject }: Any) => subject),
        Array(describedOrdersMax).fill(null),
      )
      const stranger = await signIn(
        people.service,
        people.db,
        await makeAccount(people.db, { appGroup: [{ appGroupId: 'default', appGroupPermissions: ['edit_segments'] }] }),
      )
      assert.equal((await stranger.send('GET', '/admin/overview')).status, 403)
    })

    test('only whole hours up to a week are answered', async () => {
      for (const [given, status] of [
        ['0', 400],
        ['1', 200],
        [String(overviewHoursMax), 200],
        [String(overviewHoursMax + 1), 400],
        ['1.5', 400],
        ['', 400],
      ] as const) {
        const answer = await people.service.get(`/admin/overview?hours=${given}`, { key: people.service.adminToken })
        assert.equal(answer.status, status, `${given}: ${answer.text}`)
        if (status === 400) assert.match(answer.body.message, /'hours' must be an integer from 1 to 168/)
      }
    })
  })
}
