import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { bodyBytesMax, strangerBytesMax, strangersHeldBytesMax } from '../../src/base/http/body.ts'
import { long } from '../sizes.ts'
import { newDevice, reportOf } from '../support/devices.ts'
import { eventually } from '../support/eventually.ts'
import { type Service, startService } from '../support/harness.ts'
import { apps } from '../support/people.ts'
import { sendgridHeaders, sendgridKey } from '../support/providers.ts'
import { assertServed } from '../support/waits.ts'

const stranger = '127.0.0.66'
const provider = '127.0.0.77'
const never = 60_000
/** Requests of the attacker begin at this pace: this process is the attacker and the neighbour too. */
const paceMs = 10
const strangerShare = strangersHeldBytesMax / 2 / strangerBytesMax
/** A body that lacks its last byte. */
const body = Buffer.alloc(strangerBytesMax - 1, ' ')

const workspace = {
  apps: Object.values(apps),
  settings: { webhooks: { sendgrid: { public_key: sendgridKey } } },
}

/** A request whose body begins and does not end. */
class SlowRequest {
  readonly #socket: Socket
  #received = ''

  constructor(url: string, head: string, body: Buffer, from: string) {
    this.#socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), localAddress: from })
    this.#socket.on('error', () => undefined)
    this.#socket.on('data', (chunk) => {
      this.#received += chunk
    })
    this.#socket.write(`${head}\r\nHost: easel\r\nContent-Type: application/json\r\n\r\n`)
    this.#socket.write(body)
  }

  /** The status of the answer; undefined while there is none. */
  get status(): number | undefined {
    const status = /^HTTP\/1\.1 (\d+)/.exec(this.#received)?.[1]
    return status === undefined ? undefined : Number(status)
  }

  end(): void {
    this.#socket.destroy()
  }
}

/** Slow requests that end with the test. */
class Attack {
  readonly requests: SlowRequest[] = []
  readonly #service: Service

  constructor(service: Service) {
    this.#service = service
  }

  async open(count: number, head: string, body: Buffer): Promise<void> {
    for (let i = 0; i < count; i++) {
      this.requests.push(new SlowRequest(this.#service.url, head, body, stranger))
      await pause(paceMs)
    }
  }

  answered(status: number): number {
    return this.requests.filter((request) => request.status === status).length
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const request of this.requests) request.end()
    await eventually('the service has noticed', () => this.#service.app.inFlight() === 0)
  }
}

const post = (path: string, length: number, key?: string) =>
  `POST ${path} HTTP/1.1\r\nContent-Length: ${length}${key === undefined ? '' : `\r\nAuthorization: Bearer ${key}`}`

const note = 'x'.repeat(2_000)
let tracked = 0

/** A small track request, larger than what arrives with its headers. */
async function track(service: Service, key?: string): Promise<void> {
  const body = { attributes: [{ external_id: `neighbour-${tracked++ % 50}`, note }] }
  const { status, text } = await service.post('/users/track', body, key === undefined ? {} : { key })
  assert.equal(status, 201, text)
}

async function idOf(service: Service): Promise<string> {
  return (await service.admin('GET', '/admin/workspace')).body.workspaces[0].id
}

test('a webhook of an unknown workspace or provider is refused before its body arrives', async (t) => {
  await using service = await startService({ workspace })
  const id = await idOf(service)
  const paths = ['/webhooks/mailgun/nobody', `/webhooks/mailgun/${id}`, '/webhooks/amazon-ses/nobody', '/u/nobody']
  const attack = async () => {
    await using slow = new Attack(service)
    for (const path of paths) await slow.open(50, post(path, strangerBytesMax), Buffer.alloc(10_000, ' '))
    await eventually('all are refused', () => slow.answered(404) === 200)
  }
  t.diagnostic(await assertServed(() => track(service), attack))
})

test('slow bodies of strangers leave callers with a key and other addresses alone', async (t) => {
  await using service = await startService({ workspace, timeouts: { bodyMs: never, slowMs: never } })
  const path = `/webhooks/sendgrid/${await idOf(service)}`
  const before = process.memoryUsage()
  const attack = async () => {
    await using slow = new Attack(service)
    await slow.open(64, post(path, strangerBytesMax), body)
    await eventually('all but its share are refused', () => slow.answered(503) === 64 - strangerShare)
    const events = '[]'
    const ofStranger = { key: null, headers: sendgridHeaders(events), from: stranger }
    const isRefused = async () => (await service.post(path, events, ofStranger)).status === 503
    await eventually('its share has arrived', isRefused)
    const large = `[${' '.repeat(strangerBytesMax - 2)}]`
    const ofProvider = { key: null, headers: sendgridHeaders(large), from: provider }
    assert.equal((await service.post(path, large, ofProvider)).status, 200)
  }
  t.diagnostic(await assertServed(() => track(service), attack))
  const grownMb = (process.memoryUsage().rss - before.rss) / 2 ** 20
  t.diagnostic(`memory grew by ${grownMb.toFixed(0)} MB`)
})

test('slow reports with the key of an app leave the other keys alone', async (t) => {
  await using service = await startService({ workspace, timeouts: { bodyMs: never, slowMs: never } })
  const key = await service.key(['sdk.data'])
  const attack = async () => {
    await using slow = new Attack(service)
    await slow.open(64, post('/sdk/data', strangerBytesMax, key), body)
    await eventually('all but its share are refused', () => slow.answered(503) === 64 - strangerShare)
    const { status, text } = await service.post('/sdk/data', reportOf(newDevice()), { key, from: provider })
    assert.equal(status, 201, text)
  }
  t.diagnostic(await assertServed(() => track(service), attack))
})

test('slow bodies of one API key leave the other keys alone', { skip: !long && 'needs a quiet machine' }, async (t) => {
  await using service = await startService({ timeouts: { bodyMs: never } })
  const [hostile, other] = [await service.key(['users.track']), await service.key(['users.track'])]
  const attack = async () => {
    await using slow = new Attack(service)
    await slow.open(24, post('/users/track', bodyBytesMax, hostile), Buffer.alloc(bodyBytesMax - 1, ' '))
    await eventually('all but its share are refused', () => slow.answered(503) === 8)
    const text = JSON.stringify({ attributes: [{ external_id: 'ada' }] })
    const largest = text + ' '.repeat(bodyBytesMax - text.length)
    assert.equal((await service.post('/users/track', largest, { key: other })).status, 201)
  }
  t.diagnostic(await assertServed(() => track(service, other), attack))
})

test('the body of a stranger that is slower than the minimum rate is ended, and frees what it held', async () => {
  await using service = await startService({ workspace, timeouts: { slowMs: 100 } })
  const path = `/webhooks/sendgrid/${await idOf(service)}`
  for (let round = 0; round < 2; round++) {
    await using slow = new Attack(service)
    await slow.open(100, post(path, strangerBytesMax), Buffer.alloc(10, ' '))
    await eventually('all are ended', () => slow.answered(408) === 100)
  }
})
