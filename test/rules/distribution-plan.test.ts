import assert from 'node:assert/strict'
import test from 'node:test'
import {
  citusMajorOf,
  type Distribution,
  type PlacedTable,
  planDistribution,
  type SchemaTable,
  shardsPerNodeDefault,
  shardsPerNodeMax,
  shardsPerNodeMin,
} from '../../src/base/db/distribution-plan.ts'

const table = (name: string, local_bytes = 0): SchemaTable => ({ name, has_bucket: true, local_bytes })
const placed = (name: string, members: Partial<PlacedTable> = {}): PlacedTable => ({
  ...{ name, method: 'h', column: 'bucket', colocation_id: 3, shards: 12 },
  ...members,
})
const node = (group_id: number, members = {}) => ({
  ...{ group_id, host: `node-${group_id}`, port: 5432, role: 'primary', is_active: true, takes_shards: true },
  ...members,
})

/** Three nodes and a coordinator without shards, with three tables of people and two small ones. */
const fresh: Distribution = {
  version: 'Citus 13.2.2 on x86_64-pc-linux-gnu',
  is_coordinator: true,
  nodes: [node(0, { takes_shards: false }), node(1), node(2), node(3)],
  tables: [
    table('entry'),
    table('event'),
    table('identity_change', 8_192),
    table('profile'),
    { name: 'workspace', has_bucket: false, local_bytes: 8_192 },
  ],
  placed: [],
  functions: [],
}

const commandsOf = (distribution: Distribution, shards?: number) =>
  planDistribution(distribution, shards).steps.map(({ command }) => command)

const profileCommand =
  "select create_distributed_table('public.profile', 'bucket', colocate_with => 'none', shard_count => 12)"
const beside = (name: string) =>
  `select create_distributed_table('public.${name}', 'bucket', colocate_with => 'public.profile')`

test('profiles are distributed first, and the other tables with a bucket beside them', () => {
  assert.deepEqual(planDistribution(fresh).refusals, [])
  assert.deepEqual(planDistribution(fresh).notes, [])
  assert.deepEqual(commandsOf(fresh), [profileCommand, beside('entry'), beside('event')])
})

test('what is distributed already is left out, and its number of shards stays', () => {
  const interrupted = { ...fresh, placed: [placed('profile', { shards: 5 }), placed('entry', { shards: 5 })] }
  const plan = planDistribution(interrupted)
  assert.deepEqual(plan.notes, [])
  assert.equal(plan.shards, 5)
  assert.deepEqual(commandsOf(interrupted), [beside('event')])
  const complete = { ...fresh, placed: ['profile', 'entry', 'event'].map((name) => placed(name)) }
  assert.deepEqual(commandsOf(complete), [])
  assert.deepEqual(commandsOf(complete, 12), [])
})

test('rows that are left on the coordinator are removed, and functions are made on every node', () => {
  const filled = {
    ...fresh,
    tables: [...fresh.tables.filter(({ name }) => name !== 'event'), table('event', 4_096_000)],
    functions: [
      { signature: 'public.moment(bigint)', is_placed: false },
      { signature: 'other()', is_placed: true },
    ],
  }
  const clear = "select truncate_local_data_after_distributing_table('public.event')"
  const make = "select create_distributed_function('public.moment(bigint)')"
  assert.deepEqual(commandsOf(filled), [profileCommand, beside('entry'), beside('event'), make, clear])
  // The command ended between two tables.
  const interrupted = { ...filled, placed: ['profile', 'entry', 'event'].map((name) => placed(name)) }
  assert.deepEqual(commandsOf(interrupted), [make, clear])
})

test('a table that Citus keeps whole on the coordinator is no distributed one', () => {
  const managed = placed('workspace', { method: 'n', column: null, colocation_id: 0, shards: 1 })
  assert.deepEqual(commandsOf({ ...fresh, placed: [managed] }), commandsOf(fresh))
})

