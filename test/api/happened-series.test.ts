import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { Random } from '../../bench/random.ts'
import { seed } from '../sizes.ts'
import { newDevice, reportOf } from '../support/devices.ts'
import { drawDatabases } from '../support/harness.ts'
import { apps, dayMs, hourMs, type Item, many, newId, peopleOf, workspace } from '../support/people.ts'

/** A zone whose days begin at a quarter past an hour of UTC, and one that changes its clocks. */
const zones = ['Asia/Kathmandu', 'Europe/Berlin'] as const
const daysBack = 50

type Point = Readonly<Record<string, number>> & { readonly time: string }
type Happened = { readonly ms: number; readonly app_id: string | null; readonly count: number; readonly amount: number }

for (const [i, database] of drawDatabases('happened-series').entries()) {
  const zone = zones[(seed + i) % zones.length]!
  describe(`data series (${database}, ${zone})`, () => {
    const people = peopleOf(database, {
      env: { EASEL_CLOCK: 'virtual' },
      workspace: { ...workspace, settings: { ...workspace.settings, time_zone: zone } },
    })
    const random = new Random(seed + i)
    let nowMs = 0
    before(async () => {
      nowMs = Date.parse((await people.service.admin('GET', '/admin/clock')).body.now)
    })

    const read = async (path: string, query: Item): Promise<Point[]> => {
      const text = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
      const answer = await people.get(`${path}?${text.join('&')}`)
      assert.equal(answer.status, 200, answer.text)
      return (answer.body as unknown as { data: Point[] }).data
    }

    const local = (ms: number) => Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone)
    const dayOf = (ms: number) => local(ms).toPlainDate().toString()
    const hourOf = (ms: number) =>
      new Date(local(ms).round({ smallestUnit: 'hour', roundingMode: 'floor' }).epochMilliseconds).toISOString()

    /** Compares ranges of a series with a count of what happened, one by one. */
    const compare = async (path: string, query: Item, member: 'count' | 'amount', all: readonly Happened[]) => {
      const key = { '/purchases/quantity_series': 'purchase_quantity', '/purchases/revenue_series': 'revenue' }[path]
      for (const unit of ['day', 'hour'] as const) {
        const endMs = nowMs - random.below(daysBack) * dayMs
        const ending_at = random.below(2) === 0 ? new Date(endMs).toISOString() : dayOf(endMs)
        const length = 1 + random.below(100)
        const points = await read(path, { ...query, unit, ending_at, length })
        assert.equal(points.length, length)
        const last = points.at(-1)!.time
        if (unit === 'day') assert.equal(last, dayOf(endMs))
        for (const point of points) {
          const isHere = ({ ms, app_id }: Happened) =>
            (unit === 'day' ? dayOf(ms) : hourOf(ms)) === point.time &&
            (query.app_id === undefined || app_id === query.app_id)
          const sum = all.filter(isHere).reduce((total, each) => total + each[member], 0)
          assert.ok(
            Math.abs(point[key ?? 'count']! - sum) < 1e-6,
            `${path} ${JSON.stringify({ ...query, unit, ending_at, length })} ${JSON.stringify(point)} is not ${sum}`,
          )
        }
      }
    }

    test('count what happened, also after people were merged and deleted', async () => {
      const [name, product_id] = [newId('event'), newId('product')]
      const ids = many(12, () => newId())
      const anyone = () => ids[random.below(ids.length)]!
      const anyTime = () => nowMs - random.below(daysBack * 24 * 4) * (hourMs / 4) - random.below(1000)
      const anyApp = () => [null, apps.phone.id, apps.tablet.id][random.below(3)]!
      const events: Happened[] = []
      const purchases: Happened[] = []
      for (const _ of many(6, () => 0)) {
        const happened = many(40, () => ({ ms: anyTime(), app_id: anyApp(), count: 1, amount: 0 }))
        const bought = many(20, () => {
          const quantity = 1 + random.below(3)
          return { ms: anyTime(), app_id: anyApp(), count: quantity, amount: quantity * (random.below(2000) / 100) }
        })
        const place = ({ ms, app_id }: Happened) => {
          return { external_id: anyone(), time: new Date(ms).toISOString(), ...(app_id !== null && { app_id }) }
        }
        await people.accept({ events: happened.map((each) => ({ ...place(each), name })) })
        await people.accept({
          purchases: bought.map((each) => {
            const [quantity, price] = [each.count, each.amount / each.count]
            return { ...place(each), product_id, currency: 'EUR', quantity, price }
          }),
        })
        events.push(...happened)
        purchases.push(...bought)
      }
      const merge_updates = [
        { identifier_to_merge: { external_id: ids[0] }, identifier_to_keep: { external_id: ids[1] } },
      ]
      await people.done(await people.send('/users/merge', { merge_updates }))
      await people.delete({ external_ids: [ids[1]!, ids[2]!] })
      for (const app of [{}, { app_id: apps.phone.id }]) {
        await compare('/events/data_series', { event: name, ...app }, 'count', events)
        for (const product of [{}, { product: product_id }]) {
          await compare('/purchases/quantity_series', { ...product, ...app }, 'count', purchases)
          await compare('/purchases/revenue_series', { ...product, ...app }, 'amount', purchases)
        }
      }
    })

    test('count sessions, and each active person once a day and once a month', async () => {
      const used: { device_id: string; app_id: string; ms: number }[] = []
      const devices = many(5, newDevice)
      const isNewBefore = await read('/kpi/new_users/data_series', { length: 1 })
      for (const _ of many(20, () => 0)) {
        const device_id = devices[random.below(devices.length)]!
        const app_id = [apps.phone.id, apps.tablet.id][random.below(2)]!
        const sessions = many(1 + random.below(4), () => {
          const ms = nowMs - random.below(28 * 24) * hourMs
          used.push({ device_id, app_id, ms })
          return { started_at: new Date(ms).toISOString(), ended_at: new Date(ms + 1000).toISOString() }
        })
        const answer = await people.send('/sdk/data', { ...reportOf(device_id), app_id, sessions })
        assert.equal(answer.status, 201, answer.text)
        // A report that arrives twice counts once.
        if (random.below(4) === 0) await people.send('/sdk/data', { ...reportOf(device_id), app_id, sessions })
      }
      const unique = [...new Map(used.map((use) => [`${use.device_id} ${use.app_id} ${use.ms}`, use])).values()]
      for (const app_id of [undefined, apps.phone.id, apps.tablet.id]) {
        const app = app_id === undefined ? {} : { app_id }
        const own = unique.filter((use) => app_id === undefined || use.app_id === app_id)
        const persons = (isIn: (day: string) => boolean) =>
          new Set(own.filter(({ ms }) => isIn(dayOf(ms))).map(({ device_id }) => device_id)).size
        for (const { time, sessions } of await read('/sessions/data_series', { length: 40, ...app }))
          assert.equal(sessions, own.filter(({ ms }) => dayOf(ms) === time).length, time)
        for (const { time, dau } of await read('/kpi/dau/data_series', { length: 40, ...app }))
          assert.equal(
            dau,
            persons((day) => day === time),
            time,
          )
        for (const { time, mau } of await read('/kpi/mau/data_series', { length: 40, ...app })) {
          const first = Temporal.PlainDate.from(time).subtract({ days: 29 }).toString()
          assert.equal(
            mau,
            persons((day) => day >= first && day <= time),
            time,
          )
        }
      }
      const [before, after] = [isNewBefore, await read('/kpi/new_users/data_series', { length: 1 })]
      assert.equal(after[0]!.new_users! - before[0]!.new_users!, new Set(used.map(({ device_id }) => device_id)).size)
    })

    test('count uninstalled apps once until they are used again', async () => {
      const device_id = newDevice()
      const at = (hours: number) => new Date(nowMs - hours * hourMs).toISOString()
      const reports = [
        { sessions: [{ started_at: at(90), ended_at: at(89) }] },
        { uninstalled_at: at(60) },
        { uninstalled_at: at(60) },
        { sessions: [{ started_at: at(30), ended_at: at(29) }] },
        { uninstalled_at: at(5) },
      ]
      for (const report of reports)
        assert.equal((await people.send('/sdk/data', reportOf(device_id, report))).status, 201)
      const points = await read('/kpi/uninstalls/data_series', { length: 10, app_id: apps.phone.id })
      const expected = [60, 5].map((hours) => dayOf(nowMs - hours * hourMs))
      for (const { time, uninstalls } of points)
        assert.equal(uninstalls, expected.filter((day) => day === time).length, time)
    })

    test('have a limit of points, and name what is wrong', async () => {
      for (const length of [1, 99, 100]) assert.equal((await read('/kpi/dau/data_series', { length })).length, length)
      const refusals = {
        'length=0': "'length' must be a whole number from 1 to 100",
        'length=101': "'length' must be a whole number from 1 to 100",
        '': "'length' must be a whole number from 1 to 100",
        'length=5&unit=week': "'unit' must be day or hour",
        'length=5&ending_at=yesterday': "'ending_at' is not valid",
        'length=5&app_id=other': "'app_id' must be the id of an app of the workspace",
      }
      for (const [query, message] of Object.entries(refusals)) {
        const answer = await people.get(`/sessions/data_series?${query}`)
        assert.deepEqual([answer.status, answer.body], [400, { message }], query)
      }
      const { status, body } = await people.get('/events/data_series?length=2')
      assert.deepEqual([status, body], [400, { message: "'event' is required: the name of an event" }])
      const hours = await people.get('/kpi/dau/data_series?length=2&unit=hour')
      assert.deepEqual([hours.status, hours.body], [400, { message: "'unit' must be day" }])
      const nothing = await read('/events/data_series', { event: newId('never'), length: 3 })
      assert.deepEqual(
        nothing.map(({ count }) => count),
        [0, 0, 0],
      )
    })
  })
}
