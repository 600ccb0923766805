import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { wrongBearersMax } from '../../src/base/http/wrong-bearers.ts'
import { listedCohorts, makeCohort, partnerSends } from '../support/cohorts.ts'
import { eventually } from '../support/eventually.ts'
import { databases, type Service, startService } from '../support/harness.ts'
import { newId, peopleOf } from '../support/people.ts'

const people = peopleOf(databases.at(-1)!)
const missing = `Invalid API key: send it as "Authorization: Bearer ..." or as 'client_secret' of the body`
const tests = { cohort_changes: [] }

test('a request without changes tests the key, in the body or in the header', async () => {
  const key = await people.service.key(['partners.cohorts'])
  for (const body of [tests, { ...tests, cohort_id: 'nowhere' }]) {
    const inBody = await partnerSends(people, 'acme/cohorts/users', body, key)
    assert.deepEqual([inBody.status, inBody.body], [201, { message: 'success' }])
    const inHeader = await people.service.post('/partners/acme/cohorts/users', body, { key })
    assert.deepEqual([inHeader.status, inHeader.body], [201, { message: 'success' }])
  }
})

test('a key that is missing or unknown is 401, one without the permission 403', async () => {
  const paths = ['acme/cohorts', 'acme/cohorts/users']
  for (const path of paths) {
    for (const body of [{}, { client_secret: '' }, { client_secret: 5 }, { client_secret: null }]) {
      const { status, body: answer } = await partnerSends(people, path, { ...tests, ...body }, null)
      assert.deepEqual([status, answer], [401, { message: missing }])
    }
    const wrong = await partnerSends(people, path, tests, 'easel_key_that_nobody_made')
    assert.deepEqual([wrong.status, wrong.body], [401, { message: 'Invalid API key' }])
    const key = await people.service.key(['users.track'])
    const weak = await partnerSends(people, path, tests, key)
    assert.deepEqual([weak.status, weak.body], [403, { message: 'You do not have permission to access this resource' }])
  }
})

test('a body that is no object has no key', async () => {
  for (const body of ['[]', '"text"', 'null', '5', '']) {
    const { status } = await people.service.post('/partners/acme/cohorts', body, { key: null })
    assert.equal(status, 401, body)
  }
  const { status } = await people.service.post('/partners/acme/cohorts', '{', { key: null })
  assert.equal(status, 400)
})

test('the key of the header decides, whatever the body has', async () => {
  const key = await people.service.key(['users.track'])
  const { status } = await partnerSends(people, 'acme/cohorts', tests, people.service.apiKey, { key })
  assert.equal(status, 403)
})

test('only these endpoints take a key in the body', async () => {
  const body = { client_secret: people.service.apiKey, attributes: [{ external_id: newId() }] }
  assert.equal((await people.service.post('/users/track', body, { key: null })).status, 401)
})

test('a key may only be used from its addresses', async () => {
  const key = await people.service.key(['partners.cohorts'], ['10.0.0.0/8'])
  assert.equal((await partnerSends(people, 'acme/cohorts/users', tests, key)).status, 403)
})

test('a key of another workspace writes there', async () => {
  const id = newId()
  await people.service.admin('POST', '/admin/workspace', { id, name: id })
  const given = { name: 'Partner', permissions: ['partners.cohorts'] }
  const { key } = (await people.service.admin('POST', `/admin/keys?workspace=${id}`, given)).body.key
  const cohort_id = newId('cohort')
  await makeCohort(people, cohort_id)
  const body = { cohort_id, cohort_changes: [{ user_ids: [newId()] }] }
  assert.equal((await partnerSends(people, 'acme/cohorts/users', body, key)).status, 400)
  assert.equal((await partnerSends(people, 'acme/cohorts', { cohort_id, name: 'Theirs' }, key)).status, 201)
  const names = async (query: string) =>
    (await listedCohorts(people, query)).filter((each) => each.cohort_id === cohort_id).map(({ name }) => name)
  assert.deepEqual([await names(''), await names(`?workspace=${id}`)], [[cohort_id], ['Theirs']])
})

test('the key of a body is not in the log of requests', async () => {
  const key = await people.service.key(['partners.cohorts'])
  const [cohort_id, partner] = [newId('cohort'), newId('partner')]
  // Of successes the log keeps some, of refusals all.
  const refused = { cohort_id, name: 5, partner_api_key: 'the key of acme' }
  assert.equal((await partnerSends(people, `${partner}/cohorts`, refused, key)).status, 400)
  const { body } = await people.service.admin('GET', '/admin/requests?limit=100')
  const logged = body.requests.find(({ path }: { path: string }) => path === `/partners/${partner}/cohorts`)
  const one = await people.service.admin('GET', `/admin/requests/${logged.id}`)
  assert.ok(one.text.includes(cohort_id), one.text)
  for (const text of [key, 'the key of acme']) assert.ok(!one.text.includes(text))
})

test('a body that is no JSON is not in the log of requests, because a key may be in it', async () => {
  const [partner, key] = [newId('partner'), 'the key of acme']
  const sent = Buffer.from(`client_secret=${key}&partner_api_key=${key}`)
  const headers = { 'content-type': 'application/json' }
  let logged: { readonly id: string } | undefined
  // Of callers without a key, the log keeps a few of each second, and the tests before this one have used some.
  await eventually('the request is logged', async () => {
    const { status } = await people.service.post(`/partners/${partner}/cohorts`, sent, { key: null, headers })
    assert.equal(status, 400)
    const { body } = await people.service.admin('GET', '/admin/requests?limit=100')
    logged = body.requests.find(({ path }: { path: string }) => path === `/partners/${partner}/cohorts`)
    return logged !== undefined
  })
  const { text } = await people.service.admin('GET', `/admin/requests/${logged?.id}`)
  assert.ok(!text.includes(key), text)
})

test('a packed body has its key inside', async () => {
  const body = gzipSync(JSON.stringify({ ...tests, client_secret: people.service.apiKey }))
  const headers = { 'content-encoding': 'gzip', 'content-type': 'application/json' }
  const { status } = await people.service.post('/partners/acme/cohorts/users', body, { key: null, headers })
  assert.equal(status, 201)
})

test('a body with its key inside has at most 1 MB', async () => {
  const send = (bytes: number, key: string | null) => {
    const body = JSON.stringify({ ...tests, client_secret: people.service.apiKey, more: '' })
    const text = body.replace('"more":""', `"more":"${'x'.repeat(bytes - body.length)}"`)
    return people.service.post('/partners/acme/cohorts/users', text, { key })
  }
  const statuses = [
    (await send(1_048_575, null)).status,
    (await send(1_048_576, null)).status,
    (await send(1_048_577, null)).status,
    (await send(1_048_577, people.service.apiKey)).status,
  ]
  assert.deepEqual(statuses, [201, 201, 413, 201])
})

let counted: Service
before(async () => {
  counted = await startService({ workspace: { settings: { rate_limits: { cohorts: { per_day: 2 } } } } })
})
after(() => counted[Symbol.asyncDispose]())

test('both endpoints share a rate limit, and wrong keys are paced', async () => {
  const own = { service: counted } as typeof people
  const sent = async (path: string, key?: string) => (await partnerSends(own, path, tests, key)).status
  for (let n = 0; n < wrongBearersMax; n++) assert.equal(await sent('acme/cohorts', `wrong ${n}`), 401)
  assert.equal(await sent('acme/cohorts', 'wrong'), 429)
  assert.equal(await sent('acme/cohorts/users'), 201)
  assert.equal(await sent('acme/cohorts'), 400)
  assert.equal(await sent('acme/cohorts/users'), 429)
})
