import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { makeAccount, signIn } from '../support/accounts.ts'
import { drawDatabases } from '../support/harness.ts'
import { mailedOf } from '../support/mailed-people.ts'
import { apps, type Item, newId } from '../support/people.ts'

const email = { app_id: apps.phone.id, from: 'Shop <shop@example.com>', subject: 'Hello', body: '<p>Hello</p>' }

for (const database of drawDatabases('admin-dispatches-subjects')) {
  describe(`subjects of dispatches (${database})`, () => {
    const people = mailedOf(database, {})

    async function schedule(external_id: string): Promise<string> {
      const asked = {
        messages: { email },
        schedule: { time: '2099-01-01T00:00:00Z' },
        external_user_ids: [external_id],
      }
      const { status, text, body } = await people.service.post('/messages/schedule/create', asked)
      assert.equal(status, 201, text)
      return body.dispatch_id
    }

    test('a subject is shown to accounts that may see messages with personal data, and to no others', async () => {
      const external_id = newId()
      await people.set({ external_id, email: `${external_id}@example.com` })
      const dispatch_id = await schedule(external_id)
      const entering = async (permissions: readonly string[]) => {
        const given = { appGroup: [{ appGroupId: 'default', appGroupPermissions: permissions }] }
        return signIn(people.service, people.db, await makeAccount(people.db, given))
      }
      const subjectsFor = async (permissions: readonly string[]) => {
        const person = await entering(permissions)
        const { body } = await person.send('GET', '/admin/dispatches?limit=100')
        const found = body.dispatches.find((each: Item) => each.dispatch_id === dispatch_id)
        const change = permissions.includes('view_pii') ? 'pause' : 'resume'
        const changed = (await person.send('POST', `/admin/dispatches/${dispatch_id}/${change}`)).body.dispatch
        return [found.subject, changed.subject, JSON.stringify(changed.sending).includes('Hello')]
      }
      const acting = ['basic_access', 'send_campaigns_canvases', 'view_user_profile']
      assert.deepEqual(await subjectsFor([...acting, 'view_pii']), ['Hello', 'Hello', true])
      assert.deepEqual(await subjectsFor(acting), [null, null, false])
    })
  })
}
