import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import { groups, many, newAlias, newEmail, newId, newPhone, peopleOf } from '../support/people.ts'

const { news, offers, alerts } = groups
const idsMax = 50
const pageMax = 100
const path = '/subscription/user/status'

const states = (subscription_state: string, ids: readonly string[]) =>
  ids.map((subscription_group_id) => ({ subscription_group_id, subscription_state }))
const join = (...ids: string[]) => states('subscribed', ids)
const leave = (...ids: string[]) => states('unsubscribed', ids)

type Listed = {
  readonly external_id: string | null
  readonly subscription_groups: readonly { name: string; status: string }[]
}

for (const database of drawDatabases('subscription-user-status')) {
  describe(`GET /subscription/user/status (${database})`, () => {
    const people = peopleOf(database)

    const ask = (...query: [name: string, value: string | number][]) =>
      people.get(`${path}?${new URLSearchParams(query.map(([name, value]) => [name, String(value)]))}`)

    const list = async (...query: [name: string, value: string | number][]): Promise<readonly Listed[]> => {
      const { status, text, body } = await ask(...query)
      assert.equal(status, 200, text)
      return body.users as unknown as readonly Listed[]
    }

    /** Returns `News: Subscribed` and so on for one person. */
    const statesOf = async (external_id: string) => {
      const found = (await list(['external_id', external_id])).find((each) => each.external_id === external_id)
      return found?.subscription_groups.map(({ name, status }) => `${name}: ${status}`).toSorted()
    }

    test('the answer has the recorded shape', async () => {
      const [first, second, third] = many(3, () => newId()) as [string, string, string]
      const email = `${first}@test.com`
      await people.set(
        { external_id: first, email, subscription_groups: join(news.id) },
        { external_id: second, email: `${second}@test.com`, subscription_groups: leave(news.id) },
        { external_id: third },
      )
      const { status, text, body } = await ask(
        ...[first, second, third].map((id): [string, string] => ['external_id[]', id]),
      )
      assert.equal(status, 200)
      const { users, ...rest } = body
      assert.deepEqual(rest, { total_count: 3, message: 'success' })
      assert.match(text, /"message":"success"\}$/)
      const group = { id: news.id, name: 'News', channel: 'email' }
      const byId = new Map(users?.map((user) => [user.external_id, user]))
      assert.deepEqual(
        [first, second, third].map((id) => byId.get(id)),
        [
          { email, phone: null, external_id: first, subscription_groups: [{ ...group, status: 'Subscribed' }] },
          {
            email: `${second}@test.com`,
            phone: null,
            external_id: second,
            subscription_groups: [{ ...group, status: 'Unsubscribed' }],
          },
          { email: null, phone: null, external_id: third, subscription_groups: [] },
        ],
      )
    })

    test('groups are listed in the order of their creation, not in that of changes', async () => {
      const [external_id, email] = [newId(), newEmail()]
      await people.set({ external_id, subscription_groups: leave(alerts.id) })
      await people.set({ external_id, email, subscription_groups: join(offers.id) })
      await people.set({ external_id, subscription_groups: join(news.id) })
      const [found] = await list(['external_id', external_id])
      assert.deepEqual(
        found?.subscription_groups.map(({ name }) => name),
        [news, offers, alerts].map(({ name }) => name),
      )
    })

    test('an identifier is accepted alone, repeated, with brackets, encoded or not', async () => {
      const [first, second] = [newId(), newId()]
      await people.set({ external_id: first }, { external_id: second })
      const ways = [
        `external_id=${first}&external_id=${second}`,
        `external_id[]=${first}&external_id[]=${second}`,
        `external_id%5B%5D=${first}&external_id%5B%5D=${second}`,
        `external_id=${first}&external_id[]=${second}`,
      ]
      for (const query of ways) {
        const { body } = await people.get(`${path}?${query}`)
        assert.deepEqual(
          body.users?.map(({ external_id }) => external_id).toSorted(),
          [first, second].toSorted(),
          query,
        )
        assert.equal(body.total_count, 2)
      }
      assert.equal((await people.get(`${path}?external_id=${first}`)).body.total_count, 1)
      assert.equal((await people.get(`${path}/?external_id[]=${first}`)).body.total_count, 1)
    })

    test('an e-mail or a phone lists everyone who has it', async () => {
      const [email, phone] = [newEmail(), newPhone()]
      const ids = many(3, () => newId())
      await people.set(...ids.map((external_id) => ({ external_id, email, phone })))
      for (const query of [
        `email=${encodeURIComponent(email)}`,
        `email%5B%5D=${email.toUpperCase()}`,
        `phone=${encodeURIComponent(phone)}`,
        `phone[]=%2B${phone.slice(1)}`,
      ]) {
        const { status, text, body } = await people.get(`${path}?${query}`)
        assert.equal(status, 200, text)
        assert.deepEqual(body.users?.map(({ external_id }) => external_id).toSorted(), ids.toSorted(), query)
        assert.equal(body.total_count, ids.length)
      }
    })

    test('several kinds of identifiers list the union, each person once', async () => {
      const [first, second, third] = [newId(), newId(), newId()]
      const [email, phone] = [newEmail(), newPhone()]
      await people.set(
        { external_id: first, email },
        { external_id: second, email, phone },
        { external_id: third, phone },
      )
      const users = await list(['external_id', first], ['email', email], ['phone', phone])
      assert.deepEqual(users.map(({ external_id }) => external_id).toSorted(), [first, second, third].toSorted())
    })

    test('unknown people give an empty list', async () => {
      const unknown = { users: [], total_count: 0, message: 'success' }
      assert.deepEqual((await ask(['external_id', newId()])).body, unknown)
      assert.deepEqual((await ask(['email', newEmail()])).body, unknown)
      assert.deepEqual((await ask(['phone', newPhone()])).body, unknown)
    })

    test('a request without an identifier is a 400', async () => {
      for (const query of ['', '?', '?limit=10&offset=0', '?subscription_group_id=x']) {
        const { status, body } = await people.get(path + query)
        assert.equal(status, 400, query)
        assert.deepEqual(body, { message: 'Either external_id, email or phone must be provided' })
      }
    })

    test('50 values of one kind are accepted, 51 are a 400', async () => {
      const ids = many(idsMax + 1, (): [string, string] => ['external_id[]', newId()])
      assert.equal((await ask(...ids.slice(0, idsMax - 1))).status, 200)
      assert.equal((await ask(...ids.slice(0, idsMax))).status, 200)
      assert.equal((await ask(...ids)).status, 400)
    })

    test('limit and offset select a page of people, and total_count stays the same', async () => {
      const email = newEmail()
      const ids = many(7, () => newId())
      await people.set(...ids.map((external_id) => ({ external_id, email })))
      const page = async (limit: number, offset: number) => {
        const { body } = await ask(['email', email], ['limit', limit], ['offset', offset])
        assert.equal(body.total_count, ids.length)
        return body.users?.map(({ external_id }) => String(external_id)) ?? []
      }
      const all = await page(100, 0)
      assert.deepEqual(all.toSorted(), ids.toSorted())
      assert.deepEqual(
        [await page(3, 0), await page(3, 3), await page(3, 6)],
        [all.slice(0, 3), all.slice(3, 6), all.slice(6)],
      )
      assert.deepEqual(await page(10, 7), [])
      assert.deepEqual(await page(100, 2), all.slice(2))
    })

    test('a page has 100 people at most and by default', async () => {
      const email = newEmail()
      for (const count of [50, 50, 2]) {
        await people.set(...many(count, () => ({ external_id: newId(), email })))
      }
      for (const query of [[], [['limit', pageMax]], [['limit', pageMax + 1]], [['limit', 5000]]] as [
        string,
        number,
      ][][]) {
        const { body } = await ask(['email', email], ...query)
        assert.deepEqual([body.users?.length, body.total_count], [pageMax, 102])
      }
    })

    test('a person without external_id is listed with null', async () => {
      const [email, phone] = [newEmail(), newPhone()]
      await people.set({ email, phone, subscription_groups: join(news.id) })
      const [person] = await list(['email', email])
      assert.deepEqual(person, {
        email,
        phone,
        external_id: null,
        subscription_groups: [{ ...news, status: 'Subscribed' }],
      })
    })

    test('groups without a state are left out', async () => {
      const external_id = newId()
      await people.set({ external_id, email: newEmail(), phone: newPhone(), subscription_groups: leave(offers.id) })
      assert.deepEqual(await statesOf(external_id), ['Offers: Unsubscribed'])
    })

    test('a state of an address holds for a person who gets the address later', async () => {
      const [email, phone] = [newEmail(), newPhone()]
      await people.set({ email, subscription_groups: join(news.id) }, { phone, subscription_groups: leave(alerts.id) })
      const [byEmail, byPhone] = [newId(), newId()]
      await people.set({ external_id: byEmail }, { external_id: byPhone })
      assert.deepEqual(await statesOf(byEmail), [])
      await people.set({ external_id: byEmail, email }, { external_id: byPhone, phone })
      assert.deepEqual(await statesOf(byEmail), ['News: Subscribed'])
      assert.deepEqual(await statesOf(byPhone), ['Alerts: Unsubscribed'])
    })

    test('of the state of a person and that of the address the later one holds', async () => {
      const [early, late] = [newEmail(), newEmail()]
      const [person, owner, latecomer] = [newId(), newId(), newId()]
      await people.set({ external_id: owner, email: early, subscription_groups: leave(news.id) })
      await people.set({ external_id: person, subscription_groups: join(news.id) })
      await people.set({ external_id: latecomer, email: late, subscription_groups: leave(news.id) })
      await people.set({ external_id: person, email: early })
      assert.deepEqual(await statesOf(person), ['News: Subscribed'])
      assert.deepEqual(await statesOf(owner), ['News: Unsubscribed'])
      await people.set({ external_id: person, email: late })
      assert.deepEqual(await statesOf(person), ['News: Unsubscribed'])
    })

    test('the later of two states of a group holds, whatever set it', async () => {
      const email = newEmail()
      const [first, second] = [newId(), newId()]
      await people.set({ external_id: first, email }, { external_id: second, email })
      await people.set({ external_id: first, subscription_groups: join(news.id) })
      await people.set({ email, subscription_groups: leave(news.id) })
      for (const id of [first, second]) assert.deepEqual(await statesOf(id), ['News: Unsubscribed'])
      await people.set({ external_id: second, subscription_groups: join(news.id) })
      for (const id of [first, second]) assert.deepEqual(await statesOf(id), ['News: Subscribed'])
    })

    test('the global state of a person does not change the states of groups', async () => {
      const external_id = newId()
      await people.set({ external_id, email: newEmail(), subscription_groups: join(news.id) })
      await people.set({ external_id, email_subscribe: 'unsubscribed' })
      assert.deepEqual(await statesOf(external_id), ['News: Subscribed'])
      await people.set({ external_id, email_subscribe: 'opted_in' })
      assert.deepEqual(await statesOf(external_id), ['News: Subscribed'])
    })

    test('an SMS group follows the phone and has its channel', async () => {
      const [phone, other] = [newPhone(), newPhone()]
      const external_id = newId()
      await people.set({ external_id, phone, subscription_groups: join(alerts.id) })
      const [person] = await list(['external_id', external_id])
      assert.deepEqual(person?.subscription_groups, [{ ...alerts, status: 'Subscribed' }])
      const newcomer = newId()
      await people.set({ external_id: newcomer, phone })
      assert.deepEqual(await statesOf(newcomer), ['Alerts: Subscribed'])
      await people.set({ external_id: newcomer, phone: other })
      assert.deepEqual(await statesOf(newcomer), [])
      assert.deepEqual(await statesOf(external_id), ['Alerts: Subscribed'])
    })

    test('a person with only an alias has only their own states', async () => {
      const user_alias = newAlias()
      await people.set({ user_alias, _update_existing_only: false, subscription_groups: join(news.id, alerts.id) })
      const [email, phone] = [newEmail(), newPhone()]
      await people.set({ user_alias, email, phone })
      const [person] = await list(['email', email])
      assert.deepEqual(person?.subscription_groups.map(({ name }) => name).toSorted(), ['Alerts', 'News'])
    })
  })
}
