import assert from 'node:assert/strict'
import test from 'node:test'
import { balanceBytesMin, fullestShareMax, judgeBalance, judgeShards, type Shards } from '../../cli/doctor-shards.ts'
import type { Session } from '../../src/base/db/session.ts'
import { judgeServerSettings, setShardSettings } from '../../src/base/db/shard-settings.ts'

const node = (prepared_max: number, connections_max: number) => ({
  host: 'b',
  port: 5432,
  prepared_max,
  connections_max,
})

test('settings of the servers that cost time or stop updates are named with what to do', () => {
  const cases = [
    [undefined, []],
    [0, []],
    [15_000, []],
    [15_001, [/for up to 15\.001 seconds/]],
    [-1_000, [/until somebody calls recover_prepared_transactions/]],
  ] as const
  for (const [recoveryMs, texts] of cases) {
    const remarks = judgeServerSettings({ recoveryMs, nodes: [node(100, 100), node(200, 100)] })
    assert.equal(remarks.length, texts.length, `${recoveryMs}`)
    for (const [i, text] of texts.entries()) {
      assert.match(remarks[i]!.text, text)
      assert.match(remarks[i]!.remedy, /set citus\.recover_2pc_interval = '10s'/)
    }
  }
  const [few] = judgeServerSettings({ recoveryMs: 10_000, nodes: [node(99, 100)] })
  assert.match(few!.text, /the node b:5432 prepares at most 99 transactions and accepts 100 connections/)
  assert.match(few!.remedy, /set max_prepared_transactions = 100 /)
})

/** A session that refuses one setting. */
function refusing(refused: string): { session: Session; sent: string[] } {
  const sent: string[] = []
  const send = async (text: string) => {
    sent.push(text)
    if (text.includes(refused)) throw new Error(`unrecognized configuration parameter "${refused}"`)
  }
  return { session: { lost: false, send } as unknown as Session, sent }
}

test('a session without a setting that costs time only is used, and one without a needed one is not', async () => {
  const { session, sent } = refusing('citus.max_cached_conns_per_worker')
  const remarks = await setShardSettings(session)
  assert.equal(remarks.length, 1)
  assert.match(remarks[0]!, /^The server refuses citus\.max_cached_conns_per_worker = '16' .+ opens connections/)
  assert.deepEqual(sent, [
    "set citus.propagate_set_commands = 'local'",
    "set citus.multi_shard_modify_mode = 'sequential'",
    "set citus.max_cached_conns_per_worker = '16'",
  ])
  for (const name of ['citus.propagate_set_commands', 'citus.multi_shard_modify_mode'])
    await assert.rejects(
      setShardSettings(refusing(name).session),
      new RegExp(`^Error: DATABASE_URL: the server refuses ${name} .+; use Citus 13 or newer$`),
    )
})

const gigabyte = 1024 ** 3
const sizes = (...all: number[]) => all.map((bytes, i) => ({ host: `node-${i + 1}`, port: 5432, bytes }))

test('the fullest node may have half as much again as the mean', () => {
  const mean = 4 * gigabyte
  const most = mean * fullestShareMax
  for (const [bytes, ok] of [
    [most - 1, true],
    [most, true],
    [most + 3, false],
  ] as const) {
    const rest = (3 * mean - bytes) / 2
    const found = judgeBalance(sizes(rest, bytes, rest))
    assert.equal(found.ok, ok, `${bytes}`)
    assert.match(found.text, /^node-1:5432 [\d,]+ MB, node-2:5432 /)
    if (!ok)
      assert.match(`${found.text} ${found.remedy}`, /node-2:5432 has 1\.5 times the mean .*citus_rebalance_start/)
  }
})

test('small databases, one node and no node are balanced', () => {
  for (const [bytes, ok] of [
    [balanceBytesMin - 1, true],
    [balanceBytesMin, false],
    [balanceBytesMin + 1, false],
  ] as const)
    assert.equal(judgeBalance(sizes(bytes, 0, 0)).ok, ok, `${bytes}`)
  assert.equal(judgeBalance(sizes(90 * gigabyte)).ok, true)
  assert.equal(judgeBalance([]).ok, true)
})

const placedTable = { method: 'h', column: 'bucket', colocation_id: 1, shards: 4 }
const complete: Shards = {
  distribution: {
    version: 'Citus 13.2.2 on x86_64',
    is_coordinator: true,
    nodes: [{ group_id: 1, host: 'node-1', port: 5432, role: 'primary', is_active: true, takes_shards: true }],
    tables: ['event', 'profile'].map((name) => ({ name, has_bucket: true, local_bytes: 0 })),
    placed: ['event', 'profile'].map((name) => ({ name, ...placedTable })),
    functions: [],
  },
  bytes: sizes(5 * gigabyte),
  settings: { recoveryMs: 10_000, nodes: [] },
}

const linesOf = (shards: Shards) =>
  judgeShards(shards).map(
    ({ subject, ok, text, remedy = '' }) => `${ok ? 'ok' : 'wrong'} ${subject}: ${text} ${remedy}`,
  )

test('the lines of the doctor say where the tables are', () => {
  assert.deepEqual(linesOf(complete), [
    'ok Placement: Citus 13.2.2: 2 tables on 4 shards, nodes that take shards: 1 ',
    'ok Balance: node-1:5432 5,120 MB ',
  ])
})

test('missing and misplaced tables, inactive nodes, unread sizes and settings are found', () => {
  const { distribution } = complete
  const placed = distribution.placed.filter(({ name }) => name === 'profile')
  const cases: readonly (readonly [Shards, RegExp])[] = [
    [
      { ...complete, distribution: { ...distribution, placed } },
      /^wrong Placement: .+ 1 tables on 4 shards.+; not distributed: event stop every process, then run npm run easel -- distribute$/m,
    ],
    [
      {
        ...complete,
        distribution: { ...distribution, placed: [...placed, { ...placedTable, name: 'event', colocation_id: 2 }] },
      },
      /^wrong Placement: .+; event has its shards apart from those of profile .+undistribute_table\('public\.event'\)/m,
    ],
    [
      {
        ...complete,
        distribution: {
          ...distribution,
          nodes: [...distribution.nodes, { ...distribution.nodes[0]!, host: 'node-2', is_active: false }],
        },
      },
      /^wrong Citus node: node-2:5432 is inactive.+ citus_activate_node\('node-2', 5432\) on the coordinator$/m,
    ],
    [
      {
        ...complete,
        distribution: { ...distribution, functions: [{ signature: 'moment(bigint)', is_placed: false }] },
      },
      /^wrong Placement: .+; not on the nodes: moment\(bigint\) stop every process/m,
    ],
    [
      {
        ...complete,
        distribution: { ...distribution, tables: distribution.tables.map((each) => ({ ...each, local_bytes: 8_192 })) },
      },
      /^wrong Placement: .+; copied, and still on the coordinator: event, profile stop every process/m,
    ],
    [{ ...complete, bytes: 'node-1 is away' }, /^wrong Balance: not read: node-1 is away start the node that is away/m],
    [{ ...complete, settings: 'no permission' }, /^ok Settings: not read: no permission /m],
    [
      { ...complete, settings: { recoveryMs: 60_000, nodes: [] } },
      /^ok Settings: .+ up to 60 seconds .+ set citus\.recover_2pc/m,
    ],
  ]
  for (const [shards, line] of cases) assert.match(linesOf(shards).join('\n'), line)
})
