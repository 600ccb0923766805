import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { drawDatabases, type Service, startService } from '../support/harness.ts'
import { many, newId } from '../support/people.ts'

const blocksMax = 1000

const including = (name: string) => `before {{content_blocks.$\{${name}}}} after`

for (const database of drawDatabases('content-blocks-list')) {
  describe(`many content blocks (${database})`, () => {
    let service: Service
    before(async () => {
      service = await startService({ database, env: { EASEL_CLOCK: 'virtual' } })
    })
    after(() => service[Symbol.asyncDispose]())

    const show = (id: string) => service.get(`/content_blocks/info?content_block_id=${id}`)
    const list = (query = '', key?: string) => service.get(`/content_blocks/list?${query}`, key ? { key } : {})

    const made = async (name: string): Promise<string> => {
      const { body } = await service.post('/content_blocks/create', { name, content: 'Hello' })
      return body.content_block_id
    }

    const refused = (answer: { status: number; body: { message: string } }, text: string) =>
      assert.deepEqual([answer.status, answer.body.message], [400, text])

    describe('list', () => {
      /** Creates a workspace with these blocks, one second after another, and a key for it. */
      const workspaceOf = async (count: number) => {
        const id = newId()
        await service.admin('POST', '/admin/workspace', { id, name: id })
        const permissions = ['content_blocks.list', 'content_blocks.create', 'content_blocks.update']
        const { body } = await service.admin('POST', `/admin/keys?workspace=${id}`, { name: 'Client', permissions })
        const { key } = body.key
        const names = many(count, (i) => `b${i}`)
        const times: string[] = []
        for (const name of names) {
          await service.advance('PT1S')
          const created = await service.post('/content_blocks/create', { name, content: `<b>${name}</b>` }, { key })
          times.push(created.body.created_at)
        }
        const listed = async (query: string): Promise<string[]> =>
          (await list(query, key)).body.content_blocks.map(({ name }: { name: string }) => name)
        return { id, key, names, times, listed }
      }

      test('lists the blocks of a workspace page by page, oldest first', async () => {
        const { names, key, listed } = await workspaceOf(4)
        const { status, body } = await list('', key)
        assert.equal(status, 200)
        assert.deepEqual(Object.keys(body), ['count', 'content_blocks', 'message'])
        assert.equal(body.count, 4)
        const [first] = body.content_blocks
        assert.deepEqual(Object.keys(first), [
          ...['content_block_id', 'name', 'content_type', 'liquid_tag', 'inclusion_count', 'created_at', 'last_edited'],
          'tags',
        ])
        assert.deepEqual([first.name, first.content_type], ['b0', 'html'])
        assert.deepEqual(await listed(''), names)
        assert.deepEqual(await listed('limit=2'), names.slice(0, 2))
        assert.deepEqual(await listed('limit=2&offset=1'), names.slice(1, 3))
        assert.deepEqual(await listed('offset=0&limit='), names)
        assert.deepEqual(await listed('offset=4'), [])
        assert.equal((await list('limit=2&offset=3', key)).body.count, 1)
      })

      test('lists the blocks that were updated between two times, both included', async () => {
        const { names, times, listed } = await workspaceOf(3)
        const at = (i: number) => encodeURIComponent(times[i]!)
        assert.deepEqual(await listed(`modified_after=${at(1)}`), names.slice(1))
        assert.deepEqual(await listed(`modified_before=${at(1)}`), names.slice(0, 2))
        assert.deepEqual(await listed(`modified_after=${at(1)}&modified_before=${at(1)}`), [names[1]])
        assert.deepEqual(await listed('modified_before=2001-01-01'), [])
        assert.deepEqual(await listed('modified_after=2001-01-01T00:00:00.000000'), names)
      })

      test('refuses invalid parameters with the texts of the interface', async () => {
        const refusals: readonly [query: string, text: string][] = [
          ['modified_after=soon', 'Modified after time is invalid'],
          ['modified_after=2020-02-30', 'Modified after time is invalid'],
          ['modified_before=soon', 'Modified before time is invalid'],
          [
            'modified_after=2020-01-02&modified_before=2020-01-01',
            'Modified after time must be earlier than or the same as modified before time.',
          ],
          ['limit=many', 'Content Block number limit is invalid'],
          ['limit=1.5', 'Content Block number limit is invalid'],
          ['limit=0', 'Content Block number limit must be greater than 0'],
          ['limit=-1', 'Content Block number limit must be greater than 0'],
          ['limit=1001', 'Content Block number limit exceeds maximum of 1000'],
          ['offset=a', 'Offset is invalid'],
          ['offset=-1', 'Offset must be greater than 0'],
          ['modified_after=x&limit=0&offset=-1', 'Modified after time is invalid'],
        ]
        for (const [query, text] of refusals) refused(await list(query), text)
        for (const query of ['limit=999', 'limit=1000', 'limit=1']) assert.equal((await list(query)).status, 200)
      })

      test('a workspace can have 1000 blocks, not 1001', async () => {
        const { id, key } = await workspaceOf(0)
        const content_blocks = many(blocksMax - 1, (i) => ({ name: `f${i}`, content: including(`f${i + 1}`) }))
        await service.admin('POST', `/admin/apply?workspace=${id}`, { content_blocks })
        const one = (name: string) => service.post('/content_blocks/create', { name, content: 'a' }, { key })
        assert.equal((await list('limit=1000', key)).body.count, blocksMax - 1)
        assert.equal((await list('', key)).body.count, 100)
        assert.equal((await one('last')).status, 201)
        refused(await one('more'), 'There are at most 1000 Content Blocks in a workspace')
        const { content_block_id } = (await list('limit=1', key)).body.content_blocks[0]
        assert.equal(
          (await service.post('/content_blocks/update', { content_block_id, content: 'b' }, { key })).status,
          201,
        )
      })
    })

    describe('in the workspace file', () => {
      const asAdmin = (body: unknown, path = '/admin/apply') =>
        service.send('POST', path, body, { key: service.adminToken })

      test('a block is created and changed, and the same file again changes nothing', async () => {
        const entry = { id: newId(), name: newId('file'), content: 'Hello {{${first_name}}}', tags: ['a'] }
        const { changes } = (await asAdmin({ content_blocks: [entry] })).body
        assert.deepEqual(changes[0].after, { ...entry, description: '', state: 'active' })
        assert.deepEqual((await asAdmin({ content_blocks: [entry] })).body.changes, [])
        const changed = { name: entry.name, content: 'Bye', description: 'Short' }
        await asAdmin({ content_blocks: [changed] })
        const { body } = await service.admin('GET', `/admin/content_blocks/${entry.id}`)
        assert.deepEqual(body.content_block, { id: entry.id, tags: ['a'], state: 'active', ...changed })
        assert.equal((await show(entry.id)).body.content, 'Bye')
        const gone = await service.send('DELETE', `/admin/content_blocks/${entry.id}`, undefined, {
          key: service.adminToken,
        })
        assert.ok(gone.status < 300)
        refused(await show(entry.id), 'Content Block ID is invalid for this workspace')
      })

      test('errors are returned with their path', async () => {
        const [a, b, active] = [newId('a'), newId('b'), newId('active')]
        const id = await made(active)
        const mistakes = async (...content_blocks: unknown[]): Promise<string[]> => {
          const { status, body } = await asAdmin({ content_blocks }, '/admin/apply?plan=true')
          assert.equal(status, 400)
          return body.errors.map(({ path, message }: { path: string; message: string }) => `${path} ${message}`)
        }
        const malformed = await mistakes({ name: a, content: 'a\n {{ b' })
        assert.match(malformed[0]!, /^content_blocks\[0\]\.content contains malformed liquid at line 2, column 2: /)
        assert.deepEqual(await mistakes({ name: a, content: including(b) }, { name: b, content: including(a) }), [
          `content_blocks[0].content includes itself: ${a} -> ${b} -> ${a}`,
          `content_blocks[1].content includes itself: ${b} -> ${a} -> ${b}`,
        ])
        assert.match(
          (await mistakes({ id, name: a, content: 'a' }))[0]!,
          /^content_blocks\[0\]\.name .*cannot be updated/,
        )
        assert.match(
          (await mistakes({ id, name: active, content: 'a', state: 'draft' }))[0]!,
          /^content_blocks\[0\]\.state .*can not be updated to Draft/,
        )
        assert.match((await mistakes({ name: 'a b', content: 'a' }))[0]!, /^content_blocks\[0\]\.name must be 1 to 99/)
        assert.match((await mistakes({ name: a, content: '' }))[0]!, /^content_blocks\[0\]\.content must be text/)
        assert.match((await mistakes({ name: a, content: 'x'.repeat(51_200) }))[0]!, /content must be text/)
      })
    })
  })
}
