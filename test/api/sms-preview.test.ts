import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeAccount, type Person, signIn } from '../support/accounts.ts'
import { drawDatabases } from '../support/harness.ts'
import { Mailed } from '../support/mailed-people.ts'
import { sendingWorkspace } from '../support/messages.ts'
import { type Item, newId } from '../support/people.ts'
import { type SmsProvider, startSmsProvider } from '../support/sms-provider.ts'

const sender = '+15550001111'
const group = { id: 'c0000000-0000-4000-8000-0000000000aa', name: 'Texts', channel: 'sms' }
const workspace = {
  ...sendingWorkspace,
  settings: { ...sendingWorkspace.settings, sms: { from: sender } },
  subscription_groups: [...sendingWorkspace.subscription_groups, group],
}
const to = '+4915112345678'
const ofText = (body: string, more: Item = {}): Item => ({ channel: 'sms', message: { body, ...more } })

for (const database of drawDatabases('sms-preview')) {
  describe(`/admin/preview of text messages (${database})`, () => {
    const people = new Mailed()
    let provider: SmsProvider
    before(async () => {
      provider = await startSmsProvider()
      await people.start({ database, workspace, env: { EASEL_CLOCK: 'virtual', SMS_URL: provider.url } })
    })
    after(async () => {
      await people.stop()
      await provider?.close()
    })
    const key = () => ({ key: people.service.adminToken })
    const preview = (body: Item) => people.service.send('POST', '/admin/preview', body, key())
    const account = async (): Promise<Person> => {
      const appGroupPermissions = ['edit_email_templates', 'view_user_profile', 'view_pii']
      const permissions = { appGroup: [{ appGroupId: 'default', appGroupPermissions }] }
      return signIn(people.service, people.db, await makeAccount(people.db, permissions))
    }
    const send = (who: Person, body: Item) => who.send('POST', '/admin/preview/send', body)

    test('a text is shown as a person would get it, with its segments', async () => {
      const external_id = newId()
      await people.set({ external_id, first_name: 'Bj\u00f6rn \u{1f600}' })
      const { status, body, text } = await preview({ ...ofText('Hi {{${first_name}}}'), person: external_id })
      assert.equal(status, 200, text)
      const { outcome, mistakes, texts, from, details, html_url } = body
      assert.deepEqual([outcome, mistakes, html_url], ['rendered', [], null])
      assert.deepEqual([body.text, texts.body, from], ['Hi Bj\u00f6rn \u{1f600}', 'Hi Bj\u00f6rn \u{1f600}', sender])
      assert.deepEqual(details, { encoding: 'UCS-2', segments: 1, units: 11, units_left: 59 })
      const invented = await preview(ofText('Hi {{${first_name}}}', { from: 'Shop' }))
      assert.deepEqual([invented.body.text, invented.body.from], ['Hi Ada', 'Shop'])
    })

    test('mistakes of a text are results, and what is no text message is refused', async () => {
      const wrong = (await preview(ofText('a\n{{ b | c }}'))).body
      assert.equal(wrong.outcome, 'failed')
      const { message, line, column } = wrong.mistakes[0]
      assert.deepEqual([message, line, column], ['undefined filter: c', 2, 1])
      for (const [body, expected] of [
        ['a'.repeat(1_531), /body takes 11 segments of GSM-7, of at most 10|too long|at most/],
        [' ', /body is empty/],
      ] as const) {
        const { outcome, mistakes, text } = (await preview(ofText(body))).body
        assert.deepEqual([outcome, text], ['failed', null])
        assert.match(mistakes[0].message, expected)
      }
      assert.equal((await preview(ofText('a'.repeat(1_530)))).body.details.segments, 10)
      const ended = (await preview(ofText("{% abort_message('no') %}"))).body
      assert.deepEqual([ended.outcome, ended.reason], ['aborted', 'no'])
      for (const [body, expected] of [
        [{ channel: 'fax', message: { body: 'a' } }, /'channel' must be .*sms/],
        [{ message: { body: 'a' } }, /'channel' must be/],
        [{ channel: 'sms', mail: { body: 'a' } }, /'channel' is a member of a preview of 'message' only/],
        [ofText('a', { media: [] }), /'message.media' is not a member/],
        [ofText('a', { from: 'A name that is too long' }), /'message.from' must be a sender/],
        [{ channel: 'sms', message: 'a' }, /'message' must be an object/],
        [{ ...ofText('a'), to }, /'to' is not a member/],
      ] as const) {
        const { status, text } = await preview(body)
        assert.equal(status, 400, text)
        assert.match(text, expected)
      }
    })

    test('a test goes to the number of the request, marked, and about nobody', async () => {
      const external_id = newId()
      await people.set({ external_id, first_name: 'Bo' })
      const grace = await account()
      const text = ofText('Hi {{${first_name}}}', { subscription_group_id: group.id })
      const { status, body, text: said } = await send(grace, { ...text, person: external_id, to: '+49 1511 2345678' })
      assert.equal(status, 201, said)
      assert.deepEqual([body.to, body.subject, body.mail_id], [to, '[Test] Hi Bo', null])
      assert.match(
        body.sentence,
        /^The test was sent to \+4915112345678\. The provider of text messages http:.* has it\.$/,
      )
      const [taken, ...others] = provider.taken
      assert.deepEqual(others, [])
      assert.deepEqual([taken!.to, taken!.from, taken!.body], [to, sender, '[Test] Hi Bo'])
      assert.deepEqual((await people.service.admin('GET', '/admin/messages')).body.messages, [])
      // A report about a test changes nothing.
      const report = { MessageSid: 'SM1', MessageStatus: 'undelivered', ErrorCode: '30005' }
      assert.equal((await provider.call(people.service.url, taken!.statusUrl, report)).status, 200)
      const { audit } = (await people.service.admin('GET', '/admin/audit?action=message.test')).body
      assert.deepEqual(audit[0].after, { channel: 'sms', to: '*5678' })

      provider.next.push({ status: 400, code: 21_610, message: 'unsubscribed recipient' })
      const refused = await send(grace, { ...text, to })
      assert.equal(refused.status, 503)
      assert.match(refused.body.message, /^The provider of text messages did not accept the text message: 400 21610 /)
    })

    test('a test that cannot be sent says why, and one of a workspace that sends nothing is in the inbox', async () => {
      const grace = await account()
      for (const [body, expected] of [
        [{ ...ofText('Hi'), to: '12' }, /'to' must be a phone number with its country code/],
        [ofText('Hi'), /'to' must be a phone number/],
        [{ ...ofText('{{ b | c }}'), to }, /^Nothing was sent: undefined filter: c \(body, line 1, column 1\)$/],
        [{ mail: { body: 'a' }, to }, /'to' is a member of a preview of 'message' only/],
      ] as const) {
        const { status, body: answer } = await send(grace, body)
        assert.equal(status, 400)
        assert.match(answer.message, expected)
      }
      const token = await people.service.send('POST', '/admin/preview/send', { ...ofText('Hi'), to }, key())
      assert.equal(token.status, 400)
      assert.match(token.body.message, /is sent by an account: sign in$/)
      const before = provider.taken.length
      await people.service.admin('PATCH', '/admin/settings', { mail_delivery: 'inbox', sms: null })
      const kept = await send(grace, { ...ofText('Hi'), to })
      assert.equal(kept.status, 201, kept.text)
      assert.match(kept.body.sentence, /is in the inbox: text messages of this workspace go to nobody\.$/)
      const { body: shown } = await people.service.admin('GET', `/admin/inbox/${kept.body.mail_id}`)
      assert.deepEqual([shown.channel, shown.to, shown.text, shown.from], ['sms', to, '[Test] Hi', null])
      assert.equal(provider.taken.length, before)
      await people.service.admin('PATCH', '/admin/settings', { mail_delivery: null })
      const unsent = await send(grace, { ...ofText('Hi'), to })
      assert.match(unsent.body.message, /^Nothing was sent: it has no sender: settings\.sms\.from is not set$/)
    })
  })
}
