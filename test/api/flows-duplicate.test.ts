import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import { type Item, many, newId, peopleOf } from '../support/people.ts'
import { campaign, canvas, triggeredWorkspace } from '../support/triggers.ts'

const campaignsMax = 500

const kinds = [
  { kind: 'canvas', path: '/canvas/duplicate', id: 'secret', plural: 'canvases' },
  { kind: 'campaign', path: '/campaigns/duplicate', id: 'news', plural: 'campaigns' },
] as const

const call = { id: 'call', type: 'webhook', url: 'https://example.com/', headers: { 'X-Api-Key': 'of-the-shop' } }
const described = { description: 'All of it', tags: ['a', 'b'] }
const workspace = {
  ...triggeredWorkspace,
  canvases: [canvas('secret', { ...described, first: 'call', steps: [call] }), canvas('other')],
  campaigns: [campaign('news', described), campaign('other')],
}

for (const database of drawDatabases('flows-duplicate')) {
  describe(`copies of canvases and campaigns (${database})`, () => {
    const people = peopleOf(database, { workspace })

    for (const { kind, path, id, plural } of kinds) {
      const copy = (more: Item = {}) => people.service.post(path, { [`${kind}_id`]: id, name: newId('Copy'), ...more })
      const stored = async (of: string): Promise<Item> =>
        (await people.service.admin('GET', `/admin/${plural}/${of}`)).body[kind]

      test(`POST ${path} makes a draft with the same definition`, async () => {
        const name = newId('Copy')
        const answer = await copy({ name })
        assert.equal(answer.status, 202, answer.text)
        const { id: made, ...rest } = answer.body
        assert.deepEqual(rest, { message: 'success' })
        assert.deepEqual(await stored(made), { ...(await stored(id)), id: made, name, state: 'draft' })
        const { body } = await copy({ description: '', tag_names: [] })
        assert.deepEqual([(await stored(body.id)).description, (await stored(body.id)).tags], ['', []])
        const { body: again } = await copy({ [`${kind}_id`]: made, description: 'Mine', tag_names: ['c'] })
        const { description, tags } = await stored(again.id)
        assert.deepEqual([description, tags], ['Mine', ['c']])
        // A copy becomes active as any draft does, and the copied secret can be read then.
        const active = await people.service.admin('PATCH', `/admin/${plural}/${made}`, { state: 'active' })
        assert.equal(active.status, 200, active.text)
        assert.deepEqual(await stored(made), { ...(await stored(id)), id: made, name })
      })

      test(`POST ${path} refuses what it cannot copy`, async () => {
        const noun = kind === 'canvas' ? 'Canvas' : 'campaign'
        const unknown = `${kind}_id must be a string of the ${noun} api identifier`
        const taken = `'name' is taken: another ${kind} has it`
        const cases: readonly [more: Item, message: string | RegExp][] = [
          [{ [`${kind}_id`]: undefined }, unknown],
          [{ [`${kind}_id`]: 'nothing' }, unknown],
          [{ name: String((await stored('other')).name) }, taken],
          [{ name: undefined }, /^'name' is missing; it must be one line of 1 to 255 characters/],
          [{ name: ' a' }, /^'name' must be one line of 1 to 255 characters/],
          [{ name: 'n'.repeat(256) }, /^'name' must be/],
          [{ description: 'd'.repeat(1001) }, /^'description' must be at most 1000 characters/],
          [{ tag_names: many(51, (i) => `${i}`) }, /^'tag_names' must be a list of at most 50 different tags/],
          [{ tag_names: ['t'.repeat(256)] }, /^'tag_names\[0\]' must be 1 to 255 characters/],
        ]
        for (const [more, message] of cases) {
          const answer = await copy(more)
          assert.equal(answer.status, 400, `${JSON.stringify(more).slice(0, 100)}: ${answer.text}`)
          if (typeof message === 'string') assert.equal(answer.body.message, message)
          else assert.match(answer.body.message, message)
        }
        const accepted: readonly Item[] = [
          { name: newId().padEnd(254, 'n') },
          { name: newId().padEnd(255, 'n') },
          { description: 'd'.repeat(999), tag_names: many(49, (i) => `${i}`) },
          { description: 'd'.repeat(1000), tag_names: ['t'.repeat(255), ...many(49, (i) => `${i}`)] },
          { description: null, tag_names: null, extra: 1 },
        ]
        for (const more of accepted) assert.equal((await copy(more)).status, 202, JSON.stringify(more).slice(0, 100))
      })
    }

    test(`a workspace has at most ${campaignsMax} campaigns`, async () => {
      const name = 'full'
      const campaigns = many(campaignsMax - 2, (i) => campaign(`c${i}`, { state: 'draft' }))
      const { apps } = triggeredWorkspace
      const applied = await people.service.admin('POST', '/admin/apply', {
        workspace: { id: name, name },
        apps,
        campaigns,
      })
      assert.equal(applied.status, 200, applied.text)
      const made = await people.service.admin('POST', `/admin/keys?workspace=${name}`, {
        name,
        permissions: ['campaigns.duplicate'],
      })
      const statuses: number[] = []
      for (let i = 0; i < 3; i++) {
        const body = { campaign_id: 'c0', name: newId('Copy') }
        statuses.push((await people.service.post('/campaigns/duplicate', body, { key: made.body.key.key })).status)
      }
      assert.deepEqual(statuses, [202, 202, 400])
    })
  })
}
