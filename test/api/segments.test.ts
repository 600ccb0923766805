import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { drawDatabases, type RequestOptions } from '../support/harness.ts'
import { dayMs, type Item, many, newId, peopleOf } from '../support/people.ts'

const plan = (value: string) => ({ custom_attribute: { custom_attribute_name: 'plan', comparison: 'equals', value } })
const named = (segment_id: string) => ({ segment: { segment_id } })

const unknown = 'segment_id must be a string of the Segment api identifier'

type Listed = {
  readonly id: string
  readonly name: string
  readonly analytics_tracking_enabled: boolean
  readonly tags: readonly string[]
}
type Size = { readonly time: string; readonly size: number }

type Sent = {
  readonly method: string
  readonly path: string
  readonly body: Item | null
  readonly real_status: number | null
}
type Recorded = Pick<Sent, 'method' | 'path'> & {
  readonly status: number
  readonly response: { readonly segments: readonly Listed[] }
}

function readWire<T extends { readonly path: string }>(file: string): [index: number, each: T][] {
  const all = JSON.parse(readFileSync(join(import.meta.dirname, '../wire', file), 'utf8')) as T[]
  return [...all.entries()].filter(([, { path }]) => path.startsWith('/segments/'))
}

for (const database of drawDatabases('segments')) {
  describe(`segments (${database})`, () => {
    const people = peopleOf(database, { env: { EASEL_CLOCK: 'virtual' } })

    const make = async (more: Item = {}) => {
      const { body } = await people.service.admin('POST', '/admin/segments', {
        name: newId('Segment'),
        audience: plan(newId('plan')),
        ...more,
      })
      return body.segment as Listed & { description: string; audience: object }
    }

    /** Creates a workspace with these segments, each a second younger than the one before, and a key for it. */
    const workspaceOf = async (segments: readonly Item[]) => {
      const id = newId()
      await people.service.admin('POST', '/admin/workspace', { id, name: id })
      for (const segment of segments) {
        await people.service.admin('POST', `/admin/segments?workspace=${id}`, { ...segment, audience: plan('x') })
        await people.service.advance('PT1S')
      }
      const permissions = ['segments.list', 'segments.details', 'segments.data_series']
      const { body } = await people.service.admin('POST', `/admin/keys?workspace=${id}`, {
        name: 'Client',
        permissions,
      })
      return { workspace: id, key: body.key.key as string }
    }

    const now = async () => Date.parse((await people.service.admin('GET', '/admin/clock')).body.now)
    const today = async () => new Date(await now()).toISOString().slice(0, 10)

    const list = async (query = '', key: RequestOptions = {}): Promise<readonly Listed[]> => {
      const { status, body, text } = await people.service.get(`/segments/list${query}`, key)
      assert.equal(status, 200, text)
      assert.equal(body.message, 'success')
      return body.segments
    }
    const series = async (query: Item): Promise<readonly Size[]> => {
      const text = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
      const answer = await people.service.get(`/segments/data_series?${text.join('&')}`)
      assert.equal(answer.status, 200, answer.text)
      return answer.body.data
    }

    describe('GET /segments/list', () => {
      test('has the recorded shape, oldest first unless requested otherwise', async () => {
        const made = []
        for (const more of [{ tags: ['a'] }, { analytics_tracking_enabled: false }]) {
          await people.service.advance('PT1S')
          const { id, name, analytics_tracking_enabled, tags } = await make(more)
          made.push({ id, name, analytics_tracking_enabled, tags })
        }
        assert.deepEqual((await list()).slice(-2), made)
        assert.deepEqual((await list('?')).slice(-2), made)
        assert.deepEqual((await list('?sort_direction=asc')).slice(-2), made)
        assert.deepEqual((await list('?page=0&sort_direction=desc')).slice(0, 2), made.toReversed())
        assert.deepEqual(Object.keys((await list())[0]!), ['id', 'name', 'analytics_tracking_enabled', 'tags'])
      })

      test('returns 100 segments on a page', async () => {
        const client = await workspaceOf([])
        const segments = many(201, (i) => ({
          name: `Page ${i}`,
          audience: plan('x'),
          analytics_tracking_enabled: false,
        }))
        await people.service.admin('POST', `/admin/apply?workspace=${client.workspace}`, { segments })
        const page = async (query: string) => list(query, client)
        const pages = [await page(''), await page('?page=1'), await page('?page=2'), await page('?page=3')]
        assert.deepEqual(
          pages.map((each) => each.length),
          [100, 100, 1, 0],
        )
        assert.equal(new Set(pages.flat().map(({ id }) => id)).size, 201)
        const backwards = [await page('?sort_direction=desc'), await page('?sort_direction=desc&page=1')].flat()
        assert.deepEqual(backwards, pages.flat().toReversed().slice(0, 200))
        assert.deepEqual(await page('?page=999999999'), [])
      })

      test('refuses an invalid page or direction', async () => {
        for (const text of ['-1', '1.5', 'x', '9999999999']) {
          const { status, body } = await people.service.get(`/segments/list?page=${text}`)
          assert.deepEqual([status, body], [400, { message: "'page' is not valid" }])
        }
        const { status, body } = await people.service.get('/segments/list?sort_direction=up')
        assert.deepEqual([status, body], [400, { message: "'sort_direction' is not valid" }])
      })
    })

    describe('GET /segments/details', () => {
      test('describes a segment in words', async () => {
        const madeAt = new Date(await now()).toISOString()
        const segment = await make({ description: 'Who pays', tags: ['a'], audience: plan('gold') })
        await people.service.advance('PT1H')
        await people.service.admin('PATCH', `/admin/segments/${segment.id}`, { tags: ['b'] })
        const answer = await people.service.get(`/segments/details?segment_id=${segment.id}`)
        assert.equal(answer.status, 200, answer.text)
        assert.deepEqual(answer.body, {
          created_at: madeAt,
          updated_at: new Date(await now()).toISOString(),
          name: segment.name,
          description: 'Who pays',
          text_description: '`plan` is `gold`',
          tags: ['b'],
          teams: [],
          message: 'success',
        })
      })

      test('returns the name of a segment that another one names', async () => {
        const inner = await make()
        const outer = await make({ audience: named(inner.id) })
        const { body } = await people.service.get(`/segments/details?segment_id=${outer.id}`)
        assert.ok(body.text_description.includes(inner.name), body.text_description)
      })

      test('refuses an unknown id', async () => {
        for (const query of ['', '?segment_id=', '?segment_id=nobody', '?segment_id=%00', '?segment_id=%ED%A0%80']) {
          const { status, body } = await people.service.get(`/segments/details${query}`)
          assert.deepEqual([status, body], [400, { message: unknown }], query)
        }
      })
    })

    describe('/segments/data_series', () => {
      test('returns the size of each measured day, and of the present day as of now', async () => {
        const value = newId()
        const { id } = await make({ audience: plan(value) })
        const first = await today()
        assert.deepEqual(await series({ segment_id: id, length: 1 }), [{ time: first, size: 0 }])
        await people.set({ external_id: newId(), plan: value }, { external_id: newId(), plan: value })
        await people.service.advance('P1D')
        await people.set({ external_id: newId(), plan: value })
        await people.service.advance('P3D')
        const days = [first, ...[1, 4].map((n) => new Date(Date.parse(first) + n * dayMs).toISOString().slice(0, 10))]
        const sizes = days.map((time, i) => ({ time, size: i === 0 ? 2 : 3 }))
        assert.deepEqual(await series({ segment_id: id, length: 5 }), sizes)
        assert.deepEqual(await series({ segment_id: id, length: 4, unit: 'day' }), sizes.slice(1))
        assert.deepEqual(await series({ segment_id: id, length: 3, ending_at: `${first}T23:59:59+00:00` }), [sizes[0]])
        assert.deepEqual(await series({ segment_id: id, length: 100, ending_at: '2999-01-01' }), sizes)
        assert.deepEqual(await series({ segment_id: id, length: 100, ending_at: '0000-01-01' }), [])
        const posted = await people.service.post('/segments/data_series', { segment_id: id, length: 7, unit: 'day' })
        assert.equal(posted.status, 201)
        assert.deepEqual(posted.body, { data: sizes, message: 'success' })
      })

      test('counts days in the time zone of the workspace, and accepts offsets in every form of clients', async () => {
        await people.service.admin('PATCH', '/admin/settings', { time_zone: 'Pacific/Kiritimati' })
        const { id } = await make()
        const there = new Date((await now()) + 14 * 3_600_000).toISOString().slice(0, 10)
        assert.deepEqual(await series({ segment_id: id, length: 1 }), [{ time: there, size: 0 }])
        // The last minute of the day there is 09:59 of the same day in UTC.
        assert.deepEqual(await series({ segment_id: id, length: 1, ending_at: `${there}T04:59:00-5:00` }), [
          { time: there, size: 0 },
        ])
        const unencoded = await people.service.get(
          `/segments/data_series?segment_id=${id}&length=1&ending_at=${there}T23:59:00+14:00`,
        )
        assert.deepEqual(unencoded.body.data, [{ time: there, size: 0 }])
        await people.service.admin('DELETE', '/admin/settings/time_zone')
      })

      test('returns nothing for a segment without analytics tracking', async () => {
        const { id } = await make({ analytics_tracking_enabled: false })
        assert.deepEqual(await series({ segment_id: id, length: 5 }), [])
        await people.service.advance('P1D')
        assert.deepEqual(await series({ segment_id: id, length: 5 }), [])
      })

      test('loses the sizes of a deleted segment', async () => {
        const { id, name, audience } = await make()
        assert.equal((await series({ segment_id: id, length: 1 })).length, 1)
        await people.service.advance('P1D')
        await people.service.admin('DELETE', `/admin/segments/${id}`)
        await make({ id, name, audience })
        assert.equal((await series({ segment_id: id, length: 100 })).length, 1)
      })

      test('refuses invalid parameters, in a query and in a body', async () => {
        const { id } = await make()
        const length = "'length' must be a whole number from 1 to 100"
        const bad: readonly [Item, string][] = [
          [{ length: 1 }, unknown],
          [{ segment_id: 'nobody', length: 1 }, unknown],
          [{ segment_id: id }, length],
          [{ segment_id: id, length: 0 }, length],
          [{ segment_id: id, length: 101 }, length],
          [{ segment_id: id, length: 1.5 }, length],
          [{ segment_id: id, length: 'week' }, length],
          [{ segment_id: id, length: 1, unit: 'hour' }, "'unit' must be day"],
          [{ segment_id: id, length: 1, ending_at: 'today' }, "'ending_at' is not valid"],
        ]
        for (const [asked, message] of bad) {
          const query = new URLSearchParams(Object.entries(asked).map(([name, value]) => [name, String(value)]))
          const got = await people.service.get(`/segments/data_series?${query}`)
          assert.deepEqual([got.status, got.body], [400, { message }], JSON.stringify(asked))
          await people.refused('/segments/data_series', asked, message)
        }
        for (const each of [99, 100]) assert.equal((await series({ segment_id: id, length: each })).length, 1)
        for (const segment_id of [5, null, {}, [], '\u0000', '\ud800', 'x'.repeat(100_000)]) {
          await people.refused('/segments/data_series', { segment_id, length: 1 }, unknown)
        }
        for (const more of [{ length: [] }, { length: {} }, { length: null }]) {
          await people.refused('/segments/data_series', { segment_id: id, ...more }, length)
        }
        for (const ending_at of [5, {}, [], '\u0000', '\ud800', 'x'.repeat(100_000)]) {
          await people.refused(
            '/segments/data_series',
            { segment_id: id, length: 1, ending_at },
            "'ending_at' is not valid",
          )
        }
        await people.refused('/segments/data_series', [], 'The request body must be an object')
      })
    })

    test('a segment belongs to its workspace only', async () => {
      const { id } = await make()
      const other = newId()
      await people.service.admin('POST', '/admin/workspace', { id: other, name: other })
      const there = `/admin/segments?workspace=${other}`
      assert.deepEqual((await people.service.admin('GET', there)).body.segments, [])
      await people.service.admin('POST', there, { id, name: 'The same id', audience: plan('x') })
      assert.ok(!(await list()).some(({ name }) => name === 'The same id'))
      assert.equal((await people.service.admin('GET', `/admin/segments/${id}/count?workspace=${other}`)).body.count, 0)
    })

    describe('requests of existing clients', () => {
      test('are answered as the contract says', async () => {
        const client = await workspaceOf([
          { id: 'segment_api_identifier', name: 'One' },
          { id: 'segment123', name: 'Two' },
        ])
        const expected: Readonly<Record<number, number>> = {
          112: 400, // a placeholder as id
          113: 200,
          114: 201,
          115: 400, // a placeholder as id
          116: 200,
          117: 400, // no id
          118: 200,
          119: 200,
          120: 200,
          121: 200,
          122: 200,
        }
        const sent = readWire<Sent>('requests.json')
        assert.deepEqual(
          sent.map(([index]) => index),
          Object.keys(expected).map(Number),
        )
        for (const [index, { method, path, body, real_status }] of sent) {
          const answer = await people.service.send(method, path, body ?? undefined, client)
          assert.equal(answer.status, expected[index], `${index}: ${answer.text}`)
          assert.equal(answer.body.message, answer.status === 400 ? unknown : 'success', `${index}: ${answer.text}`)
          if (real_status !== null) assert.equal(answer.status, real_status)
        }
      })

      test('a service gives the recorded answers', async () => {
        for (const [index, { path, status, response }] of readWire<Recorded>('recorded-responses.json')) {
          // Both published ids of 78 and 79 are one word, and not ids.
          const isOld = index === 78 || index === 79
          const client = await workspaceOf(
            response.segments.map(({ id, ...segment }) => (isOld ? segment : { id, ...segment })),
          )
          const answer = await people.service.get(path, client)
          assert.equal(answer.status, status)
          // This answer is from 2015, before tags existed.
          const wanted = response.segments.map((each) => (isOld ? { ...each, id: '', tags: [] } : each))
          const got = (answer.body.segments as Listed[]).map((each) => (isOld ? { ...each, id: '' } : each))
          assert.deepEqual({ ...answer.body, segments: got }, { ...response, segments: wanted }, String(index))
        }
      })
    })
  })
}
