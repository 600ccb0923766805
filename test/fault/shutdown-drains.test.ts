import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { eventually } from '../support/eventually.ts'
import {
  databases,
  drawDatabases,
  type Ending,
  ownEnvironment,
  ownFlags,
  programFile,
  type Spawned,
  spawnService,
} from '../support/harness.ts'
import { many } from '../support/people.ts'
import { pause } from './load.ts'

const body = JSON.stringify({ attributes: [{ external_id: 'late', first_name: 'Late' }] })
const clean = { code: 0, signal: null }

const goOn = 'HTTP/1.1 100 Continue\r\n\r\n'

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
      `Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
  )
  // The server has read the head when it answers: from then on the request is in flight.
  await eventually('the server goes on', () => Buffer.concat(received).includes(goOn))
  return { socket, answer: answer.then((text) => text.replace(goOn, '')) }
}

const clientCount = 8

/** Each signal ends one service, and each database has one service. */
const databaseOf = { SIGTERM: databases[0]!, SIGINT: databases.at(-1)! }
type Signal = keyof typeof databaseOf
const signals = Object.keys(databaseOf) as Signal[]

/** The results of a service that was ended while clients wrote and while half of one request had arrived. */
type Course = {
  readonly service: Spawned
  /** The people whose requests were answered 201. */
  readonly accepted: readonly string[]
  /** The result of a request that came after the signal. */
  readonly late: PromiseSettledResult<unknown>
  /** The answer to the request that had arrived by half. */
  readonly answer: string
  readonly ending: Ending
}

const services = new AsyncDisposableStack()
after(() => services.disposeAsync())
const courses = new Map<Signal, Promise<Course>>()

/** The tests of one shutdown share this service. */
function courseOf(signal: Signal): Promise<Course> {
  const course = courses.get(signal) ?? endUnderLoad(signal)
  courses.set(signal, course)
  return course
}

async function endUnderLoad(signal: Signal): Promise<Course> {
  const service = services.use(await spawnService({ database: databaseOf[signal] }))
  const accepted: string[] = []
  const clients = many(clientCount, async (client) => {
    for (let i = 0; ; i++) {
      const external_id = `drain-${client}-${i}`
      const [outcome] = await Promise.allSettled([service.post('/users/track', { attributes: [{ external_id }] })])
      if (outcome.status === 'rejected') return
      if (outcome.value.status === 201) accepted.push(external_id)
    }
  })
  const { socket, answer } = await halfSent(service)
  await eventually('clients are served', () => accepted.length > clientCount)
  service.signal(signal)
  let late: PromiseSettledResult<unknown> = { status: 'fulfilled', value: undefined }
  await eventually('late callers are refused', async () => {
    ;[late] = await Promise.allSettled([service.get('/health')])
    return late.status === 'rejected' && late.reason.code === 'ECONNREFUSED'
  })
  socket.write(body.slice(10))
  await Promise.all(clients)
  return { service, accepted, late, answer: await answer, ending: await service.ended }
}

for (const signal of signals) {
  test(`after ${signal} a request that has begun is answered, no new request is accepted, and the status is 0`, async () => {
    const { service, late, answer, ending } = await courseOf(signal)
    assert.equal(late.status === 'rejected' && late.reason.code, 'ECONNREFUSED')
    assert.match(answer, /^HTTP\/1\.1 201/)
    assert.match(answer, /\r\nConnection: close\r\n/)
    assert.deepEqual(ending, clean, service.lines.join('\n'))
  })
}

/** Processes whose test is done, and that still run. */
const running: Spawned[] = []

for (const database of drawDatabases('shutdown-drains')) {
  test(`everything answered before the shutdown is there after a restart (${database})`, async () => {
    const { service, accepted, ending } = await courseOf(signals.find((signal) => databaseOf[signal] === database)!)
    assert.deepEqual(ending, clean, service.lines.join('\n'))
    const { dataDir, databaseUrl } = service
    const again = services.use(
      await spawnService({ dataDir, ...(databaseUrl && { env: { DATABASE_URL: databaseUrl } }) }),
    )
    for (let from = 0; from < accepted.length; from += 50) {
      const external_ids = accepted.slice(from, from + 50)
      const answer = await again.post('/users/export/ids', { external_ids, fields_to_export: ['external_id'] })
      assert.equal(answer.body.users.length, external_ids.length, answer.text)
    }
    running.push(again)
  })
}

async function runningService(): Promise<Spawned> {
  return running.pop() ?? services.use(await spawnService())
}

test('two signals of one key press count as one', async () => {
  const service = await runningService()
  const { socket, answer } = await halfSent(service)
  service.signal('SIGINT')
  service.signal('SIGINT')
  await pause(100)
  socket.write(body.slice(10))
  assert.match(await answer, /^HTTP\/1\.1 201/)
  assert.deepEqual(await service.ended, clean)
})

test('a second signal ends the process at once', async () => {
  const service = await runningService()
  const { answer } = await halfSent(service)
  service.signal('SIGTERM')
  await pause(600)
  assert.equal(await Promise.race([service.ended, pause(200)]), undefined)
  const { code } = await service.kill('SIGINT')
  assert.notEqual(code, 0)
  assert.equal(await answer, '')
})

test('a signal that comes during the start ends the process after the start', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'easel-file-'))
  const path = join(folder, 'shop.yaml')
  execFileSync('mkfifo', [path])
  const env = { ...ownEnvironment, NODE_ENV: 'production', EASEL_DATA: 'memory', PORT: '0', EASEL_WORKSPACE: path }
  const cwd = join(import.meta.dirname, '..', '..')
  const child = spawn(process.execPath, [...ownFlags, programFile('src/main.ts')], { cwd, env })
  const ended = once(child, 'close')
  let log = ''
  child.stdout.on('data', (chunk) => {
    log += chunk
  })
  // The service opens it in the middle of its start.
  const file = await open(path, 'w')
  child.kill('SIGTERM')
  await pause(300)
  await file.writeFile('apps: []\n')
  await file.close()
  assert.deepEqual(await ended, [0, null])
  assert.match(log, /Easel is running at/)
  rmSync(folder, { recursive: true })
})

test('an invalid setting prints one line and exits with status 2', async () => {
  const start = spawnService({ env: { PORT: 'eighty' } })
  await assert.rejects(
    start,
    /the service ended \(2\):\nPORT: "eighty" was given, accepted is a whole number from 0 to 65535$/,
  )
})

// On a very busy machine work that has begun may write to the log first.
test('a port in use prints one line and exits with status 1', async () => {
  const first = createServer().listen(0, '127.0.0.1')
  await once(first, 'listening')
  const { port } = first.address() as AddressInfo
  await assert.rejects(
    spawnService({ env: { PORT: String(port) } }),
    new RegExp(
      `the service ended \\(1\\):\\n(?:\\{.*\\n)*PORT: ${port} is in use on 127\\.0\\.0\\.1, accepted is a free port; 0 takes any$`,
    ),
  )
  first.close()
})

test('a start that fails after it created secrets prints them', async () => {
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
