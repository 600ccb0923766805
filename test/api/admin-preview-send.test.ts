import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from '../../src/base/db/sql.ts'
import { testsPerHourMax } from '../../src/messaging/previews/schema.ts'
import { startMailServer } from '../servers/smtp.ts'
import { makeAccount, type Person, signIn } from '../support/accounts.ts'
import { drawDatabases } from '../support/harness.ts'
import { Mailed, mailedOf } from '../support/mailed-people.ts'
import { sendingWorkspace } from '../support/messages.ts'
import { type Item, newId } from '../support/people.ts'

const hourMs = 3_600_000
const mail = {
  from: 'Shop <hello@shop.example>',
  subject: 'Hi {{${first_name}}}',
  body: '<p>Plan {{custom_attribute.${plan}}}, <a href="https://shop.example/tea">tea</a></p>',
}

test('with a mail server the test goes there, signed by nobody else, and what it answers is said', async () => {
  const server = await startMailServer()
  const people = new Mailed()
  const env = { SMTP_URL: server.url, BOUNCE_DOMAIN: 'bounces.example' }
  await people.start({ database: 'pglite', workspace: sendingWorkspace, env })
  try {
    const grace = await signIn(
      people.service,
      people.db,
      await makeAccount(people.db, { companyPermissions: ['admin'] }),
    )
    const to = grace.account.user_name
    const sent = await grace.send('POST', '/admin/preview/send', { mail })
    assert.equal(sent.status, 201, sent.text)
    assert.equal(sent.body.mail_id, null)
    assert.match(sent.body.sentence, /^The test was sent to .*\. The mail server smtp:\/\/127\.0\.0\.1:\d+ has it\.$/)
    assert.deepEqual(
      server.taken.map((taken) => taken.to),
      [[to]],
    )
    server.at('rcpt', () => ({ code: 550, text: '5.1.1 no such mailbox' }))
    const refused = await grace.send('POST', '/admin/preview/send', { mail })
    assert.equal(refused.status, 503)
    assert.match(refused.body.message, /^The mail server did not accept the mail: .*no such mailbox/)
    server.calm()
    await people.service.admin('PATCH', '/admin/settings', { mail_delivery: 'inbox' })
    const kept = await grace.send('POST', '/admin/preview/send', { mail })
    assert.notEqual(kept.body.mail_id, null)
    assert.equal(server.taken.length, 1)
  } finally {
    await people.stop()
    await server.close()
  }
})

