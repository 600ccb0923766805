import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { repliedTogetherMax } from '../../src/people/confirmations/confirm.ts'
import { usersMax } from '../../src/people/subscription/schema.ts'
import { drawDatabases } from '../support/harness.ts'
import { many, newId } from '../support/people.ts'
import { optIn } from '../support/sign-ups.ts'
import { bulkPath, join } from '../support/subscriptions.ts'
import { newPhone, prioritization, TextSignUps } from '../support/text-sign-ups.ts'

const crowd = many(repliedTogetherMax + 1, (i) => {
  return { id: `crowd-${i}`, name: `Crowd ${i}`, channel: 'sms', double_opt_in: { enabled: true, through_api: true } }
})

for (const database of drawDatabases('double-opt-in-text-limits')) {
  describe(`limits, mistakes and reasons of double opt-in by text (${database})`, () => {
    const people = new TextSignUps()
    before(() => people.startTexts(database, crowd))
    after(() => people.close())

    const subscribed = async (phone: string) => {
      return (await people.groupsOfPhone(phone))!.filter((state) => state.endsWith(': Subscribed')).length
    }

    test('why and the ledger say that a person has not confirmed yet, and which reply counts until when', async () => {
      const { group, phone } = await people.pendingFor()
      const [asked] = await people.confirmations(group)
      const external_id = newId()
      await people.set({ external_id })
      await people.merge({ phone, prioritization }, { external_id })
      const why = async () => (await people.service.admin('GET', `/admin/why?external_id=${external_id}`)).body
      const send = async () => {
        const text = { body: 'Sale!', subscription_group_id: group.id }
        const sent = { external_user_ids: [external_id], messages: { sms: text } }
        const { status, text: answer } = await people.service.post('/messages/send', sent)
        assert.equal(status, 201, answer)
        await people.due()
        const { decisions, confirmations } = await why()
        return { decision: decisions[0], confirmation: confirmations?.[0] }
      }
      const rule = `the person has not confirmed the group "${group.name}" yet; the reply YES counts until ${asked!.expires_at}`
      const refused = await send()
      assert.deepEqual([refused.decision.reason, refused.decision.rule], ['not_confirmed', rule])
      assert.equal(refused.confirmation.state, 'pending')
      assert.match(refused.confirmation.sentence, /the reply YES counts until .* One text was ordered\.$/)
      await people.service.advance('PT48H')
      const expired = await send()
      assert.deepEqual([expired.decision.reason, expired.confirmation.state], ['group_unsubscribed', 'expired'])
    })

    test('mistakes of a group for texts are refused with their path', async () => {
      const mistakes: readonly [object, RegExp][] = [
        [{ enabled: true, keyword: 'STOP' }, /double_opt_in\.keyword must not be a word that stops/],
        [{ enabled: true, keyword: 'x'.repeat(21) }, /double_opt_in\.keyword/],
        [{ enabled: true, body: 'Hello' }, /double_opt_in\.body must have the keyword/],
        [{ enabled: true, confirmed_reply: 'x'.repeat(321) }, /double_opt_in\.confirmed_reply/],
        [{ ...optIn }, /double_opt_in\.from is for groups of the channel email/],
        [{ enabled: true, subject: 'Hi' }, /double_opt_in\.subject is for groups of the channel email/],
      ]
      for (const [double_opt_in, expected] of mistakes) {
        const given = { name: newId('group'), channel: 'sms', double_opt_in }
        const { status, text } = await people.service.send('POST', '/admin/subscription_groups', given, {
          key: people.service.adminToken,
        })
        assert.equal(status, 400, text)
        assert.match(text, expected)
      }
      for (const double_opt_in of [
        { enabled: true, keyword: 'x'.repeat(20), confirmed_reply: 'x'.repeat(320) },
        { enabled: false },
      ]) {
        const given = { name: newId('group'), channel: 'sms', double_opt_in }
        await people.service.admin('POST', '/admin/subscription_groups', given)
      }
    })

    test('one reply confirms a limited number of groups, and the next one the others', async () => {
      const [external_id, phone] = [newId(), newPhone()]
      await people.set({ external_id, phone })
      const ask = async (asked: readonly { readonly id: string }[]) => {
        const items = asked.map((group) => ({ ...join(group, { external_id }), use_double_opt_in_logic: true }))
        for (let i = 0; i < items.length; i += usersMax) {
          const subscription_groups = items.slice(i, i + usersMax)
          assert.equal((await people.send(bulkPath, { subscription_groups })).status, 201)
        }
      }
      const count = async () => (await people.groupsOfPhone(phone))!.length
      await ask(crowd.slice(1))
      await people.reply(phone, 'YES')
      assert.equal(await count(), repliedTogetherMax)
      await ask(crowd)
      assert.equal((await people.confirmations(crowd[0]!)).length, 1)
      await people.reply(phone, 'YES')
      assert.equal(await count(), repliedTogetherMax + 1)
      await people.reply(phone, 'STOP')
      await ask(crowd)
      await people.reply(phone, 'YES')
      assert.equal(await subscribed(phone), repliedTogetherMax)
      await people.reply(phone, 'YES')
      assert.equal(await subscribed(phone), repliedTogetherMax + 1)
    })
  })
}
