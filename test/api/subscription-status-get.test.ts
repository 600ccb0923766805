import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import { groups, type Item, many, newAlias, newEmail, newId, newPhone, peopleOf, texts } from '../support/people.ts'
import { join, leave, setStates } from '../support/subscriptions.ts'

const { news, offers, alerts } = groups
const path = '/subscription/status/get'
const valuesMax = 50

type Asked = readonly [name: string, value: string]

for (const database of drawDatabases('subscription-status-get')) {
  describe(`GET ${path} (${database})`, () => {
    const people = peopleOf(database)

    const ask = (group: string | undefined, ...asked: readonly Asked[]) => {
      const query = [...(group === undefined ? [] : [['subscription_group_id', group]]), ...asked] as string[][]
      return people.get(`${path}?${new URLSearchParams(query)}`)
    }

    const statusOf = async (group: { id: string }, ...asked: readonly Asked[]) => {
      const { status, text, body } = await ask(group.id, ...asked)
      assert.equal(status, 200, text)
      return (body as unknown as { status: Item }).status
    }

    const refuses = async (message: string, group: string | undefined, ...asked: readonly Asked[]) => {
      const { status, body } = await ask(group, ...asked)
      assert.equal(status, 400, JSON.stringify(asked).slice(0, 200))
      assert.deepEqual(body, { message })
    }

    test('the answer has the recorded shape', async () => {
      const ids = many(3, () => newId())
      const [first, second, third] = ids as [string, string, string]
      await people.set(...ids.map((external_id) => ({ external_id, email: newEmail() })))
      await setStates(people, join(news, { external_ids: [first] }))
      await setStates(people, leave(news, { external_ids: [second] }))
      const { text } = await ask(news.id, ...ids.map((id): Asked => ['external_id[]', id]))
      const status = `{"${first}":"Subscribed","${second}":"Unsubscribed","${third}":"unknown"}`
      assert.equal(text, `{"status":${status},"message":"success"}`)
    })

    test('an identifier is accepted alone, repeated, with brackets, encoded or not', async () => {
      const [first, second] = [newId(), newId()]
      await people.set({ external_id: first }, { external_id: second })
      for (const names of [
        ['external_id', 'external_id'],
        ['external_id[]', 'external_id[]'],
        ['external_id%5B%5D', 'external_id'],
      ]) {
        const { body } = await people.get(
          `${path}?${names[0]}=${first}&subscription_group_id=${news.id}&${names[1]}=${second}`,
        )
        assert.deepEqual(body, { status: { [first]: 'unknown', [second]: 'unknown' }, message: 'success' })
      }
      assert.deepEqual(await statusOf(news, ['external_id', first]), { [first]: 'unknown' })
      assert.deepEqual(await statusOf({ id: news.id.toUpperCase() }, ['external_id', first]), { [first]: 'unknown' })
    })

    test('unknown people are Unknown, with the identifier as it was sent', async () => {
      for (const asked of [newId(), '__proto__', 'toString', '12']) {
        const status = await statusOf(news, ['external_id', asked])
        assert.deepEqual(Object.entries(status), [[asked, 'unknown']])
      }
      const email = newEmail().replace('mail', 'MAIL')
      assert.deepEqual(await statusOf(news, ['email', email]), { [email]: 'unknown' })
      const phone = newPhone().replace(/^(\+\d)(\d{3})/, '$1 ($2) ')
      assert.deepEqual(await statusOf(alerts, ['phone', phone]), { [phone]: 'unknown' })
    })

    test('a person has their own state of the group or that of the address, the later one', async () => {
      const [external_id, email, phone] = [newId(), newEmail(), newPhone()]
      await people.set({ external_id, email, phone })
      await setStates(people, join(news, { external_ids: [external_id] }))
      await setStates(people, leave(offers, { emails: [email] }))
      await setStates(people, join(alerts, { phones: [phone] }))
      const own = async (group: { id: string }) => (await statusOf(group, ['external_id', external_id]))[external_id]
      assert.deepEqual(
        [await own(news), await own(offers), await own(alerts)],
        ['Subscribed', 'Unsubscribed', 'Subscribed'],
      )
      await setStates(people, leave(news, { emails: [email] }))
      assert.equal(await own(news), 'Unsubscribed')
      await setStates(people, join(news, { external_ids: [external_id] }))
      assert.equal(await own(news), 'Subscribed')
    })

    test('an address has its own state, also when no person has it', async () => {
      const [email, phone] = [newEmail(), newPhone()]
      await setStates(people, leave(news, { emails: [email] }))
      await setStates(people, join(alerts, { phones: [phone] }))
      assert.deepEqual(await statusOf(news, ['email', email.toUpperCase()]), { [email.toUpperCase()]: 'Unsubscribed' })
      assert.deepEqual(await statusOf(alerts, ['phone', phone]), { [phone]: 'Subscribed' })
      assert.deepEqual(await statusOf(offers, ['email', email]), { [email]: 'unknown' })
    })

    test('of the states of an address and of its people the latest one holds', async () => {
      const [email, first, second] = [newEmail(), newId(), newId()]
      const user_alias = newAlias()
      await people.set({ external_id: first }, { external_id: second }, { user_alias, _update_existing_only: false })
      await setStates(people, join(news, { external_ids: [first] }))
      await people.set({ external_id: first, email }, { external_id: second, email }, { user_alias, email })
      const now = async () => (await statusOf(news, ['email', email]))[email]
      assert.equal(await now(), 'Subscribed')
      await setStates(people, leave(news, { emails: [email] }))
      assert.equal(await now(), 'Unsubscribed')
      await setStates(people, join(news, { external_ids: [second] }))
      assert.equal(await now(), 'Subscribed')
    })

    test('external_id takes precedence over the others', async () => {
      const [external_id, email, phone] = [newId(), newEmail(), newPhone()]
      await setStates(people, join(news, { emails: [email] }))
      const asked: Asked[] = [
        ['email', email],
        ['phone', phone],
        ['external_id', external_id],
      ]
      assert.deepEqual(await statusOf(news, ...asked), { [external_id]: 'unknown' })
      assert.deepEqual(await statusOf(alerts, ...asked), { [external_id]: 'unknown' })
      const wrong: Asked[] = [
        ['email', 'nobody'],
        ['phone', '1'],
      ]
      assert.deepEqual(await statusOf(news, ['external_id', external_id], ...wrong), { [external_id]: 'unknown' })
    })

    test('an e-mail and a phone without external_id are a 400', async () => {
      const either = 'Either an email address or a phone number should be provided, but not both.'
      await refuses(either, news.id, ['email', newEmail()], ['phone', newPhone()])
      await refuses(either, alerts.id, ['email[]', newEmail()], ['phone[]', newPhone()])
    })

    test('an address of the other channel is a 400', async () => {
      await refuses('An SMS subscription group takes external_id or phone only', alerts.id, ['email', newEmail()])
      await refuses('An email subscription group takes external_id or email only', news.id, ['phone', newPhone()])
    })

    test('an unknown group is a 400', async () => {
      for (const group of ['non-existing-subscription-group', '', undefined, '__proto__', '\u0000']) {
        await refuses('Invalid subscription group ID', group, ['external_id', newId()])
        await refuses('Invalid subscription group ID', group)
      }
    })

    test('a request without an identifier is a 400', async () => {
      const nobody = 'Either external_id, email or phone must be provided'
      await refuses(nobody, news.id)
      await refuses(nobody, news.id, ['external_id', ''], ['email[]', ''])
    })

    test('an invalid identifier is a 400', async () => {
      await refuses(texts.badEmail, news.id, ['email', 'no e-mail'])
      await refuses("'phone' is not valid", alerts.id, ['phone', '5550001111'])
      await refuses(texts.tooLong, news.id, ['external_id', 'x'.repeat(988)])
      await refuses("'external_id' is not valid", news.id, ['external_id', 'a\u0000'])
    })

    test('49 and 50 values are accepted, 51 are a 400', async () => {
      const kinds = [
        ['external_id', news, newId],
        ['email', news, newEmail],
        ['phone', alerts, newPhone],
      ] as const
      for (const [name, group, make] of kinds) {
        const asked = many(valuesMax + 1, (): Asked => [`${name}[]`, make()])
        for (const count of [valuesMax - 1, valuesMax]) {
          assert.equal(Object.keys(await statusOf(group, ...asked.slice(0, count))).length, count)
        }
        await refuses(texts.tooManyIds, group.id, ...asked)
      }
    })

    test('many people can be requested at once', async () => {
      const [email, ids] = [newEmail(), many(valuesMax, () => newId())]
      await people.set(...ids.map((external_id) => ({ external_id, email })))
      await setStates(people, join(news, { emails: [email] }))
      const status = await statusOf(news, ...ids.map((id): Asked => ['external_id', id]))
      assert.deepEqual(status, Object.fromEntries(ids.map((id) => [id, 'Subscribed'])))
      const emails = many(valuesMax, (i) => (i % 2 === 0 ? email : newEmail()))
      const byEmail = await statusOf(news, ...emails.map((each): Asked => ['email[]', each]))
      assert.deepEqual([byEmail[email], byEmail[emails[1]!]], ['Subscribed', 'unknown'])
    })
  })
}
