import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Db } from '../../src/base/db/db.ts'
import { makeAccount, signIn } from '../support/accounts.ts'
import { drawDatabases } from '../support/harness.ts'
import { letter, mail, sendingWorkspace } from '../support/messages.ts'
import { dayMs, hourMs, newEmail, peopleOf } from '../support/people.ts'
import { campaign, canvas } from '../support/triggers.ts'

type Reading = { now: string; next?: { at: string; what: string }; done?: object }

const trial = canvas('trial', {
  name: 'Trial {flow}',
  first: 'wait',
  steps: [
    { id: 'wait', type: 'delay', for: 'P2D', next: 'hello' },
    { id: 'hello', type: 'message', channel: 'email', message: mail() },
  ],
})

for (const database of drawDatabases('admin-clock-next')) {
  describe(`the next due thing (${database})`, () => {
    let db: Db
    const people = peopleOf(database, {
      workspace: { ...sendingWorkspace, canvases: [trial], campaigns: [campaign('spring', { name: 'Spring' })] },
      env: { EASEL_CLOCK: 'virtual' },
      opened: (opened) => (db = opened),
    })
    const read = async () => (await people.service.admin('GET', '/admin/clock')).body as Reading
    const toNext = async () => (await people.service.admin('POST', '/admin/clock', { to: 'next' })).body as Reading

    test('nothing is due in an empty workspace, and the clock has nowhere to go', async () => {
      assert.equal((await read()).next, undefined)
      const { service } = people
      const { status, body } = await service.send('POST', '/admin/clock', { to: 'next' }, { key: service.adminToken })
      assert.deepEqual(
        [status, body.message],
        [409, 'Nothing becomes due: nobody waits in a canvas, and no send is planned'],
      )
      for (const wrong of [{ to: 'last' }, { to: 'next', advance: 'P1D' }, { to: null }]) {
        const refused = await service.send('POST', '/admin/clock', wrong, { key: service.adminToken })
        assert.equal(refused.status, 400, JSON.stringify(wrong))
      }
    })

    test('the clock goes from one due thing to the next, named and exact', async () => {
      const { service } = people
      const startMs = Date.parse((await read()).now)
      const iso = (ms: number) => new Date(startMs + ms).toISOString()
      for (const external_id of ['ada', 'bo', 'cy'])
        await people.accept({ attributes: [{ external_id, email: newEmail() }] })
      const later = (ms: number) => ({ schedule: { time: iso(ms) } })
      await people.send('/messages/schedule/create', {
        ...letter({ external_user_ids: ['ada'] }),
        ...later(3 * hourMs),
      })
      await people.send('/campaigns/trigger/schedule/create', {
        campaign_id: 'spring',
        recipients: [{ external_user_id: 'bo' }],
        ...later(dayMs),
      })
      await people.send('/canvas/trigger/schedule/create', {
        canvas_id: 'trial',
        recipients: [{ external_user_id: 'ada' }, { external_user_id: 'cy' }],
        ...later(dayMs + hourMs),
      })

      assert.deepEqual((await read()).next, { at: iso(3 * hourMs), what: 'a send over the API begins' })
      const first = await toNext()
      assert.equal(first.now, iso(3 * hourMs))
      assert.deepEqual(first.done, { messages: { sent: 1 }, entries_moved: 0 })
      assert.deepEqual(first.next, { at: iso(dayMs), what: 'the campaign "Spring" is sent' })
      const second = await toNext()
      assert.deepEqual([second.now, second.done], [iso(dayMs), { messages: { sent: 1 }, entries_moved: 0 }])
      assert.deepEqual(second.next, { at: iso(dayMs + hourMs), what: 'people enter the canvas "Trial {flow}"' })
      const third = await toNext()
      assert.deepEqual(third.next, { at: iso(3 * dayMs + hourMs), what: '2 people go on in the canvas "Trial {flow}"' })

      // An account that may not move the clock is not told the names of other workspaces.
      const reader = await signIn(service, db, await makeAccount(db, {}))
      const plain = await reader.send('GET', '/admin/clock')
      assert.deepEqual(plain.body.next, { at: iso(3 * dayMs + hourMs), what: '2 people go on in a canvas' })

      const last = await toNext()
      assert.equal(last.now, iso(3 * dayMs + hourMs))
      assert.deepEqual(last.done, { messages: { sent: 2 }, entries_moved: 2 })
      assert.equal(last.next, undefined)
    })

    test('messages that wait for the end of quiet hours are named', async () => {
      const { service } = people
      const now = new Date((await read()).now)
      const hour = (hours: number) => `${String((now.getUTCHours() + 24 + hours) % 24).padStart(2, '0')}:00`
      await service.admin('PATCH', '/admin/settings', { quiet_hours: { start: hour(-1), end: hour(2) } })
      const marketing = { campaign_id: 'spring', recipients: [{ external_user_id: 'bo' }] }
      await people.send('/campaigns/trigger/send', marketing)
      await service.advance('PT1S')
      const { next } = await read()
      assert.equal(next?.what, '1 message is sent')
      assert.equal(next?.at.slice(11, 16), hour(2))
      const done = await toNext()
      assert.equal(done.now, next?.at)
      assert.deepEqual(done.done, { messages: { sent: 1 }, entries_moved: 0 })
    })
  })
}
