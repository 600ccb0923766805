import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from '../../src/base/db/sql.ts'
import { drawDatabases } from '../support/harness.ts'
import { mailedOf } from '../support/mailed-people.ts'
import { letter, sendingWorkspace } from '../support/messages.ts'
import { dayMs, newEmail, newId } from '../support/people.ts'

const hourMs = 3_600_000
const zone = 'Europe/Paris'

for (const database of drawDatabases('late-local-times')) {
  describe(`late local times (${database})`, () => {
    const people = mailedOf(database, { workspace: sendingWorkspace, env: { EASEL_CLOCK: 'virtual' } })

    /** Schedules a mail to a new person in Paris, as if the service had been down at its time. Returns the reason of the decision. */
    const reasonAfter = async (lateMs: number, flags: object): Promise<string> => {
      const external_id = newId()
      await people.set({ external_id, email: newEmail(), time_zone: zone })
      const nowMs = Date.parse((await people.service.admin('GET', '/admin/clock')).body.now)
      const time = new Date(nowMs + 2 * dayMs).toISOString().slice(0, 'yyyy-MM-ddTHH:mm'.length)
      const body = { ...letter({ external_user_ids: [external_id] }), schedule: { time, ...flags } }
      const { status, body: answer, text } = await people.send('/messages/schedule/create', body)
      assert.equal(status, 201, text)
      const { dispatch_id } = answer as unknown as { dispatch_id: string }
      const before = (ms: number) => new Date(nowMs - ms).toISOString()
      await people.db.query(sql`
        update dispatch set created_at = ${before(40 * dayMs)}::timestamptz where dispatch_id = ${dispatch_id}::uuid`)
      await people.db.query(sql`
        update dispatch_slot set due_at = ${before(lateMs)}::timestamptz
        where dispatch_id = ${dispatch_id}::uuid and zone in ('', ${zone})`)
      await people.service.advance('PT1S')
      const query = `external_id=${external_id}&dispatch_id=${dispatch_id}`
      return (await people.service.admin('GET', `/admin/why?${query}`)).body.decisions[0].reason
    }
    const setting = (local_time_delay_max: string | null) =>
      people.service.admin('PATCH', '/admin/settings', { local_time_delay_max })

    test('a message that is more than an hour late is missed, unless the setting allows a longer delay', async () => {
      const local = { in_local_time: true }
      assert.equal(await reasonAfter(hourMs / 2, local), 'sent')
      assert.equal(await reasonAfter(2 * hourMs, local), 'missed')
      await setting('P2D')
      assert.equal(await reasonAfter(2 * hourMs, local), 'sent')
      assert.equal(await reasonAfter(dayMs, local), 'sent')
      assert.equal(await reasonAfter(3 * dayMs, local), 'missed')
      await setting('PT10M')
      assert.equal(await reasonAfter(hourMs / 2, local), 'missed')
      await setting(null)
    })

    test('the setting changes nothing for a message that is due for everybody at once', async () => {
      await setting('P2D')
      assert.equal(await reasonAfter(5 * hourMs, {}), 'sent')
      assert.equal(await reasonAfter(7 * hourMs, {}), 'missed')
      await setting(null)
    })

    test('the setting is a length of time from a minute to thirty days', async () => {
      const set = (local_time_delay_max: unknown) =>
        people.service.send('PATCH', '/admin/settings', { local_time_delay_max }, { key: people.service.adminToken })
      for (const delay of ['PT1M', 'PT60.001S', 'PT719H59M', 'P30D'])
        assert.equal((await set(delay)).status, 200, delay)
      for (const delay of ['PT59.999S', 'P30DT1S', 'P1M', 'P1Y', '1h', 60, '']) {
        const { status, text } = await set(delay)
        assert.equal(status, 400, String(delay))
        assert.match(text, /settings\.local_time_delay_max must be a length of time from 1 minute to 30 days/)
      }
      await setting(null)
    })
  })
}
