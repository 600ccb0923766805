import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { noPermissions } from '../../src/accounts/permissions/permissions.ts'
import { requestPageMax } from '../../src/workspace/requests/schema.ts'
import { testPostgres } from '../servers/postgres.ts'
import { eventually } from '../support/eventually.ts'
import { type Answer, drawDatabases, startService } from '../support/harness.ts'
import { Signing } from '../support/sign-in.ts'

type Logged = {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly key: string | null
  readonly by: string
  readonly items: number | null
  readonly refusal: string | null
}

for (const database of drawDatabases('admin-requests')) {
  describe(`GET /admin/requests (${database})`, () => {
    const at = new Signing()
    before(() => at.start({ database }))
    after(() => at.stop())

    const list = async (query = '') => {
      const { status, body, text } = await at.service.admin('GET', `/admin/requests?${query}`)
      assert.equal(status, 200, text)
      return body as { requests: Logged[]; process: string; recording: boolean; cursor: string | null }
    }
    const refusalOf = async (query: string) => {
      const { status, body } = await at.service.get(`/admin/requests?${query}`, { key: at.service.adminToken })
      assert.equal(status, 400)
      return body.message as string
    }
    const statusOf = async (id: string) =>
      (await at.service.get(`/admin/requests/${id}`, { key: at.service.adminToken })).status
    const read = async (id: string) => (await at.service.admin('GET', `/admin/requests/${id}`)).body
    const track = (external_id: string, more: object = {}) =>
      at.service.post('/users/track', { attributes: [{ external_id, ...more }], events: [] })

    test('a request is listed and read with both bodies, and without its key', async () => {
      const answer = await track('ada', { plan: 'gold' })
      const id = requestIdOf(answer)
      const listed = (await list()).requests.find((each) => each.id === id)!
      const { method, path, status, by, items, refusal } = listed
      assert.deepEqual(
        { method, path, status, by, items, refusal },
        { method: 'POST', path: '/users/track', status: 201, by: 'key', items: 1, refusal: null },
      )
      const { request, sent, answered, ip, process } = await read(id.toUpperCase())
      assert.deepEqual(request, listed)
      assert.equal(sent.body.text, '{"attributes":[{"external_id":"ada","plan":"gold"}],"events":[]}')
      assert.deepEqual(JSON.parse(answered.body.text), answer.body)
      assert.equal(sent.headers.authorization, '***')
      assert.equal(sent.headers['content-type'], 'application/json')
      assert.equal(answered.headers['X-Request-Id'], id)
      assert.equal(ip, '127.0.0.1')
      assert.equal(process, (await list()).process)
    })

    test('refusals are kept, those of malformed bodies and of unknown keys too', async () => {
      const malformed = await at.service.post('/users/track', "{'password': 'hunter2', 'external_id': 'bo'")
      assert.equal(malformed.status, 400)
      const { request, sent } = await read(requestIdOf(malformed))
      assert.equal(request.refusal, 'The request body is not valid JSON')
      assert.match(sent.body.text, /'external_id': 'bo'/)
      assert.ok(!sent.body.text.includes('hunter2'))
      const unknown = await at.service.post('/users/track', {}, { key: 'wrong-key-of-somebody' })
      assert.equal(unknown.status, 401)
      const stranger = await read(requestIdOf(unknown))
      assert.deepEqual([stranger.request.by, stranger.request.key, stranger.sent.body.text], ['nobody', null, null])
      assert.ok(!JSON.stringify(stranger).includes('wrong-key'))
    })

    test('requests are filtered by status, method, path, key, id and text', async () => {
      const id = requestIdOf(await track('filter-me'))
      const ids = async (query: string) => (await list(query)).requests.map((each) => each.id)
      const key = (await list(`request_id=${id}`)).requests[0]!.key!
      for (const query of [
        'status=2xx',
        'method=POST',
        'path=/users/tr',
        `key=${encodeURIComponent(key)}`,
        `request_id=${id.toUpperCase()}`,
        'text=filter-me',
      ]) {
        assert.ok((await ids(query)).includes(id), query)
      }
      for (const query of [
        'status=4xx',
        'method=GET',
        'path=/user/',
        'key=nobody',
        `request_id=${id}0`,
        'text=Filter',
      ]) {
        assert.ok(!(await ids(query)).includes(id), query)
      }
      assert.ok((await list('status=4xx')).requests.every(({ status }) => status >= 400 && status < 500))
      assert.match(await refusalOf('status=404'), /^'status' must be one of/)
      assert.match(await refusalOf(`text=${'x'.repeat(501)}`), /^'text' must have at most 500/)
      assert.equal((await list(`text=${'y'.repeat(500)}`)).requests.length, 0)
    })

    test('pages follow each other, newest first', async () => {
      for (let i = 0; i < 5; i++) await at.service.post('/users/track', { wrong: i })
      const all = (await list(`limit=${requestPageMax}`)).requests.map(({ id }) => id)
      const paged: string[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: Awaited<ReturnType<typeof list>> = await list(`limit=2${cursor && `&cursor=${cursor}`}`)
        paged.push(...page.requests.map(({ id }) => id))
        cursor = page.cursor
      }
      assert.deepEqual(paged, all)
      assert.match(await refusalOf('cursor=x'), /^'cursor' must be/)
      assert.match(await refusalOf('cursor=00000000-1'), /of another process/)
      for (const limit of [0, requestPageMax + 1]) assert.match(await refusalOf(`limit=${limit}`), /^'limit' must be/)
      assert.equal((await at.service.admin('GET', `/admin/requests?limit=${requestPageMax}`)).status, 200)
      assert.equal(await statusOf('00000000-0000-4000-8000-000000000000'), 404)
    })

    test('administrative writes are kept without secrets, and are shown to those who may make them', async () => {
      const password = 'correct-horse-battery'
      const credential = { name: 'shop', user_name: 'easel', password, origins: ['https://shop.example.com'] }
      const made = await at.service.admin('POST', '/admin/credentials', credential)
      assert.equal(made.status, 201, made.text)
      const key = await at.service.admin('POST', '/admin/keys', { name: 'Logged', permissions: ['users.track'] })
      await at.service.admin('GET', '/admin/keys')
      const stored = (await Promise.all([made, key].map((answer) => read(requestIdOf(answer))))).map((one) =>
        JSON.stringify(one),
      )
      assert.match(stored[0]!, /shop\.example\.com/)
      assert.ok(!stored.some((text) => text.includes(password) || text.includes(key.body.key.key)))
      assert.equal((await list(`text=${password}`)).requests.length, 0)
      assert.equal((await list('path=/admin/keys&method=GET')).requests.length, 0)

      const { user_name } = await at.account({ given_name: 'Grace' })
      const permit = (...permissions: string[]) => {
        const given = { ...noPermissions, workspaces: [{ id: 'default', permissions, sets: [], teams: [] }] }
        return at.db.execute(`update account set permissions = '${JSON.stringify(given)}'`)
      }
      await permit('view_event_user_log')
      const cookie = await at.enter(user_name)
      assert.equal((await at.get('/admin/requests', cookie)).status, 403)
      await permit('view_event_user_log', 'view_pii')
      const seen = (await at.get('/admin/requests', cookie)).body.requests as Logged[]
      // Refused requests to the log itself may be seen.
      assert.ok(seen.length > 0 && seen.every(({ path }) => !/^\/admin\/(?!requests)/.test(path)))
      await permit('view_event_user_log', 'view_pii', 'edit_api_keys')
      const more = (await at.get('/admin/requests', cookie)).body.requests as Logged[]
      const administrative = more.map(({ path }) => path).filter((path) => /^\/admin\/(?!requests)/.test(path))
      assert.deepEqual([...new Set(administrative)], ['/admin/keys'])
    })

    test('the deletion of a person removes what names the person', async () => {
      const [named, other] = [
        requestIdOf(await track('leaver', { email: 'leaver@example.com' })),
        requestIdOf(await track('stayer')),
      ]
      const shared = requestIdOf(await at.service.get('/email/hard_bounces?email=LEAVER%40example.com'))
      const deleted = await at.service.post('/users/delete', { external_ids: ['leaver'] })
      assert.equal(deleted.status, 201)
      const gone = [named, shared, requestIdOf(deleted)]
      await eventually('the requests that name the person are removed', async () => {
        const ids = (await list(`limit=${requestPageMax}`)).requests.map(({ id }) => id)
        return ids.includes(other) && !gone.some((id) => ids.includes(id))
      })
      assert.equal((await list('text=leaver')).requests.length, 0)
    })

    test('a workspace can switch the log off', async () => {
      const set = (api_log: boolean) => at.service.admin('PATCH', '/admin/settings', { api_log })
      assert.equal((await set(false)).status, 200)
      const dark = requestIdOf(await track('unseen'))
      assert.deepEqual([(await list()).requests, (await list()).recording], [[], false])
      assert.equal((await set(true)).status, 200)
      assert.equal(await statusOf(dark), 404)
      // The log takes a few successes a second, so that the first one may not be in it.
      await eventually('a request is recorded again', async () => {
        const id = requestIdOf(await track('seen'))
        return (await list()).requests.some((each) => each.id === id)
      })
      const { requests, recording } = await list()
      assert.equal(recording, true)
      assert.ok(requests.every(({ path }) => path !== '/users/track' || !path.includes('unseen')))
    })
  })
}

