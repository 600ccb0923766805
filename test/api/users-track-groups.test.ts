import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { databases } from '../harness.ts'
import { groups, type Item, newAlias, newEmail, newId, newPhone, only, peopleOf } from '../people.ts'

const { news, offers, alerts, bygone } = groups

const join = (...ids: string[]) => ids.map((id) => ({ subscription_group_id: id, subscription_state: 'subscribed' }))
const leave = (...ids: string[]) => ids.map((id) => ({ subscription_group_id: id, subscription_state: 'unsubscribed' }))

for (const database of databases) {
  describe(`subscription groups in attributes (${database})`, () => {
    const people = peopleOf(database)

    /** What the one person asked for is in and out of, by the names of the groups. */
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

    test('an e-mail group changes for everyone who shares the e-mail', async () => {
      const email = newEmail()
      const [first, second, stranger] = [newId(), newId(), newId()]
      await people.set(
        { external_id: first, email },
        { external_id: second, email },
        { external_id: stranger, email: newEmail() },
      )
      await people.set({ external_id: first, subscription_groups: join(news.id) })
      assert.deepEqual(await statesOf({ external_id: second }), { News: 'Subscribed' })
      assert.deepEqual(await statesOf({ external_id: first }), { News: 'Subscribed' })
      assert.deepEqual(await statesOf({ external_id: stranger }), {})
      await people.set({ external_id: second, subscription_groups: leave(news.id) })
      assert.deepEqual(await statesOf({ external_id: first }), { News: 'Unsubscribed' })
    })

    test('an e-mail group does not change for those who share a phone only', async () => {
      const phone = newPhone()
      const [first, second] = [newId(), newId()]
      await people.set({ external_id: first, phone, email: newEmail() }, { external_id: second, phone })
      await people.set({ external_id: first, subscription_groups: join(news.id) })
      assert.deepEqual(await statesOf({ external_id: second }), {})
    })

    test('an SMS group changes for everyone who shares the phone, and for nobody by e-mail', async () => {
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

    test('a phone shared in another spelling is shared', async () => {
      const phone = newPhone()
      const [first, second] = [newId(), newId()]
      await people.set(
        { external_id: first, phone },
        { external_id: second, phone: phone.replace(/(\d{3})(?=\d{4}$)/, ' $1-') },
      )
      await people.set({ external_id: first, subscription_groups: join(alerts.id) })
      assert.deepEqual(await statesOf({ external_id: second }), { Alerts: 'Subscribed' })
    })

    test('an e-mail-only, a phone-only and an alias-only person have states too', async () => {
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

    test('the e-mail given in the same object is the one that is shared', async () => {
      const email = newEmail()
      const [first, second] = [newId(), newId()]
      await people.set({ external_id: first, email })
      await people.set({ external_id: second, email, subscription_groups: join(news.id) })
      assert.deepEqual(await statesOf({ external_id: first }), { News: 'Subscribed' })
    })

    test('a group state moves the stamp of the person', async () => {
      const email = newEmail()
      const [first, second] = [newId(), newId()]
      await people.set({ external_id: first, email })
      await people.set({ external_id: second, email })
      await people.set({ external_id: first, subscription_groups: join(alerts.id) })
      await people.set({ email, mark: 1 })
      assert.deepEqual(await people.custom(first), { mark: 1 })
    })

    test('the flag for double opt-in is accepted', async () => {
      const external_id = newId()
      const subscription_groups = join(alerts.id).map((group) => ({ ...group, use_double_opt_in_logic: true }))
      await people.set({ external_id, subscription_groups })
    })

    test('what is no list, no group or no state refuses the object, which changes nothing', async () => {
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

    test('an archived group takes no change, and the rest of the object is applied', async () => {
      const external_id = newId()
      await people.set({ external_id, plan: 'free', subscription_groups: join(bygone.id, news.id) })
      assert.deepEqual(await statesOf({ external_id }), { News: 'Subscribed' })
      assert.deepEqual(await people.custom(external_id), { plan: 'free' })
    })
  })
}
