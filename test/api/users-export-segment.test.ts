import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { temporaryFolder } from '../fault/folders.ts'
import { testPostgres } from '../servers/postgres.ts'
import {
  download,
  type Entry,
  filesIn,
  objectsAmong,
  openListener,
  overOf,
  pathOf,
  segmentOf,
} from '../support/exports.ts'
import { databases, drawDatabases, startService } from '../support/harness.ts'
import { type Answer, event, type Item, many, newId, only, peopleOf, purchase, workspace } from '../support/people.ts'

const path = '/users/export/segment'
const noSegment = 'segment_id must be a string of the Segment api identifier'
const texts = {
  segment: "'segment_id' is required",
  endpoint: "'callback_endpoint' must be an http or https URL without credentials",
  longEndpoint: "'callback_endpoint' must be at most 2048 characters",
  fields: "'fields_to_export' is required and must be an array of strings",
  attributes: "'custom_attributes_to_export' must be an array of strings",
  manyAttributes: "'custom_attributes_to_export' may name at most 500 custom attributes",
  format: "'output_format' must be zip or gzip",
  already: 'An export of this segment is already in progress',
}
const publicUrl = 'https://easel.example/base'
const crowd = 5_001
const fields_to_export = ['external_id']

const listener = await openListener()
after(() => listener.close())

