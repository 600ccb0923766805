import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import {
  event,
  groups,
  type Item,
  isNow,
  many,
  newAlias,
  newEmail,
  newId,
  newPhone,
  only,
  peopleOf,
  texts,
} from '../support/people.ts'
import { setStates, statesOf } from '../support/subscriptions.ts'

const path = '/email/status'
const emailsMax = 50
const badState = "subscription_state must be 'subscribed', 'unsubscribed', or 'opted_in'"
const states = ['unsubscribed', 'opted_in', 'subscribed'] as const

for (const database of drawDatabases('email-status')) {
  describe(`POST ${path} (${database})`, () => {
    const people = peopleOf(database)

    const send = (email: unknown, subscription_state: unknown = 'unsubscribed') =>
      people.send(path, { email, subscription_state })

    const say = async (subscription_state: string, ...emails: string[]) => {
      const { status, text } = await send(emails, subscription_state)
      assert.deepEqual([status, text], [201, '{"message":"success"}'])
    }

    const refuses = async (body: unknown, message: string) => {
      const { status, text, body: answer } = await people.send(path, body)
      assert.equal(status, 400, `${JSON.stringify(body).slice(0, 200)}: ${text}`)
      assert.deepEqual(answer, { message })
    }

    const fields = ['email_subscribe']
    const person = (external_id: string) => people.person(external_id, fields)
    const stateOf = async (external_id: string) => (await person(external_id)).email_subscribe

    test('an e-mail address is accepted alone or in a list, in upper and lower case', async () => {
      const [email, external_id] = [newEmail(), newId()]
      await people.set({ external_id, email })
      for (const [i, way] of [email, [email], email.toUpperCase(), [email.toUpperCase()]].entries()) {
        const state = states[i % 3]!
        const { status, text } = await send(way, state)
        assert.deepEqual([status, text], [201, '{"message":"success"}'])
        assert.equal(await stateOf(external_id), state)
      }
    })

    test('every state can follow every other, and two states record their time', async () => {
      const [email, external_id] = [newEmail(), newId()]
      await people.set({ external_id, email })
      assert.deepEqual(await person(external_id), { email_subscribe: 'subscribed' })
      for (const before of states) {
        for (const after of states) {
          await say(before, email)
          await say(after, email)
          assert.equal(await stateOf(external_id), after)
        }
      }
      const { email_subscribe, ...times } = await person(external_id)
      assert.equal(email_subscribe, 'subscribed')
      assert.deepEqual(Object.keys(times), ['email_opted_in_at', 'email_unsubscribed_at'])
      assert.ok(Object.values(times).every((time) => isNow(String(time))))
      await say('unsubscribed', email)
      const last = await person(external_id)
      assert.ok(String(last.email_unsubscribed_at) > String(times.email_unsubscribed_at))
      assert.equal(last.email_opted_in_at, times.email_opted_in_at)
    })

    test('everybody who has one of the addresses changes, and nobody else', async () => {
      const [first, second, other] = [newEmail(), newEmail(), newEmail()]
      const ids = many(6, () => newId())
      await people.set(...ids.map((external_id, i) => ({ external_id, email: [first, second, other][i % 3] })))
      await say('unsubscribed', first, second)
      const now = await Promise.all(ids.map(stateOf))
      assert.deepEqual(
        now,
        many(6, (i) => (i % 3 === 2 ? 'subscribed' : 'unsubscribed')),
      )
    })

    test('more people than one page are changed too, with several addresses', async () => {
      const emails = many(3, () => newEmail())
      const ids = many(1_250, () => newId())
      await people.set({ external_id: newId(), email: emails[0], email_subscribe: 'opted_in' })
      for (const from of [0, 625]) {
        const attributes = ids.slice(from, from + 625).map((external_id, i) => ({ external_id, email: emails[i % 2] }))
        assert.equal((await people.send('/users/track/bulk', { attributes })).status, 201)
      }
      await say('unsubscribed', ...emails)
      const unsubscribed = []
      for (const email_address of emails) {
        const found = await people.find({ email_address }, [...fields, 'external_id'])
        unsubscribed.push(...found.filter((each) => each.email_subscribe === 'unsubscribed'))
      }
      assert.equal(unsubscribed.length, ids.length + 1)
    })

    const ways: Record<string, (email: string, external_id: string) => Promise<void>> = {
      'when they are created with it': (email, external_id) => people.set({ external_id, email }),
      'when they get it later': async (email, external_id) => {
        await people.set({ external_id })
        await people.set({ external_id, email })
      },
      'when it replaces another one': async (email, external_id) => {
        await people.set({ external_id, email: newEmail() })
        await people.set({ external_id, email: email.toUpperCase() })
      },
      'among many others': (email, external_id) =>
        people.set(...many(20, () => ({ external_id: newId(), email: newEmail() })), { external_id, email }),
    }
    for (const [how, arrive] of Object.entries(ways)) {
      test(`the state of an address without a person holds for the next person who has it, ${how}`, async () => {
        for (const state of states) {
          const [email, external_id] = [newEmail(), newId()]
          await say(state, email)
          assert.deepEqual(await people.find({ email_address: email }), [])
          await arrive(email, external_id)
          assert.equal(await stateOf(external_id), state)
        }
      })
    }

    test('a person with only an address has its state from the beginning', async () => {
      for (const body of [
        (email: string) => ({ attributes: [{ email, plan: 'free' }] }),
        (email: string) => ({ events: [event({ email })] }),
      ]) {
        const email = newEmail()
        await say('unsubscribed', email)
        await people.accept(body(email))
        const found = only(await people.find({ email_address: email }, fields))
        assert.equal(found.email_subscribe, 'unsubscribed')
        assert.ok(isNow(String(found.email_unsubscribed_at)))
      }
    })

    test('the time of the state is the time of the request, not when a person got the address', async () => {
      const [email, before, after] = [newEmail(), newId(), newId()]
      await people.set({ external_id: before, email })
      await say('unsubscribed', email)
      await people.set({ external_id: after, email })
      assert.equal(await stateOf(after), 'unsubscribed')
      assert.deepEqual(await person(after), await person(before))
    })

    test('a state that is given together with a new address wins', async () => {
      for (const known of [false, true]) {
        const [email, external_id] = [newEmail(), newId()]
        await say('unsubscribed', email)
        if (known) await people.set({ external_id })
        await people.set({ external_id, email, email_subscribe: 'opted_in' })
        assert.equal(await stateOf(external_id), 'opted_in')
      }
      const orders: ((external_id: string, email: string) => Item[])[] = [
        (external_id, email) => [
          { external_id, email_subscribe: 'opted_in' },
          { external_id, email },
        ],
        (external_id, email) => [
          { external_id, email },
          { external_id, email_subscribe: 'opted_in' },
        ],
      ]
      for (const items of orders) {
        const [email, external_id] = [newEmail(), newId()]
        await say('unsubscribed', email)
        await people.set(...items(external_id, email))
        assert.equal(await stateOf(external_id), 'opted_in')
      }
    })

    test('of the state of a person and the state of their new address the later one holds', async () => {
      const [email, before, after] = [newEmail(), newId(), newId()]
      await people.set({ external_id: before, email_subscribe: 'opted_in' })
      await say('unsubscribed', email)
      await people.set({ external_id: after, email_subscribe: 'opted_in' })
      await people.set({ external_id: before, email }, { external_id: after, email })
      assert.deepEqual([await stateOf(before), await stateOf(after)], ['unsubscribed', 'opted_in'])
    })

    test('a later state of a person is an exception until the address gets a state again', async () => {
      const [email, id, other] = [newEmail(), newId(), newId()]
      await people.set({ external_id: id, email }, { external_id: other, email })
      await say('unsubscribed', email)
      await people.set({ external_id: id, email_subscribe: 'opted_in' })
      assert.deepEqual([await stateOf(id), await stateOf(other)], ['opted_in', 'unsubscribed'])
      const late = newId()
      await people.set({ external_id: late, email })
      assert.equal(await stateOf(late), 'unsubscribed')
      await say('unsubscribed', email)
      assert.equal(await stateOf(id), 'unsubscribed')
    })

    test('a person who changes the address keeps the state, and does not follow the old address any more', async () => {
      const [email, external_id] = [newEmail(), newId()]
      await people.set({ external_id, email })
      await say('unsubscribed', email)
      await people.set({ external_id, email: newEmail() })
      assert.equal(await stateOf(external_id), 'unsubscribed')
      await say('opted_in', email)
      assert.equal(await stateOf(external_id), 'unsubscribed')
      await people.set({ external_id, email: null })
      await people.set({ external_id, email })
      assert.equal(await stateOf(external_id), 'opted_in')
    })

    test('a person who sends the same address again does not get its state again', async () => {
      const [email, external_id] = [newEmail(), newId()]
      await people.set({ external_id, email })
      await say('unsubscribed', email)
      await people.set({ external_id, email_subscribe: 'subscribed' })
      await people.set({ external_id, email })
      assert.equal(await stateOf(external_id), 'subscribed')
    })

    test('the last of several states of an address without a person is stored', async () => {
      const [email, external_id] = [newEmail(), newId()]
      for (const state of states) await say(state, email)
      for (const state of ['opted_in', 'unsubscribed'] as const) await say(state, email)
      await people.set({ external_id, email })
      assert.equal(await stateOf(external_id), 'unsubscribed')
    })

    test('groups, phones and the order of updates stay unchanged', async () => {
      const [email, phone] = [newEmail(), newPhone()]
      const [older, newer] = [newId(), newId()]
      const user_alias = newAlias()
      await people.set({ user_alias, _update_existing_only: false, email, phone })
      await people.set({ external_id: older, email, phone })
      await people.set({ external_id: newer, email, phone })
      await setStates(people, {
        subscription_group_id: groups.news.id,
        subscription_state: 'subscribed',
        emails: [email],
      })
      const before = await people.person(newer)
      await say('unsubscribed', email)
      const { email_subscribe, email_unsubscribed_at, ...rest } = await people.person(newer)
      assert.deepEqual({ ...rest, email_subscribe: 'subscribed' }, before)
      assert.deepEqual(await statesOf(people, newer), ['News: Subscribed'])
      await people.set({ email, mark: 1 })
      assert.deepEqual(await people.custom(newer), { mark: 1 })
    })

    test('49 and 50 addresses are accepted, 51 are a 400', async () => {
      const emails = many(emailsMax + 1, () => newEmail())
      const external_id = newId()
      await people.set({ external_id, email: emails[emailsMax - 1] })
      assert.equal((await send(emails.slice(0, emailsMax - 1))).status, 201)
      assert.equal(await stateOf(external_id), 'subscribed')
      assert.equal((await send(emails.slice(0, emailsMax))).status, 201)
      assert.equal(await stateOf(external_id), 'unsubscribed')
      await refuses({ email: emails, subscription_state: 'opted_in' }, texts.tooManyIds)
      await refuses({ email: many(51, () => emails[0]!), subscription_state: 'opted_in' }, texts.tooManyIds)
      assert.equal(await stateOf(external_id), 'unsubscribed')
      assert.equal((await send(many(emailsMax, () => emails[0]))).status, 201)
    })

    test('an invalid state is a 400', async () => {
      for (const subscription_state of ['Subscribed', 'out', '', null, undefined, true, 1, [], {}]) {
        await refuses({ email: newEmail(), subscription_state }, badState)
      }
    })

    test('a request without an address is a 400', async () => {
      for (const email of [undefined, null, '', []]) {
        await refuses({ email, subscription_state: 'subscribed' }, "'email' is required")
      }
    })

    test('an invalid address is a 400, and the other addresses are unchanged', async () => {
      const [email, external_id] = [newEmail(), newId()]
      await people.set({ external_id, email })
      const bad = ['no e-mail', 7, true, {}, [], 'a@b\u0000.c', '\ud800@b.c', `${'x'.repeat(100_000)}@b.c`]
      for (const each of bad) {
        const body = { email: [email, each], subscription_state: 'unsubscribed' }
        await people.refusedItems(path, body, texts.badEmail, 'email', [1])
      }
      for (const each of ['no e-mail', 7, true, {}]) {
        const body = { email: each, subscription_state: 'unsubscribed' }
        await people.refusedItems(path, body, texts.badEmail, 'email', [0])
      }
      assert.equal(await stateOf(external_id), 'subscribed')
      const several = { email: ['x', email, null, ''], subscription_state: 'unsubscribed' }
      await people.refusedItems(path, several, texts.badEmail, 'email', [0, 2, 3])
      for (const body of ['null', '[]', '7', '"text"']) assert.equal((await people.send(path, body)).status, 400)
    })

    test('unknown members are ignored', async () => {
      const { status } = await people.send(path, {
        app_group_id: 'an-id',
        email: newEmail(),
        subscription_state: 'unsubscribed',
      })
      assert.equal(status, 201)
    })

    test('concurrent requests about one address leave all its people with one state', async () => {
      const [email, ids] = [newEmail(), many(5, () => newId())]
      await people.set(...ids.map((external_id) => ({ external_id, email })))
      for (let round = 0; round < 5; round++) {
        const answers = await Promise.all(many(6, (i) => send(email, states[i % 3])))
        assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
        const late = newId()
        await people.set({ external_id: late, email })
        const now = new Set(await Promise.all([...ids, late].map(stateOf)))
        assert.equal(now.size, 1, [...now].join())
      }
    })
  })
}