test('tables that are distributed in another way are refused by name', () => {
  const cases: readonly (readonly [readonly PlacedTable[], RegExp])[] = [
    [[placed('profile', { column: 'profile_id' })], /the table profile is distributed by profile_id instead of bucket/],
    [
      [placed('profile'), placed('event', { colocation_id: 4 })],
      /the table event has its shards apart from those of profile/,
    ],
    [[placed('event')], /the table event has its shards apart from those of profile/],
    [
      [placed('entry', { method: 'n', column: null, shards: 1 })],
      /the table entry is copied to every node, or on one of them/,
    ],
    [
      [placed('workspace', { method: 'n', column: null, colocation_id: 9, shards: 1 })],
      /the table workspace is distributed or copied to every node, and must be on the coordinator/,
    ],
    [[placed('identity_change')], /the table identity_change .+ must be on the coordinator/],
  ]
  for (const [tables, text] of cases) {
    const { refusals, steps } = planDistribution({ ...fresh, placed: tables })
    assert.equal(refusals.length, 1, refusals.join('\n'))
    assert.match(refusals[0]!, text)
    assert.match(
      refusals[0]!,
      /run select undistribute_table\('public\.\w+'\) on the coordinator, then this command again/,
    )
    assert.deepEqual(steps, [])
  }
  const strange = [placed('profile'), placed('their_orders', { column: 'order_id', colocation_id: 8 })]
  assert.deepEqual(planDistribution({ ...fresh, placed: strange }).refusals, [], 'a table of somebody else')
})

test('each reason why nothing can be done says what to do', () => {
  const inactive = [node(1, { is_active: false }), node(2, { takes_shards: false }), node(3, { role: 'secondary' })]
  const cases: readonly (readonly [Partial<Distribution>, number | undefined, RegExp])[] = [
    [{ is_coordinator: false }, undefined, /set DATABASE_URL to the coordinator/],
    [{ nodes: [] }, undefined, /no active node takes shards: run select citus_add_node/],
    [{ nodes: inactive }, undefined, /citus_activate_node/],
    [{ version: 'Citus 12.1.5 on x86_64' }, undefined, /this is Citus 12\.1\.5 .+: install Citus 13 or newer/],
    [{ placed: [placed('profile')] }, 11, /have 12 shards already: leave --shards out/],
    [{ placed: [placed('profile')] }, 13, /have 12 shards already/],
  ]
  for (const [members, shards, text] of cases) {
    const { refusals, steps } = planDistribution({ ...fresh, ...members }, shards)
    assert.match(refusals.join('\n'), text)
    assert.deepEqual(steps, [])
  }
})

test('a version of which nothing was tried is noted', () => {
  const versions = [
    ['Citus 13.0.0 on x86_64', 0],
    ['Citus 14.0.1 on x86_64', 1],
    ['a fork', 1],
  ] as const
  for (const [version, notes] of versions) {
    const plan = planDistribution({ ...fresh, version })
    assert.equal(plan.notes.length, notes, version)
    assert.equal(plan.steps.length, 3)
  }
  assert.deepEqual(['Citus 13.2.2 on x86_64', 'citus 9.5.0', 'PostgreSQL 15'].map(citusMajorOf), [13, 9, undefined])
})

test('four shards a node are usual, two to eight are well, and others are noted', () => {
  const nodes = 3
  assert.equal(planDistribution(fresh).shards, nodes * shardsPerNodeDefault)
  for (const [shards, text] of [
    [nodes * shardsPerNodeMin - 1, /few for 3 nodes/],
    [nodes * shardsPerNodeMin, undefined],
    [nodes * shardsPerNodeMin + 1, undefined],
    [nodes * shardsPerNodeMax - 1, undefined],
    [nodes * shardsPerNodeMax, undefined],
    [nodes * shardsPerNodeMax + 1, /many for 3 nodes/],
  ] as const) {
    const plan = planDistribution(fresh, shards)
    assert.equal(plan.shards, shards)
    assert.match(plan.steps[0]!.command, new RegExp(`shard_count => ${shards}\\)`))
    if (text) assert.match(plan.notes.join('\n'), text)
    else assert.deepEqual(plan.notes, [], `${shards}`)
  }
})

test('names that SQL reads in another way are quoted', () => {
  const odd = { ...fresh, tables: [table('profile'), table(`O'Neil "x"`)] }
  assert.match(commandsOf(odd)[1]!, /create_distributed_table\('public\."O''Neil ""x"""', /)
})
