import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { keyValueCharactersMax, shortened } from '../../src/workspace/audit/record.ts'
import { eventually } from '../support/eventually.ts'
import { drawDatabases } from '../support/harness.ts'
import type { Answer } from '../support/http-requests.ts'
import { mailedOf } from '../support/mailed-people.ts'
import { type Item, newId } from '../support/people.ts'

test('long values of a key are stored as their length and hash', () => {
  for (const length of [keyValueCharactersMax - 1, keyValueCharactersMax, keyValueCharactersMax + 1]) {
    const content = 'x'.repeat(length - 2)
    const { value } = shortened({ value: content }) as { value: unknown }
    if (length <= keyValueCharactersMax) assert.equal(value, content)
    else assert.deepEqual(Object.keys(value as object), ['characters', 'sha256'])
  }
})

for (const database of drawDatabases('admin-audit-keys')) {
  describe(`changes by API keys in the audit (${database})`, () => {
    const people = mailedOf(database, {})
    const rowsOf = async ({ headers }: Answer): Promise<Item[]> =>
      (await people.service.admin('GET', `/admin/audit?request_id=${headers['x-request-id']}`)).body.audit
    const send = async (method: string, path: string, body?: unknown): Promise<Answer> => {
      const answer = await people.service.send(method, path, body)
      assert.ok(answer.status < 300, answer.text)
      return answer
    }
    const told = async (answer: Answer) => {
      const rows = await rowsOf(answer)
      return rows.map(({ actor, action, kind, before, after }) => [(actor as Item).kind, kind, action, before, after])
    }

    test('content blocks and templates', async () => {
      const name = newId('block')
      const made = await send('POST', '/content_blocks/create', { name, content: 'Hello', state: 'draft' })
      const { content_block_id } = made.body
      const [row] = await rowsOf(made)
      assert.deepEqual(row?.target, { kind: 'content_block', id: content_block_id, name })
      const changed = await send('POST', '/content_blocks/update', { content_block_id, content: 'Bye' })
      assert.deepEqual(await told(changed), [
        ['key', 'change', 'content_block.update', { content: 'Hello' }, { content: 'Bye' }],
      ])
      const same = await send('POST', '/content_blocks/update', { content_block_id, content: 'Bye' })
      assert.deepEqual(await told(same), [], 'a write without a change has no row')
      const template = await send('POST', '/templates/email/create', {
        template_name: newId(),
        subject: 'One',
        body: 'x'.repeat(2 * keyValueCharactersMax),
      })
      const [[, , action, , after] = []] = await told(template)
      assert.deepEqual([action, (after as Item).subject], ['email_template.create', 'One'])
      assert.equal(((after as Item).body as Item).characters, 2 * keyValueCharactersMax + 2)
      const { email_template_id } = template.body
      const again = await send('POST', '/templates/email/update', { email_template_id, subject: 'Two' })
      assert.deepEqual(await told(again), [
        ['key', 'change', 'email_template.update', { subject: 'One' }, { subject: 'Two' }],
      ])
    })

    test('catalogs with their fields and selections, and counts of writes of items', async () => {
      const name = newId('catalog')
      const id = { name: 'id', type: 'string' }
      const size = { name: 'size', type: 'number' }
      const made = await send('POST', '/catalogs', { catalogs: [{ name, fields: [id] }] })
      assert.equal((await told(made))[0]?.[2], 'catalog.create')
      const more = await send('POST', `/catalogs/${name}/fields`, { fields: [size] })
      assert.deepEqual(await told(more), [
        ['key', 'change', 'catalog.update', { fields: [id] }, { fields: [id, size] }],
      ])
      const selection = {
        name: 'large',
        description: '',
        filters: [{ field: 'size', operator: 'greater than', value: 1 }],
      }
      const chosen = await send('POST', `/catalogs/${name}/selections`, { selection })
      assert.equal((await told(chosen))[0]?.[2], 'catalog_selection.create')
      const dropped = await send('DELETE', `/catalogs/${name}/selections/large`)
      assert.deepEqual((await told(dropped))[0]?.slice(2, 4), ['catalog_selection.delete', { name: 'large' }])
      const item = await send('POST', `/catalogs/${name}/items/a`, { items: [{ size: 2 }] })
      await eventually('the write of an item has a row', async () => (await rowsOf(item)).length > 0)
      assert.deepEqual((await told(item))[0]?.slice(0, 3), ['key', 'access', 'catalog_items.create'])
      const less = await send('DELETE', `/catalogs/${name}/fields/size`)
      assert.equal((await told(less))[0]?.[2], 'catalog.update')
      const gone = await send('DELETE', `/catalogs/${name}`)
      assert.equal((await told(gone))[0]?.[2], 'catalog.delete')
    })

    test('a refused write has no row', async () => {
      const answer = await people.service.post('/content_blocks/create', { name: newId() })
      assert.equal(answer.status, 400)
      assert.deepEqual(await rowsOf(answer), [])
    })
  })
}
