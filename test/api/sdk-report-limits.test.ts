import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { defaultLimits, rateWindows } from '../../src/base/http/limits.ts'
import { newDevice, reportOf } from '../support/devices.ts'
import { type Answer, drawDatabases, startService } from '../support/harness.ts'
import { apps } from '../support/people.ts'

const keyMax = 12
const addressMax = 5
const rateOf = ({ headers }: Answer) => ['limit', 'remaining'].map((name) => Number(headers[`x-ratelimit-${name}`]))

/** A machine clock that moves only with `advance`, from the start of an hour. */
function standingClock() {
  let elapsedMs = Math.floor(Date.now() / rateWindows.per_hour) * rateWindows.per_hour + 100
  return { ...systemClock(), elapsed: () => elapsedMs, advance: (ms: number) => (elapsedMs += ms) }
}

for (const database of drawDatabases('sdk-report-limits')) {
  test(`reports are limited for each key, and for each address with that key (${database})`, async () => {
    const limits = { sdk_data: { per_minute: keyMax }, sdk_data_address: { per_minute: addressMax } }
    const workspace = { apps: Object.values(apps), settings: { rate_limits: limits } }
    const clock = standingClock()
    let db!: Db
    const env = { EASEL_TRUSTED_PROXIES: '127.0.0.1' }
    await using service = await startService({ database, workspace, clock, env, opened: (opened) => (db = opened) })
    const [one, other] = [await service.key(['sdk.data']), await service.key(['sdk.data'])]
    const report = (key: string, address: string) =>
      service.post('/sdk/data', reportOf(newDevice()), { key, headers: { 'x-forwarded-for': address } })
    const reports = (count: number, key: string, address: string) =>
      Promise.all(Array.from({ length: count }, () => report(key, address)))
    const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status).sort()

    assert.deepEqual(rateOf(await report(one, '192.0.2.1')), [keyMax, keyMax - 1])
    const first = await reports(addressMax, one, '192.0.2.1')
    assert.deepEqual(statuses(first), [...Array(addressMax - 1).fill(201), 429])
    const refused = first.find(({ status }) => status === 429)!
    assert.deepEqual(refused.body, { message: 'Rate limit exceeded' })
    assert.deepEqual(rateOf(refused), [addressMax, 0])
    assert.equal(refused.headers['retry-after'], '60')

    const ofNetwork = ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9'].map((address) => reports(3, one, address))
    assert.deepEqual(statuses((await Promise.all(ofNetwork)).flat()), [201, 201, 201, 201, 201, 429])
    // Refused requests of an address do not count for the key.
    const last = await reports(3, one, '192.0.2.2')
    assert.deepEqual(statuses(last), [201, 201, 429])
    assert.deepEqual(rateOf(last.find(({ status }) => status === 429)!), [keyMax, 0])
    assert.deepEqual(rateOf(await report(other, '192.0.2.1')), [keyMax, keyMax - 1], 'another key')

    clock.advance(rateWindows.per_minute)
    assert.deepEqual(rateOf(await report(one, '192.0.2.1')), [keyMax, keyMax - 1])
    clock.advance(rateWindows.per_minute)
    await report(one, '192.0.2.1')
    const windows = await db.query<{ limit_name: string }>(
      sql`select limit_name from rate_window where limit_name like 'sdk%'`,
    )
    assert.equal(windows.length, 2, 'old windows are deleted, those of a key that is not used too')
  })
}

test('reports have limits without a setting, and none when the settings say so', async () => {
  await using service = await startService({ workspace: { apps: Object.values(apps) }, clock: standingClock() })
  const report = async () => rateOf(await service.post('/sdk/data', reportOf(newDevice())))
  assert.deepEqual(
    [defaultLimits.sdk_data, defaultLimits.sdk_data_address],
    [{ per_minute: 60_000 }, { per_minute: 6_000 }],
  )
  const [limit] = await report()
  assert.equal(limit, 60_000)
  const rate_limits = { sdk_data: 'unlimited', sdk_data_address: 'unlimited' }
  await service.admin('PATCH', '/admin/settings', { rate_limits })
  assert.deepEqual(await report(), [Number.NaN, Number.NaN])
})
