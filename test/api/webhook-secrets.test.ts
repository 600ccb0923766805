import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { drawDatabases } from '../support/harness.ts'
import { newId, peopleOf } from '../support/people.ts'

const secret = 'hunter2-of-the-webhook'
const password = 'hunter3-of-the-credential'
const url = 'https://hooks.example.com/in'
const sealed = { sealed: true }

type Headers = Readonly<Record<string, unknown>>

for (const database of drawDatabases('webhook-secrets')) {
  describe(`secrets of webhooks (${database})`, () => {
    const calls: { url: string; headers: Readonly<Record<string, string>> }[] = []
    const fetcher = {
      async fetch(called: string, { headers = {} }: { headers?: Readonly<Record<string, string>> } = {}) {
        calls.push({ url: called, headers })
        return { status: 200, headers: {}, body: Buffer.alloc(0), url: called }
      },
      close: async () => {},
    }
    let db: Db
    const opened = (own: Db) => {
      db = own
    }
    const people = peopleOf(database, { fetcher, opened, env: { EASEL_CLOCK: 'virtual' } })
    const send = (method: string, path: string, body?: unknown) =>
      people.service.send(method, path, body, { key: people.service.adminToken })

    const canvas = (id: string, headers: Headers, more: object = {}) => ({
      ...{ id, name: id, state: 'active', entry: { by: ['api'], again: 'always' }, first: 'hook' },
      steps: [{ id: 'hook', type: 'webhook', url, method: 'POST', headers, ...more }],
    })

    async function credential(name: string): Promise<void> {
      const origins = ['https://hooks.example.com']
      await people.service.admin('POST', '/admin/credentials', { name, user_name: 'crm', password, origins })
    }

    async function headersOfCall(canvas_id: string) {
      const external_user_id = newId()
      await people.set({ external_id: external_user_id })
      calls.length = 0
      const answer = await people.send('/canvas/trigger/send', { canvas_id, recipients: [{ external_user_id }] })
      assert.equal(answer.status, 201, answer.text)
      await people.service.advance('PT1S')
      return calls.map(({ headers }) => headers)
    }

    test('a header that looks like a secret is sealed, shown nowhere, and sent', async () => {
      const id = newId()
      const headers = { Authorization: `Bearer ${secret}`, 'X-Plan': 'gold' }
      const made = await send('POST', '/admin/canvases', canvas(id, headers))
      assert.equal(made.status, 201, made.text)
      const looks = [made, await send('GET', `/admin/canvases/${id}`), await send('GET', '/admin/canvases')]
      looks.push(await send('GET', '/admin/audit'), await people.service.get(`/canvas/details?canvas_id=${id}`))
      for (const { text } of looks) assert.ok(!text.includes(secret), text)
      assert.deepEqual(made.body.canvas.steps[0].headers, { Authorization: sealed, 'X-Plan': 'gold' })

      const rows = await db.query<{ stored: string }>(sql`
        select definition::text as stored from flow_version union all
        select coalesce(before::text, '') || coalesce(after::text, '') from audit`)
      assert.ok(rows.every(({ stored }) => !stored.includes(secret)))

      const [called] = await headersOfCall(id)
      assert.deepEqual([called?.Authorization, called?.['X-Plan']], [`Bearer ${secret}`, 'gold'])
    })

    test('a file that is applied again changes nothing, and an answer that is sent back keeps the secret', async () => {
      const id = newId()
      const file = { canvases: [canvas(id, { 'X-Api-Key': secret })] }
      await people.service.admin('POST', '/admin/apply', file)
      assert.deepEqual((await people.service.admin('POST', '/admin/apply', file)).body.changes, [])
      const { body } = await send('GET', `/admin/canvases/${id}`)
      assert.deepEqual(
        (await people.service.admin('POST', '/admin/apply', { canvases: [body.canvas] })).body.changes,
        [],
      )
      const renamed = await send('PATCH', `/admin/canvases/${id}`, { ...body.canvas, name: `${id} again` })
      assert.equal(renamed.status, 200, renamed.text)
      assert.equal((await headersOfCall(id))[0]?.['X-Api-Key'], secret)
    })

    test('an editor cannot send a sealed header to another server', async () => {
      const id = newId()
      await people.service.admin('POST', '/admin/canvases', canvas(id, { 'X-Api-Key': secret }))
      for (const elsewhere of ['https://evil.example/in', 'https://hooks.example.com.evil.example/', '{{x}}']) {
        const { steps } = canvas(id, { 'X-Api-Key': sealed }, { url: elsewhere })
        const answer = await send('PATCH', `/admin/canvases/${id}`, { steps })
        assert.equal(answer.status, 400, answer.text)
        assert.match(
          answer.body.message,
          /headers\["X-Api-Key"\] is sealed, and there is no text for it and this server/,
        )
      }
      const created = await send('POST', '/admin/canvases', canvas(newId(), { 'X-Api-Key': sealed }))
      assert.equal(created.status, 400, created.text)
    })

    const schemes: readonly [name: string, scheme: string | undefined, sent: string][] = [
      ['Authorization', undefined, `Basic ${Buffer.from(`crm:${password}`).toString('base64')}`],
      ['Authorization', 'bearer', `Bearer ${password}`],
      ['X-Api-Key', undefined, password],
    ]
    for (const [name, scheme, sent] of schemes) {
      test(`a header refers to a credential: ${name}, ${scheme ?? 'no scheme'}`, async () => {
        const [id, own] = [newId(), newId('credential')]
        await credential(own)
        const header = { credential: own, ...(scheme && { scheme }) }
        const made = await send('POST', '/admin/canvases', canvas(id, { [name]: header }))
        assert.equal(made.status, 201, made.text)
        assert.deepEqual(made.body.canvas.steps[0].headers, { [name]: header })
        assert.equal((await headersOfCall(id))[0]?.[name], sent)
      })
    }

    const refused: readonly [title: string, header: object, more: object, message: RegExp][] = [
      ['unknown', { credential: 'nobody' }, {}, /credential must be the name of a credential of this workspace/],
      ['without a name', { scheme: 'basic' }, {}, /credential is missing; it must be the name of a credential/],
      ['with an unknown scheme', { credential: 'crm', scheme: 'digest' }, {}, /scheme must be one of/],
      ['with an unknown member', { credential: 'crm', password: 'x' }, {}, /password is not known here/],
      ['for another server', { credential: 'crm' }, { url: 'https://evil.example/' }, /for the origin of the URL/],
    ]
    for (const [title, header, more, message] of refused) {
      test(`a credential ${title} is refused`, async () => {
        await send('POST', '/admin/credentials', {
          ...{ name: 'crm', user_name: 'crm', password, origins: ['https://hooks.example.com'] },
        })
        const answer = await send('POST', '/admin/canvases', canvas(newId(), { 'X-Api-Key': header }, more))
        assert.equal(answer.status, 400, answer.text)
        assert.match(answer.body.message, message)
      })
    }

    test('a credential is not sent to another server to which Liquid leads', async () => {
      const [id, own] = [newId(), newId('credential')]
      await credential(own)
      const header = { 'X-Api-Key': { credential: own } }
      const made = await send('POST', '/admin/canvases', canvas(id, header, { url: 'https://{{"evil"}}.example/' }))
      assert.equal(made.status, 201, made.text)
      assert.deepEqual(await headersOfCall(id), [])
    })
  })
}
