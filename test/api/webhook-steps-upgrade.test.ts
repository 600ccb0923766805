import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import type { Db } from '../../src/base/db/db.ts'
import { raw, sql } from '../../src/base/db/sql.ts'
import { drawDatabases } from '../support/harness.ts'
import { newId, peopleOf } from '../support/people.ts'

/** The statement by which entries of earlier versions go on. */
const [upgrade] = /update entry [^;]*/.exec(
  readFileSync(new URL('../../migrations/0049_webhook_messages.sql', import.meta.url), 'utf8'),
)!

for (const database of drawDatabases('webhook-steps-upgrade')) {
  describe(`webhook steps after an upgrade (${database})`, () => {
    const keys: string[] = []
    let status = 503
    const fetcher = {
      async fetch(url: string, { headers = {} }: { headers?: Readonly<Record<string, string>> } = {}) {
        keys.push(headers['Idempotency-Key']!)
        return { status, headers: {}, body: Buffer.alloc(0), url }
      },
      close: async () => {},
    }
    let db: Db
    const opened = (own: Db) => {
      db = own
    }
    const people = peopleOf(database, { fetcher, opened, env: { EASEL_CLOCK: 'virtual' } })

    test('a person who waited for the answer of a webhook has it called again with the same key, and goes on', async () => {
      const id = newId()
      await people.set({ external_id: id })
      const tag = { id: 'tag', type: 'update_user', attributes: { called: true } }
      await people.service.admin('POST', '/admin/canvases', {
        ...{ id: 'call', name: 'Call', state: 'active', entry: { by: ['api'], again: 'always' }, first: 'hook' },
        steps: [{ id: 'hook', type: 'webhook', url: 'https://hooks.example.com/', next: 'tag' }, tag],
      })
      const recipients = [{ external_user_id: id }]
      const answer = await people.send('/canvas/trigger/send', { canvas_id: 'call', recipients })
      assert.equal(answer.status, 201, answer.text)
      await people.service.advance('PT1S')
      assert.equal(keys.length, 1)
      // As the version before this one left it: a call that failed once, and no message.
      await db.query(sql`delete from message where channel = 'webhook'`)
      await db.query(
        sql`update entry set state = 'calling', due_at = entered_at + interval '1 minute' where state = 'sending'`,
      )
      await db.query(raw(upgrade!))
      status = 200
      await people.service.advance('PT1S')
      assert.equal(keys.length, 2)
      assert.equal(new Set(keys).size, 1)
      const { custom_attributes } = await people.person(id, ['custom_attributes'])
      assert.deepEqual(custom_attributes, { called: true })
      const rows = await db.query<{ ended: string }>(sql`select ended from entry`)
      assert.deepEqual(rows, [{ ended: 'completed' }])
    })
  })
}
