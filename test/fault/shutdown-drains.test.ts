import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { databases, type Spawned, spawnService } from '../harness.ts'

const body = JSON.stringify({ attributes: [{ external_id: 'late', first_name: 'Late' }] })
const clean = { code: 0, signal: null }

/** A connection on which half of a track request has arrived. */
async function halfSent(service: Spawned): Promise<{ socket: Socket; answer: Promise<string> }> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
  await once(socket, 'connect')
  const received: Buffer[] = []
  socket.on('data', (chunk: Buffer) => received.push(chunk))
  socket.on('error', () => undefined)
  const answer = once(socket, 'close').then(() => Buffer.concat(received).toString())
  socket.write(
    `POST /users/track HTTP/1.1\r\nHost: easel\r\nAuthorization: Bearer ${service.apiKey}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
  )
  await pause(200)
  return { socket, answer }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`After ${signal} a request that has begun is answered, nothing new is accepted, and the status is 0.`, async () => {
    await using service = await spawnService()
    const { socket, answer } = await halfSent(service)
    service.signal(signal)
    await pause(300)
    await assert.rejects(service.get('/health'), { code: 'ECONNREFUSED' })
    socket.write(body.slice(10))
    const text = await answer
    assert.match(text, /^HTTP\/1\.1 201/)
    assert.match(text, /\r\nConnection: close\r\n/)
    assert.deepEqual(await service.ended, clean, service.lines.join('\n'))
  })
}

test('A second signal leaves at once.', async () => {
  await using service = await spawnService()
  const { answer } = await halfSent(service)
  service.signal('SIGTERM')
  await pause(600)
  assert.equal(await Promise.race([service.ended, pause(200)]), undefined)
  const sentAt = Date.now()
  const { code } = await service.kill('SIGINT')
  assert.ok(Date.now() - sentAt < 2000)
  assert.notEqual(code, 0)
  assert.equal(await answer, '')
})

test('Two signals of one key press count as one.', async () => {
  await using service = await spawnService()
  const { socket, answer } = await halfSent(service)
  service.signal('SIGINT')
  await pause(20)
  service.signal('SIGINT')
  await pause(100)
  socket.write(body.slice(10))
  assert.match(await answer, /^HTTP\/1\.1 201/)
  assert.deepEqual(await service.ended, clean)
})

for (const database of databases) {
  test(`What was answered before the end is there after a restart (${database}).`, async () => {
    await using service = await spawnService({ database })
    const accepted: string[] = []
    const clients = Array.from({ length: 8 }, async (_, client) => {
      for (let i = 0; ; i++) {
        const external_id = `drain-${client}-${i}`
        const [outcome] = await Promise.allSettled([service.post('/users/track', { attributes: [{ external_id }] })])
        if (outcome.status === 'rejected') return
        if (outcome.value.status === 201) accepted.push(external_id)
      }
    })
    await pause(500)
    service.signal('SIGTERM')
    await Promise.all(clients)
    assert.deepEqual(await service.ended, clean, service.lines.join('\n'))
    assert.ok(accepted.length > 8)
    await using again = await spawnService({
      dataDir: service.dataDir,
      ...(service.databaseUrl && { env: { DATABASE_URL: service.databaseUrl } }),
    })
    for (let from = 0; from < accepted.length; from += 50) {
      const external_ids = accepted.slice(from, from + 50)
      const answer = await again.post('/users/export/ids', { external_ids, fields_to_export: ['external_id'] })
      assert.equal(answer.body.users.length, external_ids.length, answer.text)
    }
    await again.stop()
  })
}

test('A wrong setting is one line and status 2.', async () => {
  const start = spawnService({ env: { PORT: 'eighty' } })
  await assert.rejects(
    start,
    /the service ended \(2\):\nPORT: "eighty" was given, accepted is a whole number from 0 to 65535$/,
  )
})

test('A port in use is one line and status 1.', async () => {
  await using first = await spawnService()
  const port = new URL(first.url).port
  await assert.rejects(
    spawnService({ env: { PORT: port } }),
    new RegExp(
      `the service ended \\(1\\):\\nPORT: ${port} is in use on 127\\.0\\.0\\.1, accepted is a free port; 0 takes any$`,
    ),
  )
  await first.stop()
})

test('Secrets that were made by a start that then failed are told all the same.', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'easel-file-'))
  const path = join(folder, 'shop.yaml')
  writeFileSync(path, 'apps: 1\n')
  const env = { EASEL_API_KEY: '', EASEL_ADMIN_TOKEN: '', EASEL_WORKSPACE: path }
  await assert.rejects(
    spawnService({ env }),
    /API key +easel_key_\S+\n +Admin token +easel_admin_\S+\n[\s\S]*shop\.yaml/,
  )
  rmSync(folder, { recursive: true })
})
