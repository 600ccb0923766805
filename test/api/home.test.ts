import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import test from 'node:test'
import { promisify } from 'node:util'
import { startService } from '../support/harness.ts'

/** No dashboard is built there. */
const dashboardFolder = import.meta.dirname

test('the root leads to the dashboard', async () => {
  await using service = await startService()
  const { status, headers } = await service.get('/', { key: null })
  assert.deepEqual([status, headers.location], [302, 'dashboard'])
})

test('without a dashboard its page says so, shows what runs and where to go next', async () => {
  await using service = await startService({
    dashboardFolder,
    database: 'pglite',
    env: { EASEL_CLOCK: 'virtual', PUBLIC_URL: 'https://easel.example/a"b' },
  })
  const { status, headers, text } = await service.get('/dashboard', { key: null })
  assert.equal(status, 200)
  assert.match(text, /<p role="alert">The dashboard is not built yet/)
  assert.equal(headers['content-type'], 'text/html; charset=utf-8')
  assert.match(text, /<dt>Version<\/dt><dd>\d+\.\d+\.\d+<\/dd>/)
  assert.match(text, /<dt>Database<\/dt><dd>embedded<\/dd>/)
  assert.match(text, /<dt>Clock<\/dt><dd>virtual, standing at 20\d\d-/)
  for (const path of ['/docs', '/openapi.json', '/health', '/ready', '/metrics']) {
    assert.ok(text.includes(`<a href="${path.slice(1)}">`), path)
    assert.equal((await service.get(path, { key: null })).status, 200, path)
  }
  assert.ok(text.includes('/users/track') && text.includes('/users/export/ids'))
})

test('the first page works without scripts, loads nothing from elsewhere and shows no secret', async () => {
  await using service = await startService({ dashboardFolder })
  const { headers, text } = await service.get('/dashboard', { key: null })
  const policy = String(headers['content-security-policy'])
  assert.match(policy, /^default-src 'none'; img-src 'self'; style-src 'sha256-[\w+/=]+';/)
  assert.ok(!policy.includes('unsafe'))
  assert.ok(!/<script|javascript:|\son\w+=/i.test(text))
  assert.ok(!text.includes(service.apiKey) && !text.includes(service.adminToken))
})

test('the first page is accessible', async () => {
  await using service = await startService({ dashboardFolder })
  const { text } = await service.get('/dashboard/w/default', { key: null })
  assert.match(text, /<a href="..\/..\/docs">/)
  assert.match(text, /^<!doctype html>\n<html lang="en">/)
  assert.match(text, /<title>Easel<\/title>/)
  assert.equal(text.match(/<h1>/g)?.length, 1)
  assert.match(text, /<main>[\s\S]*<\/main>/)
  assert.match(text, /<meta name="viewport"/)
})

const browser = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

test('a browser that opens an unknown address gets a page that leads to the first page', async () => {
  await using service = await startService()
  for (const [path, link] of [
    ['/nothing', './'],
    ['/sign-in/nothing/here?a=b', './../../'],
    ['/scimx', './'],
  ] as const) {
    for (const method of ['GET', 'HEAD'] as const) {
      const { status, headers, text } = await service.send(method, path, undefined, { key: null, headers: browser })
      assert.equal(status, 404, path)
      assert.equal(headers['content-type'], 'text/html; charset=utf-8')
      assert.match(
        String(headers['content-security-policy']),
        /^default-src 'none'; style-src 'sha256-[\w+/=]+'; form-action 'self';/,
      )
      assert.equal(headers['cache-control'], 'no-store')
      if (method === 'HEAD') continue
      assert.match(text, /<h1>There is nothing at this address<\/h1>/)
      assert.ok(text.includes(`<a href="${link}">`), text)
      const target = new URL(link, new URL(path, service.url))
      assert.equal(target.pathname, '/')
    }
  }
})

test('programs, and everything below a folder of the API, get JSON for an unknown address', async () => {
  await using service = await startService()
  const accepts = [
    '',
    '*/*',
    'application/json',
    'application/json, text/plain, */*',
    'application/json, text/html',
    'text/html;q=0',
  ]
  for (const accept of accepts) {
    const headers = { Accept: accept }
    const { status, body } = await service.send('GET', '/nothing', undefined, { key: null, headers })
    assert.deepEqual([status, body], [404, { message: 'Not found. /openapi.json has all paths' }], accept)
  }
  for (const path of ['/users/nothing', '/admin/nothing', '/v2/nothing', '//users/nothing']) {
    const { body } = await service.send('GET', path, undefined, { headers: browser })
    assert.match(body.message, /^Not found\. /, path)
  }
  const { body } = await service.send('GET', '/scim/v2/nothing', undefined, { headers: browser })
  assert.equal(body.detail, 'Not found')
})

test('/docs begins with requests that work as they are printed', async () => {
  const origin = 'http://easel.example:8099'
  await using service = await startService({ env: { PUBLIC_URL: origin } })
  const { text } = await service.get('/docs', { key: null })
  const [key, calls] = [...text.matchAll(/<pre>([\s\S]*?)<\/pre>/g)].map(([, block]) => {
    return block!.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(code))
  })
  const given = key!.replace('the-key-that-was-printed', service.apiKey)
  assert.notEqual(given, key)
  assert.ok(calls!.includes(`curl ${origin}/users/track`))
  const { stdout } = await promisify(execFile)('bash', ['-c', `${given}\n${calls!.replaceAll(origin, service.url)}`])
  const answers = stdout.replaceAll('}{', '}\n{').split('\n').filter(Boolean)
  assert.deepEqual(
    answers.map((answer) => JSON.parse(answer)),
    [
      { attributes_processed: 1, message: 'success' },
      {
        users: [{ external_id: 'ada', first_name: 'Ada', custom_attributes: { plan: 'pro' } }],
        message: 'success',
      },
    ],
  )
})
