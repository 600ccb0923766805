import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { Random } from '../../bench/random.ts'
import { parseSegment } from '../../src/audience/conditions/parse-condition.ts'
import { sumOfSegment } from '../../src/audience/series/sum-of-segment.ts'
import { seed } from '../sizes.ts'
import { isPlan } from '../support/canvases.ts'
import { newDevice, reportOf } from '../support/devices.ts'
import { drawDatabases } from '../support/harness.ts'
import { mailedOf } from '../support/mailed-people.ts'
import { apps, dayMs, hourMs, type Item, many, newId, workspace } from '../support/people.ts'

type Point = Readonly<Record<string, number>> & { readonly time: string }
type Happened = { person: string; readonly ms: number; readonly app_id: string | null; readonly count: number }

const daysBack = 20
const price = 2.5

for (const [i, database] of drawDatabases('segment-series').entries()) {
  describe(`data series of a segment (${database})`, () => {
    const people = mailedOf(database, { env: { EASEL_CLOCK: 'virtual' }, workspace })
    const random = new Random(seed + i)
    let nowMs = 0
    before(async () => {
      nowMs = Date.parse((await people.service.admin('GET', '/admin/clock')).body.now)
      await people.service.admin('POST', '/admin/segments', { id: 'gold', name: 'gold', audience: isPlan('gold') })
      const audience = { AND: [{ session_count: { comparison: 'greater_than', value: 0 } }] }
      await people.service.admin('POST', '/admin/segments', { id: 'active', name: 'active', audience })
    })
    const ask = (path: string, query: Item) => {
      const text = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
      return people.get(`${path}?${text.join('&')}`)
    }
    const read = async (path: string, query: Item): Promise<Point[]> => {
      const answer = await ask(path, query)
      assert.equal(answer.status, 200, answer.text)
      return (answer.body as unknown as { data: Point[] }).data
    }
    const startOf = (ms: number, unit: 'day' | 'hour') => {
      const iso = new Date(ms).toISOString()
      return unit === 'day' ? iso.slice(0, 10) : `${iso.slice(0, 13)}:00:00.000Z`
    }
    /** Compares a series with a count of what happened, one by one. */
    const compare = async (path: string, query: Item, member: string, all: readonly Happened[], factor = 1) => {
      for (const unit of ['day', 'hour'] as const) {
        const given = { segment_id: 'gold', ...query, unit, length: 100 }
        const points = await read(path, given)
        assert.equal(points.length, 100)
        for (const point of points) {
          const here = all.filter(({ ms, app_id }) => {
            return startOf(ms, unit) === point.time && (query.app_id === undefined || app_id === query.app_id)
          })
          const sum = here.reduce((total, { count }) => total + count, 0) * factor
          assert.ok(
            Math.abs(point[member]! - sum) < 1e-6,
            `${path} ${JSON.stringify({ ...given, point })} is not ${sum}`,
          )
        }
      }
    }

    test('count what the people did who are in it now, also what they did as a person who was merged into them', async () => {
      const [name, product_id] = [newId('event'), newId('product')]
      const ids = many(8, () => newId())
      await people.set(...ids.map((external_id, at) => ({ external_id, plan: at < 4 ? 'gold' : 'silver' })))
      const anything = (): Happened => ({
        person: ids[random.below(ids.length)]!,
        ms: nowMs - random.below(daysBack * 24) * hourMs - random.below(1000),
        app_id: [null, apps.phone.id, apps.tablet.id][random.below(3)]!,
        count: 1,
      })
      const place = ({ person, ms, app_id }: Happened) => {
        return { external_id: person, time: new Date(ms).toISOString(), ...(app_id !== null && { app_id }) }
      }
      const events = many(50, anything)
      const purchases = many(25, () => ({ ...anything(), count: 1 + random.below(3) }))
      await people.accept({ events: events.map((each) => ({ ...place(each), name })) })
      await people.accept({
        purchases: purchases.map((each) => {
          return { ...place(each), product_id, currency: 'EUR', quantity: each.count, price }
        }),
      })
      const own = (all: readonly Happened[], owners: readonly string[]) =>
        all.filter((each) => owners.includes(each.person))
      const check = async (owners: readonly string[]) => {
        for (const app of [{}, { app_id: apps.phone.id }]) {
          await compare('/events/data_series', { event: name, ...app }, 'count', own(events, owners))
          for (const product of [{}, { product: product_id }]) {
            const query = { ...product, ...app }
            await compare('/purchases/quantity_series', query, 'purchase_quantity', own(purchases, owners))
            await compare('/purchases/revenue_series', query, 'revenue', own(purchases, owners), price)
          }
        }
      }
      await check(ids.slice(0, 4))
      // The history of a silver person is added to a gold one; a gold person who becomes silver leaves with theirs.
      const merge_updates = [
        { identifier_to_merge: { external_id: ids[4] }, identifier_to_keep: { external_id: ids[0] } },
      ]
      await people.done(await people.send('/users/merge', { merge_updates }))
      await people.set({ external_id: ids[1], plan: 'silver' })
      await people.delete({ external_ids: [ids[2]!] })
      await check([ids[0]!, ids[3]!, ids[4]!])
      assert.ok(
        (await read('/events/data_series', { event: newId(), segment_id: 'gold', length: 1 })).every(
          (one) => one.count === 0,
        ),
      )
    })

    test('count the sessions of its people', async () => {
      const used: Happened[] = []
      for (const device_id of many(3, newDevice)) {
        const sessions = many(3, (at) => {
          const ms = nowMs - (at * 3 + 1) * dayMs - random.below(1000)
          used.push({ person: device_id, ms, app_id: apps.phone.id, count: 1 })
          return { started_at: new Date(ms).toISOString(), ended_at: new Date(ms + 1000).toISOString() }
        })
        const answer = await people.send('/sdk/data', { ...reportOf(device_id), app_id: apps.phone.id, sessions })
        assert.equal(answer.status, 201, answer.text)
      }
      await compare('/sessions/data_series', { segment_id: 'active' }, 'sessions', used)
      await compare('/sessions/data_series', { segment_id: 'active', app_id: apps.phone.id }, 'sessions', used)
      await compare('/sessions/data_series', { segment_id: 'active', app_id: apps.tablet.id }, 'sessions', [])
    })

    test('refuse a segment that does not exist, and figures that are of everybody only', async () => {
      const unknown = await ask('/sessions/data_series', { length: 1, segment_id: 'none' })
      assert.deepEqual(
        [unknown.status, unknown.body.message],
        [400, 'segment_id must be a string of the Segment api identifier'],
      )
      for (const kpi of ['dau', 'mau', 'new_users', 'uninstalls']) {
        const { status, body } = await ask(`/kpi/${kpi}/data_series`, { length: 1, segment_id: 'gold' })
        assert.equal(status, 400)
        assert.match(String(body.message), /'segment_id' is not supported here/)
      }
    })

    test('sum the people of a segment up to a limit', async () => {
      const plan = newId('plan')
      await people.set(...many(5, () => ({ external_id: newId(), plan })))
      const segment = { workspace_id: 1, tree: parseSegment(isPlan(plan), 'audience'), nowMs }
      const range = { times: ['a'], startsMs: [nowMs - dayMs, nowMs] }
      const sum = async (_tx: unknown, found: readonly unknown[]) => [
        { position: 0, count: String(found.length), amount: 0 },
      ]
      for (const peopleMax of [5, 6]) {
        assert.equal((await sumOfSegment(people.db, segment, range, sum, peopleMax))[0]!.count, 5)
      }
      await assert.rejects(sumOfSegment(people.db, segment, range, sum, 4), /more than 4 people/)
    })
  })
}
