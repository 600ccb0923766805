import assert from 'node:assert/strict'
import test from 'node:test'
import { startEasel } from '../../client/src/testing/testing.ts'
import { joinEmulator, mailTo } from '../support/emulators.ts'

type Loaded = { readonly statuses: ReadonlySet<number>; readonly people: readonly string[] }

/** Tracks people until it is told to stop. Returns the statuses, 0 for a connection that was cut, and who was accepted before the stop. */
async function load(url: string, key: string, name: string, stop: AbortSignal): Promise<Loaded> {
  const statuses = new Set<number>()
  const people: string[] = []
  for (let i = 0; !stop.aborted; i++) {
    const external_id = `${name}-${i}`
    const status = await send(url, key, '/users/track', { attributes: [{ external_id }] }).then(
      (answer) => answer.status,
      () => 0,
    )
    statuses.add(status)
    if (status === 201 && !stop.aborted) people.push(external_id)
  }
  return { statuses, people }
}

async function send(
  url: string,
  key: string,
  path: string,
  body: object,
): Promise<{ status: number; body: { users?: object[] } }> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as { users?: object[] } }
}

test('resets and snapshots under load: every request is answered, and nothing from before a reset comes back', async () => {
  await using easel = await joinEmulator({ isolated: true })
  const { api_key, admin_token, url } = easel.emulator!
  for (let round = 0; round < 4; round++) {
    const stop = new AbortController()
    const loads = [1, 2, 3, 4].map((n) => load(url, api_key, `${round}-${n}`, stop.signal))
    const saved = await send(url, admin_token, '/emulator/snapshots', { name: `round-${round}` })
    assert.equal(saved.status, 201)
    await send(url, admin_token, '/emulator/faults', { kind: 'cut', effect: 'after', times: 2 })
    await send(url, admin_token, '/emulator/faults', { kind: 'slow', delay_ms: 20, times: 2 })
    stop.abort()
    // The requests that are on their way meet the reset.
    assert.equal((await send(url, admin_token, '/emulator/reset', {})).status, 200)
    const loaded = await Promise.all(loads)
    for (const status of loaded.flatMap(({ statuses }) => [...statuses]))
      assert.ok([0, 201, 503].includes(status), `${status}`)
    const external_ids = loaded.flatMap(({ people }) => people).slice(-50)
    if (external_ids.length === 0) continue
    const left = await send(url, api_key, '/users/export/ids', { external_ids, fields_to_export: ['external_id'] })
    assert.deepEqual(left.body.users, [])
  }
})

test('a mail that was due before a reset is not sent after it', async () => {
  await using easel = await joinEmulator({ isolated: true })
  for (let round = 0; round < 3; round++) {
    await easel.person('ada').set({ email: 'ada@example.com' })
    await easel.send('POST', '/messages/send', mailTo(['ada'], 'From before'))
    await easel.reset()
    await easel.clock.advance('P1D')
    assert.deepEqual(await easel.inbox.list(), [])
    await easel.person('ada').set({ email: 'ada@example.com' })
    await easel.send('POST', '/messages/send', mailTo(['ada'], `Round ${round}`))
    assert.equal((await easel.inbox.next({}, { withinMs: 120_000 })).subject, `Round ${round}`)
    await easel.inbox.clear()
  }
})

test('a reset ends requests that an ordered fault delays', async () => {
  await using easel = await joinEmulator()
  await easel.fault({ kind: 'slow', delay_ms: 100_000, path: '/users/track' })
  const slow = assert.rejects(easel.person('ada').set({ plan: 'gold' }), /503.*was reset/)
  const waiting = () => easel.admin<{ faults: object[] }>('GET', `/emulator/faults?workspace=${easel.workspace}`)
  while ((await waiting()).faults.length > 0) await new Promise((resolve) => setTimeout(resolve, 5))
  await easel.reset()
  await slow
  assert.equal(await easel.person('ada').profile(), undefined)
})

test('an emulator ends with the process that started it, and others go on', async () => {
  const easel = await joinEmulator({ isolated: true })
  const { pid } = easel.emulator!
  await easel[Symbol.asyncDispose]()
  assert.throws(() => process.kill(pid, 0))
  await assert.rejects(startEasel({ url: easel.url, adminToken: easel.adminToken }))
})
