import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import test, { type TestContext } from 'node:test'
import {
  lingerBytesMax,
  lingerIdleMs,
  lingeringMax,
  lingerMsMax,
  lookMs,
  openLingering,
} from '../../src/base/http/lingering.ts'
import { many } from '../support/people.ts'

const ada = '192.0.2.1'
const bob = '192.0.2.2'

/** Returns a connection whose request is still arriving. */
function arriving(): IncomingMessage {
  const message = { complete: false, socket: new Socket(), once: () => message }
  return message as unknown as IncomingMessage
}

const isKept = ({ socket }: IncomingMessage) => Object.hasOwn(socket, 'destroySoon')

test('An address has half of the connections that stay open after an answer, and the next one half of the rest.', async () => {
  const lingering = openLingering()
  const keep = (ip: string, count: number) =>
    many(count, () => {
      const message = arriving()
      lingering.keepOpen(message, ip)
      return message
    })
  const first = keep(ada, lingeringMax / 2)
  assert.ok(first.every(isKept))
  assert.ok(!keep(ada, 1).some(isKept))
  assert.ok(keep(bob, lingeringMax / 4).every(isKept))
  assert.ok(!keep(bob, 1).some(isKept))
  for (const { socket } of first.slice(0, 2)) {
    socket.destroy()
    await once(socket, 'close')
  }
  assert.ok(keep(bob, 1).every(isKept))
})

test('A connection that has received its request does not stay open.', () => {
  const message = arriving()
  openLingering().keepOpen(Object.assign(message, { complete: true }), ada)
  assert.ok(!isKept(message))
})

/** Returns a connection that was answered, and a function that looks at it after more bytes have arrived, every 250 ms. */
function answered(t: TestContext): (rounds: number, bytes: number) => boolean {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const message = arriving()
  const { socket } = message
  let bytesRead = 1_000
  Object.defineProperty(socket, 'bytesRead', { get: () => bytesRead })
  openLingering().keepOpen(message, ada)
  socket.destroySoon()
  return (rounds, bytes) => {
    for (let round = 0; round < rounds; round++) {
      bytesRead += bytes
      t.mock.timers.tick(lookMs)
    }
    return !socket.destroyed
  }
}

test(`A connection is ended after ${lingerIdleMs} ms without a byte.`, (t) => {
  const look = answered(t)
  assert.ok(look(1, 1))
  assert.ok(look(lingerIdleMs / lookMs - 1, 0))
  assert.ok(look(1, 1))
  assert.ok(look(lingerIdleMs / lookMs - 1, 0))
  assert.ok(!look(1, 0))
})

test(`A connection is ended after ${lingerMsMax} ms.`, (t) => {
  const look = answered(t)
  assert.ok(look(lingerMsMax / lookMs - 1, 1))
  assert.ok(!look(1, 1))
})

test(`A connection is ended after more than ${lingerBytesMax} bytes.`, (t) => {
  const look = answered(t)
  assert.ok(look(1, lingerBytesMax - 1))
  assert.ok(look(1, 1))
  assert.ok(!look(1, 1))
})
