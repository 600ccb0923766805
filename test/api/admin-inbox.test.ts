import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { nextProfileId } from '../../src/base/ids.ts'
import { trimInbox } from '../../src/messaging/inbox/trim-inbox.ts'
import { insertMails, type NewMail, trimMails } from '../../src/messaging/mail/inbox-store.ts'
import { bucketOfId } from '../../src/people/identity/person.ts'
import { drawDatabases } from '../support/harness.ts'
import { type Mailed, mailedOf } from '../support/mailed-people.ts'
import { type Item, many, newId, only } from '../support/people.ts'

const workspace_id = 1

const source = [
  'From: "=?UTF-8?Q?M=C3=BCller?=" <shop@example.com>',
  'To: ann@example.com',
  'Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=',
  'List-Unsubscribe: <https://example.com/u/1>,',
  ' <mailto:u@example.com>',
  'X-Twice: one',
  'X-Twice: two',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=m',
  '',
  '--m',
  'Content-Type: multipart/alternative; boundary=a',
  '',
  '--a',
  'Content-Type: text/plain; charset=utf-8',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  'Sch=C3=B6n',
  '--a',
  'Content-Type: text/html; charset=utf-8',
  '',
  '<p>Hello</p>',
  '--a--',
  '--m',
  'Content-Type: application/pdf; name=a.pdf',
  'Content-Disposition: attachment; filename=a.pdf',
  'Content-Transfer-Encoding: base64',
  '',
  'aGVsbG8=',
  '--m--',
  '',
].join('\r\n')

type Mail = { id: string; to: string; subject: string; at: string } & Item