test('a person that one process deletes is gone from the logs of the others', async (t) => {
  const postgres = await testPostgres(t)
  if (!postgres) return
  const env = { DATABASE_URL: await postgres.createDatabase(`requests_${randomUUID()}`) }
  await using one = await startService({ env })
  await using other = await startService({ env })
  const refused = (external_id: string) =>
    other.post('/users/track', { events: [{ external_id, name: 'signed_up', time: 'no time' }] })
  const idsOf = async () => {
    const { requests } = (await other.admin('GET', `/admin/requests?path=/users/track&limit=${requestPageMax}`)).body
    return (requests as Logged[]).map(({ id }) => id)
  }
  assert.equal((await one.post('/users/track', { attributes: [{ external_id: 'leaver' }] })).status, 201)
  const [named, stayed] = [await refused('leaver'), await refused('stayer')].map(requestIdOf)
  assert.deepEqual(new Set(await idsOf()), new Set([named, stayed]))
  assert.equal((await one.post('/users/delete', { external_ids: ['leaver'] })).status, 201)
  await eventually('the request that names the person is gone', async () => !(await idsOf()).includes(named!))
  assert.deepEqual(await idsOf(), [stayed])
})

function requestIdOf({ headers }: Pick<Answer, 'headers'>): string {
  return String(headers['x-request-id'])
}
