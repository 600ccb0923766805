import assert from 'node:assert/strict'
import test from 'node:test'
import { startService } from '../support/harness.ts'

test('the first page shows what runs and where to go next', async () => {
  await using service = await startService({
    database: 'pglite',
    env: { EASEL_CLOCK: 'virtual', PUBLIC_URL: 'https://easel.example/a"b' },
  })
  const { status, headers, text } = await service.get('/', { key: null })
  assert.equal(status, 200)
  assert.equal(headers['content-type'], 'text/html; charset=utf-8')
  assert.match(text, /<dt>Version<\/dt><dd>\d+\.\d+\.\d+<\/dd>/)
  assert.match(text, /<dt>Database<\/dt><dd>embedded<\/dd>/)
  assert.match(text, /<dt>Clock<\/dt><dd>virtual, standing at 20\d\d-/)
  for (const path of ['/docs', '/openapi.json', '/health', '/ready', '/metrics']) {
    assert.ok(text.includes(`<a href="${path}">`), path)
    assert.equal((await service.get(path, { key: null })).status, 200, path)
  }
  assert.ok(text.includes('/users/track') && text.includes('/users/export/ids'))
})

test('the first page works without scripts, loads nothing from elsewhere and shows no secret', async () => {
  await using service = await startService()
  const { headers, text } = await service.get('/', { key: null })
  const policy = String(headers['content-security-policy'])
  assert.match(policy, /^default-src 'none'; img-src 'self'; style-src 'sha256-[\w+/=]+';/)
  assert.ok(!policy.includes('unsafe'))
  assert.ok(!/<script|javascript:|\son\w+=/i.test(text))
  assert.ok(!text.includes(service.apiKey) && !text.includes(service.adminToken))
})

test('the first page is accessible', async () => {
  await using service = await startService()
  const { text } = await service.get('/', { key: null })
  assert.match(text, /^<!doctype html>\n<html lang="en">/)
  assert.match(text, /<title>Easel<\/title>/)
  assert.equal(text.match(/<h1>/g)?.length, 1)
  assert.match(text, /<main>[\s\S]*<\/main>/)
  assert.match(text, /<meta name="viewport"/)
})
