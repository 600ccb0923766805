import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import test, { after, before } from 'node:test'
import { bodyBytesMax } from '../../src/base/http/body.ts'
import { lingerBytesMax } from '../../src/base/http/lingering.ts'
import { eventually } from '../support/eventually.ts'
import { type Service, startService } from '../support/harness.ts'

const bodyBytes = 2 * bodyBytesMax
const body = Buffer.alloc(bodyBytes, ' ')
const pieceBytes = 1_048_576
const bodyMs = 300
/** No client has sent so much before the service looks at its connection. */
const endlessBytes = 1_000 * lingerBytesMax

let service: Service
/** Waits for a body no longer than `bodyMs`, in which a busy machine does not send 4 MB. */
let hasty: Service
before(async () => {
  service = await startService()
  hasty = await startService({ timeouts: { bodyMs } })
})
after(async () => {
  await service[Symbol.asyncDispose]()
  await hasty[Symbol.asyncDispose]()
})

function open(path: string, headers: readonly string[], type = 'application/json', to = service): Socket {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(to.url).port), allowHalfOpen: true })
  // A write that fails says so itself.
  socket.on('error', () => undefined)
  const head = [`POST ${path} HTTP/1.1`, 'Host: easel', `Content-Type: ${type}`, ...headers]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  return socket
}

async function write(socket: Socket, bytes: Buffer): Promise<void> {
  const written = Promise.withResolvers<void>()
  socket.write(bytes, (error) => (error ? written.reject(error) : written.resolve()))
  await written.promise
}

const length = `Content-Length: ${bodyBytes}`
const authorization = () => `Authorization: Bearer ${service.apiKey}`

type Refusal = {
  readonly status: number
  readonly path?: string
  readonly type?: string
  readonly sent?: Buffer
  headers(): readonly string[]
}

const refusals: Readonly<Record<string, Refusal>> = {
  'a body that is declared too large': { status: 413, headers: () => [authorization(), length] },
  'a body that becomes too large': {
    status: 413,
    headers: () => [authorization(), 'Transfer-Encoding: chunked'],
    sent: Buffer.concat([Buffer.from(`${bodyBytes.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]),
  },
  'a form of a stranger that is declared too large': {
    status: 413,
    path: '/sign-in',
    type: 'application/x-www-form-urlencoded',
    headers: () => [length],
  },
  'a body without a credential': { status: 401, headers: () => [length] },
  'a body of a client that ends its connection': { status: 401, headers: () => [length, 'Connection: close'] },
  'a body to an unknown webhook': { status: 404, path: '/webhooks/mailgun/nobody', headers: () => [length] },
}

for (const [what, { status, path = '/users/track', type, headers, sent = body }] of Object.entries(refusals)) {
  test(`a client that writes 8 MB before it reads has the answer ${status} to ${what}`, async () => {
    const socket = open(path, headers(), type)
    await write(socket, sent)
    socket.end()
    const answer = await text(socket)
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `))
    assert.match(answer, /\r\n\r\n./)
  })
}

test('a client whose body is too late has the answer, though it still writes', async () => {
  const headers = [authorization(), `Content-Length: ${bodyBytesMax}`]
  const socket = open('/users/track', headers, 'application/json', hasty)
  await once(socket, 'readable')
  await write(socket, body.subarray(0, bodyBytesMax))
  socket.end()
  assert.match(await text(socket), /^HTTP\/1\.1 408 /)
})

test('the connection of a refused body is ended when too much arrives', async () => {
  const socket = open('/users/track', [authorization(), `Content-Length: ${endlessBytes}`])
  const piece = Buffer.alloc(pieceBytes, ' ')
  let written = 0
  await assert.rejects(async () => {
    for (; written < endlessBytes; written += pieceBytes) await write(socket, piece)
  }, /EPIPE|ECONNRESET/)
  assert.ok(written > lingerBytesMax, `${written} bytes`)
  await eventually('nothing is left', () => service.app.inFlight() === 0)
})
