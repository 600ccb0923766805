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
    const answered = answer.headers.get('content-type') ?? ''
    response.writeHead(answer.status, { 'Content-Type': answered }).end(await answer.text())
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

test('the journey example prints the same when it runs again', async () => {
  await using service = await startService({ env: { EASEL_CLOCK: 'virtual' } })
  const first = await runExample(service, 'examples/journey-with-virtual-clock.mjs')
  assert.equal(first.code, 0)
  assert.match(first.out, /^day 3 {2}bob@example\.com {2}Your easel waits, Bob$/m)
  assert.deepEqual(await runExample(service, 'examples/journey-with-virtual-clock.mjs'), first)
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
