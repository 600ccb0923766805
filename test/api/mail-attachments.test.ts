import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Served, serve } from '../support/fetchers.ts'
import { drawDatabases } from '../support/harness.ts'
import { letter, sendingWorkspace } from '../support/messages.ts'
import { many, newEmail, newId, People } from '../support/people.ts'

type Item = Readonly<Record<string, unknown>>

const filesMax = 50
const opaque = { 'content-type': 'application/octet-stream' }
const pdf = Buffer.from('%PDF-1.7 terms')

for (const database of drawDatabases('mail-attachments')) {
  describe(`attachments of mails (${database})`, () => {
    const people = new People()
    let files: Served
    before(async () => {
      files = await serve(({ url }, response) => {
        response.writeHead(200, opaque).end(url?.startsWith('/page') ? '<!doctype html><p>Sign in' : pdf)
      })
      const env = { EASEL_CLOCK: 'virtual', EASEL_FETCH_ALLOW: `127.0.0.1:${files.port}` }
      await people.start({ database, workspace: sendingWorkspace, env })
    })
    after(async () => {
      await people.stop()
      await files?.close()
    })

    const file = (path: string, file_name = 'terms') => ({ file_name, url: `${files.url}${path}` })
    const body = (attachments: readonly Item[], external_id = 'ann') =>
      letter({ external_user_ids: [external_id] }, { attachments })
    /** Sends a mail to a new person. Returns the decision about it, and the files of the mail in the inbox. */
    const sent = async (attachments: readonly Item[]) => {
      const [external_id, email] = [newId(), newEmail()]
      await people.set({ external_id, email })
      const { status, text } = await people.send('/messages/send', body(attachments, external_id))
      assert.equal(status, 201, text)
      await people.service.advance('PT1S')
      const { decisions } = (await people.service.admin('GET', `/admin/why?external_id=${external_id}`)).body
      const { messages } = (await people.service.admin('GET', `/admin/inbox?to=${email}`)).body
      const [mail] = messages
      const attached = mail && (await people.service.admin('GET', `/admin/inbox/${mail.id}`)).body.attachments
      return { reason: decisions[0].reason, rule: decisions[0].rule, attached }
    }
    const setting = (set: Item) => people.service.admin('PATCH', '/admin/settings', set)

    test('a mail may have fifty files, or as many as the setting says', async () => {
      const listed = (count: number) => body(many(count, (i) => file(`/${i}.pdf`)))
      const refusal = (count: number) =>
        `messages.email.attachments must have at most ${count} files (settings.attachments_max)`
      for (const count of [filesMax - 1, filesMax]) {
        assert.equal((await people.send('/messages/send', listed(count))).status, 201)
      }
      await people.refused('/messages/send', listed(filesMax + 1), refusal(filesMax))
      await setting({ attachments_max: 2 })
      assert.equal((await people.send('/messages/send', listed(2))).status, 201)
      await people.refused('/messages/send', listed(3), refusal(2))
      const later = { schedule: { time: '2040-01-01T00:00:00Z' } }
      await people.refused('/messages/schedule/create', { ...listed(3), ...later }, refusal(2))
      await setting({ attachments_max: null })
    })

    test('the files of a mail may have the size of the setting together, and the reason names them', async () => {
      const both = [file('/a.pdf', 'a'), file('/b.pdf', 'b')]
      await setting({ attachments_bytes_max: 2 * pdf.length })
      assert.equal((await sent(both)).attached.length, 2)
      await setting({ attachments_bytes_max: 2 * pdf.length - 1 })
      const { reason, rule, attached } = await sent(both)
      assert.deepEqual([reason, attached], ['attachment_failed', undefined])
      assert.match(rule, /more than 27 bytes together \(settings\.attachments_bytes_max\): a\.pdf, b\.pdf$/)
      await setting({ attachments_bytes_max: null })
    })

    test('the limits of the settings have limits', async () => {
      for (const [name, max, text] of [
        ['attachments_max', 100, 'a whole number from 1 to 100'],
        ['attachments_bytes_max', 41_943_040, 'a number of bytes from 1 to 41943040'],
      ] as const) {
        for (const value of [1, max - 1, max]) await setting({ [name]: value })
        for (const value of [0, max + 1]) {
          const key = people.service.adminToken
          const answer = await people.service.send('PATCH', '/admin/settings', { [name]: value }, { key })
          assert.equal(answer.status, 400)
          assert.match(answer.text, new RegExp(`settings\\.${name} must be ${text}`))
        }
        await setting({ [name]: null })
      }
    })

    test('a file of any type is judged by its name and its first bytes', async () => {
      const { reason, attached } = await sent([file('/a.pdf')])
      assert.equal(reason, 'sent')
      assert.deepEqual(attached, [{ filename: 'terms.pdf', content_type: 'application/pdf', bytes: pdf.length }])
      const page = await sent([file('/page.pdf')])
      assert.deepEqual(
        [page.reason, page.rule],
        ['attachment_failed', 'attachments[0]: it came as application/octet-stream, and it does not begin like a .pdf'],
      )
    })
  })
}