for (const database of drawDatabases('users-export-segment')) {
  describe(`POST ${path} (${database})`, () => {
    const segments = [
      segmentOf('gold', 'plan', 'gold'),
      segmentOf('nobody', 'plan', 'none'),
      segmentOf('crowd', 'place', -1, 'greater_than'),
      ...many(3, (i) => segmentOf(`other-${i}`, 'plan', 'gold')),
    ]
    const env = { PUBLIC_URL: publicUrl, EASEL_FETCH_ALLOW: `127.0.0.1:${listener.port}` }
    const people = peopleOf(database, { workspace: { ...workspace, segments }, env })

    const send = (body: Item) => people.send(path, { fields_to_export, ...body })

    const listed = async (query = ''): Promise<{ exports: readonly Entry[]; cursor?: string }> =>
      (await people.service.admin('GET', `/admin/exports?${query}`)).body

    /** Waits until the export of an answer has ended and its callback was called. */
    const over = ({ status, text, body }: Answer): Promise<Entry> => {
      assert.equal(status, 201, text)
      const { object_prefix } = body as unknown as Entry
      return overOf(object_prefix, async () => (await listed('limit=100')).exports)
    }

    /** Downloads a link. The proxy in front of the service removes the path of the public URL. */
    const get = (url: string) => download(people.service.url, url.replace(publicUrl, 'http://here'))

    const exported = async (body: Item): Promise<Record<string, Item[]>> => {
      const entry = await over(await send(body))
      assert.equal(entry.failure, null)
      const { status, bytes } = await get(entry.url!)
      assert.equal(status, 200)
      return filesIn(bytes, body.output_format === 'gzip' ? 'gzip' : 'zip')
    }

    const golden = many(3, (i) => `golden-${database}-${i}`)

    before(async () => {
      await people.set(
        ...golden.map((external_id, i) => ({
          external_id,
          plan: 'gold',
          rank: i,
          first_name: `Nr. ${i}`,
          city: 'Köln',
        })),
        { external_id: newId(), plan: 'silver' },
      )
      await people.happen(event({ external_id: golden[0]! }))
      await people.buy(purchase({ external_id: golden[1]! }))
      for (let from = 0; from < crowd; from += 1_000) {
        const attributes = many(Math.min(1_000, crowd - from), (i) => ({
          external_id: `c${from + i}`,
          place: from + i,
        }))
        const { status, text } = await people.send('/users/track/bulk', { attributes })
        assert.equal(status, 201, text)
      }
    })

    test('each person in the segment is a line of JSON, with the record of the export by ids', async () => {
      const fields = ['external_id', 'first_name', 'service_id', 'custom_attributes', 'custom_events', 'purchases']
      const answer = await send({ segment_id: 'gold', fields_to_export: fields })
      const { object_prefix, url, ...rest } = answer.body as unknown as { object_prefix: string; url: string }
      assert.deepEqual(Object.keys(answer.body), ['object_prefix', 'url', 'message'])
      assert.deepEqual(rest, { message: 'success' })
      assert.match(object_prefix, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-\d{10}$/)
      assert.ok(url.startsWith(`${publicUrl}/exports/${object_prefix}.zip?`), url)
      const entry = await over(answer)
      assert.deepEqual([entry.people, entry.files, entry.failure, entry.callback], [3, 1, null, null])
      const { status, headers, bytes } = await get(url)
      assert.equal(status, 200)
      assert.equal(headers.get('content-type'), 'application/zip')
      assert.equal(headers.get('content-length'), String(entry.bytes))
      assert.equal(headers.get('content-disposition'), `attachment; filename="${object_prefix}.zip"`)
      const [[name, lines]] = Object.entries(filesIn(bytes)) as [[string, Item[]]]
      assert.equal(name, `${object_prefix}-0001.json`)
      const byId = (a: Item, b: Item) => (String(a.external_id) < String(b.external_id) ? -1 : 1)
      const wanted = await people.find({ external_ids: golden }, fields)
      assert.deepEqual(lines.toSorted(byId), wanted.toSorted(byId))
    })

    test('a gzip file unpacks to all lines, and an empty segment is one empty file', async () => {
      const ids = (lines: readonly Item[]) => lines.map(({ external_id }) => external_id).toSorted()
      const { all } = await exported({ segment_id: 'gold', output_format: 'gzip' })
      assert.deepEqual(ids(all!), golden)
      assert.deepEqual(await exported({ segment_id: 'nobody', output_format: 'gzip' }), { all: [] })
      const files = await exported({ segment_id: 'nobody', output_format: null, custom_attributes_to_export: [] })
      assert.deepEqual(Object.values(files), [[]])
    })

    test('named custom attributes are exported alone, and all of them when all are requested', async () => {
      const custom = async (body: Item) => {
        const [lines] = Object.values(await exported({ segment_id: 'gold', ...body }))
        return lines!.map(({ custom_attributes }) =>
          Object.keys(custom_attributes ?? {})
            .toSorted()
            .join(),
        )
      }
      const custom_attributes_to_export = ['rank', 'plan', 'nothing', '__proto__', '', 'rank']
      assert.deepEqual(
        await custom({ custom_attributes_to_export }),
        many(3, () => 'plan,rank'),
      )
      const fields = ['external_id', 'custom_attributes']
      const all = await custom({ custom_attributes_to_export, fields_to_export: fields })
      assert.deepEqual(
        all,
        many(3, () => 'city,plan,rank'),
      )
      assert.deepEqual(
        await custom({}),
        many(3, () => ''),
      )
    })

    test('a file has up to 5,000 people', async () => {
      const files = await exported({ segment_id: 'crowd' })
      assert.deepEqual(
        Object.values(files).map((lines) => lines.length),
        [5_000, 1],
      )
      const ids = Object.values(files).flatMap((lines) => lines.map(({ external_id }) => external_id))
      assert.equal(new Set(ids).size, crowd)
    })

    test('an invalid request is refused with the name of the member', async () => {
      const segment_id = 'gold'
      const refused: readonly [Item, string][] = [
        [{}, texts.segment],
        [{ segment_id: null }, texts.segment],
        [{ segment_id: 7 }, noSegment],
        [{ segment_id: 'unknown' }, noSegment],
        [{ segment_id: 'g\u0000ld' }, noSegment],
        [{ segment_id: '\ud800' }, noSegment],
        [{ segment_id: 'x'.repeat(10_000) }, noSegment],
        [{ segment_id: '__proto__' }, noSegment],
        [{ segment_id, fields_to_export: undefined }, texts.fields],
        [{ segment_id, fields_to_export: [] }, texts.fields],
        [{ segment_id, fields_to_export: 'email' }, texts.fields],
        [{ segment_id, fields_to_export: [5] }, texts.fields],
        [{ segment_id, callback_endpoint: [] }, texts.endpoint],
        [{ segment_id, output_format: [] }, texts.format],
        [{ segment_id, callback_endpoint: 'example_endpoint' }, texts.endpoint],
        [{ segment_id, callback_endpoint: 'ftp://example.com' }, texts.endpoint],
        [{ segment_id, callback_endpoint: 'file:///etc/passwd' }, texts.endpoint],
        [{ segment_id, callback_endpoint: 'https://me:secret@example.com' }, texts.endpoint],
        [{ segment_id, callback_endpoint: ['https://example.com'] }, texts.endpoint],
        [{ segment_id, callback_endpoint: `https://example.com/${'x'.repeat(2_048 - 19)}` }, texts.longEndpoint],
        [{ segment_id, custom_attributes_to_export: 'plan' }, texts.attributes],
        [{ segment_id, custom_attributes_to_export: ['plan', 7] }, texts.attributes],
        [{ segment_id, custom_attributes_to_export: many(501, (i) => `a${i}`) }, texts.manyAttributes],
        [{ segment_id, output_format: 'rar' }, texts.format],
        [{ segment_id, output_format: ['zip'] }, texts.format],
      ]
      for (const [body, message] of refused) await people.refused(path, { fields_to_export, ...body }, message)
      const { body: unknown } = await send({ segment_id, fields_to_export: ['emial'] })
      assert.match(unknown.message, /"emial": the nearest field is 'email'/)
      for (const body of ['null', [], '"text"', 7])
        await people.refused(path, body, 'The request body must be an object')
    })

    test('the largest request is accepted', async () => {
      const entry = await over(
        await send({
          segment_id: 'gold',
          callback_endpoint: `http://127.0.0.1:1/${'x'.repeat(2_048 - 19)}`,
          custom_attributes_to_export: many(500, (i) => `a${i}\u0000`),
          fields_to_export: many(2_000, () => 'email'),
        }),
      )
      assert.equal(entry.state, 'done')
    })

    test('a random body is accepted or refused, and never causes a 5xx', async () => {
      const values = [
        null,
        true,
        -1,
        1e308,
        '',
        '\u0000',
        [[]],
        {},
        { ['__proto__']: 1 },
        ['\ud800'],
        'x'.repeat(99_999),
      ]
      for (const member of ['segment_id', 'callback_endpoint', 'custom_attributes_to_export', 'output_format']) {
        for (const value of values) {
          const { status, text, body } = await send({ segment_id: 'unknown', [member]: value })
          assert.deepEqual([status, typeof body.message], [400, 'string'], text)
        }
      }
    })

    test('a segment has one running export at a time', async () => {
      const answers = await Promise.all(many(5, () => send({ segment_id: 'crowd' })))
      const refusals = answers.filter(({ status }) => status === 400)
      assert.equal(refusals.length, 4)
      for (const { body } of refusals) assert.deepEqual(body, { message: texts.already })
      const others = await Promise.all(many(3, (i) => send({ segment_id: `other-${i}` })))
      for (const answer of others) assert.equal((await over(answer)).people, 3)
      const taken = only(answers.filter(({ status }) => status === 201))
      assert.equal((await over(taken)).people, crowd)
      assert.equal((await over(await send({ segment_id: 'crowd' }))).state, 'done')
    })

    test('a link serves its own export, with its token only, when it is complete', async () => {
      const answer = await send({ segment_id: 'crowd' })
      const { url } = answer.body as unknown as { url: string }
      const early = await get(url)
      assert.deepEqual([early.status, early.bytes.toString()], [404, '{"message":"This export is not ready yet"}'])
      await over(answer)
      const other = await over(await send({ segment_id: 'gold' }))
      const parts = new URL(url)
      const forged = (change: (link: URL) => void) => {
        const link = new URL(url)
        change(link)
        return link.href
      }
      const { expires, signature } = Object.fromEntries(parts.searchParams) as Record<string, string>
      const links = [
        forged((link) => link.searchParams.set('expires', String(Number(expires) + 1))),
        forged((link) =>
          link.searchParams.set('signature', `${signature!.slice(0, -1)}${signature!.endsWith('A') ? 'B' : 'A'}`),
        ),
        forged((link) => link.searchParams.delete('signature')),
        forged((link) => link.searchParams.delete('expires')),
        url.replace(/exports\/[^?]+/, new URL(other.url!).pathname.replace(/.*\/exports/, 'exports')),
        url.replace('.zip', '.gz'),
        url.replace('.zip', ''),
        url.replace('/exports/', '/exports/..%2fexports%2f'),
        url.replace(/exports\/[^?]+/, 'exports/..%2f..%2fetc%2fpasswd'),
      ]
      for (const link of links) {
        const { status, bytes } = await get(link)
        assert.deepEqual([status, bytes.toString()], [403, '{"message":"This link is not valid"}'], link)
      }
      // A NUL in a path is refused before any link is read.
      assert.equal((await get(url.replace(/exports\/[^?]+/, 'exports/%00'))).status, 404)
      const { status, headers, text } = await people.service.send('HEAD', pathOf(url).replace('/base', ''))
      assert.deepEqual([status, text], [200, ''])
      assert.ok(Number(headers['content-length']) > 10_000)
      const post = await people.service.send('POST', pathOf(url).replace('/base', ''))
      assert.deepEqual([post.status, post.headers.allow], [405, 'GET, HEAD'])
      assert.equal((await get(url)).status, 200)
    })

    test('the callback gets the link, and is repeated after a failure', async () => {
      const to = `/told/${database}`
      listener.answer(500)
      const callback_endpoint = `http://127.0.0.1:${listener.port}${to}`
      const entry = await over(await send({ segment_id: 'gold', callback_endpoint }))
      assert.deepEqual(entry.callback, { endpoint: callback_endpoint, state: 'done', attempts: 2, failure: null })
      const calls = listener.to(to)
      assert.deepEqual(
        calls.map(({ body }) => body),
        many(2, () => ({ success: true, url: entry.url })),
      )
      assert.equal(calls[0]!.headers['content-type'], 'application/json')
      assert.equal((await get(entry.url!)).status, 200)
    })

    test('a callback cannot reach internal addresses', async () => {
      for (const callback_endpoint of [
        'http://127.0.0.1:1/',
        'http://169.254.169.254/latest',
        'http://[::1]/',
        'http://0x7f.1/',
      ]) {
        const { state, callback } = await over(await send({ segment_id: 'gold', callback_endpoint }))
        assert.deepEqual([state, callback!.state, callback!.attempts], ['done', 'failed', 1])
        assert.match(callback!.failure!, /must not be reached/)
      }
    })

    test('exports are listed newest first, page by page', async () => {
      for (const segment_id of ['gold', 'nobody', 'gold']) await over(await send({ segment_id }))
      const { exports: all, cursor: none } = await listed('limit=100')
      assert.equal(none, undefined)
      assert.deepEqual(
        all.slice(0, 3).map(({ segment_id }) => segment_id),
        ['gold', 'nobody', 'gold'],
      )
      const found: Entry[] = []
      for (let query = 'limit=2'; query !== ''; ) {
        const { exports, cursor } = await listed(query)
        found.push(...exports)
        query = cursor ? `limit=2&cursor=${cursor}` : ''
      }
      assert.deepEqual(found, all)
      for (const query of [
        'limit=0',
        'limit=101',
        'limit=x',
        'cursor=x',
        'cursor=MS4y&cursor=MS4y',
        'workspace=unknown',
      ]) {
        const { status } = await people.service.get(`/admin/exports?${query}`, { key: people.service.adminToken })
        assert.ok(status === 400 || status === 404, query)
      }
    })
  })
}

