import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'node:test'
import { startService } from '../support/harness.ts'
import { exchange } from '../support/http-requests.ts'
import { assertBelow } from '../support/waits.ts'

const servers = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length

test('a service with a workspace file that is refused fails at once with its own text, and is closed', async () => {
  const before = servers()
  const workspace = { campaigns: [{ id: 'x', nonsense: true }] }
  await assert.rejects(startService({ workspace }), /POST \/admin\/apply: .*nonsense/)
  assert.equal(servers(), before)
})

test('a request whose connection breaks within the answer fails', async (t) => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-length': 100 })
    response.write('a', () => response.destroy())
  })
  t.after(() => server.close())
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  await assert.rejects(exchange(port, 'GET', '/', undefined, {}), { code: 'ECONNRESET' })
})

test('what takes too long in every round is a defect', async () => {
  let rounds = 0
  const measure = async () => {
    rounds++
    return 1_000_000
  }
  await assert.rejects(assertBelow(1, 'the work', measure), /^AssertionError.*: the work took 1000000 \(busy \d/)
  assert.equal(rounds, 5)
  await assertBelow(1, 'the work', async () => (rounds++ < 7 ? 1_000_000 : 0))
  assert.equal(rounds, 8)
})
