import assert from 'node:assert/strict'
import { sql } from '../../src/base/db/sql.ts'
import { openSignals } from '../../src/messaging/journeys/signal-loop.ts'
import { onAllDatabases, quiet } from '../support/databases.ts'
import { TestInstance } from '../support/signals.ts'

const ann = { external_id: 'ann' }
const time = '2026-01-02T03:04:05Z'

onAllDatabases(
  'watched events, purchases and changes are written as signals, in their order, and no others',
  async (open) => {
    const instance = new TestInstance(await open())
    await instance.begin()
    await instance.track({ attributes: [{ ...ann, plan: 'free' }], events: [{ ...ann, name: 'seen', time }] })
    assert.equal(await instance.count('signal'), 0)
    await instance.track({ events: [{ ...ann, name: 'seen', time }] })
    assert.equal(
      instance.statements.length,
      4,
      `only the versions, the flush, its events and their tallies are written: ${instance.statements}`,
    )
    await instance.watch(['event', 'seen'], ['purchase', 'tea'], ['attribute', 'plan'], ['attribute', 'tier', false])
    const bought = { ...ann, currency: 'EUR', price: 2.5, quantity: 2, time }
    await instance.track({
      purchases: [
        { ...bought, product_id: 'tea', properties: { cup: 'blue' } },
        { ...bought, product_id: 'milk' },
      ],
      events: [
        { ...ann, name: 'seen', time, properties: { page: 1 } },
        { ...ann, name: 'missed', time },
      ],
      attributes: [{ ...ann, plan: 'gold', tier: 1, colour: 'red' }],
    })
    assert.deepEqual(await instance.signals(), [
      { kind: 'attribute', name: 'plan', properties: null, amount: null },
      { kind: 'event', name: 'seen', properties: '{"page":1}', amount: null },
      { kind: 'purchase', name: 'tea', properties: '{"cup":"blue"}', amount: 5 },
    ])
    assert.deepEqual(await instance.changes(), [
      { name: 'plan', value: 'gold' },
      { name: 'tier', value: 1 },
    ])
    await instance.watch(['event', ''])
    await instance.track({ events: [{ ...ann, name: 'missed', time }] })
    assert.deepEqual((await instance.signals()).at(-1), {
      kind: 'event',
      name: 'missed',
      properties: null,
      amount: null,
    })
  },
)

onAllDatabases(
  'changes of watched attributes are recorded with the new value, and equal values are not',
  async (open) => {
    const instance = new TestInstance(await open())
    await instance.begin()
    const names = ['n', 'tags', 'nested', 'gone', 'country', 'fresh', 'custom']
    await instance.watch(...names.map((name) => ['attribute', name] as const))
    await instance.track({ attributes: [{ ...ann, n: 1, tags: ['a'], gone: true, other: 1, country: 'DE' }] })
    await instance.track({ attributes: [{ ...ann, n: 1, gone: true, country: 'DE' }] })
    await instance.track({
      attributes: [
        { ...ann, n: { inc: 2 } },
        { ...ann, tags: { add: ['b'] } },
        { ...ann, n: 7, custom: 'x' },
      ],
    })
    await instance.track({ attributes: [{ ...ann, gone: null, country: null, never: null }] })
    await instance.track({
      attributes: [
        { ...ann, fresh: 1 },
        { ...ann, fresh: 2 },
        { ...ann, fresh: 2, country: 'FR' },
      ],
    })
    const changes = await instance.changes()
    assert.deepEqual(
      changes.map(({ name, value }) => [name, value]),
      [
        ...[
          ['country', 'DE'],
          ['gone', true],
          ['n', 1],
          ['tags', ['a']],
        ],
        ...[
          ['n', 3],
          ['tags', ['a', 'b']],
          ['custom', 'x'],
          ['n', 7],
        ],
        ...[
          ['country', null],
          ['gone', null],
        ],
        ...[
          ['fresh', 1],
          ['fresh', 2],
          ['country', 'FR'],
        ],
      ],
    )
    assert.equal(await instance.count('signal'), changes.length)
  },
)

const cart = {
  entry: { by: ['event'], event: { name: 'cart_updated' }, again: 'always' },
  exit: { events: ['order_placed'] },
  first: 'wait',
  steps: [{ id: 'wait', type: 'delay', for: 'P3D' }],
}

const standing = sql`select state, ended from entry order by state`

