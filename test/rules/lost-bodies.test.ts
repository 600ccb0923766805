import assert from 'node:assert/strict'
import { once } from 'node:events'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { openBodyReader } from '../../src/base/http/body.ts'

const owner = { id: 'key', isStranger: false }
const lost = /The connection ended before the request body had arrived/

function messageOf(text: string): IncomingMessage {
  const message = new IncomingMessage(new Socket())
  message.headers = { 'content-type': 'application/json', 'content-length': String(text.length) }
  message.push(text)
  return message
}

test('a body whose connection ended before it is read is lost at once, complete or not', async () => {
  const reader = openBodyReader({ bodyMs: 3_600_000, slowMs: 3_600_000 })
  for (const complete of [true, false]) {
    const message = messageOf('{"a": 1}')
    message.complete = complete
    message.destroy()
    await once(message, 'close')
    await assert.rejects(reader.read(message, owner), lost)
  }
})

test('a connection that ends after the body does no harm', async () => {
  const reader = openBodyReader({ bodyMs: 3_600_000, slowMs: 3_600_000 })
  const message = messageOf('{"a": 1}')
  message.push(null)
  message.complete = true
  assert.deepEqual((await reader.read(message, owner)).body, { a: 1 })
  message.destroy()
})