test('processes share the work: one process writes each export, and every process serves it', async (t) => {
  const server = databases.includes('postgres') ? await testPostgres() : undefined
  if (!server) return t.skip('it needs PostgreSQL')
  await using stack = new AsyncDisposableStack()
  const { path: folder } = stack.use(temporaryFolder())
  const env = {
    DATABASE_URL: await server.createDatabase('exports_together'),
    EASEL_DATA: folder,
    EASEL_FETCH_ALLOW: `127.0.0.1:${listener.port}`,
  }
  const start = async (role: string) => stack.use(await startService({ env: { ...env, EASEL_ROLE: role } }))
  const front = await start('http')
  const ids = many(6, (i) => `s${i}`)
  const segments = [...ids, 'doomed'].map((id) => segmentOf(id, 'plan', 'gold'))
  await front.admin('POST', '/admin/apply', { segments })
  await front.post('/users/track', { attributes: many(50, (i) => ({ external_id: `p${i}`, plan: 'gold' })) })
  const callback_endpoint = `http://127.0.0.1:${listener.port}/together`
  for (const segment_id of [...ids, 'doomed']) {
    const { status, text } = await front.post(path, { segment_id, fields_to_export, callback_endpoint })
    assert.equal(status, 201, text)
  }
  await front.admin('DELETE', '/admin/segments/doomed')
  const entries = async (): Promise<readonly Entry[]> => (await front.admin('GET', '/admin/exports')).body.exports
  assert.ok((await entries()).every(({ state, url }) => state === 'waiting' && url === null))
  const workers = await Promise.all(['worker', 'worker'].map(start))
  while (!(await entries()).every(({ callback }) => callback?.state === 'done')) {
    await new Promise((resume) => setTimeout(resume, 50))
  }
  const counts = await Promise.all(
    workers.map(async ({ get }) => {
      const { text } = await get('/metrics')
      return Number(/^easel_exports_total\{state="done"\} (\d+)$/m.exec(text)?.[1] ?? 0)
    }),
  )
  assert.equal(counts[0]! + counts[1]!, 6)
  const [doomed, ...done] = await entries()
  assert.deepEqual([doomed!.state, doomed!.failure], ['failed', 'The segment was deleted before it was exported'])
  for (const { url, people } of done) {
    const files = filesIn((await download(front.url, url!)).bytes)
    assert.deepEqual([people, Object.values(files).flat().length], [50, 50])
  }
  assert.equal(objectsAmong(readdirSync(join(folder, 'exports'))).length, 6)
  const calls = listener.to('/together').map(({ body }) => body)
  assert.deepEqual(
    calls.filter(({ success }) => success === false),
    [{ success: false, message: 'The segment was deleted before it was exported' }],
  )
  assert.deepEqual(
    calls
      .map(({ url }) => url)
      .filter(Boolean)
      .toSorted(),
    done.map(({ url }) => url).toSorted(),
  )
})
