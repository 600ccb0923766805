import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import {
  apps,
  groups,
  type Item,
  newAlias,
  newEmail,
  newId,
  newPhone,
  only,
  peopleOf,
  texts,
} from '../support/people.ts'

const { news, offers, alerts, bygone } = groups
const { phone: phoneApp, tablet } = apps

const join = (...ids: string[]) => ids.map((id) => ({ subscription_group_id: id, subscription_state: 'subscribed' }))
const leave = (...ids: string[]) => ids.map((id) => ({ subscription_group_id: id, subscription_state: 'unsubscribed' }))

for (const database of drawDatabases('users-track-channels')) {
  describe(`subscription groups and push tokens in attributes (${database})`, () => {
    const people = peopleOf(database)

    /** Returns the states of one person by the names of the groups. */
    const statesOf = async (query: Readonly<Record<string, string>>) => {
      const { status, text, body } = await people.get(`/subscription/user/status?${new URLSearchParams(query)}`)
      assert.equal(status, 200, text)
      const { subscription_groups } = only(body.users ?? [])
      const listed = subscription_groups as readonly { name: string; status: string }[]
      return Object.fromEntries(listed.map((group) => [group.name, group.status]))
    }

    test('a state is set for a person, and the last one holds', async () => {
      const external_id = newId()
      await people.set({ external_id, subscription_groups: [...join(news.id), ...leave(offers.id)] })
      assert.deepEqual(await statesOf({ external_id }), { News: 'Subscribed', Offers: 'Unsubscribed' })
      await people.set({ external_id, subscription_groups: leave(news.id) })
      await people.set({ external_id, subscription_groups: join(offers.id) })
      assert.deepEqual(await statesOf({ external_id }), { News: 'Unsubscribed', Offers: 'Subscribed' })
      assert.deepEqual(await people.custom(external_id), {})
    })

    test('of two objects in one request the later holds', async () => {
      const [lonely, addressed] = [newId(), newId()]
      for (const who of [{ external_id: lonely }, { external_id: addressed, email: newEmail() }]) {
        await people.set(
          { ...who, subscription_groups: join(news.id) },
          { ...who, subscription_groups: leave(news.id) },
          { ...who, subscription_groups: leave(offers.id) },
          { ...who, subscription_groups: join(offers.id) },
        )
        const states = { News: 'Unsubscribed', Offers: 'Subscribed' }
        assert.deepEqual(await statesOf({ external_id: who.external_id }), states)
      }
    })

    test('of two people who share an address and disagree in one request the later holds for both', async () => {
      const email = newEmail()
      const sharers = Array.from({ length: 8 }, () => newId())
      await people.set(...sharers.map((external_id) => ({ external_id, email })))
      for (const [i, last] of sharers.entries()) {
        const others = sharers.filter((external_id) => external_id !== last)
        const [change, counter] = i % 2 === 0 ? [join, leave] : [leave, join]
        await people.set(...others.map((external_id) => ({ external_id, subscription_groups: change(news.id) })), {
          external_id: last,
          subscription_groups: counter(news.id),
        })
        const status = counter === join ? 'Subscribed' : 'Unsubscribed'
        for (const external_id of sharers) assert.deepEqual(await statesOf({ external_id }), { News: status })
      }
    })

    test('an e-mail group changes for everyone who shares the e-mail', async () => {
      const email = newEmail()
      const [first, second, other] = [newId(), newId(), newId()]
      await people.set(
        { external_id: first, email },
        { external_id: second, email: email.toUpperCase() },
        { external_id: other, email: newEmail() },
      )
      await people.set({ external_id: first, subscription_groups: join(news.id) })
      assert.deepEqual(await statesOf({ external_id: second }), { News: 'Subscribed' })
      assert.deepEqual(await statesOf({ external_id: first }), { News: 'Subscribed' })
      assert.deepEqual(await statesOf({ external_id: other }), {})
      await people.set({ external_id: second, subscription_groups: leave(news.id) })
      assert.deepEqual(await statesOf({ external_id: first }), { News: 'Unsubscribed' })
    })

    test('an e-mail group does not change for people who share only a phone', async () => {
      const phone = newPhone()
      const [first, second] = [newId(), newId()]
      await people.set({ external_id: first, phone, email: newEmail() }, { external_id: second, phone })
      await people.set({ external_id: first, subscription_groups: join(news.id) })
      assert.deepEqual(await statesOf({ external_id: second }), {})
    })

    test('an SMS group changes for everyone who shares the phone, and not for people who share an e-mail', async () => {
      const [phone, email] = [newPhone(), newEmail()]
      const [first, second, third] = [newId(), newId(), newId()]
      await people.set(
        { external_id: first, phone, email },
        { external_id: second, phone },
        { external_id: third, email },
      )
      await people.set({ external_id: first, subscription_groups: join(alerts.id) })
      assert.deepEqual(await statesOf({ external_id: first }), { Alerts: 'Subscribed' })
      assert.deepEqual(await statesOf({ external_id: second }), { Alerts: 'Subscribed' })
      assert.deepEqual(await statesOf({ external_id: third }), {})
    })

    test('a phone in another spelling is the same phone', async () => {
      const phone = newPhone()
      const [first, second] = [newId(), newId()]
      await people.set(
        { external_id: first, phone },
        { external_id: second, phone: phone.replace(/(\d{3})(?=\d{4}$)/, ' $1-') },
      )
      await people.set({ external_id: first, subscription_groups: join(alerts.id) })
      assert.deepEqual(await statesOf({ external_id: second }), { Alerts: 'Subscribed' })
    })

    test('people with only an e-mail, a phone or an alias have states too', async () => {
      const [email, phone, user_alias] = [newEmail(), newPhone(), newAlias()]
      await people.set(
        { email, subscription_groups: join(news.id) },
        { phone, subscription_groups: join(alerts.id) },
        { user_alias, _update_existing_only: false, subscription_groups: join(offers.id) },
      )
      assert.deepEqual(await statesOf({ email }), { News: 'Subscribed' })
      assert.deepEqual(await statesOf({ phone }), { Alerts: 'Subscribed' })
      const late = newEmail()
      await people.set({ user_alias, email: late })
      assert.deepEqual(await statesOf({ email: late }), { Offers: 'Subscribed' })
    })

    test('an e-mail in the same object is the one that is shared', async () => {
      const email = newEmail()
      const [first, second] = [newId(), newId()]
      await people.set({ external_id: first, email })
      await people.set({ external_id: second, email, subscription_groups: join(news.id) })
      assert.deepEqual(await statesOf({ external_id: first }), { News: 'Subscribed' })
    })

    test('a group state changes updated_at of the person', async () => {
      const email = newEmail()
      const [first, second] = [newId(), newId()]
      await people.set({ external_id: first, email })
      await people.set({ external_id: second, email })
      await people.set({ external_id: first, subscription_groups: join(alerts.id) })
      await people.set({ email, mark: 1 })
      assert.deepEqual(await people.custom(first), { mark: 1 })
    })

    test('the double opt-in flag is accepted', async () => {
      const external_id = newId()
      const subscription_groups = join(alerts.id).map((group) => ({ ...group, use_double_opt_in_logic: true }))
      await people.set({ external_id, subscription_groups })
    })

    test('invalid lists, groups and states refuse the object, which changes nothing', async () => {
      const external_id = newId()
      const [good] = join(news.id)
      const rules: readonly [subscription_groups: unknown, refusal: string][] = [
        ['text', 'BAD_SUBSCRIPTION_GROUP_ARRAY'],
        [good, 'BAD_SUBSCRIPTION_GROUP_ARRAY'],
        [5, 'BAD_SUBSCRIPTION_GROUP_ARRAY'],
        [['text'], 'BAD_SUBSCRIPTION_GROUP_HASH'],
        [[good, null], 'BAD_SUBSCRIPTION_GROUP_HASH'],
        [[{ subscription_group_id: news.id }], 'BAD_SUBSCRIPTION_GROUP_HASH'],
        [[{ subscription_state: 'subscribed' }], 'BAD_SUBSCRIPTION_GROUP_HASH'],
        [join('no-such-group'), 'BAD_SUBSCRIPTION_GROUP_ID'],
        [join('00000000-0000-4000-8000-000000000000'), 'BAD_SUBSCRIPTION_GROUP_ID'],
        [[good, ...join('no-such-group')], 'BAD_SUBSCRIPTION_GROUP_ID'],
        [[{ subscription_group_id: 5, subscription_state: 'subscribed' }], 'BAD_SUBSCRIPTION_GROUP_ID'],
        [[{ ...good, subscription_state: 'opted_in' }], 'BAD_SUBSCRIPTION_GROUP_STATE'],
        [[{ ...good, subscription_state: 'Subscribed' }], 'BAD_SUBSCRIPTION_GROUP_STATE'],
        [[{ ...good, subscription_state: true }], 'BAD_SUBSCRIPTION_GROUP_STATE'],
      ]
      for (const [subscription_groups, refusal] of rules) {
        const item: Item = { external_id, plan: 'free', subscription_groups }
        assert.equal(await people.refusal('attributes', item), refusal, JSON.stringify(subscription_groups))
      }
      assert.deepEqual(await people.find({ external_ids: [external_id] }), [])
    })

    test('an archived group ignores a change, and the rest of the object is applied', async () => {
      const external_id = newId()
      await people.set({ external_id, plan: 'free', subscription_groups: join(bygone.id, news.id) })
      assert.deepEqual(await statesOf({ external_id }), { News: 'Subscribed' })
      assert.deepEqual(await people.custom(external_id), { plan: 'free' })
    })

    const tokensOf = async (external_id: string) =>
      (await people.person(external_id, ['push_tokens'])).push_tokens ?? []

    test('a token is exported with the app, its platform and its device', async () => {
      const external_id = newId()
      const [token, device_id] = [newId('token'), newId('device')]
      await people.set({ external_id, push_tokens: [{ app_id: phoneApp.id, token, device_id }] })
      assert.deepEqual(await tokensOf(external_id), [
        { app: phoneApp.name, platform: phoneApp.platform, token, device_id, notifications_enabled: true },
      ])
      assert.deepEqual(await people.custom(external_id), {})
    })

    test('a device_id is created when none is given, and does not change', async () => {
      const external_id = newId()
      const push_tokens = [{ app_id: phoneApp.id, token: newId('token') }]
      await people.set({ external_id, push_tokens })
      const { device_id } = only(await tokensOf(external_id))
      assert.equal(typeof device_id, 'string')
      assert.ok(String(device_id).length >= 8)
      await people.set({ external_id, push_tokens })
      assert.equal(only(await tokensOf(external_id)).device_id, device_id)
    })

    test('a device_id that was given once stays when the token is sent without one', async () => {
      const ids = [newId(), newId()]
      const [token, device_id] = [newId('token'), newId('device')]
      const named = (device: Item = {}) => [{ app_id: phoneApp.id, token, ...device }]
      const deviceOf = async (external_id: string) => only(await tokensOf(external_id)).device_id
      await people.set({ external_id: ids[0], push_tokens: named() })
      const made = await deviceOf(ids[0]!)
      await people.set({ external_id: ids[0], push_tokens: named({ device_id }) })
      assert.notEqual(await deviceOf(ids[0]!), made)
      for (const who of [ids[0]!, ids[1]!, ids[0]!]) {
        await people.set({ external_id: who, push_tokens: named() })
        assert.equal(await deviceOf(who), device_id, 'also when the token moves to another person')
      }
      const other = newId('device')
      await people.set(
        { external_id: ids[0], push_tokens: named({ device_id: other }) },
        { external_id: ids[0], push_tokens: named({ device_id: null }) },
      )
      assert.equal(await deviceOf(ids[0]!), other)
    })

    test('notifications_enabled is exported with its last value', async () => {
      const external_id = newId()
      const token = { app_id: tablet.id, token: newId('token'), device_id: newId('device') }
      for (const notifications_enabled of [false, true, false]) {
        await people.set({ external_id, push_tokens: [{ ...token, notifications_enabled }] })
        assert.equal(only(await tokensOf(external_id)).notifications_enabled, notifications_enabled)
      }
    })

    test('a person can have tokens of several apps and devices', async () => {
      const external_id = newId()
      const [one, two, three] = [newId('token'), newId('token'), newId('token')]
      await people.set({
        external_id,
        push_tokens: [
          { app_id: phoneApp.id, token: one },
          { app_id: tablet.id, token: one },
        ],
      })
      await people.set({
        external_id,
        push_tokens: [
          { app_id: phoneApp.id, token: two },
          { app_id: phoneApp.id, token: three },
        ],
      })
      const listed = (await tokensOf(external_id)).map(({ app, token }) => `${app} ${token}`)
      const expected = [
        `${phoneApp.name} ${one}`,
        `${tablet.name} ${one}`,
        `${phoneApp.name} ${two}`,
        `${phoneApp.name} ${three}`,
      ]
      assert.deepEqual(listed.toSorted(), expected.toSorted())
    })

    test('opting in to push records the time', async () => {
      const external_id = newId()
      await people.set({
        external_id,
        push_subscribe: 'opted_in',
        push_tokens: [{ app_id: phoneApp.id, token: newId('token') }],
      })
      const { push_subscribe, push_opted_in_at } = await people.person(external_id, ['push_subscribe'])
      assert.equal(push_subscribe, 'opted_in')
      assert.match(String(push_opted_in_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    })

    test('a device_id has 8 to 254 bytes', async () => {
      const external_id = newId()
      const item = (device_id: unknown) => ({
        external_id,
        push_tokens: [{ app_id: phoneApp.id, token: newId('token'), device_id }],
      })
      for (const bytes of [8, 9, 253, 254]) await people.set(item('d'.repeat(bytes)))
      await people.set(item('€€€'))
      for (const device_id of ['', 'd'.repeat(7), '€€', 'd'.repeat(256), '€'.repeat(86)]) {
        assert.equal(await people.refusal('attributes', item(device_id)), texts.deviceId, device_id)
      }
    })

    test('invalid lists, tokens and unknown apps refuse the object, which changes nothing', async () => {
      const external_id = newId()
      const good = { app_id: phoneApp.id, token: newId('token') }
      const rules: readonly [push_tokens: unknown, refusal: string][] = [
        ['text', 'BAD_PUSH_TOKEN_VALUE'],
        [good, 'BAD_PUSH_TOKEN_VALUE'],
        [['text'], 'BAD_PUSH_TOKEN_VALUE'],
        [[good, null], 'BAD_PUSH_TOKEN_VALUE'],
        [[{ ...good, token: 5 }], 'BAD_PUSH_TOKEN_STRING'],
        [[{ ...good, token: {} }], 'BAD_PUSH_TOKEN_STRING'],
        [[{ app_id: phoneApp.id }], 'BAD_PUSH_TOKEN_STRING'],
        [[{ ...good, app_id: 'no-such-app' }], 'BAD_PUSH_TOKEN_APP_ID'],
        [[good, { token: 'x' }], 'BAD_PUSH_TOKEN_APP_ID'],
      ]
      for (const [push_tokens, refusal] of rules) {
        const item = { external_id, plan: 'free', push_tokens }
        assert.equal(await people.refusal('attributes', item), refusal, JSON.stringify(push_tokens))
      }
      assert.deepEqual(await people.find({ external_ids: [external_id] }), [])
    })

    test('a token that is sent for another person moves there', async () => {
      const [before, after] = [newId(), newId()]
      const push_tokens = [{ app_id: phoneApp.id, token: newId('token'), device_id: newId('device') }]
      await people.set({ external_id: before, push_tokens })
      await people.set({ external_id: after, push_tokens })
      assert.deepEqual(await tokensOf(before), [])
      assert.equal(only(await tokensOf(after)).token, push_tokens[0]?.token)
    })

    test('an import is processed, and leaves a known token unchanged', async () => {
      const owner = newId()
      const known = { app_id: phoneApp.id, token: newId('token'), device_id: newId('device') }
      const push_tokens = [known, { app_id: phoneApp.id, token: newId('token') }]
      await people.set({ external_id: owner, push_tokens: [known] })
      for (const body of [
        { push_token_import: true, push_tokens },
        { push_token_import: true, push_tokens: [known] },
      ]) {
        const { notices, ...counts } = (await people.track({ attributes: [body] })).body
        assert.deepEqual(counts, { attributes_processed: 1, message: 'success' })
        assert.deepEqual(
          notices?.map(({ member, reason }: Item) => [member, reason]),
          [['push_tokens', 'has a token that is known already: it was left as it is']],
        )
      }
      assert.deepEqual(
        (await tokensOf(owner)).map(({ token }) => token),
        [known.token],
      )
    })

    test('an import requires tokens, and allows neither external_id nor service_id', async () => {
      const push_tokens = [{ app_id: phoneApp.id, token: newId('token') }]
      const external_id = newId()
      await people.set({ external_id })
      const { service_id } = await people.person(external_id)
      const wrong = [
        { push_token_import: true },
        { push_token_import: true, push_tokens, external_id },
        { push_token_import: true, push_tokens, service_id },
      ]
      for (const item of wrong) assert.equal(await people.refusal('attributes', item), 'BAD_PUSH_TOKEN_IMPORT')
      assert.deepEqual(await tokensOf(external_id), [])
    })

    test('a person with only an alias can have tokens', async () => {
      const user_alias = newAlias()
      const token = newId('token')
      await people.set({ user_alias, _update_existing_only: false, push_tokens: [{ app_id: phoneApp.id, token }] })
      const person = only(await people.find({ user_aliases: [user_alias] }))
      assert.equal(only(person.push_tokens ?? []).token, token)
    })
  })
}
