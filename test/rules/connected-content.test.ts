import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FetchRequest, FetchResponse } from '../../src/base/fetch/fetch.ts'
import { FetchError } from '../../src/base/fetch/fetch-error.ts'
import type { ContentRequest } from '../../src/content/liquid/source-query.ts'
import { openConnectedContent } from '../../src/content/rendering/connected-content.ts'

const get: ContentRequest = {
  url: 'https://a.example/x',
  method: 'GET',
  headers: { a: 'b' },
  cacheS: 300,
  retry: false,
}

/** Returns connected content over a fake `fetch` with these answers in turn, and a virtual clock. */
function open(...answers: (number | FetchError)[]) {
  const requests: FetchRequest[] = []
  const clock = { nowMs: 0, now: () => clock.nowMs }
  const connection = openConnectedContent({
    clock,
    pausesMs: [1, 1],
    fetcher: {
      async fetch(url, more = {}): Promise<FetchResponse> {
        requests.push(more)
        const answer = answers[Math.min(requests.length, answers.length) - 1]!
        if (answer instanceof FetchError) throw answer
        return { status: answer, headers: {}, body: Buffer.from(`answer ${requests.length}`), url }
      },
    },
    findCredential: async (workspace_id, name) =>
      workspace_id === 1 && name === 'partner'
        ? { user_name: 'easel', password: 'pä:ss', origins: ['https://a.example'] }
        : undefined,
  })
  return {
    requests,
    clock,
    fetch: (wish: Partial<ContentRequest> = {}, workspace = 1) => connection.fetch(workspace, { ...get, ...wish }),
  }
}

test('an answer is cached for as long as the template says, in business time', async () => {
  const { requests, clock, fetch } = open(200)
  const [first, second] = await Promise.all([fetch(), fetch()])
  assert.deepEqual(first, { status: 200, text: 'answer 1' })
  assert.equal(second, first)
  clock.nowMs = 299_999
  assert.equal(await fetch(), first)
  clock.nowMs = 300_000
  assert.deepEqual(await fetch(), { status: 200, text: 'answer 2' })
  assert.equal(requests.length, 2)
})

test('another URL, workspace or body is fetched again, and so are answers that are not cacheable or failed', async () => {
  const { requests, fetch } = open(200)
  await fetch()
  await fetch({}, 2)
  await fetch({ url: 'https://a.example/y' })
  await fetch({ headers: {} })
  await fetch({ cacheS: 0 })
  await fetch({ cacheS: 0 })
  assert.equal(requests.length, 6)
  const failing = open(500, 404, new FetchError('timeout', 'late'), 200)
  assert.deepEqual(await failing.fetch(), { status: 500, text: 'answer 1' })
  assert.deepEqual(await failing.fetch(), { status: 404, text: 'answer 2' })
  assert.equal(await failing.fetch(), undefined)
  assert.deepEqual(await failing.fetch(), { status: 200, text: 'answer 4' })
})

test('a temporary failure is retried twice where the template says so, and only then', async () => {
  const retry = { retry: true, cacheS: 0 }
  const passing = open(503, new FetchError('unreachable', 'gone'), 200)
  assert.deepEqual(await passing.fetch(retry), { status: 200, text: 'answer 3' })
  const lasting = open(503)
  assert.deepEqual(await lasting.fetch(retry), { refused: 'no answer after 3 attempts' })
  assert.equal(lasting.requests.length, 3)
  const final = open(404)
  assert.deepEqual(await final.fetch(retry), { status: 404, text: 'answer 1' })
})

test('a forbidden address is reported and not retried', async () => {
  const { requests, fetch } = open(new FetchError('address', 'a.example must not be reached'))
  assert.deepEqual(await fetch({ retry: true }), { refused: 'a.example must not be reached' })
  assert.equal(requests.length, 1)
})

test('a credential becomes a header of the request, and an unknown credential is refused', async () => {
  const { requests, fetch } = open(200)
  await fetch({ basic_auth: 'partner', method: 'POST', body: 'x', cacheS: 0 })
  const authorization = `Basic ${Buffer.from('easel:pä:ss').toString('base64')}`
  assert.deepEqual(requests, [{ method: 'POST', headers: { a: 'b', authorization }, body: 'x', bytesMax: 1_048_576 }])
  assert.deepEqual(await fetch({ basic_auth: 'nobody' }), { refused: 'there is no credential "nobody"' })
  assert.deepEqual(await fetch({ basic_auth: 'partner' }, 2), { refused: 'there is no credential "partner"' })
  assert.equal(requests.length, 1)
})