for (const database of drawDatabases('admin-inbox')) {
  describe(`/admin/inbox (${database})`, () => {
    const people = mailedOf(database)

    async function keep(people: Mailed, external_id: string, more: Partial<NewMail> = {}): Promise<void> {
      const { profile_id, message_id } = await people.write(external_id)
      await put({
        bucket: bucketOfId(profile_id),
        profile_id,
        message_id,
        address: `${external_id}@example.com`,
        ...more,
      })
    }

    async function put(more: Partial<NewMail>): Promise<void> {
      const mail: NewMail = {
        ...{
          bucket: 0,
          mail_id: nextProfileId(more.bucket ?? 0, Date.now()),
          channel: 'email',
          profile_id: '0',
          message_id: '0',
          workspace_id,
          address: 'nobody@example.com',
          subject: 'Hello',
        },
        ...{ atUs: Date.now() * 1000, source: Buffer.from(source), ...more },
      }
      await people.db.transaction((tx) => insertMails(tx, [mail]))
    }

    const list = async (query = ''): Promise<{ messages: Mail[]; cursor?: string }> =>
      (await people.service.admin('GET', `/admin/inbox?${query}`)).body
    const ask = (path: string, method = 'GET') =>
      people.service.send(method, path, undefined, { key: people.service.adminToken })
    const empty = async () => (await people.service.admin('DELETE', '/admin/inbox')).body.deleted

    test('mails are listed newest first, page by page, and filtered by address, person, dispatch and time', async () => {
      await empty()
      const [ann, ben] = [newId('ann'), newId('ben')]
      await people.set({ external_id: ann }, { external_id: ben })
      for (const [i, who] of [ann, ben, ann].entries()) {
        await keep(people, who, { subject: `${who} ${i}`, atUs: Date.UTC(2026, 0, 1 + i) * 1000 })
      }
      await put({ subject: 'account', atUs: Date.UTC(2026, 0, 4) * 1000 })
      const { messages } = await list()
      assert.deepEqual(
        messages.map(({ subject, to, external_id }) => [subject, to, external_id]),
        [
          ['account', 'nobody@example.com', null],
          [`${ann} 2`, `${ann}@example.com`, ann],
          [`${ben} 1`, `${ben}@example.com`, ben],
          [`${ann} 0`, `${ann}@example.com`, ann],
        ],
      )
      assert.equal(messages[1]!.at, '2026-01-03T00:00:00.000Z')
      const subjects = async (query: string) => (await list(query)).messages.map(({ subject }) => subject)
      assert.deepEqual(await subjects(`to=${ann.toUpperCase()}@EXAMPLE.com`), [`${ann} 2`, `${ann} 0`])
      assert.deepEqual(await subjects(`external_id=${ben}`), [`${ben} 1`])
      assert.deepEqual(await subjects(`external_id=${newId('nobody')}`), [])
      assert.deepEqual(await subjects(`dispatch_id=${messages[2]!.dispatch_id}`), [`${ben} 1`])
      assert.deepEqual(await subjects('since=2026-01-03T00:00:00Z'), ['account', `${ann} 2`])
      const paged: unknown[] = []
      for (let cursor = ''; ; ) {
        const page = await list(`limit=3&cursor=${cursor}`)
        paged.push(...page.messages)
        if (!page.cursor) break
        cursor = page.cursor
      }
      assert.deepEqual(paged, messages)
    })

    test('a mail is returned with its headers, parts and attachments, and as raw text', async () => {
      const who = newId()
      await people.set({ external_id: who })
      await keep(people, who)
      const { id } = only((await list(`external_id=${who}`)).messages)
      const { status, body } = await ask(`/admin/inbox/${id}`)
      assert.equal(status, 200)
      assert.equal(body.headers['list-unsubscribe'], '<https://example.com/u/1>, <mailto:u@example.com>')
      assert.equal(body.headers['x-twice'], 'one\ntwo')
      assert.deepEqual([body.html?.trim(), body.text?.trim()], ['<p>Hello</p>', 'Schön'])
      assert.deepEqual(body.attachments, [{ filename: 'a.pdf', content_type: 'application/pdf', bytes: 5 }])
      assert.equal(body.to, `${who}@example.com`)
      assert.equal('source' in body, false)
      assert.equal((await ask(`/admin/inbox/${id}?source=true`)).body.source, source)
    })

    test('mails move with a merged person and are deleted with a deleted person', async () => {
      const [from, into] = [newId(), newId()]
      await people.set({ external_id: from }, { external_id: into })
      await keep(people, from)
      const [before] = (await list(`external_id=${from}`)).messages
      await people.merge({ external_id: from }, { external_id: into })
      const [after] = (await list(`external_id=${into}`)).messages
      assert.deepEqual({ ...after, external_id: from }, before)
      assert.equal((await ask(`/admin/inbox/${after!.id}`)).body.external_id, into)
      await people.delete({ external_ids: [into] })
      assert.equal((await ask(`/admin/inbox/${after!.id}`)).status, 404)
    })

    test('the inbox can be emptied, and keeps the newest mails within its limits', async () => {
      await empty()
      for (const i of many(4, (i) => i)) await put({ subject: String(i), atUs: (i + 1) * 1_000_000 })
      const subjects = async () => (await list()).messages.map(({ subject }) => subject)
      await trimInbox(people.db, [{ workspace_id }])
      const bytes = Buffer.byteLength(source)
      await people.db.transaction((tx) => trimMails(tx, workspace_id, 4, 4 * bytes))
      assert.deepEqual(await subjects(), ['3', '2', '1', '0'])
      await people.db.transaction((tx) => trimMails(tx, workspace_id, 3, 4 * bytes))
      assert.deepEqual(await subjects(), ['3', '2', '1'])
      await people.db.transaction((tx) => trimMails(tx, workspace_id, 3, 3 * bytes - 1))
      assert.deepEqual(await subjects(), ['3', '2'])
      await people.db.transaction((tx) => trimMails(tx, workspace_id + 1, 0, 0))
      assert.equal(await empty(), 2)
      assert.deepEqual(await subjects(), [])
    })

    test('an invalid query is refused with the name of the parameter', async () => {
      const refused: readonly [string, string][] = [
        ['limit=0', "'limit' must be a whole number from 1 to 200"],
        ['limit=201', "'limit' must be a whole number from 1 to 200"],
        ['cursor=x', "'cursor' is not valid"],
        [`cursor=${Buffer.from('1.9999999999999999999').toString('base64url')}`, "'cursor' is not valid"],
        ['dispatch_id=x', "'dispatch_id' is not valid"],
        ['since=yesterday', "'since' is not valid"],
        ['to=a%00b', "'to' is not valid"],
        ['external_id=a%00b', "'external_id' is not valid"],
        ['to=a&to=b', "'to' may be given once"],
      ]
      for (const [query, message] of refused) {
        const { status, body } = await ask(`/admin/inbox?${query}`)
        assert.deepEqual([status, body], [400, { message }], query)
      }
      for (const id of ['0', 'x', '-1', '9999999999999999999', '9223372036854775807', '%00']) {
        assert.equal((await ask(`/admin/inbox/${id}`)).status, 404, id)
      }
      assert.equal((await ask('/admin/inbox/1?source=2')).status, 400)
      assert.equal((await ask('/admin/inbox?workspace=none')).status, 404)
    })
  })
}
