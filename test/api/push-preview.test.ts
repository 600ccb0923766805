import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { shownCharactersMax } from '../../src/messaging/channels/push/trial.ts'
import { testsPerHourMax } from '../../src/messaging/previews/schema.ts'
import { makeAccount, type Person, signIn } from '../support/accounts.ts'
import { drawDatabases } from '../support/harness.ts'
import { Mailed } from '../support/mailed-people.ts'
import { type Item, newId } from '../support/people.ts'
import { type PushService, startPushService } from '../support/push-service.ts'
import { onSite, phone, pushActions, pushWorkspace, site } from '../support/pushes.ts'

const ofPush = (message: Item, channel = 'web_push'): Item => ({ channel, message })
const titled = { title: 'Sale', alert: 'Hi {{${first_name}}}' }

for (const database of drawDatabases('push-preview')) {
  describe(`/admin/preview of pushes (${database})`, () => {
    const people = new Mailed()
    let web: PushService
    const { person, tokensOf } = pushActions(() => people.service)
    before(async () => {
      web = await startPushService()
      const env = { EASEL_CLOCK: 'virtual', ...web.env }
      await people.start({ database, workspace: pushWorkspace, env })
    })
    after(async () => {
      await people.stop()
      await web?.close()
    })
    beforeEach(() => {
      for (const list of [web.taken, web.next, web.complaints]) list.length = 0
    })
    const preview = (body: Item) =>
      people.service.send('POST', '/admin/preview', body, { key: people.service.adminToken })
    const account = async (appGroupPermissions: readonly string[]): Promise<Person> => {
      const permissions = { appGroup: [{ appGroupId: 'default', appGroupPermissions }] }
      return signIn(people.service, people.db, await makeAccount(people.db, permissions))
    }
    const editor = () => account(['edit_campaigns', 'view_user_profile', 'view_pii'])
    const send = (who: Person, body: Item) => who.send('POST', '/admin/preview/send', body)

    test('a push is shown as the devices of a person would show it, with its size', async () => {
      const bo = await person([onSite(web.subscribe())], { first_name: 'Björn' })
      const message = {
        ...titled,
        custom_uri: 'https://shop.example.com/{{${user_id}}}',
        extra: { id: '{{${user_id}}}' },
      }
      const { status, body, text } = await preview({ ...ofPush(message), person: bo })
      assert.equal(status, 200, text)
      assert.deepEqual([body.outcome, body.mistakes, body.warnings, body.html_url], ['rendered', [], [], null])
      const { tag: _, ...details } = body.details
      const url = `https://shop.example.com/${bo}`
      assert.deepEqual([body.text, details], ['Hi Björn', { title: 'Sale', url, extra: { id: bo } }])
      assert.ok(body.bytes > 100 && body.bytes < 400, String(body.bytes))
      assert.equal(body.bytes_max, 3_993)
      const invented = (await preview(ofPush({ ...titled, badge: 3 }, 'apple_push'))).body
      assert.deepEqual([invented.text, invented.details.badge, invented.bytes_max], ['Hi Ada', 3, 4_096])
      assert.equal(web.taken.length, 0)
    })

    test('what a notification cuts, and a title that is missing, is a warning', async () => {
      const warningsOf = async (message: Item, channel = 'web_push') =>
        (await preview(ofPush(message, channel))).body.warnings
      for (const channel of ['web_push', 'apple_push', 'android_push'] as const) {
        const { title, alert } = shownCharactersMax[channel]
        // A character that takes two units counts once.
        assert.deepEqual(await warningsOf({ title: '\u{1f600}'.repeat(title), alert: 'b'.repeat(alert) }, channel), [])
        const [first, second, ...others] = await warningsOf(
          { title: 'a'.repeat(title + 1), alert: 'b'.repeat(alert + 1) },
          channel,
        )
        assert.equal(first, `The title has ${title + 1} characters. Many devices cut it after about ${title}.`)
        assert.equal(second, `The text has ${alert + 1} characters. Many devices cut it after about ${alert}.`)
        assert.deepEqual(others, [])
        const [untitled, ...rest] = await warningsOf({ alert: 'Hi' }, channel)
        assert.match(untitled, /^It has no title/)
        assert.deepEqual(rest, [])
      }
    })

    test('a push that is too large for the push services is a mistake', async () => {
      const bytesOf = async (alert: string) => (await preview(ofPush({ title: 'a', alert }))).body
      const { bytes } = await bytesOf('b')
      const most = 3_993 - bytes + 1
      const full = await bytesOf('b'.repeat(most))
      assert.deepEqual([full.outcome, full.bytes], ['rendered', 3_993])
      const over = await bytesOf('b'.repeat(most + 1))
      assert.equal(over.outcome, 'failed')
      assert.equal(over.mistakes[0].message, 'it takes 3994 bytes, of at most 3993')
      const fcm = (await preview(ofPush({ alert: 'b'.repeat(4_090) }, 'android_push'))).body
      assert.match(fcm.mistakes[0].message, /^it takes 41\d\d bytes, of at most 4096$/)
    })

    test('a person who would get no push is named, with the reason', async () => {
      const none = await person([])
      const out = await person([onSite(web.subscribe())], { push_subscribe: 'unsubscribed' })
      const silent = await person([{ ...onSite(web.subscribe()), notifications_enabled: false }])
      const other = await person([{ app_id: phone.id, token: newId() }])
      const odd = await person([{ app_id: site.id, token: 'no-subscription' }])
      const warnings = async (id: string, channel = 'web_push') =>
        (await preview({ ...ofPush({ title: 'a', alert: 'b' }, channel), person: id })).body.warnings
      const missing = (id: string) => [`${id} gets no push to browsers: a push needs the push token of a browser.`]
      assert.deepEqual(await warnings(none), missing(none))
      assert.deepEqual(await warnings(odd), missing(odd))
      const [off] = await warnings(silent)
      assert.match(off, / a push needs the push token of a browser with notifications turned on\.$/)
      assert.deepEqual(await warnings(other), missing(other))
      assert.deepEqual(await warnings(other, 'apple_push'), [])
      assert.deepEqual(await warnings(out), [
        `${out} gets no push to browsers: the subscription state of the person does not allow it.`,
      ])
    })

    test('mistakes of a push are results, and what is no push is refused', async () => {
      const wrong = (await preview(ofPush({ title: 'a\n{{ b | c }}', alert: '{{ b | d }}' }))).body
      assert.equal(wrong.outcome, 'failed')
      assert.deepEqual(
        wrong.mistakes.map(({ text, message, line, column }: Item) => [text, message, line, column]).sort(),
        [
          ['alert', 'undefined filter: d', 1, 1],
          ['title', 'undefined filter: c', 2, 1],
        ],
      )
      const mistakeOf = async (message: Item, channel = 'web_push') => {
        const { outcome, mistakes } = (await preview(ofPush(message, channel))).body
        return [outcome, mistakes[0]?.text, mistakes[0]?.message]
      }
      assert.deepEqual(await mistakeOf({ title: 'a' }), ['failed', 'alert', 'alert is empty'])
      const [outcome, text] = await mistakeOf({ alert: 'a', custom_uri: 'javascript:alert(1)' })
      assert.deepEqual([outcome, text], ['failed', 'custom_uri'])
      const ended = (await preview(ofPush({ alert: "{% abort_message('no') %}" }))).body
      assert.deepEqual([ended.outcome, ended.reason], ['aborted', 'no'])
      for (const [body, expected] of [
        [ofPush({ alert: 'a', badge: 1 }), /'message.badge' is not a member of this push/],
        [ofPush({ alert: 'a', badge: -1 }, 'apple_push'), /'message.badge' must be a whole number from 0/],
        [ofPush({ alert: 5 }), /'message.alert' must be a text/],
        [ofPush({ alert: 'a', extra: [] }), /'message.extra' must be an object/],
        [ofPush({ alert: 'a', __proto__x: 1, constructor: 1 }), /is not a member of this push/],
        [{ channel: 'web_push', message: 'a' }, /'message' must be an object with alert/],
        [{ ...ofPush({ alert: 'a' }), to: 'x' }, /'to' is not a member/],
      ] as const) {
        const { status, text: said } = await preview(body as Item)
        assert.equal(status, 400, said)
        assert.match(said, expected)
      }
    })

    test('a test goes to the devices of the person that is chosen, marked, rendered for another one', async () => {
      const [first, second] = [web.subscribe(), web.subscribe()]
      const tester = await person([onSite(first), onSite(second, 'browser-second')], { first_name: 'Tess' })
      const bo = await person([], { first_name: 'Bo' })
      const grace = await editor()
      const { status, body, text } = await send(grace, { ...ofPush(titled), person: bo, to: tester })
      assert.equal(status, 201, text)
      assert.deepEqual([body.subject, body.mail_id], ['[Test] Sale', null])
      assert.equal(body.sentence, 'The test was sent to Tess: the push service took it.')
      for (const { got } of [first, second]) {
        const [{ payload, urgency }] = got as [(typeof got)[number]]
        assert.deepEqual([payload.title, payload.body, urgency], ['[Test] Sale', 'Hi Bo', 'high'])
      }
      assert.deepEqual(web.complaints, [])
      assert.deepEqual((await people.service.admin('GET', '/admin/messages')).body.messages, [])
      const { audit } = (await people.service.admin('GET', '/admin/audit?action=message.test')).body
      assert.equal(audit[0].after.channel, 'web_push')
      assert.doesNotMatch(JSON.stringify(audit[0]), /Sale|endpoint/)
      const untitled = await send(grace, { ...ofPush({ alert: 'Hi' }), to: tester })
      assert.equal(untitled.body.subject, '[Test] Hi')
      const one = { ...ofPush({ alert: 'One', send_to_most_recent_device_only: true }), to: tester }
      assert.equal((await send(grace, one)).status, 201)
      assert.equal(first.got.length + second.got.length, 5)
    })

    test('a device that is gone loses its token as when a push is sent, and the answer says so', async () => {
      const [gone, kept] = [web.subscribe(), web.subscribe()]
      const tester = await person([onSite(gone, 'browser-gone'), onSite(kept, 'browser-kept')])
      gone.leave()
      const grace = await editor()
      const part = await send(grace, { ...ofPush({ alert: 'Hi' }), to: tester })
      assert.equal(part.status, 201, part.text)
      assert.match(part.body.sentence, / Not everything arrived: browser-gone: .+\.$/)
      assert.deepEqual(await tokensOf(tester), [kept.token])
      kept.leave()
      const none = await send(grace, { ...ofPush({ alert: 'Hi' }), to: tester })
      assert.equal(none.status, 503)
      assert.match(none.body.message, /^The push service of browsers did not accept the push to browsers: /)
      const after = await send(grace, { ...ofPush({ alert: 'Hi' }), to: tester })
      assert.equal(after.status, 400)
      assert.match(after.body.message, /^Nothing was sent: .+ a push needs the push token of a browser\.$/)
    })

    test('a test that cannot be sent says why, and takes the permission to read people', async () => {
      const tester = await person([onSite(web.subscribe())])
      const out = await person([onSite(web.subscribe())], { push_subscribe: 'unsubscribed' })
      const grace = await editor()
      for (const [body, status, expected] of [
        [
          ofPush({ alert: 'Hi' }),
          400,
          /^'to' must be the id or an identifier of the person whose devices get the test$/,
        ],
        [{ ...ofPush({ alert: 'Hi' }), to: newId() }, 404, /^There is no person with this id or identifier$/],
        [{ ...ofPush({ alert: 'Hi' }), to: out }, 400, /^Nothing was sent: .* the subscription state/],
        [
          { ...ofPush({ alert: '{{ b | c }}' }), to: tester },
          400,
          /^Nothing was sent: undefined filter: c \(alert, line 1/,
        ],
        [{ ...ofPush({ alert: 'b'.repeat(4_000) }), to: tester }, 400, /^Nothing was sent: it takes \d+ bytes/],
      ] as const) {
        const answer = await send(grace, body)
        assert.equal(answer.status, status, answer.text)
        assert.match(answer.body.message, expected)
      }
      const blind = await account(['edit_campaigns'])
      assert.equal((await send(blind, { ...ofPush({ alert: 'Hi' }), to: tester })).status, 403)
      const body = { ...ofPush({ alert: 'Hi' }), to: tester }
      const token = await people.service.send('POST', '/admin/preview/send', body, { key: people.service.adminToken })
      assert.match(token.body.message, /is sent by an account: sign in$/)
      assert.equal(web.taken.length, 0)
    })

    test(`an account sends ${testsPerHourMax} tests of pushes in an hour`, async () => {
      const browser = web.subscribe()
      const tester = await person([onSite(browser)])
      const grace = await editor()
      const statuses: number[] = []
      for (let i = 0; i <= testsPerHourMax; i++) {
        statuses.push((await send(grace, { ...ofPush({ alert: `Hi ${i}` }), to: tester })).status)
      }
      // An hour may begin meanwhile, and then all of them are sent.
      const sent = statuses.filter((status) => status === 201).length
      assert.ok(
        statuses.every((status) => status === 201 || status === 429),
        statuses.join(),
      )
      assert.ok(sent >= testsPerHourMax, statuses.join())
      assert.equal(browser.got.length, sent)
    })

    test('in a workspace whose messages go to nobody the test is in the inbox', async () => {
      const browser = web.subscribe()
      const tester = await person([onSite(browser, 'browser-of-tess')], { first_name: 'Tess' })
      const grace = await editor()
      await people.service.admin('PATCH', '/admin/settings', { mail_delivery: 'inbox' })
      try {
        const kept = await send(grace, { ...ofPush(titled), to: tester })
        assert.equal(kept.status, 201, kept.text)
        assert.equal(
          kept.body.sentence,
          'The test to Tess is in the inbox: pushes to browsers of this workspace go to nobody.',
        )
        const { body } = await people.service.admin('GET', `/admin/inbox/${kept.body.mail_id}`)
        assert.match(body.to, /^browser-of-tess@127\.0\.0\.1:\d+$/)
        assert.deepEqual([body.channel, body.text, body.details.title], ['web_push', 'Hi Ada', '[Test] Sale'])
        assert.equal(browser.got.length, 0)
      } finally {
        await people.service.admin('PATCH', '/admin/settings', { mail_delivery: null })
      }
    })
  })
}
