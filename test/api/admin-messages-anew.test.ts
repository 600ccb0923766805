import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { previewsMax } from '../../src/content/rendering/open-previews.ts'
import { makeAccount, signIn } from '../support/accounts.ts'
import { drawDatabases } from '../support/harness.ts'
import { mailedOf } from '../support/mailed-people.ts'
import { letter, mail, sendingWorkspace } from '../support/messages.ts'
import { type Item, many, newId } from '../support/people.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read single members of an answer.
type Any = any

const body = '<p>Plan {{custom_attribute.${plan}}}, <a href="https://shop.example/tea">tea</a></p>'

for (const database of drawDatabases('admin-messages-anew')) {
  describe(`mails that are made anew (${database})`, () => {
    const people = mailedOf(database, { env: { EASEL_CLOCK: 'virtual' }, workspace: sendingWorkspace })
    const admin = (path: string) => people.service.send('GET', path, undefined, { key: people.service.adminToken })
    const made = async (more: Item = {}) => {
      const external_id = newId()
      await people.set({ external_id, email: `${external_id}@example.com`, plan: 'gold', ...more })
      return external_id
    }
    const messageOf = async (external_id: string): Promise<string> => {
      const { service_id } = await people.person(external_id)
      return (await admin(`/admin/messages?person=${service_id}`)).body.messages[0].message_id
    }
    const send = async (external_id: string, email: Item) => {
      const order = letter({ external_user_ids: [external_id] }, email)
      const { status, text } = await people.service.post('/messages/send', order)
      assert.equal(status, 201, text)
      await people.service.advance('PT1M')
      return messageOf(external_id)
    }
    const read = async (id: string, query = '?render=true'): Promise<Any> => {
      const { status, body: answer, text } = await admin(`/admin/messages/${id}${query}`)
      assert.equal(status, 200, text)
      return answer.message
    }
    const forgetMails = () => people.service.admin('DELETE', '/admin/inbox')

    test('a mail that is kept is shown as it was, also when it is asked for anew', async () => {
      const id = await send(await made(), { body })
      const { mail: kept, mail_sentence, may_render } = await read(id)
      assert.deepEqual([kept.rendered_anew, may_render], [false, false])
      assert.equal(mail_sentence, 'The mail as it was kept in the inbox.')
      assert.match((await read(id, '?render=true&source=true')).mail.source, /\/o\//)
    })

    test('a mail that is not kept is made anew, without tracking and without any effect', async () => {
      const ada = await made()
      const id = await send(ada, { subject: 'Plan {{custom_attribute.${plan}}}', body })
      await forgetMails()
      await people.set({ external_id: ada, plan: 'silver' })
      const before = await read(id, '')
      assert.deepEqual([before.mail, before.may_render], [null, true])
      const message = await read(id, '?render=true&source=true')
      const { mail: anew, mail_sentence, ...rest } = message
      assert.match(mail_sentence, /^This is not the mail that was sent: it was made anew just now\. Values /)
      assert.deepEqual([anew.rendered_anew, anew.mail_id, anew.to], [true, null, `${ada}@example.com`])
      assert.equal(anew.subject, 'Plan silver')
      assert.match(anew.source, /href=3D"https:\/\/shop\.example\/tea"/)
      assert.doesNotMatch(anew.source, /\/o\/|\/l\/|DKIM-Signature/i)
      assert.equal(rest.subject, 'Plan gold')
      const path = `/dashboard/mail/messages/${id}?workspace=default`
      assert.equal(anew.html_url, `${path}&render=true`)
      const signedIn = async (...appGroupPermissions: string[]) =>
        signIn(
          people.service,
          people.db,
          await makeAccount(people.db, { appGroup: [{ appGroupId: 'default', appGroupPermissions }] }),
        )
      const reader = await signedIn('view_message_activity_log', 'view_pii')
      const blind = await signedIn('view_message_activity_log')
      assert.match((await people.page(anew.html_url, reader.headers)).text, /Plan silver/)
      assert.equal((await people.page(path, reader.headers)).status, 404)
      assert.equal((await people.page(anew.html_url, blind.headers)).status, 403)
      assert.equal((await people.page(anew.html_url, {})).status, 401)
      assert.equal((await blind.send('GET', `/admin/messages/${id}?render=true`)).status, 403)
      await people.service.advance('PT1M')
      assert.deepEqual(await read(id, ''), before)
      assert.deepEqual((await admin('/admin/inbox')).body.messages, [])
    })

    test('a mail of a flow is made from the version of that time, with the properties of the entry', async () => {
      const ada = await made()
      const flow = (subject: string) => ({
        ...{ name: 'Trial', state: 'active', entry: { by: ['api'] }, first: 'hello' },
        steps: [{ id: 'hello', name: 'Hello', type: 'message', channel: 'email', message: mail({ subject, body }) }],
      })
      const canvas = (await people.service.admin('POST', '/admin/canvases', flow('First {{context.${gift}}}'))).body
        .canvas
      const recipients = [{ external_user_id: ada, canvas_entry_properties: { gift: 'cup' } }]
      const sent = await people.service.post('/canvas/trigger/send', { canvas_id: canvas.id, recipients })
      assert.equal(sent.status, 201, sent.text)
      await people.service.advance('PT1M')
      const changed = await people.service.admin('PATCH', `/admin/canvases/${canvas.id}`, flow('Second'))
      assert.equal(changed.status, 200, changed.text)
      await forgetMails()
      assert.equal((await read(await messageOf(ada))).mail.subject, 'First cup')
    })

    test('why a mail cannot be made is said, and one that was never sent is marked so', async () => {
      const held = await send(await made({ email_subscribe: 'unsubscribed' }), { body })
      assert.match((await read(held)).mail_sentence, /^This is no mail that was sent: it was made anew/)
      const asking = await send(await made(), { body: '{% connected_content http://127.0.0.1:1/ :save x %}{{x}}' })
      await forgetMails()
      const asked = await read(asking)
      assert.deepEqual([asked.mail, asked.may_render], [null, true])
      assert.match(asked.mail_sentence, /^The mail cannot be made anew: .*other servers are not asked/)
      const removed = await send(await made(), {
        body: '{% if ${external_id} %}{% abort_message("Stop") %}{% endif %}',
      })
      assert.equal((await read(removed)).mail_sentence, 'The mail cannot be made anew: Stop.')
      assert.equal((await admin(`/admin/messages/${removed}?render=2`)).status, 400)
      assert.equal((await admin('/admin/messages/1?render=true')).status, 404)
    })

    test(`at most ${previewsMax} mails are made at a time`, async () => {
      const slow = '{% for i in (1..3000) %}{% for j in (1..100) %}{{ j | times: i }}{% endfor %}{% endfor %}'
      const id = await send(await made(), { body: slow })
      await forgetMails()
      const path = `/admin/messages/${id}?render=true`
      const answers = await Promise.all(many(previewsMax * 3, () => admin(path)))
      const refused = answers.filter(({ status }) => status === 429)
      assert.ok(refused.length > 0)
      assert.ok(refused.length <= previewsMax * 2)
      assert.equal((await admin(path)).status, 200)
    })
  })
}
