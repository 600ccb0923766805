import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { bodyBytesMax, heldBytesMax, strangerBytesMax, strangersHeldBytesMax } from '../../src/base/http/body.ts'
import { type Attacked, attackedService } from '../support/attacked.ts'
import type { Client } from '../support/client.ts'
import { newDevice, reportOf } from '../support/devices.ts'
import { eventually } from '../support/eventually.ts'
import { startService } from '../support/harness.ts'
import { apps } from '../support/people.ts'
import { sendgridHeaders, sendgridKey } from '../support/providers.ts'
import { assertServed } from '../support/waits.ts'

const stranger = '127.0.0.66'
const provider = '127.0.0.77'
/** Requests of the attacker begin at this pace: this process is the attacker and the neighbour too. */
const paceMs = 10
const strangers = 64
const strangerShare = strangersHeldBytesMax / 2 / strangerBytesMax
const senders = 24
const senderShare = heldBytesMax / 2 / bodyBytesMax
/** A body that lacks its last byte. */
const body = Buffer.alloc(strangerBytesMax - 1, ' ')
/** One that leaves room in its share for the small bodies of others, which count too. */
const largeBody = Buffer.alloc(bodyBytesMax - 65_536, ' ')

const workspace = {
  apps: Object.values(apps),
  settings: { webhooks: { sendgrid: { public_key: sendgridKey } } },
}

/** A request whose body begins and does not end. */
class SlowRequest {
  readonly #socket: Socket
  #received = ''
  #isOpen = true

  constructor(url: string, head: string, body: Buffer, from: string) {
    this.#socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), localAddress: from })
    // The service ends the connection of a refused request that does not end.
    this.#socket.on('error', () => undefined)
    this.#socket.on('close', () => {
      this.#isOpen = false
    })
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

  /** Whether the service still reads the body. */
  get isOpen(): boolean {
    return this.#isOpen && this.status === undefined
  }

  end(): void {
    this.#socket.destroy()
  }
}

/** Slow requests that end with the test. */
class SlowRequests {
  readonly requests: SlowRequest[] = []
  readonly #url: string
  readonly #inFlight: () => number | Promise<number>

  constructor(url: string, inFlight: () => number | Promise<number>) {
    this.#url = url
    this.#inFlight = inFlight
  }

  static at({ url, facts }: Attacked): SlowRequests {
    return new SlowRequests(url, async () => (await facts()).inFlight)
  }

  async open(count: number, head: string, body: Buffer): Promise<void> {
    for (let i = 0; i < count; i++) {
      this.requests.push(new SlowRequest(this.#url, head, body, stranger))
      await pause(paceMs)
    }
  }

  answered(status: number): number {
    return this.requests.filter((request) => request.status === status).length
  }

  /** Waits until all but so many requests are refused. */
  async leave(share: number): Promise<void> {
    const open = () => this.requests.filter(({ isOpen }) => isOpen).length
    await eventually(
      () => `all but ${share} of ${this.requests.length} are refused, ${open()} are open`,
      () => open() <= share,
    )
    const unanswered = this.requests.filter(({ isOpen, status }) => !isOpen && status === undefined)
    assert.equal(unanswered.length, 0, 'each client has an answer')
    // On a busy machine some are ended because they take too long.
    if (this.answered(408) === 0) assert.equal(open(), share)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const request of this.requests) request.end()
    await eventually('the service has noticed', async () => (await this.#inFlight()) === 0)
  }
}

const post = (path: string, length: number, key?: string) =>
  `POST ${path} HTTP/1.1\r\nContent-Length: ${length}${key === undefined ? '' : `\r\nAuthorization: Bearer ${key}`}`

async function idOf(service: Client): Promise<string> {
  return (await service.admin('GET', '/admin/workspace')).body.workspaces[0].id
}

/** Returns the shared service with what the tests of this file need. */
async function prepared(): Promise<Attacked> {
  const attacked = await attackedService()
  await attacked.admin('POST', '/admin/apply', workspace)
  return attacked
}

test('a webhook of an unknown workspace or provider is refused before its body arrives', async (t) => {
  const attacked = await prepared()
  const id = await idOf(attacked)
  const paths = ['/webhooks/mailgun/nobody', `/webhooks/mailgun/${id}`, '/webhooks/amazon-ses/nobody', '/u/nobody']
  await assertServed(t, attacked, async () => {
    await using slow = SlowRequests.at(attacked)
    for (const path of paths) await slow.open(25, post(path, strangerBytesMax), Buffer.alloc(10_000, ' '))
    await eventually('all are refused', () => slow.answered(404) === 100)
  })
})

test('slow bodies of strangers leave callers with a key and other addresses alone', async (t) => {
  const attacked = await prepared()
  const path = `/webhooks/sendgrid/${await idOf(attacked)}`
  await assertServed(t, attacked, async () => {
    await using slow = SlowRequests.at(attacked)
    await slow.open(strangers, post(path, strangerBytesMax), body)
    await slow.leave(strangerShare)
    const events = '[]'
    const ofStranger = { key: null, headers: sendgridHeaders(events), from: stranger }
    const isRefused = async () => (await attacked.post(path, events, ofStranger)).status === 503
    await eventually('its share has arrived', isRefused)
    const large = `[${' '.repeat(strangerBytesMax - 2)}]`
    const ofProvider = { key: null, headers: sendgridHeaders(large), from: provider }
    assert.equal((await attacked.post(path, large, ofProvider)).status, 200)
  })
})

test('slow reports with the key of an app leave the other keys alone', async (t) => {
  const attacked = await prepared()
  const key = await attacked.key(['sdk.data'])
  await assertServed(t, attacked, async () => {
    await using slow = SlowRequests.at(attacked)
    await slow.open(strangers, post('/sdk/data', strangerBytesMax, key), body)
    await slow.leave(strangerShare)
    const { status, text } = await attacked.post('/sdk/data', reportOf(newDevice()), { key, from: provider })
    assert.equal(status, 201, text)
  })
})

test('slow bodies of one API key leave the other keys alone', async (t) => {
  const attacked = await prepared()
  const [hostile, other] = [await attacked.key(['users.track']), await attacked.key(['users.track'])]
  await assertServed(t, attacked, async () => {
    await using slow = SlowRequests.at(attacked)
    await slow.open(senders, post('/users/track', bodyBytesMax, hostile), largeBody)
    await slow.leave(senderShare)
    const text = JSON.stringify({ attributes: [{ external_id: 'ada' }] })
    const largest = text + ' '.repeat(bodyBytesMax - text.length)
    assert.equal((await attacked.post('/users/track', largest, { key: other })).status, 201)
  })
})

test('the body of a stranger that is slower than the minimum rate is ended, and frees what it held', async () => {
  await using service = await startService({ workspace, timeouts: { slowMs: 100 } })
  const path = `/webhooks/sendgrid/${await idOf(service)}`
  for (let round = 0; round < 2; round++) {
    await using slow = new SlowRequests(service.url, () => service.app.inFlight())
    await slow.open(100, post(path, strangerBytesMax), Buffer.alloc(10, ' '))
    await eventually('all are ended', () => slow.answered(408) === 100)
  }
})
