import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { findPostgres, startCluster } from '../servers/postgres.ts'
import { eventually } from '../support/eventually.ts'
import { drawDatabases, startService } from '../support/harness.ts'

const open = { key: null }

for (const database of drawDatabases('health')) {
  test(`a running service is healthy and ready (${database})`, async () => {
    await using service = await startService({ database })
    const health = await service.get('/health', open)
    assert.deepEqual([health.status, health.body], [200, { message: 'success' }])
    const ready = await service.get('/ready', open)
    assert.deepEqual(
      [ready.status, ready.body],
      [200, { database: 'ok', workers: 'ok', mail: 'ok', message: 'success' }],
    )
  })
}

const noServer = findPostgres() === undefined && process.env.CI !== 'true' ? 'needs the binaries of PostgreSQL' : false

test('while the database is unavailable the service is healthy but not ready, and recovers by itself', {
  skip: noServer,
}, async () => {
  await using cluster = await startCluster({ durable: false })
  await using service = await startService({ env: { DATABASE_URL: cluster.url('postgres') } })
  const before = await service.get('/ready', open)
  assert.equal(before.status, 200, before.text)
  await cluster.stopNow()
  const ready = await service.get('/ready', open)
  assert.equal(ready.status, 503)
  assert.match(ready.body.message, /^Not ready: database: /)
  assert.notEqual(ready.body.database, 'ok')
  assert.equal((await service.get('/health', open)).status, 200)
  const track = await service.post('/users/track', { attributes: [{ external_id: 'a' }] })
  assert.equal(track.status, 503)
  assert.equal(typeof track.body.message, 'string')
  assert.ok(Number(track.headers['retry-after']) >= 1)
  await cluster.start()
  await eventually('the service is ready', async () => (await service.get('/ready', open)).status === 200)
  assert.equal((await service.post('/users/track', { attributes: [{ external_id: 'a' }] })).status, 201)
})

test('metrics count answers by route and status, and have no values of requests', async () => {
  await using service = await startService()
  await service.post('/users/track', { attributes: [{ external_id: 'a' }] })
  await service.post('/users/track', '{')
  await service.get('/secret-path', open)
  await service.get('/admin/keys/some-id', { key: service.adminToken })
  const { status, headers, text } = await service.get('/metrics', open)
  assert.equal(status, 200)
  assert.match(String(headers['content-type']), /^text\/plain/)
  const count = (method: string, route: string, code: number) =>
    text.includes(`easel_http_request_seconds_count{method="${method}",route="${route}",status="${code}"} 1`)
  assert.ok(count('POST', '/users/track', 201), text)
  assert.ok(count('POST', '/users/track', 400))
  assert.ok(count('GET', '/admin/keys/{id}', 404))
  assert.ok(!text.includes('secret-path') && !text.includes('some-id'))
  assert.match(text, /^process_cpu_seconds_total \d/m)
  assert.match(text, /^easel_intake_waiting_updates 0$/m)
})

const measured = ['easel_database_bytes', 'easel_due_lateness_seconds{work="messages"}', 'easel_build_info{']

for (const database of drawDatabases('health')) {
  test(`metrics have the version, the sizes and the lateness of due work (${database})`, async (t) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'easel-metrics-'))
    t.after(() => rmSync(dataDir, { recursive: true }))
    const env = { EASEL_CLOCK: 'virtual', EASEL_DATA: dataDir }
    await using service = await startService({ database, env })
    const { text } = await service.get('/metrics', open)
    for (const name of [...measured, 'easel_disk_free_bytes']) {
      assert.ok(
        text.split('\n').some((line) => line.startsWith(name) && Number.isFinite(Number(line.split(' ').at(-1)))),
        `${name} in ${text}`,
      )
    }
    assert.ok(Number(/^easel_database_bytes (\S+)$/m.exec(text)![1]) > 1_000_000)
    assert.ok(Number(/^easel_disk_free_bytes (\S+)$/m.exec(text)![1]) > 0)
  })
}

test('requests that a caller makes up add no series', async () => {
  await using service = await startService()
  const seriesOf = async () =>
    (await service.get('/metrics', open)).text.split('\n').filter((line) => line.startsWith('easel_'))
  const ask = async (word: string) => {
    await service.get(`/${word}`, open)
    await service.post(`/users/${word}`, {})
    await service.get(`/admin/keys/${word}`, { key: service.adminToken })
    await service.get(`/catalogs/${word}/items/${word}`)
    await service.get('/admin/why', { key: word })
  }
  await ask('first')
  // The answer about the metrics is itself a series.
  await seriesOf()
  const before = await seriesOf()
  for (let i = 0; i < 10; i++) await ask(`word-${i}`)
  assert.equal((await seriesOf()).length, before.length)
})
