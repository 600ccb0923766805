import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { repeatedMs } from '../../src/people/confirmations/confirm.ts'
import { resendPauseMs } from '../../src/people/confirmations/plan-request.ts'
import { type FeedLine, readFeed } from '../support/feed.ts'
import { drawDatabases } from '../support/harness.ts'
import { type Item, many, newEmail, newId } from '../support/people.ts'
import { bulkPath, join, singlePath } from '../support/subscriptions.ts'
import {
  deals,
  helpReply,
  newPhone,
  otherSender,
  prioritization,
  TextSignUps,
  textSender,
} from '../support/text-sign-ups.ts'

const pause = `PT${resendPauseMs / 1000}S`

for (const database of drawDatabases('double-opt-in-texts')) {
  describe(`double opt-in by text (${database})`, () => {
    const people = new TextSignUps()
    before(() => people.startTexts(database))
    after(() => people.close())

    const pendingFor = (more: Item = {}, phone?: string) => people.pendingFor(more, phone)
    const stateIn = (group: { readonly name: string }, phone: string) => people.stateIn(group, phone)
    const states = async (group: { readonly id: string }) => {
      return (await people.confirmations(group)).map(({ state }) => state)
    }
    const stateChanges = (lines: readonly FeedLine[], group: { readonly id: string }) => {
      return lines.filter(
        ({ type, data }) => type === 'subscription.changed' && data.subscription_group_id === group.id,
      )
    }

    test('a form asks for a number, a text asks for the word, and a reply with it subscribes', async () => {
      const group = await people.textGroup()
      const path = await people.formOf(group)
      const phone = newPhone()
      const { text } = await people.page(path)
      assert.match(text, /<input type="tel" name="phone"/)
      assert.match(text, /Enter your phone number/)
      const embed = await people.service.admin('GET', `/admin/sign_up_forms/${path.split('/').at(-1)}/embed`)
      assert.match(embed.body.snippet, /Phone number <input type="tel" name="phone" [^>]*required>/)
      const typed = `${phone.slice(0, 3)} (${phone.slice(3, 6)}) ${phone.slice(6)}`
      const done = await people.signUpPhone(path, typed)
      assert.deepEqual([done.status, /Please check your phone/.test(done.text)], [200, true], done.text)
      const asked = await people.textTo(phone)
      assert.match(asked.body, new RegExp(`^${group.name}: reply YES within 48 hours`))
      assert.equal(asked.from, textSender)
      assert.deepEqual(await people.groupsOfPhone(phone), [])
      const [pending] = await people.confirmations(group)
      assert.deepEqual(
        [pending!.state, pending!.address, pending!.keyword, pending!.source, pending!.sent_count],
        ['pending', phone, 'YES', 'form', 1],
      )
      assert.match(String(pending!.requested_from), /^10\.\d+\.\d+\.0\/24$/)
      const answer = await people.reply(phone, ' Yes! ')
      assert.equal(answer, `You get ${group.name} from now on. Reply HELP for help, STOP to get no more.`)
      assert.equal(await stateIn(group, phone), 'Subscribed')
      const [given] = await people.confirmations(group)
      assert.deepEqual(
        [given!.state, given!.confirmed_from, given!.requested_at],
        ['confirmed', null, pending!.requested_at],
      )
    })

    test('a number that is none gets the page again, and no text', async () => {
      const path = await people.formOf(await people.textGroup())
      for (const typed of ['', 'ada@example.com', '01512345678', '+49', '+999123456789']) {
        const { status, text } = await people.signUpPhone(path, typed)
        assert.deepEqual([status, /with the country code/.test(text)], [400, true], typed)
      }
      assert.deepEqual(people.provider.complaints, [])
    })

    test('a form in another language asks, and its reply is answered, in that language', async () => {
      const group = await people.textGroup()
      const path = await people.formOf(group, { language: 'de' })
      const phone = newPhone()
      assert.match((await people.page(path)).text, /Telefonnummer/)
      await people.signUpPhone(path, phone)
      assert.match((await people.textTo(phone)).body, /Antworten Sie YES/)
      assert.match(await people.reply(phone, 'yes'), /^Sie bekommen ab jetzt /)
    })

    test('a group has its own text, keyword and answer', async () => {
      const { group, phone, body } = await pendingFor({
        keyword: 'Sí',
        body: '{{${confirmation_group}}}: {{${confirmation_keyword}}}, {{${confirmation_hours}}} h',
        confirmed_reply: 'Welcome to {group} <3',
        valid_hours: 5,
      })
      assert.equal(body, `${group.name}: Sí, 5 h`)
      assert.equal(await people.reply(phone, 'si'), `Welcome to ${group.name} &lt;3`)
      assert.equal(await stateIn(group, phone), 'Subscribed')
    })

    test('a request that the provider repeats changes nothing, also after the person has left', async () => {
      const { group, path, phone } = await pendingFor()
      const sid = newId('SM')
      const first = await people.reply(phone, 'YES', { sid })
      assert.equal(await people.reply(phone, 'YES', { sid }), first)
      const [given] = await people.confirmations(group)
      await people.reply(phone, 'STOP')
      assert.equal(await stateIn(group, phone), 'Unsubscribed')
      assert.equal(await people.reply(phone, 'YES', { sid }), helpReply, 'nothing is confirmed any more')
      assert.equal(await stateIn(group, phone), 'Unsubscribed')
      assert.deepEqual((await people.confirmations(group))[0], given)
      await people.signUpPhone(path, phone)
      await people.textTo(phone, 2)
      await people.reply(phone, 'YES', { sid })
      assert.deepEqual(await states(group), ['pending'], 'the reply was to an earlier text')
      await people.reply(phone, 'YES')
      assert.equal(await stateIn(group, phone), 'Subscribed')
    })

    test('replies at once subscribe once, and the feed tells it once', async () => {
      const { group, phone } = await pendingFor()
      const answers = await Promise.all(many(5, () => people.inbound(phone, 'YES', {})))
      assert.deepEqual(
        answers.map(({ status }) => status),
        many(5, () => 200),
      )
      await people.reply(phone, 'STOP')
      const lines = await readFeed(people.service, (found) => stateChanges(found, group).length >= 2)
      assert.deepEqual(
        stateChanges(lines, group).map(({ data: { person: _, ...data } }) => data),
        ['subscribed', 'unsubscribed'].map((state) => {
          return { subscription_group_id: group.id, channel: 'sms', state, phone }
        }),
      )
    })

    test('a reply counts for the hours of the group; later, or from a stranger, it is answered as HELP is', async () => {
      const early = await pendingFor({ valid_hours: 1 })
      await people.service.advance('PT59M')
      await people.reply(early.phone, 'YES')
      assert.deepEqual(await people.groupsOfPhone(early.phone), [`${early.group.name}: Subscribed`])
      const late = await pendingFor({ valid_hours: 1 })
      await people.service.advance('PT1H')
      assert.equal(await people.reply(late.phone, 'YES'), helpReply)
      assert.deepEqual(await people.groupsOfPhone(late.phone), [])
      assert.deepEqual(await states(late.group), ['expired'])
      const stranger = newPhone()
      assert.equal(await people.reply(stranger, 'YES'), helpReply)
      assert.equal(await people.groupsOfPhone(stranger), undefined)
      await people.signUpPhone(late.path, late.phone)
      await people.textTo(late.phone, 2)
      await people.reply(late.phone, 'YES')
      assert.deepEqual(await people.groupsOfPhone(late.phone), [`${late.group.name}: Subscribed`])
    })

    test('only a request that the provider has signed confirms, and only with its id', async () => {
      const { group, phone } = await pendingFor()
      assert.equal((await people.inbound(phone, 'YES', { secret: 'a guess' })).status, 403)
      assert.equal((await people.inbound(phone, 'YES', { sid: '' })).status, 400)
      assert.deepEqual(await states(group), ['pending'])
    })

    test('one reply confirms what the number was asked by this sender with this word, and nothing else', async () => {
      const one = await pendingFor()
      const { phone } = one
      const second = await pendingFor({}, phone)
      const worded = await pendingFor({ keyword: 'OK' }, phone)
      const item = { ...join(deals, {}), phones: [phone], use_double_opt_in_logic: true }
      assert.equal((await people.send(bulkPath, { subscription_groups: [item] })).status, 201)
      assert.match((await people.textTo(phone, 4)).body, /reply Ja /)
      assert.equal(await people.reply(phone, 'ok', { to: otherSender }), '', 'not a word of that sender')
      const answer = await people.reply(phone, 'YES')
      assert.equal(
        answer,
        `You get ${one.group.name}, ${second.group.name} from now on. Reply HELP for help, STOP to get no more.`,
      )
      const subscribed = [one, second].map(({ group }) => `${group.name}: Subscribed`)
      assert.deepEqual(await people.groupsOfPhone(phone), subscribed.sort())
      await people.reply(phone, 'OK')
      await people.reply(phone, 'ja', { to: otherSender })
      const all = [one, second, worded].map(({ group }) => `${group.name}: Subscribed`)
      assert.deepEqual(await people.groupsOfPhone(phone), ['Deals: Subscribed', ...all].sort())
    })

    test('YES brings nobody back to a sender whose groups ask for it; START does', async () => {
      const { group, phone } = await pendingFor()
      await people.reply(phone, 'YES')
      await people.reply(phone, 'STOP')
      assert.equal(await people.reply(phone, 'YES'), helpReply)
      assert.equal(await stateIn(group, phone), 'Unsubscribed')
      await people.reply(phone, 'START')
      assert.equal(await stateIn(group, phone), 'Subscribed')
    })

    test('STOP withdraws the question', async () => {
      const { group, phone } = await pendingFor()
      await people.reply(phone, 'STOP')
      assert.deepEqual(await states(group), [])
      assert.equal(await people.reply(phone, 'YES'), helpReply)
      assert.equal(await stateIn(group, phone), 'Unsubscribed')
    })

    test('a reply is answered alike for a while; afterwards it is one to nothing', async () => {
      const { group, phone } = await pendingFor()
      const answer = await people.reply(phone, 'YES')
      await people.service.advance(`PT${repeatedMs / 1000}S`)
      assert.equal(await people.reply(phone, 'YES'), answer)
      await people.service.advance('PT1S')
      assert.equal(await people.reply(phone, 'YES'), helpReply)
      assert.equal(await stateIn(group, phone), 'Subscribed')
    })

    test('a provider that knows the word has answered it, and the reply counts', async () => {
      const { group, phone } = await pendingFor()
      assert.equal(await people.reply(phone, 'YES', { type: 'START' }), '')
      assert.equal(await stateIn(group, phone), 'Subscribed')
    })

    test('signing up again sends the text again after a pause, up to the limit of the group', async () => {
      const { path, phone } = await pendingFor({ sends_max: 2 })
      await people.signUpPhone(path, phone)
      await people.due()
      assert.equal(people.textsTo(phone).length, 1, 'within the pause')
      await people.service.advance(pause)
      await people.signUpPhone(path, phone)
      await people.textTo(phone, 2)
      await people.service.advance(pause)
      await people.signUpPhone(path, phone)
      await people.due()
      assert.equal(people.textsTo(phone).length, 2, 'above the limit')
    })

    test('a change of the keyword does not change what was asked', async () => {
      const { group, phone } = await pendingFor()
      const changed = { double_opt_in: { enabled: true, keyword: 'OUI' } }
      await people.service.admin('PATCH', `/admin/subscription_groups/${group.id}`, changed)
      await people.reply(phone, 'YES')
      assert.equal(await stateIn(group, phone), 'Subscribed')
    })

    test('a group that is archived meanwhile takes nobody', async () => {
      const { group, phone } = await pendingFor()
      await people.service.admin('DELETE', `/admin/subscription_groups/${group.id}`)
      assert.equal(await people.reply(phone, 'YES'), helpReply)
      assert.deepEqual(await states(group), ['pending'])
    })

    test('the API asks only where the group says so and the request too, and only people with a number', async () => {
      for (const path of [singlePath, bulkPath]) {
        const send = async (id: Item, more: Item = {}) => {
          const item = { ...join(deals, id), ...more }
          const { status, body, text } = await people.send(
            path,
            path === bulkPath ? { subscription_groups: [item] } : item,
          )
          assert.equal(status, 201, text)
          return (body as { notices?: unknown[] }).notices
        }
        const [external_id, phone] = [newId(), newPhone()]
        await people.set({ external_id, phone })
        assert.equal(await send({ external_id }, { use_double_opt_in_logic: true }), undefined)
        await people.textTo(phone)
        assert.deepEqual(await people.groupsOfPhone(phone), [])
        await people.reply(phone, 'JA', { to: otherSender })
        assert.deepEqual(await people.groupsOfPhone(phone), ['Deals: Subscribed'])
        const [mailed, direct] = [newId(), newId()]
        await people.set({ external_id: mailed, email: newEmail() })
        const told = await send({ external_id: mailed }, { use_double_opt_in_logic: true })
        assert.match(JSON.stringify(told), /matches nobody with a phone number/)
        const own = newPhone()
        await people.set({ external_id: direct, phone: own })
        await send({ external_id: direct })
        assert.deepEqual(await people.groupsOfPhone(own), ['Deals: Subscribed'])
      }
    })

    test('a preference page asks by text, also somebody who has left the group', async () => {
      const group = await people.textGroup()
      const phone = newPhone()
      const { external_id } = await people.somebody({ phone })
      const named = await people.write(external_id)
      const path = `/preferences/${people.token(named, 'preferences')}`
      const [, number] = new RegExp(`value="(\\d+)">\\s*<span[^>]*>${group.name}<`).exec(
        (await people.page(path)).text,
      )!
      const choose = () => people.form(path, `shown=${number}&mail=yes&group=${number}`)
      assert.match((await choose()).text, new RegExp(`${group.name}<small>Not confirmed yet: please reply to the text`))
      await people.textTo(phone)
      await people.reply(phone, 'YES')
      assert.match((await people.page(path)).text, new RegExp(`checked>\\s*<span[^>]*>${group.name}</span>`))
      await people.form(path, `shown=${number}&mail=yes`)
      assert.equal(await stateIn(group, phone), 'Unsubscribed')
      await choose()
      await people.textTo(phone, 2)
      await people.reply(phone, 'YES')
      assert.equal(await stateIn(group, phone), 'Subscribed')
    })

    test('an administrator sends the text again, and withdraws the question', async () => {
      const { group, phone } = await pendingFor()
      const [asked] = await people.confirmations(group)
      const path = `/admin/people/${asked!.person}/confirmations/${group.id}`
      await people.service.admin('POST', `${path}/resend`)
      await people.textTo(phone, 2)
      await people.service.admin('DELETE', path)
      assert.equal(await people.reply(phone, 'YES'), helpReply)
      assert.deepEqual(await people.groupsOfPhone(phone), [])
    })

    test('what a merged person was asked can be confirmed for the person who is kept', async () => {
      const { group, phone } = await pendingFor()
      const kept = newId()
      await people.set({ external_id: kept })
      await people.merge({ phone, prioritization }, { external_id: kept })
      await people.reply(phone, 'YES')
      const { body } = await people.service.get(`/subscription/user/status?external_id=${kept}`)
      assert.deepEqual(
        body.users[0].subscription_groups.map(({ name, status }: Item) => [name, status]),
        [[group.name, 'Subscribed']],
      )
    })

    test('a deleted person cannot confirm, and leaves no row', async () => {
      const { group, phone } = await pendingFor()
      const [asked] = await people.confirmations(group)
      await people.service.admin('DELETE', `/admin/people/${asked!.person}`)
      assert.deepEqual(await people.confirmations(group), [])
      assert.equal(await people.reply(phone, 'YES'), helpReply)
      assert.equal(await people.groupsOfPhone(phone), undefined)
    })
  })
}
