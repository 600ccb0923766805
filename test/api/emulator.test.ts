import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import { EmulatorError, type TestEasel } from '../../client/src/testing/testing.ts'
import {
  delayMsMax,
  faultsMax,
  messageCharactersMax,
  partialItemsMax,
  timesMax,
} from '../../src/emulator/faults/schema.ts'
import { waitMsMax } from '../../src/emulator/requests/schema.ts'
import { snapshotsMax } from '../../src/emulator/state/schema.ts'
import { joinEmulator, mailTo } from '../support/emulators.ts'
import { startService } from '../support/harness.ts'

/** Keeps the emulator from ending between two tests. */
let held: TestEasel
before(async () => {
  held = await joinEmulator()
})
after(() => held[Symbol.asyncDispose]())

const waitsLong = { withinMs: 120_000 }

/** Sends a request without the kit, which has no way to see headers. */
async function track(
  easel: TestEasel,
  body: object,
): Promise<{ status: number; headers: Headers; body: Record<string, unknown> }> {
  const response = await fetch(`${easel.url}/users/track`, {
    method: 'POST',
    headers: { authorization: `Bearer ${easel.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  }
}

function refusedWith(status: number, words: RegExp) {
  return (error: unknown) => error instanceof EmulatorError && error.status === status && words.test(error.message)
}

test('without an emulator there are none of its paths', async () => {
  await using service = await startService()
  for (const path of ['/emulator/reset', '/emulator/faults', '/emulator/snapshots', '/emulator/requests/expect']) {
    assert.equal((await service.send('POST', path, {}, { key: service.adminToken })).status, 404, path)
  }
})

test('the endpoints of the emulator need the admin token', async () => {
  await using easel = await joinEmulator()
  for (const path of ['/emulator/reset', '/emulator/faults', '/emulator/snapshots']) {
    await assert.rejects(easel.send('POST', path, {}), refusedWith(401, /./), path)
  }
})

test('a person is tracked, a mail is sent, and the clock moves to what is due', async () => {
  await using easel = await joinEmulator()
  const ada = await easel.person('ada').set({ email: 'ada@example.com', first_name: 'Ada' })
  await easel.send('POST', '/messages/send', mailTo(['ada'], 'Hello'))
  const mail = await ada.nextMail(waitsLong)
  assert.equal(mail.subject, 'Hello')
  assert.match(mail.html ?? '', /<p>Hello<\/p>/)
  const before = await easel.clock.now()
  const moved = await easel.clock.advance('P3D')
  assert.equal(moved.getTime() - before.getTime(), 3 * 86_400_000)
  await assert.rejects(
    easel.inbox.next({ to: 'ada@example.com' }, { withinMs: 1 }),
    /No further mail .* came within 1 ms/,
  )
})

test('an emulator calls nobody: the inbox keeps the request of a webhook', async () => {
  await using easel = await joinEmulator()
  await easel.person('eve').set({ first_name: 'Eve' })
  const webhook = {
    url: 'https://hooks.example.com/{{${user_id}}}',
    method: 'PUT',
    body: { name: '{{${first_name}}}' },
  }
  await easel.send('POST', '/messages/send', { external_user_ids: ['eve'], messages: { webhook } })
  const kept = await easel.inbox.next({ to: 'https://hooks.example.com' }, waitsLong)
  assert.deepEqual([kept.subject, kept.text], ['PUT https://hooks.example.com/eve', '{"name":"Eve"}'])
})

test('workspaces of parallel tests do not see each other', async () => {
  await Promise.all(
    ['one', 'two', 'three'].map(async (name) => {
      await using easel = await joinEmulator()
      await easel.person('same').set({ first_name: name })
      assert.equal((await easel.person('same').profile())?.first_name, name)
      assert.deepEqual(
        (await easel.requests({ path: '/users/track' })).map(({ status }) => status),
        [201],
      )
    }),
  )
})

test('a reset of a workspace empties it and leaves the others as they are', async () => {
  await using easel = await joinEmulator()
  await using other = await joinEmulator()
  await easel.person('ada').set({ email: 'ada@example.com' })
  await other.person('bob').set({ first_name: 'Bob' })
  await easel.send('POST', '/messages/send', mailTo(['ada'], 'Before'))
  await easel.person('ada').nextMail(waitsLong)
  await easel.fault({ kind: 'rate_limit' })
  await easel.reset()
  assert.equal(await easel.person('ada').profile(), undefined)
  assert.deepEqual(await easel.inbox.list(), [])
  assert.deepEqual(await easel.requests({ path: '/users/track' }), [])
  assert.equal((await other.person('bob').profile())?.first_name, 'Bob')
  assert.equal((await other.requests({ path: '/users/track' })).length, 1)
})

test('a workspace returns to a snapshot', async () => {
  await using easel = await joinEmulator()
  const ada = await easel.person('ada').set({ plan: 'free' })
  await ada.event('opened_shop')
  await easel.save('free')
  await ada.set({ plan: 'gold' })
  await easel.person('bob').set({ plan: 'gold' })
  await easel.restore('free')
  const profile = await ada.profile()
  assert.deepEqual(profile?.custom_attributes, { plan: 'free' })
  assert.equal((profile!.custom_events as { count: number }[])[0]?.count, 1)
  assert.equal(await easel.person('bob').profile(), undefined)
  await assert.rejects(easel.save('free'), refusedWith(409, /already/))
  await assert.rejects(easel.restore('gone'), refusedWith(404, /no snapshot "gone"/))
  await assert.rejects(easel.save('a/b'), refusedWith(400, /'name'/))
  await easel.admin('DELETE', `/emulator/snapshots/free?workspace=${easel.workspace}`)
  await assert.rejects(easel.restore('free'), refusedWith(404, /no snapshot/))
})

test('faults meet the next requests in their order', async () => {
  await using easel = await joinEmulator()
  await easel.fault({ kind: 'rate_limit', retry_after_s: 7, times: 2 })
  await easel.fault({ kind: 'status', status: 500 })
  const body = { attributes: [{ external_id: 'ada', plan: 'gold' }] }
  for (const _ of [1, 2]) {
    const { status, headers } = await track(easel, body)
    assert.equal(status, 429)
    assert.equal(headers.get('retry-after'), '7')
    assert.equal(headers.get('x-ratelimit-remaining'), '0')
    assert.match(headers.get('x-ratelimit-limit') ?? '', /^\d+$/)
    assert.ok(Number(headers.get('x-ratelimit-reset')) > 1e9)
  }
  assert.deepEqual((await track(easel, body)).body, { message: 'Internal error' })
  assert.equal(await easel.person('ada').profile(), undefined)
  assert.equal((await track(easel, body)).status, 201)
  const seen = await easel.requests({ path: '/users/track' })
  assert.deepEqual(
    seen.map(({ status }) => status),
    [429, 429, 500, 201],
  )
  assert.deepEqual(
    seen.map(({ fault }) => fault !== null),
    [true, true, true, false],
  )
})

test('a connection is cut before or after a request took effect', async () => {
  await using easel = await joinEmulator()
  for (const effect of ['before', 'after'] as const) {
    await easel.fault({ kind: 'cut', effect, path: '/users/track' })
    await assert.rejects(track(easel, { attributes: [{ external_id: effect, plan: 'gold' }] }))
    assert.equal((await easel.person(effect).profile()) !== undefined, effect === 'after')
  }
  assert.deepEqual(
    (await easel.requests({ path: '/users/track' })).map(({ status }) => status),
    [null, null],
  )
})

test('a slow request waits, and takes effect then', async () => {
  await using easel = await joinEmulator()
  await easel.fault({ kind: 'slow', delay_ms: 50 })
  const startMs = performance.now()
  assert.equal((await track(easel, { attributes: [{ external_id: 'ada' }] })).status, 201)
  assert.ok(performance.now() - startMs >= 49)
})

test('objects of a track request are refused at their positions, and the others take effect', async () => {
  await using easel = await joinEmulator()
  await easel.fault({
    kind: 'partial',
    items: [
      { input_array: 'attributes', index: 0, type: 'refused on purpose' },
      { input_array: 'events', index: 1 },
    ],
  })
  const time = (await easel.clock.now()).toISOString()
  const { status, body } = await track(easel, {
    // The last one is refused by itself: its position is that in the request.
    attributes: [{ external_id: 'ada' }, { external_id: 'bob' }, { first_name: 'nobody' }],
    events: [
      { external_id: 'bob', name: 'kept', time },
      { external_id: 'bob', name: 'refused', time },
    ],
  })
  assert.equal(status, 201)
  assert.equal(body.attributes_processed, 1)
  assert.equal(body.events_processed, 1)
  const errors = body.errors as { type: string; input_array: string; index: number }[]
  assert.deepEqual(
    errors.map(({ input_array, index }) => [input_array, index]),
    [
      ['attributes', 0],
      ['attributes', 2],
      ['events', 1],
    ],
  )
  assert.equal(errors[0]?.type, 'refused on purpose')
  assert.equal(await easel.person('ada').profile(), undefined)
  const bob = await easel.person('bob').profile()
  assert.deepEqual(
    (bob!.custom_events as { name: string }[]).map(({ name }) => name),
    ['kept'],
  )
})

test('a track request of which every object is refused is refused', async () => {
  await using easel = await joinEmulator()
  await easel.fault({ kind: 'partial', items: [{ input_array: 'attributes', index: 0 }] })
  const { status, body } = await track(easel, { attributes: [{ external_id: 'ada' }] })
  assert.equal(status, 400)
  assert.equal((body.errors as unknown[]).length, 1)
})

test('a mail is refused as by a mail server: 5.1.1 is a hard bounce, 4xx is tried again', async () => {
  await using easel = await joinEmulator()
  await easel.person('ada').set({ email: 'ada@example.com' })
  await easel.person('bob').set({ email: 'bob@example.com' })
  await easel.fault({ kind: 'refuse_mail', to: 'ada@example.com', code: 550, enhanced: '5.1.1' })
  await easel.fault({ kind: 'refuse_mail', to: 'bob@example.com', code: 451, enhanced: '4.3.0' })
  await easel.send('POST', '/messages/send', mailTo(['ada', 'bob'], 'Hello'))
  await easel.clock.advance('PT2H')
  assert.equal((await easel.inbox.next({}, waitsLong)).to, 'bob@example.com')
  assert.deepEqual(
    (await easel.inbox.list()).map(({ to }) => to),
    ['bob@example.com'],
  )
  const day = (await easel.clock.now()).toISOString().slice(0, 10)
  const path = `/email/hard_bounces?start_date=${day}&end_date=${day}&email=ada@example.com`
  const bounced = await easel.send<{ emails: { email: string }[] }>('GET', path)
  assert.deepEqual(
    bounced.emails.map(({ email }) => email),
    ['ada@example.com'],
  )
})

test('an expectation names the nearest request when none matches', async () => {
  await using easel = await joinEmulator()
  const gold = { path: '/users/track', body: { attributes: [{ plan: 'gold' }] } }
  const expected = easel.expectRequest(gold, { withinMs: 60_000 })
  await easel.person('bob').set({ plan: 'free' })
  await easel.person('ada').set({ plan: 'gold' })
  const [request] = await expected
  assert.equal(request?.body.attributes[0].external_id, 'ada')
  const never = easel.expectRequest({ path: '/users/track', body: { attributes: [{ plan: 'blue' }] } }, { withinMs: 1 })
  await assert.rejects(
    never,
    refusedWith(409, /0 of 1 requests .* nearest was POST \/users\/track: .*plan': it is "gold"/s),
  )
})

test('a fault that is not valid is refused with the name of the member', async () => {
  await using easel = await joinEmulator()
  const order = (body: object) => easel.admin('POST', '/emulator/faults', { workspace: easel.workspace, ...body })
  await assert.rejects(order({ kind: 'none' }), refusedWith(400, /'kind'/))
  await assert.rejects(order({ kind: 'slow' }), refusedWith(400, /'delay_ms' is required/))
  await assert.rejects(
    order({ kind: 'cut', effect: 'before', delay_ms: 1 }),
    refusedWith(400, /'delay_ms' is not a member/),
  )
  await assert.rejects(order({ kind: 'status', status: 200 }), refusedWith(400, /'status'/))
  await assert.rejects(order({ kind: 'status', statuss: 500 }), refusedWith(400, /'statuss'/))
  await assert.rejects(order({ kind: 'rate_limit', times: 0 }), refusedWith(400, /'times'/))
})

test('faults and snapshots have limits', async () => {
  await using easel = await joinEmulator({ isolated: true })
  for (let i = 0; i < faultsMax; i++) await easel.fault({ kind: 'rate_limit', path: '/never' })
  await assert.rejects(easel.fault({ kind: 'rate_limit' }), refusedWith(409, /At most/))
  assert.equal((await easel.admin<{ deleted: number }>('DELETE', '/emulator/faults')).deleted, faultsMax)
  for (let i = 0; i < snapshotsMax; i++) await easel.save(`s${i}`)
  await assert.rejects(easel.save('more'), refusedWith(409, /at most/))
})

test('what a fault and an expectation say has limits', async () => {
  await using easel = await joinEmulator({ isolated: true })
  const order = (body: object) => easel.admin('POST', '/emulator/faults', body)
  const expectation = (body: object) => easel.admin('POST', '/emulator/requests/expect', { path: '/never', ...body })
  const item = { input_array: 'attributes', index: 0 }
  const table: readonly (readonly [member: string, max: number, bodyOf: (size: number) => object])[] = [
    ['times', timesMax, (times) => ({ path: '/never', kind: 'rate_limit', times })],
    ['retry_after_s', 3_600, (retry_after_s) => ({ path: '/never', kind: 'rate_limit', retry_after_s })],
    ['status', 599, (status) => ({ path: '/never', kind: 'status', status })],
    ['message', messageCharactersMax, (length) => ({ path: '/never', kind: 'status', message: 'x'.repeat(length) })],
    ['delay_ms', delayMsMax, (delay_ms) => ({ path: '/never', kind: 'slow', delay_ms })],
    [
      'items',
      partialItemsMax,
      (length) => ({ path: '/never', kind: 'partial', items: Array.from({ length }, () => item) }),
    ],
    ['code', 599, (code) => ({ kind: 'refuse_mail', code })],
  ]
  for (const [member, max, bodyOf] of table) {
    for (const size of [max - 1, max]) await order(bodyOf(size))
    await assert.rejects(order(bodyOf(max + 1)), refusedWith(400, new RegExp(`'${member}'`)), member)
  }
  await assert.rejects(expectation({ within_ms: waitMsMax + 1 }), refusedWith(400, /'within_ms'/))
  await assert.rejects(expectation({ count: 1_001 }), refusedWith(400, /'count'/))
  // Nothing came, so a wait of no time answers at once.
  await assert.rejects(expectation({ count: 1_000, within_ms: 0 }), refusedWith(409, /./))
})

test('with a seed, two emulators make the same ids, secrets and times, and a reset begins again', async () => {
  const start = () => joinEmulator({ deterministic: 'one' })
  await using one = await start()
  await using other = await start()
  assert.equal(one.emulator!.api_key, other.emulator!.api_key)
  const first = await idsOf(one)
  assert.deepEqual(await idsOf(other), first)
  assert.match(first.now, /^2030-01-/)
  await resetAll(one)
  await resetAll(other)
  const second = await idsOf(one)
  assert.deepEqual(await idsOf(other), second)
})

type Asked = { now: string; users: { service_id: string; random_bucket: number; created_at: string }[] }

async function ask(easel: TestEasel, token: string, method: string, path: string, body?: object): Promise<Asked> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const response = await fetch(`${easel.url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  return (await response.json()) as Asked
}

function resetAll(easel: TestEasel): Promise<object> {
  return ask(easel, easel.emulator!.admin_token, 'POST', '/emulator/reset', {})
}

/** Tracks two people in the default workspace, and returns what a seed decides. */
async function idsOf(easel: TestEasel): Promise<Asked> {
  const { api_key, admin_token } = easel.emulator!
  await ask(easel, api_key, 'POST', '/users/track', { attributes: [{ external_id: 'ada' }, { external_id: 'bob' }] })
  const fields_to_export = ['external_id', 'service_id', 'random_bucket', 'created_at']
  const asked = { external_ids: ['ada', 'bob'], fields_to_export }
  const { users } = await ask(easel, api_key, 'POST', '/users/export/ids', asked)
  const { now } = await ask(easel, admin_token, 'POST', '/admin/clock', { advance: 'P1D' })
  return { users, now }
}
