import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import { letter, mail, sendingWorkspace } from '../support/messages.ts'
import { newEmail, newId, peopleOf } from '../support/people.ts'

type Item = Readonly<Record<string, unknown>>
type Listed = { readonly id: string; readonly to: string; readonly subject: string; readonly message_id: string }

const archive = sendingWorkspace.settings.bcc[0]!

for (const database of drawDatabases('mail-contents')) {
  describe(`contents of mails (${database})`, () => {
    const people = peopleOf(database, { workspace: sendingWorkspace, env: { EASEL_CLOCK: 'virtual' } })
    const listed = async (query: string): Promise<Listed[]> =>
      (await people.service.admin('GET', `/admin/inbox?${query}`)).body.messages
    /** Sends a mail to a new person. */
    const send = async (email: Item) => {
      const [external_id, to] = [newId(), newEmail()]
      await people.set({ external_id, email: to })
      const { status, body, text } = await people.send(
        '/messages/send',
        letter({ external_user_ids: [external_id] }, email),
      )
      assert.equal(status, 201, text)
      await people.service.advance('PT1S')
      const { dispatch_id } = body as unknown as { dispatch_id: string }
      return { external_id, to, dispatch_id }
    }
    const headersOf = async ({ to }: { to: string }): Promise<Readonly<Record<string, string>>> => {
      const [mail] = await listed(`to=${to}`)
      return (await people.service.admin('GET', `/admin/inbox/${mail!.id}`)).body.headers
    }

    test('extras reach the provider in a header without any setting, or in the header of the setting', async () => {
      const extras = { order: 'A-7', total: 12.5, gift: true, name: '{{${first_name} | default: "you"}}' }
      const sent = { order: 'A-7', total: 12.5, gift: true, name: 'you' }
      assert.deepEqual(JSON.parse((await headersOf(await send({ extras })))['x-extras']!), sent)
      await people.service.admin('PATCH', '/admin/settings', { extras_header: 'X-Mailgun-Variables' })
      const headers = await headersOf(await send({ extras, headers: { 'X-Extras': 'mine' } }))
      assert.deepEqual(JSON.parse(headers['x-mailgun-variables']!), sent)
      assert.equal(headers['x-extras'], 'mine')
      await people.service.admin('PATCH', '/admin/settings', { extras_header: null })
      assert.equal('x-extras' in (await headersOf(await send({}))), false)
    })

    test('a from without a display name has the name of the setting, and is refused without it', async () => {
      const bare = { from: 'hello@shop.example' }
      const body = letter({ external_user_ids: ['ann'] }, bare)
      const rule = 'messages.email.from must be a valid address in the form Display Name <address>'
      await people.refused('/messages/send', body, rule)
      for (const from_name of ['', ' ', 'a\nb', 'x'.repeat(256), 5]) {
        const key = people.service.adminToken
        assert.equal((await people.service.send('PATCH', '/admin/settings', { from_name }, { key })).status, 400)
      }
      for (const from_name of ['x', 'x'.repeat(255), 'Shop of Ann']) {
        await people.service.admin('PATCH', '/admin/settings', { from_name })
      }
      const { body: answer } = await people.send('/messages/send', body)
      const notice = 'messages.email.from has no display name: the mail is sent with settings.from_name.'
      assert.equal((answer as Item).notice, notice)
      const fromOf = async (from: string) => {
        const [one] = await listed(`to=${(await send({ from })).to}`)
        return (await people.service.admin('GET', `/admin/inbox/${one!.id}`)).body.from
      }
      assert.deepEqual(await fromOf(bare.from), `Shop of Ann <${bare.from}>`)
      assert.deepEqual(await fromOf('{{"hello"}}@shop.example'), `Shop of Ann <${bare.from}>`)
      assert.deepEqual(await fromOf('Own <hello@shop.example>'), `Own <${bare.from}>`)
      const key = people.service.adminToken
      const create = (id: string) => {
        const campaign = { id, name: id, state: 'draft', messages: [{ id: `${id}-a`, email: mail(bare) }] }
        return people.service.send('POST', '/admin/campaigns', campaign, { key })
      }
      assert.equal((await create('bare')).status, 201)
      await people.service.admin('PATCH', '/admin/settings', { from_name: null })
      const { campaign } = (await people.service.admin('GET', '/admin/campaigns/bare')).body
      assert.equal(campaign.messages[0].email.from, bare.from)
      assert.match((await create('other')).text, /from must be a valid address in the form/)
    })

    test('the header of extras cannot be set as a header of the mail', async () => {
      const body = letter({ external_user_ids: ['ann'] }, { headers: { 'x-extras': 'mine' } })
      await people.refused('/messages/send', body, 'messages.email.headers.x-extras must not be set: it is reserved')
    })

    test('a bcc copy is in the inbox beside its mail, and is deleted with the person', async () => {
      const { external_id, to, dispatch_id } = await send({ bcc: archive.toUpperCase(), subject: 'Twice' })
      const mails = await listed(`dispatch_id=${dispatch_id}`)
      assert.deepEqual(
        mails.map((mail) => [mail.to, mail.subject, mail.message_id]),
        [to, archive].map((address) => [address, 'Twice', mails[0]!.message_id]),
      )
      const [copy] = await listed(`to=${archive}&dispatch_id=${dispatch_id}`)
      const { headers } = (await people.service.admin('GET', `/admin/inbox/${copy!.id}`)).body
      assert.deepEqual([headers.to, 'bcc' in headers], [to, false])
      await people.delete({ external_ids: [external_id] })
      assert.deepEqual(await listed(`to=${archive}&dispatch_id=${dispatch_id}`), [])
    })
  })
}