for (const database of drawDatabases('admin-preview-send')) {
  describe(`/admin/preview/send (${database})`, () => {
    const people = mailedOf(database, { env: { EASEL_CLOCK: 'virtual' }, workspace: sendingWorkspace })
    const editor = async (more: Item = {}): Promise<Person> => {
      const appGroupPermissions = ['edit_email_templates', 'view_user_profile', 'view_pii']
      const permissions = { appGroup: [{ appGroupId: 'default', appGroupPermissions }] }
      return signIn(people.service, people.db, await makeAccount(people.db, permissions, more))
    }
    const send = (who: Person, body: Item = { mail }) => who.send('POST', '/admin/preview/send', body)
    const inboxOf = async (to: string) =>
      (await people.service.admin('GET', `/admin/inbox?to=${encodeURIComponent(to)}`)).body.messages
    const auditOf = async ({ account }: Person) => {
      const { body } = await people.service.admin('GET', '/admin/audit?action=message.test&limit=200')
      return body.audit.filter(({ actor }: { actor: { id: string } }) => actor.id === account.account_id)
    }

    test('a mail goes to the one who asks, marked and without tracking', async () => {
      const ada = newId()
      await people.set({ external_id: ada, email: `${ada}@example.com`, first_name: 'Bo', plan: 'gold' })
      const grace = await editor()
      const to = grace.account.user_name
      const { status, body, text } = await send(grace, { mail, person: ada })
      assert.equal(status, 201, text)
      assert.deepEqual([body.to, body.subject], [to, '[Test] Hi Bo'])
      assert.equal(body.sentence, `The test to ${to} is in the inbox: mail of this workspace goes to nobody.`)
      const [kept, ...others] = await inboxOf(to)
      assert.deepEqual(others, [])
      assert.deepEqual([kept.id, kept.subject, kept.external_id], [body.mail_id, '[Test] Hi Bo', null])
      const read = (await people.service.admin('GET', `/admin/inbox/${kept.id}?source=true`)).body
      assert.match(read.html, /Plan gold, <a href="https:\/\/shop\.example\/tea">/)
      assert.equal(read.headers.from, 'Shop <hello@shop.example>')
      assert.equal(read.headers.to, to)
      assert.equal(read.headers['list-unsubscribe'], undefined)
      assert.doesNotMatch(read.source, /\/o\/|\/l\//)
      assert.deepEqual(await inboxOf(`${ada}@example.com`), [])
      assert.deepEqual((await people.service.admin('GET', '/admin/messages')).body.messages, [])
    })

    test('a row of the audit log says who sent a test, and nothing of its content', async () => {
      const grace = await editor()
      const id = newId('template')
      const stored = { id, name: id, subject: 'Hi', body: '<p>a</p>' }
      assert.equal((await people.service.admin('POST', '/admin/email_templates', stored)).status, 201)
      assert.equal((await send(grace, { mail: { email_template_id: id, subject: 'Secret' } })).status, 201)
      const [entry, ...others] = await auditOf(grace)
      assert.deepEqual(others, [])
      assert.deepEqual([entry.action, entry.target.id], ['message.test', grace.account.account_id])
      assert.deepEqual(entry.after, { email_template_id: id })
      assert.doesNotMatch(JSON.stringify(entry), /Secret/)
    })

    test('it goes to the primary address of the account, and not to an account without one', async () => {
      const primary = `${newId('primary')}@example.com`
      const two = await editor({ emails: [{ value: primary, primary: true }] })
      assert.equal((await send(two)).body.to, primary)
      const none = await editor({ user_name: `${newId('nameless')}@localhost` })
      const refused = await send(none)
      assert.deepEqual([refused.status, refused.body.message], [400, 'Your account has no e-mail address'])
      const { adminToken: key } = people.service
      const token = await people.service.send('POST', '/admin/preview/send', { mail }, { key })
      assert.equal(token.status, 400)
      assert.match(token.body.message, /the admin token has none: sign in$/)
    })

    test('nothing is sent when a text has a mistake or ends the message', async () => {
      const grace = await editor()
      const wrong = await send(grace, { mail: { ...mail, body: 'a\n{{ b | c }}' } })
      assert.equal(wrong.status, 400)
      assert.equal(wrong.body.message, 'Nothing was sent: undefined filter: c (body, line 2, column 1)')
      const ended = await send(grace, { mail: { ...mail, body: "{% abort_message('no') %}" } })
      assert.match(ended.body.message, /: no$/)
      assert.equal((await send(grace, { mail, content_block: { content: 'a' } })).status, 400)
      assert.equal((await send(grace, { content_block: { content: 'a' } })).status, 400)
      assert.deepEqual(await inboxOf(grace.account.user_name), [])
      assert.deepEqual(await auditOf(grace), [])
    })

    test(`an account sends itself ${testsPerHourMax} tests in an hour`, async () => {
      const grace = await editor()
      const used = testsPerHourMax - 2
      const nowMs = Date.now()
      for (const startMs of [0, 1].map((n) => (Math.floor(nowMs / hourMs) + n) * hourMs)) {
        await people.db.query(sql`
          insert into rate_window (workspace_id, limit_name, window_start, used)
          select min(workspace_id), ${`messages_test/${grace.account.account_id}/per_hour`}, ${startMs}, ${used} from workspace`)
      }
      assert.equal((await send(grace)).status, 201)
      assert.equal((await send(grace)).status, 201)
      const refused = await send(grace)
      assert.equal(refused.status, 429)
      const wait = Number(refused.headers['retry-after'])
      assert.ok(wait >= 1 && wait <= hourMs / 1000, String(wait))
      assert.equal((await inboxOf(grace.account.user_name)).length, 2)
      assert.equal((await send(await editor())).status, 201)
    })
  })
}