onAllDatabases('signals of a merged person are processed for the kept one, in order', async (open) => {
  const instance = new TestInstance(await open())
  await instance.begin()
  await instance.canvas('cart', cart)
  const [bob, eve] = [{ external_id: 'bob' }, { external_id: 'eve' }]
  await instance.track({ attributes: [bob, eve] })
  await instance.track({ events: [{ ...bob, name: 'cart_updated', time }] })
  const people = await instance.db.query<{ bucket: number; profile_id: string; external_id: string }>(
    sql`select bucket, profile_id, external_id from profile order by external_id`,
  )
  const [from, into] = people
  await instance.db.query(sql`
    update profile set merged_bucket = ${into!.bucket}, merged_into = ${into!.profile_id}::int8
    where bucket = ${from!.bucket} and profile_id = ${from!.profile_id}::int8`)
  assert.equal(await instance.act(), 1)
  assert.deepEqual(await instance.db.query(sql`select profile_id, state, version from entry`), [
    { profile_id: into!.profile_id, state: 'waiting', version: 1 },
  ])
  assert.equal(await instance.count('signal'), 0)
  await instance.track({
    events: [
      { ...eve, name: 'order_placed', time },
      { ...eve, name: 'cart_updated', time },
    ],
  })
  await instance.act(1)
  assert.deepEqual(await instance.db.query(standing), [
    { state: 'ended', ended: 'exited' },
    { state: 'waiting', ended: null },
  ])
  await instance.track({ events: [{ ...eve, name: 'cart_updated', time }] })
  await instance.db.query(sql`delete from profile`)
  await instance.act()
  assert.equal(await instance.count('signal'), 0, 'signals of a deleted person are dropped')
})

onAllDatabases('a version that cannot be read does not keep its people from other flows', async (open) => {
  const instance = new TestInstance(await open())
  await instance.begin()
  await instance.canvas('bad', cart)
  await instance.canvas('good', cart)
  const happens = (...names: string[]) => instance.track({ events: names.map((name) => ({ ...ann, name, time })) })
  await happens('cart_updated')
  await instance.act()
  await instance.db.query(sql`update flow_version set definition = '{"steps": 7}' where flow_id = 1`)
  await instance.db.query(sql`update version set number = number + 1 where name = 'watched'`)
  instance.restart()
  await happens('order_placed', 'cart_updated')
  await instance.act()
  assert.equal(await instance.count('signal'), 0)
  assert.deepEqual(await instance.db.query(sql`select flow_id, ended from entry order by flow_id, entered_at`), [
    { flow_id: 1, ended: null },
    { flow_id: 2, ended: 'exited' },
    { flow_id: 2, ended: null },
  ])
  assert.equal(instance.logged.length, 1, 'it is logged once')
  await instance.canvas('another', cart)
})

onAllDatabases(
  'two processes that fail in the middle process each signal once, in order for each person',
  async (open) => {
    const instances = (await open.processes(2)).map((db) => new TestInstance(db))
    const [first] = instances
    await first!.begin()
    await first!.canvas('cart', cart)
    const people = Array.from({ length: 60 }, (_, i) => ({ external_id: `person-${i}` }))
    for (let round = 0; round < 3; round++) {
      const events = people.map((who) => ({ ...who, name: round === 1 ? 'order_placed' : 'cart_updated', time }))
      await instances[round % instances.length]!.track({ events })
    }
    let turns = 0
    const killed = async () => {
      if (turns++ % 3 === 0) throw new Error('killed')
    }
    await Promise.all(
      instances.map(async (instance) => {
        while (turns < 1_000 && (await instance.count('signal')) > 0)
          await instance.act(7, killed).catch((error) => assert.match(error.message, /killed/))
      }),
    )
    assert.equal(await first!.count('signal'), 0)
    const entries = await first!.db.query<{ state: string; ended: string | null; count: number }>(sql`
    select state, ended, count(*)::int as count from entry group by state, ended order by state`)
    assert.deepEqual(entries, [
      { state: 'ended', ended: 'exited', count: 60 },
      { state: 'waiting', ended: null, count: 60 },
    ])
  },
)

onAllDatabases('a signal that cannot be processed is set aside, and the others are processed', async (open) => {
  const instance = new TestInstance(await open())
  await instance.begin()
  await instance.canvas('cart', cart)
  const people = Array.from({ length: 40 }, (_, i) => ({ external_id: `person-${i}` }))
  await instance.track({ events: people.map((who) => ({ ...who, name: 'cart_updated', time, properties: { n: 1 } })) })
  await instance.db.query(sql`
    update signal set properties = '{' where (lane, at) in (select lane, min(at) from signal group by lane order by lane limit 2)`)
  let left = 0
  const parts = { ...instance.parts(), db: instance.db, log: quiet, onSetAside: () => left++ }
  const waiting = sql`select failed from signal order by not failed`
  const actUntilFailed = async () => {
    await using stack = new AsyncDisposableStack()
    const loop = openSignals(parts)
    stack.defer(() => loop.close())
    for (let turns = 0; turns < 200; turns++) {
      await loop.nextTurn()
      if ((await instance.db.query<{ failed: boolean }>(waiting)).every(({ failed }) => failed)) return
    }
  }
  await actUntilFailed()
  assert.deepEqual([left, await instance.count('signal'), await instance.count('entry')], [2, 2, 38])
  await instance.db.query(sql`update signal set properties = null`)
  await actUntilFailed()
  assert.deepEqual([left, await instance.count('signal'), await instance.count('entry')], [2, 0, 40])
})
