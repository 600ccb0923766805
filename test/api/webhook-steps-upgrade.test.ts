import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
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
    // Before the service ends: another test gets the database.
    after(() =>
      db.query(sql`
      alter table entry add constraint entry_state_check check (state in ('arriving', 'waiting', 'listening', 'sending', 'ended'))`),
    )
    const people = peopleOf(database, { fetcher, opened, env: { EASEL_CLOCK: 'virtual' } })

    /** Lets a person come to a webhook, and leaves the entry as the version before this one did: one call failed, and no message. */
    const callOnce = async (canvas: string): Promise<string> => {
      const id = newId()
      await people.set({ external_id: id })
      const tag = { id: 'tag', type: 'update_user', attributes: { called: true } }
      await people.service.admin('POST', '/admin/canvases', {
        ...{ id: canvas, name: canvas, state: 'active', entry: { by: ['api'], again: 'always' }, first: 'hook' },
        steps: [{ id: 'hook', type: 'webhook', url: 'https://hooks.example.com/', next: 'tag' }, tag],
      })
      keys.length = 0
      status = 503
      const answer = await people.send('/canvas/trigger/send', {
        canvas_id: canvas,
        recipients: [{ external_user_id: id }],
      })
      assert.equal(answer.status, 201, answer.text)
      await people.service.advance('PT1S')
      const [{ entry_id } = { entry_id: '' }] = await db.query<{ entry_id: string }>(
        sql`select entry_id from entry where state = 'sending'`,
      )
      // The key as that version made it.
      assert.deepEqual(keys, [`${entry_id}-hook-1`])
      await db.query(sql`delete from message where channel = 'webhook'`)
      await db.query(
        sql`update entry set state = 'calling', due_at = entered_at + interval '1 minute' where state = 'sending'`,
      )
      status = 200
      return id
    }
    const isCalled = async (id: string) => {
      const { custom_attributes } = await people.person(id, ['custom_attributes'])
      return (custom_attributes as Record<string, unknown> | undefined)?.called === true
    }
    const endOf = async () => {
      const rows = await db.query<{ ended: string | null }>(
        sql`select ended from entry order by entered_at desc limit 1`,
      )
      return rows[0]?.ended
    }
    before(() => db.query(sql`alter table entry drop constraint entry_state_check`))

    test('a person who waited for the answer of a webhook has it called again with the same key, and goes on', async () => {
      const id = await callOnce('call')
      await db.query(raw(upgrade!))
      await people.service.advance('PT1S')
      assert.equal(keys.length, 2)
      assert.equal(new Set(keys).size, 1)
      assert.deepEqual([await isCalled(id), await endOf()], [true, 'completed'])
    })

    test('a person of a paused canvas waits until it is resumed', async () => {
      const id = await callOnce('paused')
      await people.service.admin('POST', '/admin/canvases/paused/pause')
      await people.service.advance('PT1H')
      await db.query(raw(upgrade!))
      await people.service.advance('PT1H')
      assert.deepEqual([keys.length, await isCalled(id)], [1, false])
      const [entry] = await db.query<{ state: string }>(sql`select state from entry where ended_at is null`)
      assert.equal(entry!.state, 'arriving')
      await people.service.admin('POST', '/admin/canvases/paused/resume')
      await people.service.advance('PT1S')
      assert.equal(keys.length, 2)
      assert.equal(new Set(keys).size, 1)
      assert.deepEqual([await isCalled(id), await endOf()], [true, 'completed'])
    })
  })
}
