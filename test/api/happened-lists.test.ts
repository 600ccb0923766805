import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { cursorPageMax, namesPageMax } from '../../src/people/lists/schema.ts'
import { drawDatabases } from '../support/harness.ts'
import { apps, type Item, many, newId, peopleOf } from '../support/people.ts'

type Names = { readonly events: readonly string[]; readonly products: readonly string[] }
type Listed = { readonly events: readonly { readonly name: string }[] }

const time = '2026-01-02T03:04:05Z'
const numbered = (count: number) => many(count, (i) => `name ${String(i).padStart(4, '0')}`)

for (const database of drawDatabases('happened-lists')) {
  describe(`lists of events and products (${database})`, () => {
    const people = peopleOf(database)

    /** Creates a workspace and returns how to read it with a key. */
    const workspaceOf = async (permissions: readonly string[]) => {
      const id = newId()
      await people.service.admin('POST', '/admin/workspace', { id, name: id })
      const { body } = await people.service.admin('POST', `/admin/keys?workspace=${id}`, {
        name: 'Client',
        permissions,
      })
      const options = { key: body.key.key as string }
      return {
        get: (path: string) => people.service.get(path, options),
        track: async (body: Item) => {
          const answer = await people.service.post('/users/track', body, options)
          assert.equal(answer.status, 201, answer.text)
        },
      }
    }

    test('pages have 250 names, in order and in reverse, and end', async () => {
      const { get, track } = await workspaceOf(['users.track', 'events.list', 'purchases.product_list'])
      const read = async (path: string) => (await get(path)).body as unknown as Names
      assert.deepEqual((await read('/events/list')).events, [])
      const names = numbered(namesPageMax + 1)
      const shuffled = names.toReversed()
      for (let i = 0; i < names.length; i += 50) {
        const external_id = newId()
        await track({
          events: shuffled.slice(i, i + 50).map((name) => ({ external_id, name, time })),
          purchases: [],
        })
      }
      await track({
        purchases: ['b', 'a'].map((product_id) => ({
          external_id: newId(),
          product_id,
          currency: 'EUR',
          price: 1,
          time,
        })),
      })
      assert.deepEqual((await read('/events/list')).events, names.slice(0, namesPageMax))
      assert.deepEqual((await read('/events/list?page=1')).events, names.slice(namesPageMax))
      assert.deepEqual((await read('/events/list?page=2')).events, [])
      assert.deepEqual((await read('/events/list?page=0&sort_direction=desc')).events, shuffled.slice(0, namesPageMax))
      assert.deepEqual((await read('/purchases/product_list')).products, ['a', 'b'])
      assert.deepEqual((await read('/purchases/product_list?page=1')).products, [])
    })

    test('the header Link leads through all events, forward and back', async () => {
      for (const count of [cursorPageMax, cursorPageMax + 1]) {
        const { get, track } = await workspaceOf(['users.track', 'events.list'])
        const names = numbered(count)
        for (let i = 0; i < count; i += 50) {
          await track({ events: names.slice(i, i + 50).map((name) => ({ external_id: newId(), name, time })) })
        }
        const found: string[] = []
        let path: string | undefined = '/events'
        let last = path
        while (path !== undefined) {
          const { status, headers, body, text } = await get(path)
          assert.equal(status, 200, text)
          found.push(...(body as unknown as Listed).events.map(({ name }) => name))
          last = path
          path = linkIn(headers.link, 'next')
          if (path === undefined && last !== '/events') assert.equal(linkIn(headers.link, 'prev') !== undefined, true)
        }
        assert.deepEqual(found, names)
        assert.equal(last !== '/events', count > cursorPageMax)
      }
    })

    test('wrong pages and cursors are refused, and keys need the permission', async () => {
      const { get } = await workspaceOf(['events.list'])
      const refused: Record<string, string> = {
        '/events/list?page=-1': "'page' is not valid",
        '/events/list?sort_direction=up': "'sort_direction' is not valid",
        '/events?cursor=x': 'Invalid cursor',
      }
      for (const [path, message] of Object.entries(refused)) {
        const { status, body } = await get(path)
        assert.deepEqual([status, body.message], [400, message], path)
      }
      assert.equal((await get('/purchases/product_list')).status, 403)
    })

    test('what Easel does not have is an empty list', async () => {
      const cards = await people.get('/feed/list?page=1&include_archived=true&sort_direction=desc')
      assert.deepEqual([cards.status, cards.body], [200, { cards: [], message: 'success' }])
      const keys = await people.get(`/app_group/sdk_authentication/keys?app_id=${apps.phone.id}`)
      assert.deepEqual([keys.status, keys.body], [200, { keys: [], message: 'success' }])
      const refused: Record<string, string> = {
        '/feed/details?card_id=one': "There is no card with this 'card_id'",
        '/feed/data_series?card_id=one&length=14': "There is no card with this 'card_id'",
        '/feed/details': "'card_id' is required",
        '/app_group/sdk_authentication/keys': "'app_id' must be the id of an app of the workspace",
        '/app_group/sdk_authentication/keys?app_id=none': "'app_id' must be the id of an app of the workspace",
        '/feed/list?page=x': "'page' is not valid",
      }
      for (const [path, message] of Object.entries(refused)) {
        const { status, body } = await people.get(path)
        assert.deepEqual([status, body.message], [400, message], path)
      }
    })
  })
}

function linkIn(header: unknown, relation: string): string | undefined {
  return new RegExp(`<([^>]*)>; rel="${relation}"`).exec(String(header ?? ''))?.[1]
}
