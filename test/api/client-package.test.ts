import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { Easel, EaselError, type PostMessagesSendBody } from '../../client/src/client.ts'
import { firstPauseMs, pauseMsMax } from '../../client/src/repeat.ts'
import { attemptsMaxDefault, type TransportOptions } from '../../client/src/transport.ts'
import { Catalogs } from '../support/catalogs.ts'
import { eventually } from '../support/eventually.ts'
import { drawDatabases } from '../support/harness.ts'
import { letter, sendingWorkspace } from '../support/messages.ts'
import { many, newEmail, newId, peopleOf } from '../support/people.ts'

const root = join(import.meta.dirname, '../..')

type Scripted = { readonly status: number; readonly headers?: Record<string, string>; readonly body?: unknown }
/** `lose` ends the connection without an answer; `hang` gives none. */
type Step = number | Scripted | 'lose' | 'hang'
type Got = {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

const letterBody = letter({ external_user_ids: ['ann'] }) as PostMessagesSendBody
const track = { attributes: [{ external_id: 'ann', plan: 'gold' }] }

/** A server that gives these answers in order, then 200, and a client of it that does not wait but notes the pauses. */
async function scripted(
  steps: Step[],
  options: { [name in keyof TransportOptions]?: TransportOptions[name] | undefined } = {},
) {
  const got: Got[] = []
  const pauses: number[] = []
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    got.push({ method: request.method!, url: request.url!, headers: request.headers, body })
    const step = steps.shift() ?? 200
    if (step === 'hang') return
    if (step === 'lose') return request.socket.destroy()
    const {
      status,
      headers = {},
      body: said = { message: 'of the test' },
    } = typeof step === 'number' ? { status: step } : step
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(said))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const easel = new Easel({
    url,
    key: 'a-key',
    wait: async (ms) => pauses.push(ms),
    ...options,
  })
  return {
    url,
    easel,
    got,
    pauses,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Returns the error of a call. */
async function refusalOf(call: Promise<unknown>): Promise<EaselError> {
  const error = await call.then(
    () => assert.fail('the call has succeeded'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof EaselError, String(error))
  return error
}

describe('repeats of the client package', () => {
  test('a 429 is repeated after Retry-After, also without a key', async () => {
    const busy = { status: 429, headers: { 'Retry-After': '7' } }
    await using server = await scripted([busy, { status: 429, headers: { 'Retry-After': '0' } }])
    await server.easel.postUsersTrack(track)
    assert.deepEqual(server.pauses, [7000, 0])
    for (const { method, url, headers, body } of server.got) {
      assert.deepEqual([method, url, headers.authorization], ['POST', '/users/track', 'Bearer a-key'])
      assert.deepEqual([headers['content-type'], JSON.parse(body)], ['application/json', track])
    }
  })

  test('a 429 without Retry-After is repeated at the end of the window, on the clock of the service', async () => {
    const date = 'Tue, 01 Jan 2030 00:00:00 GMT'
    const endS = Date.parse(date) / 1000 + 12
    const refused = (reset: number) => ({ status: 429, headers: { Date: date, 'X-RateLimit-Reset': String(reset) } })
    await using server = await scripted([refused(endS), refused(endS - 60), refused(endS + 3600), 429])
    await server.easel.postUsersTrack(track)
    assert.deepEqual(server.pauses, [12_000, 0, pauseMsMax, firstPauseMs * 8])
  })

  test('a 503 or a lost connection is repeated only when the call is repeatable', async () => {
    for (const step of [503, 'lose'] as const) {
      const tries = async (call: (easel: Easel) => Promise<unknown>) => {
        await using server = await scripted([step, step])
        await call(server.easel).catch((error) => assert.ok(error instanceof EaselError))
        return server.got.length
      }
      assert.equal(await tries((easel) => easel.getCatalogs()), 3)
      assert.equal(await tries((easel) => easel.deleteCatalogsCatalogName('books')), 3)
      assert.equal(await tries((easel) => easel.putCatalogsCatalogNameItems('books', { items: [{ id: 'a' }] })), 3)
      assert.equal(await tries((easel) => easel.postMessagesSend(letterBody, { idempotencyKey: 'k' })), 3)
      assert.equal(await tries((easel) => easel.postUsersTrack(track, { repeat: true })), 3)
      assert.equal(await tries((easel) => easel.postMessagesSend(letterBody)), 1)
      assert.equal(await tries((easel) => easel.postUsersTrack(track)), 1)
      assert.equal(await tries((easel) => easel.patchCatalogsCatalogNameItems('books', { items: [{ id: 'a' }] })), 1)
    }
  })

  test('without Retry-After each pause is twice as long as the one before', async () => {
    await using server = await scripted(['lose', 503, 'lose'])
    await server.easel.getCatalogs()
    assert.deepEqual(server.pauses, [firstPauseMs, firstPauseMs * 2, firstPauseMs * 4])
  })

  test('a request that is still being processed is waited for with the same key', async () => {
    const running = { status: 409, headers: { 'Retry-After': '1' } }
    await using server = await scripted([running, running])
    await server.easel.postMessagesSend(letterBody, { idempotencyKey: 'k' })
    assert.deepEqual(
      server.got.map(({ headers }) => headers['idempotency-key']),
      ['k', 'k', 'k'],
    )
    assert.deepEqual(server.pauses, [1000, 1000])
    for (const [step, options] of [
      [running, {}],
      [409, { idempotencyKey: 'k' }],
    ] as const) {
      await using other = await scripted([step])
      assert.equal((await refusalOf(other.easel.postMessagesSend(letterBody, options))).status, 409)
      assert.equal(other.got.length, 1)
    }
  })

  test('the number of attempts is limited', async () => {
    for (const attemptsMax of [1, 3, undefined]) {
      const limit = attemptsMax ?? attemptsMaxDefault
      const options = attemptsMax === undefined ? {} : { attemptsMax }
      await using enough = await scripted(
        many(limit - 1, () => 429),
        options,
      )
      await enough.easel.getCatalogs()
      assert.equal(enough.got.length, limit)
      await using tooFew = await scripted(
        many(limit, () => 429),
        options,
      )
      assert.equal((await refusalOf(tooFew.easel.getCatalogs())).status, 429)
      assert.deepEqual([tooFew.got.length, tooFew.pauses.length], [limit, limit - 1])
    }
    assert.throws(() => new Easel({ url: 'http://127.0.0.1', attemptsMax: 0 }), RangeError)
  })

  test('onRepeat is told about each pause', async () => {
    const told: unknown[] = []
    await using server = await scripted(['lose', { status: 503, headers: { 'Retry-After': '2' } }], {
      onRepeat: (repeat) => told.push(repeat),
    })
    await server.easel.getCatalogs()
    const call = { method: 'GET', path: '/catalogs' }
    assert.deepEqual(told, [
      { ...call, status: undefined, attempt: 1, pauseMs: firstPauseMs },
      { ...call, status: 503, attempt: 2, pauseMs: 2000 },
    ])
  })
})

describe('the end of a call of the client package', () => {
  test('a signal ends a call that waits for its answer', async () => {
    const reason = new Error('the user has left')
    await using server = await scripted(['hang'])
    const user = new AbortController()
    const call = server.easel.getCatalogs({ signal: user.signal })
    await Promise.all([
      assert.rejects(call, reason),
      eventually('the request arrives', () => server.got.length === 1).then(() => user.abort(reason)),
    ])
    assert.deepEqual([server.got.length, server.pauses], [1, []])
  })

  test('a signal ends a call that waits for its next attempt', async () => {
    const reason = new Error('the user has left')
    const user = new AbortController()
    const busy: Step = { status: 503, headers: { 'Retry-After': '60' } }
    await using server = await scripted([busy], {
      wait: undefined,
      onRepeat: () => setImmediate(() => user.abort(reason)),
    })
    await assert.rejects(server.easel.getCatalogs({ signal: user.signal }), reason)
    assert.equal(server.got.length, 1)
  })

  test('an answer that takes longer than timeoutMs is no answer', async () => {
    await using server = await scripted(['hang'], { timeoutMs: 50 })
    const error = await refusalOf(server.easel.postUsersTrack(track))
    assert.deepEqual([error.status, error.body], [undefined, undefined])
    assert.match(error.message, /^POST \/users\/track got no answer: .*timeout/)
    // On a busy machine, the time may be over before the request arrives. It is not repeated.
    assert.deepEqual(server.pauses, [])
  })

  test('a refusal names the method, the path and what the service says', async () => {
    const said = { message: 'Such a book is unknown' }
    const refusal = { status: 404, headers: { 'X-Request-Id': 'r-1' }, body: said }
    await using server = await scripted([refusal, { status: 400, body: { detail: 'No such filter' } }, 500])
    const error = await refusalOf(server.easel.getCatalogsCatalogNameItemsItemId('old books', 'a/b'))
    assert.equal(error.message, 'GET /catalogs/old%20books/items/a%2Fb was answered with 404: Such a book is unknown')
    assert.deepEqual([error.status, error.body, error.requestId], [404, said, 'r-1'])
    const headers = { 'X-Request-Origin': 'https://easel.example.com' }
    const scim = await refusalOf(server.easel.getScimV2Users({ filter: 'a' }, { headers }))
    assert.equal(scim.message, 'GET /scim/v2/Users was answered with 400: No such filter')
    assert.equal(server.got.at(-1)?.headers['x-request-origin'], headers['X-Request-Origin'])
    assert.equal((await refusalOf(server.easel.getCatalogs())).status, 500)
  })

  test('pages are asked for as they are read, and a list in the query is a parameter for each of its entries', async () => {
    const pages = [{ cursor: 'b', messages: ['one', 'two'] }, { messages: [] }].map((body) => ({ status: 200, body }))
    await using server = await scripted([...pages, ...pages])
    const mails = server.easel.each.getAdminInbox({ to: 'ann@example.com', since: undefined })
    assert.deepEqual([(await mails.next()).value, (await mails.next()).value, server.got.length], ['one', 'two', 1])
    assert.equal((await mails.next()).done, true)
    await server.easel.getSmsInvalidPhoneNumbers({ phone_numbers: ['+1', '+2'] })
    assert.deepEqual(
      server.got.map(({ url }) => url),
      [
        '/admin/inbox?to=ann%40example.com',
        '/admin/inbox?to=ann%40example.com&cursor=b',
        '/sms/invalid_phone_numbers?phone_numbers=%2B1&phone_numbers=%2B2',
      ],
    )
  })
})

test('the built form is JavaScript that runs without this repository', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'easel-client-'))
  try {
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    await promisify(execFile)(process.execPath, [
      compiler,
      '-p',
      join(root, 'client'),
      '--outDir',
      join(folder, 'dist'),
    ])
    copyFileSync(join(root, 'client/package.json'), join(folder, 'package.json'))
    await using server = await scripted([{ status: 404, body: { message: 'nothing there' } }])
    const { default: path } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).exports['.']
    const built = (await import(pathToFileURL(join(folder, path)).href)) as typeof import('../../client/src/client.ts')
    const easel = new built.Easel({ url: `${server.url}/below/` })
    await assert.rejects(easel.getCatalogs(), built.EaselError)
    const [asked] = server.got
    assert.deepEqual([asked?.url, asked?.headers.authorization], ['/below/catalogs', undefined])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

for (const database of drawDatabases('client-package')) {
  describe(`the client package and the service (${database})`, () => {
    const segments = many(101, (i) => ({ ...sendingWorkspace.segments[0]!, id: `s-${i}`, name: `Segment ${i}` }))
    const people = peopleOf(database, { workspace: { ...sendingWorkspace, segments } })
    const catalogs = new Catalogs(() => people.service)
    const open = () => new Easel({ url: `${people.service.url}/`, key: people.service.apiKey })

    test('a track with a typed body, and its export', async () => {
      const [easel, external_id] = [open(), newId()]
      const { attributes_processed, message } = await easel.postUsersTrack({
        attributes: [{ external_id, first_name: 'Ann', plan: { level: ['gold'] } }],
      })
      assert.deepEqual([attributes_processed, message], [1, 'success'])
      const { users = [] } = await easel.postUsersExportIds({
        external_ids: [external_id],
        fields_to_export: ['first_name', 'custom_attributes'],
      })
      assert.deepEqual(users, [{ first_name: 'Ann', custom_attributes: { plan: { level: ['gold'] } } }])
    })

    test('a refusal by the service', async () => {
      const [easel, external_id] = [open(), newId()]
      // @ts-expect-error: an event has a name.
      const wrong = await refusalOf(easel.postUsersTrack({ events: [{ external_id, time: '2026-01-01T00:00:00Z' }] }))
      const { message } = wrong.body as { message: string }
      assert.equal(wrong.message, `POST /users/track was answered with 400: ${message}`)
      assert.match(wrong.requestId ?? '', /^[0-9a-f-]{36}$/)
      const stranger = new Easel({ url: people.service.url, key: 'a-key-that-nobody-has-been-given' })
      const unknown = await refusalOf(stranger.getCatalogs())
      assert.match(unknown.message, /^GET \/catalogs was answered with 401: Invalid API key/)
    })

    test('a message with an idempotency key is sent once', async () => {
      const [easel, external_id] = [open(), newId()]
      await easel.postUsersTrack({ attributes: [{ external_id, email: newEmail() }] })
      const body = letter({ external_user_ids: [external_id] }) as PostMessagesSendBody
      const options = { idempotencyKey: newId('key') }
      const first = await easel.postMessagesSend(body, options)
      assert.deepEqual(await easel.postMessagesSend(body, options), first)
      assert.notDeepEqual(await easel.postMessagesSend(body), first)
    })

    test('lists with pages, with an offset and with the header Link are read to their end', async () => {
      const easel = open()
      const ids = await Array.fromAsync(easel.each.getSegmentsList(), ({ id }) => id)
      assert.deepEqual(ids.sort(), segments.map(({ id }) => id).sort())

      const names = many(5, (i) => `block_${i}`)
      for (const name of names) await easel.postContentBlocksCreate({ name, content: 'Hello' })
      const blocks = await Array.fromAsync(easel.each.getContentBlocksList({ limit: 2 }), ({ name }) => name)
      assert.deepEqual(blocks, names)

      const catalog = await catalogs.create()
      const items = many(120, (i) => ({ id: `item-${String(i).padStart(3, '0')}` }))
      for (let from = 0; from < items.length; from += 50) {
        await easel.postCatalogsCatalogNameItems(catalog, { items: items.slice(from, from + 50) })
      }
      const found = await Array.fromAsync(easel.each.getCatalogsCatalogNameItems(catalog), ({ id }) => id)
      assert.deepEqual(
        found,
        items.map(({ id }) => id),
      )

      const [external_id, time] = [newId(), '2026-01-01T00:00:00Z']
      const events = many(51, (i) => ({ external_id, name: `event-${i}`, time }))
      await easel.postUsersTrack({ events: events.slice(0, 50) })
      await easel.postUsersTrack({ events: events.slice(50) })
      const listed = await Array.fromAsync(easel.each.getEvents(), ({ name }) => name)
      assert.deepEqual(listed.sort(), events.map(({ name }) => name).sort())
    })
  })
}
