import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import { mail, sendingWorkspace } from '../support/messages.ts'
import { type Item, newId, peopleOf } from '../support/people.ts'

const hourMs = 3_600_000

const one = (id: string, more: Item): Item => ({
  ...{
    id,
    name: id,
    state: 'active',
    entry: { by: ['api'], again: 'always' },
    first: 'say',
    exit: { events: ['left'] },
  },
  steps: [
    { id: 'say', type: 'message', channel: 'email', message: mail({ subject: id }), next: 'wait' },
    { id: 'wait', type: 'delay', for: 'PT1H', next: 'again' },
    { id: 'again', type: 'message', channel: 'email', message: mail({ subject: `${id} again` }) },
  ],
  ...more,
})

const workspace = {
  ...sendingWorkspace,
  settings: { time_zone: 'UTC', quiet_hours: { start: '22:00', end: '07:00' } },
  canvases: [
    one('holds', {}),
    one('skips', { quiet_hours: 'skip' }),
    one('ignores', { quiet_hours: 'ignore' }),
    one('urgent', { class: 'transactional' }),
  ],
}

for (const database of drawDatabases('quiet-hours')) {
  describe(`quiet hours (${database})`, () => {
    const people = peopleOf(database, { workspace, env: { EASEL_CLOCK: 'virtual' } })
    const admin = (method: string, path: string, body?: unknown) => people.service.admin(method, path, body)

    /** Returns the next time at which clocks in UTC show an hour. */
    async function until(hour: number): Promise<number> {
      const nowMs = Date.parse((await admin('GET', '/admin/clock')).body.now)
      const midnightMs = nowMs - (nowMs % (24 * hourMs))
      const atMs = midnightMs + hour * hourMs
      const now = new Date(atMs > nowMs ? atMs : atMs + 24 * hourMs)
      await admin('POST', '/admin/clock', { now: now.toISOString() })
      return now.getTime()
    }

    async function enter(canvas_id: string, more: Item = {}): Promise<string> {
      const id = newId()
      await people.set({ external_id: id, email: `${id}@example.com`, ...more })
      const answer = await people.send('/canvas/trigger/send', { canvas_id, recipients: [{ external_user_id: id }] })
      assert.equal(answer.status, 201, answer.text)
      await people.service.advance('PT1S')
      return id
    }

    /** Returns the subjects of the mails since `fromMs`, each with the hours after it. */
    async function mails(id: string, fromMs: number): Promise<string[]> {
      const { body } = await admin('GET', `/admin/inbox?to=${id}@example.com`)
      return body.messages.toReversed().map(({ subject, at }: Item) => {
        return `${subject} ${Math.round((Date.parse(String(at)) - fromMs) / hourMs)}`
      })
    }

    test('messages in quiet hours wait for the morning of each person, are skipped, or are sent', async () => {
      const fromMs = await until(23)
      const holds = await enter('holds')
      const tokyo = await enter('holds', { time_zone: 'Asia/Tokyo' })
      const skips = await enter('skips')
      const ignores = await enter('ignores')
      const urgent = await enter('urgent')
      await people.service.advance('PT20H')
      assert.deepEqual(await mails(holds, fromMs), ['holds 8', 'holds again 9'])
      // Quiet hours are over in Tokyo.
      assert.deepEqual(await mails(tokyo, fromMs), ['holds 0', 'holds again 1'])
      assert.deepEqual(await mails(skips, fromMs), [])
      assert.deepEqual(await mails(ignores, fromMs), ['ignores 0', 'ignores again 1'])
      assert.deepEqual(await mails(urgent, fromMs), ['urgent 0', 'urgent again 1'])
      const { body } = await admin('GET', `/admin/why?external_id=${skips}`)
      const { reason, inputs } = body.decisions[0]
      assert.equal(reason, 'quiet_hours')
      assert.deepEqual([inputs.start, inputs.end, inputs.time_zone], ['22:00', '07:00', 'UTC'])
    })

    test('a person who leaves during quiet hours gets nothing in the morning', async () => {
      const fromMs = await until(23)
      const id = await enter('holds')
      await people.happen({ external_id: id, name: 'left', time: new Date(fromMs).toISOString() })
      await people.service.advance('PT20H')
      assert.deepEqual(await mails(id, fromMs), [])
      const { body } = await admin('GET', `/admin/why?external_id=${id}`)
      const reasons = body.decisions.map(({ reason }: Item) => reason)
      assert.ok(reasons.includes('exited'), String(reasons))
    })

    test('orders of single messages ignore quiet hours', async () => {
      const fromMs = await until(23)
      const id = newId()
      await people.set({ external_id: id, email: `${id}@example.com` })
      const sent = await people.send('/messages/send', { external_user_ids: [id], messages: { email: mail() } })
      assert.equal(sent.status, 201, sent.text)
      await people.service.advance('PT1S')
      assert.deepEqual(await mails(id, fromMs), ['Hello 0'])
    })
  })
}
