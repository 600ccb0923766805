import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import { letter, sendingWorkspace } from '../support/messages.ts'
import { many, peopleOf } from '../support/people.ts'

const group = '/admin/subscription_groups'
const dayMs = 86_400_000
const staleText = /has changed since you read it/

for (const database of drawDatabases('admin-etags')) {
  describe(`ETags of /admin (${database})`, () => {
    const people = peopleOf(database, { workspace: sendingWorkspace })
    const request = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
      people.service.send(method, path, body, { key: people.service.adminToken, headers })
    const tagOf = async (path: string) => String((await request('GET', path)).headers.etag)
    const newGroup = async (name: string) => {
      const { body } = await request('POST', group, { name, channel: 'email' })
      return `${group}/${body.subscription_group.id}`
    }

    test('a read of one thing has a tag, and answers 304 while it is the same', async () => {
      await people.set({ external_id: 'ann', plan: 'gold' })
      const { people: found } = (await request('GET', '/admin/people/search?q=ann')).body
      const { audit: entries } = (await request('GET', '/admin/audit')).body
      const schedule = { time: new Date(Date.now() + dayMs).toISOString() }
      const order = { ...letter({ external_user_ids: ['ann'] }), schedule }
      const { dispatch_id } = (await people.service.post('/messages/schedule/create', order)).body
      const paths = [
        `/admin/dispatches/${dispatch_id}`,
        `/admin/people/${found[0].id}`,
        `/admin/audit/${entries[0].id}`,
        '/admin/settings',
      ]
      for (const path of [...paths, await newGroup('Read')]) {
        const tag = await tagOf(path)
        assert.match(tag, /^"[\w-]{43}"$/, path)
        for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
          const { status, text, headers } = await request('GET', path, undefined, { 'If-None-Match': known })
          assert.deepEqual([status, text, headers.etag], [304, '', tag], `${path} ${known}`)
        }
        const { status } = await request('GET', path, undefined, { 'If-None-Match': '"other"' })
        assert.equal(status, 200)
      }
      const [, person] = paths
      const before = await tagOf(person!)
      await people.set({ external_id: 'ann', plan: 'silver' })
      assert.notEqual(await tagOf(person!), before)
    })

    test('a change of what was read is made, and the answer has the next tag', async () => {
      const path = await newGroup('Mine')
      const { status, headers } = await request('PATCH', path, { name: 'Ours' }, { 'If-Match': await tagOf(path) })
      assert.deepEqual([status, headers.etag], [200, await tagOf(path)])
      const changed = await request('PATCH', path, { name: 'Theirs' }, { 'If-Match': String(headers.etag) })
      assert.equal(changed.status, 200)
    })

    test('a change of what somebody else has changed is 412 and has no effect', async () => {
      const path = await newGroup('Before')
      const read = await tagOf(path)
      assert.equal((await request('PATCH', path, { name: 'Between' })).status, 200)
      const { status, text } = await request('PATCH', path, { name: 'After' }, { 'If-Match': read })
      assert.equal(status, 412, text)
      assert.match(text, staleText)
      assert.equal((await request('GET', path)).body.subscription_group.name, 'Between')

      const settings = await tagOf('/admin/settings')
      await request('PATCH', '/admin/settings', { attachments_max: 7 })
      const refused = await request('PATCH', '/admin/settings', { attachments_max: 8 }, { 'If-Match': settings })
      assert.equal(refused.status, 412)
      assert.equal((await request('GET', '/admin/settings')).body.set.attachments_max, 7)
    })

    test('changes of different properties at the same time are all kept', async () => {
      const path = await newGroup('Together')
      for (const [i, name] of many(6, (n) => `Together ${n}`).entries()) {
        const archived = i % 2 === 0
        const answers = await Promise.all([request('PATCH', path, { name }), request('PATCH', path, { archived })])
        for (const { status, text } of answers) assert.equal(status, 200, text)
        const { subscription_group: kept } = (await request('GET', path)).body
        assert.deepEqual([kept.name, kept.archived], [name, archived])
      }
    })
  })
}
