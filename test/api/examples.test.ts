import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { ownEnvironment, type Service, startService } from '../support/harness.ts'

const root = join(import.meta.dirname, '../..')

/** A proxy in front of a service that gives the first requests these answers, with `Retry-After`. */
async function refuseFirst(url: string, statuses: number[]): Promise<AsyncDisposable & { url: string }> {
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    const status = statuses.shift()
    if (status !== undefined) return response.writeHead(status, { 'Retry-After': '0' }).end('{"message": "busy"}')
    const { authorization = '', 'content-type': type = '' } = request.headers
    const headers = { authorization, 'content-type': type }
    const answer = await fetch(`${url}${request.url}`, { method: request.method!, headers, body })
    response.writeHead(answer.status).end(await answer.text())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Runs an example against a service, as a reader would. */
async function runExample(service: Service, ...args: string[]): Promise<{ code: number; out: string }> {
  const { url: EASEL_URL, apiKey: EASEL_API_KEY, adminToken: EASEL_ADMIN_TOKEN } = service
  const env = { ...ownEnvironment, EASEL_URL, EASEL_API_KEY, EASEL_ADMIN_TOKEN }
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'exit')
  const [out, err] = await Promise.all(
    [child.stdout, child.stderr].map(async (stream) => (await stream.setEncoding('utf8').toArray()).join('')),
  )
  const [code] = await ended
  assert.equal(err, '')
  return { code, out: out! }
}

test('the web shop example prints the profile after an order', async () => {
  await using service = await startService()
  const printed = [
    'An unknown visitor looked at a product.',
    'The visitor signed up.',
    'The customer ordered.',
    'Ada: first page /easels, orders 1',
    '  product_viewed: 1',
    '  studio-easel: 2',
  ]
  assert.deepEqual(await runExample(service, 'examples/track-from-web-shop.mjs'), {
    code: 0,
    out: `${printed.join('\n')}\n`,
  })
})

test('the journey example prints the mails of four days and why each person left, also when it runs again', async () => {
  await using service = await startService({ env: { EASEL_CLOCK: 'virtual' } })
  for (let runs = 0; runs < 2; runs++) {
    const { code, out } = await runExample(service, 'examples/journey-with-virtual-clock.mjs')
    assert.equal(code, 0)
    const lines = out.trimEnd().split('\n')
    assert.deepEqual(lines.slice(0, 2).sort(), [
      'day 0  ada@example.com  Welcome, Ada',
      'day 0  bob@example.com  Welcome, Bob',
    ])
    assert.deepEqual(lines.slice(2), [
      'day 3  bob@example.com  Your easel waits, Bob',
      'ada: exited, the person left the canvas',
      'bob: completed, there was no next step',
    ])
  }
})

test('the import example retries when the server asks for it, and prints the refused lines', async () => {
  await using service = await startService()
  await using busy = await refuseFirst(service.url, [429, 503])
  const { code, out } = await runExample(
    { ...service, url: busy.url },
    'examples/nightly-import.mjs',
    'examples/people.csv',
  )
  const refusal = "The value provided for the 'email' field is not a valid email."
  const printed = [
    'Easel answered 429: next try in 0 s',
    'Easel answered 503: next try in 0 s',
    `line 18: ${refusal}`,
    `line 59: ${refusal}`,
    '58 of 60 lines imported',
  ]
  assert.deepEqual({ code, out }, { code: 1, out: `${printed.join('\n')}\n` })
  const { body } = await service.post('/users/export/ids', {
    external_ids: ['c-033'],
    fields_to_export: ['first_name', 'custom_attributes'],
  })
  assert.deepEqual(body.users, [{ first_name: 'Smith, "Bo"', custom_attributes: { plan: 'free' } }])
})
