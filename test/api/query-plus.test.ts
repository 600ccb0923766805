import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import { groups, newId, newPhone, only, peopleOf } from '../support/people.ts'
import { join, setStates } from '../support/subscriptions.ts'

const { news, alerts } = groups

for (const database of drawDatabases('query-plus')) {
  describe(`a plus sign in a query that is not encoded (${database})`, () => {
    const people = peopleOf(database)

    const newPerson = async () => {
      const external_id = newId()
      const [email, phone] = [`${external_id}+news@example.com`, newPhone()]
      await people.set({ external_id, email, phone })
      await setStates(people, join(news, { emails: [email] }), join(alerts, { phones: [phone] }))
      return { external_id, email, phone }
    }
    const get = async (path: string) => {
      const { status, text, body } = await people.get(path)
      assert.equal(status, 200, text)
      return body
    }

    test('finds the person by phone and by e-mail address', async () => {
      const { external_id, email, phone } = await newPerson()
      for (const query of [`phone=${phone}`, `phone[]=${phone}`, `email=${email}`, `email%5B%5D=${email}`]) {
        const { users = [] } = await get(`/subscription/user/status?${query}`)
        assert.equal(only(users).external_id, external_id, query)
      }
    })

    test('finds the state of an address in a group', async () => {
      const { email, phone } = await newPerson()
      for (const [group, kind, address] of [
        [news, 'email', email],
        [alerts, 'phone', phone],
      ] as const) {
        const path = `/subscription/status/get?subscription_group_id=${group.id}&${kind}=${address}`
        assert.deepEqual(await get(path), { status: { [address]: 'Subscribed' }, message: 'success' })
      }
    })

    test('finds an unsubscribed and a blocked address', async () => {
      const { email } = await newPerson()
      const { status, text } = await people.send('/email/blocklist', { email })
      assert.equal(status, 201, text)
      for (const list of ['unsubscribes', 'hard_bounces']) {
        const { emails } = (await get(`/email/${list}?end_date=2030-01-01&email=${email}`)) as unknown as {
          emails: { email: string }[]
        }
        assert.equal(only(emails).email, email)
      }
    })

    test('finds the person about which an administrator asks why', async () => {
      const { external_id, email } = await newPerson()
      const audience = { standard_attribute: { name: 'email', comparison: 'equals', value: email } }
      const made = await people.service.admin('POST', '/admin/segments', { name: newId('Segment'), audience })
      const { body } = await people.service.admin('GET', `/admin/segments/${made.body.segment.id}/why?email=${email}`)
      assert.deepEqual([body.in, body.person.external_id], [true, external_id])
    })
  })
}
