import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { drawDatabases, type Service, spawnService, startService } from '../support/harness.ts'

const dayMs = 86_400_000

async function readMs(service: Service): Promise<number> {
  return Date.parse((await service.admin('GET', '/admin/clock')).body.now)
}

for (const database of drawDatabases('admin-clock')) {
  describe(`/admin/clock (${database})`, () => {
    test('the system clock can be read but not moved', async () => {
      await using service = await startService({ database })
      const { body } = await service.admin('GET', '/admin/clock')
      assert.equal(body.clock, 'system')
      const { status, body: refused } = await service.post(
        '/admin/clock',
        { advance: 'P1D' },
        { key: service.adminToken },
      )
      assert.equal(status, 409)
      assert.equal(refused.message, 'The clock is the system clock and cannot be moved: start with EASEL_CLOCK=virtual')
    })

    test('the virtual time survives a kill', async () => {
      const env = { EASEL_CLOCK: 'virtual' }
      await using first = await spawnService({ database, env })
      const { body } = await first.post('/admin/clock', { advance: 'P1D' }, { key: first.adminToken })
      await first.kill('SIGKILL')
      const { dataDir, databaseUrl } = first
      const [name, where] = databaseUrl ? ['DATABASE_URL', databaseUrl] : ['EASEL_DATA', dataDir]
      await using second = await startService({ database, env: { ...env, [name]: where } })
      assert.equal((await second.admin('GET', '/admin/clock')).body.now, body.now)
    })

    describe('a virtual clock', () => {
      // The tests before have moved this clock.
      let service: Service
      before(async () => {
        service = await startService({ database, env: { EASEL_CLOCK: 'virtual' } })
      })
      after(() => service[Symbol.asyncDispose]())

      test('a virtual clock stays the same between calls and moves by a duration', async () => {
        const startMs = await readMs(service)
        assert.equal(await readMs(service), startMs)
        const { status, body } = await service.admin('POST', '/admin/clock', { advance: 'P3DT2H' })
        assert.equal(status, 200)
        assert.deepEqual(body, {
          now: new Date(startMs + 3 * dayMs + 7_200_000).toISOString(),
          clock: 'virtual',
          done: { messages: {}, entries_moved: 0 },
          message: 'success',
        })
      })

      test('a duration of a month is a calendar month in UTC', async () => {
        const year = new Date(await readMs(service)).getUTCFullYear() + 1
        await service.admin('POST', '/admin/clock', { now: `${year}-01-31T12:00:00+02:00` })
        const { body } = await service.admin('POST', '/admin/clock', { advance: 'P1M' })
        const lastOfFebruary = new Date(Date.UTC(year, 2, 0)).getUTCDate()
        assert.equal(body.now, `${year}-02-${lastOfFebruary}T10:00:00.000Z`)
      })

      test('a virtual clock moves to an instant, and never back', async () => {
        const startMs = await readMs(service)
        const now = new Date(startMs + 10 * dayMs).toISOString()
        assert.equal((await service.admin('POST', '/admin/clock', { now })).body.now, now)
        assert.equal((await service.admin('POST', '/admin/clock', { now })).body.now, now)
        const back = await service.post(
          '/admin/clock',
          { now: new Date(startMs).toISOString() },
          { key: service.adminToken },
        )
        assert.equal(back.status, 409)
        assert.match(back.body.message, /^The clock is at .* and never goes back; .* is earlier$/)
      })

      test('concurrent moves run one after another', async () => {
        const startMs = await readMs(service)
        await Promise.all(Array.from({ length: 5 }, () => service.admin('POST', '/admin/clock', { advance: 'P1D' })))
        assert.equal(await readMs(service), startMs + 5 * dayMs)
      })

      test('items that are tracked after a move have the new time', async () => {
        await service.advance('P40D')
        const nowMs = await readMs(service)
        await service.post('/users/track', { attributes: [{ external_id: 'late', plan: 'free' }] })
        const { body } = await service.post('/users/export/ids', {
          external_ids: ['late'],
          fields_to_export: ['created_at'],
        })
        assert.equal(Math.abs(Date.parse(body.users[0].created_at) - nowMs) < 1000, true)
      })

      test('a body without an instant or a duration is refused', async () => {
        const bodies = [
          [undefined, /^The body must be/],
          [[], /^The body must be/],
          [{}, /^The body must be/],
          [{ now: '2040-01-01T00:00:00Z', advance: 'P1D' }, /^The body must be/],
          [{ advance: 'P1D', until: 1 }, /^The body must be/],
          [{ advance: '3 days' }, /^'advance' must be an ISO 8601 duration/],
          [{ advance: 'P' }, /^'advance' must be an ISO 8601 duration/],
          [{ advance: 'P1DT' }, /^'advance' must be an ISO 8601 duration/],
          [{ advance: '-P1D' }, /^'advance' must be an ISO 8601 duration/],
          [{ advance: 3 }, /^'advance' must be an ISO 8601 duration/],
          [{ now: '2040-01-01' }, /^'now' must be an ISO 8601 instant with offset/],
          [{ now: '2040-13-01T00:00:00Z' }, /^'now' must be an ISO 8601 instant with offset/],
          [{ advance: 'P9999Y' }, /^The clock ends on 2250-01-01/],
        ] as const
        const startMs = await readMs(service)
        for (const [body, expected] of bodies) {
          const { status, body: answer } = await service.post('/admin/clock', body, { key: service.adminToken })
          assert.equal(status, 400, JSON.stringify(body))
          assert.match(answer.message, expected)
        }
        assert.equal(await readMs(service), startMs)
      })

      test('one call moves the clock over any time, up to the end of the clock', async () => {
        for (const now of ['2249-12-31T12:00:00.000Z', '2250-01-01T00:00:00.000Z']) {
          assert.equal((await service.admin('POST', '/admin/clock', { now })).body.now, now)
          await service.post('/users/track', { events: [{ external_id: 'far', name: 'seen', time: now }] })
        }
        const { body } = await service.post('/users/export/ids', {
          external_ids: ['far'],
          fields_to_export: ['custom_events'],
        })
        assert.deepEqual(body.users[0].custom_events, [
          { name: 'seen', first: '2249-12-31T12:00:00.000Z', last: '2250-01-01T00:00:00.000Z', count: 2 },
        ])
        const after = { now: '2250-01-01T00:00:00.001Z' }
        const { status, body: refused } = await service.send('POST', '/admin/clock', after, { key: service.adminToken })
        assert.deepEqual([status, refused.message], [400, 'The clock ends on 2250-01-01T00:00:00.000Z'])
      })
    })
  })
}
