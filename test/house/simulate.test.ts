import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Random } from '../../bench/random.ts'
import { capacityOf, inputs, sizes } from '../../bench/simulate/capacity.ts'
import { capacityLines, machineLine, reproducedLine, scenarioCells } from '../../bench/simulate/capacity-page.ts'
import { Cores } from '../../bench/simulate/cores.ts'
import { Events } from '../../bench/simulate/events.ts'
import { Locks } from '../../bench/simulate/locks.ts'
import { differenceMax, type MeasuredFigure, oneNode, threeNodes } from '../../bench/simulate/measured.ts'
import { hashInteger, moveShard, placeBuckets } from '../../bench/simulate/placement.ts'
import { isReproduced, reproduce } from '../../bench/simulate/reproduce.ts'
import { type Load, type Options, simulate } from '../../bench/simulate/run.ts'
import { machines, scenarios } from '../../bench/simulate/scenarios.ts'
import { drawPause, Zipf } from '../../bench/simulate/zipf.ts'

const page = readFileSync(new URL('../../docs/capacity.md', import.meta.url), 'utf8').split('\n')
const [onThree, onOne] = [threeNodes, oneNode].map((figures: readonly MeasuredFigure[]) => reproduce(figures))

const load = {
  kind: 'mixed',
  updatesPerRequest: 50,
  workspaces: 10,
  peoplePerWorkspace: 10_000,
  hotWorkspaces: 0,
  hotPeople: 0,
  requestsPerSecond: 100,
} as const satisfies Load
const cost = { processUs: 9, databaseUs: 14 }
const three = { machines: [4, 4, 4, 2], nodes: [0, 1, 2], processes: [3, 3, 3], cost }
const citus = { ...three, shards: 8 }
const options = { installation: citus, load, warmUpMs: 200, forMs: 4000, seed: 3 } as const satisfies Options

test('the simulation gives the measured figures of three nodes and of one within 15 %, except for those with a reason', () => {
  assert.equal(differenceMax, 0.15)
  const wrong = [...onThree!, ...onOne!].filter((figure) => figure.whyNot === undefined && !isReproduced(figure))
  assert.deepEqual(wrong, [])
  const withReason = onThree!.filter(({ whyNot }) => whyNot !== undefined)
  assert.ok(withReason.every(({ whyNot }) => whyNot!.length > 30))
  assert.ok(onThree!.length - withReason.length >= 34, 'most figures of three nodes are reproduced')
})

test('a figure is reproduced up to the limit, above and below what was measured', () => {
  const of = (simulated: number) => reproduce([{ what: '', unit: 'us', measured: 1000, simulated: () => simulated }])
  const isWithin = (simulated: number) => isReproduced(of(simulated)[0]!)
  assert.deepEqual([849, 851, 1000, 1149, 1151].map(isWithin), [false, true, true, true, false])
  assert.equal(isWithin(Number.NaN), false)
})

test('the page about capacity has what the simulation gives beside each measured figure', () => {
  const shown = [...onThree!, ...onOne!].filter(({ unit }) => unit !== 'x').map(reproducedLine)
  assert.deepEqual(
    shown.filter((line) => !page.includes(line)),
    [],
  )
})

test('the page about capacity has the results of its formulas', () => {
  assert.deepEqual(
    capacityLines().filter((line) => !page.includes(line)),
    [],
  )
  const [first] = sizes.map(capacityOf)
  assert.equal(first!.diskBytes, 1e6 * 1424 + 1e8 * 170 + 9e6 * 1360)
  assert.equal(Math.round(first!.updatesPerSecond * 90 * 86_400), 2e8)
})

test('the page about capacity has the simulated installations', () => {
  const lines = scenarios.map(({ name, options: { installation }, options: given }) => {
    return `| ${[name, ...scenarioCells(simulate(given), installation.nodes.length)].join(' | ')} |`
  })
  assert.deepEqual(
    lines.filter((line) => !page.includes(line)),
    [],
  )
})

test('the page about performance has the simulated machines', () => {
  const lines = machines.map((machine) => machineLine(machine, simulate(machine.options)))
  const shown = readFileSync(new URL('../../docs/performance.md', import.meta.url), 'utf8').split('\n')
  assert.deepEqual(
    lines.filter((line) => !shown.includes(line)),
    [],
  )
})

test('the bytes of the arithmetic are those that were measured', () => {
  const history = readFileSync(new URL('../../bench/history.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n')
  const figures = history.map((line) => JSON.parse(line) as { what: string; people?: number; value: number })
  const bytes = (pattern: RegExp) => {
    const found = new Map(figures.filter(({ what }) => pattern.test(what)).map(({ what, value }) => [what, value]))
    return Math.round([...found.values()].reduce((sum, value) => sum + value, 0))
  }
  const near = (given: number, measured: number) =>
    assert.ok(Math.abs(given / measured - 1) < 0.01, `${given}: ${measured}`)
  near(inputs.personBytes, bytes(/^bytes of (profile|identifier|contact), \w+, a person$/))
  near(inputs.eventBytes, bytes(/^bytes of event, \w+, an event$/))
  near(inputs.messageBytes, bytes(/^bytes of message, \w+, a mail$/))
  near(inputs.decisionBytes, bytes(/^bytes of decision, \w+, a mail$/))
  near(inputs.lastReceivedBytes, bytes(/^bytes of last_received, \w+, a mail$/))
  near(inputs.messageLogBytes, bytes(/^bytes of WAL, a mail$/))
  near(inputs.updateLogBytes, bytes(/^bytes of WAL, a mixed update$/))
})

test('the same options give the same result, and another seed gives another', () => {
  assert.deepEqual(simulate(options), simulate(options))
  assert.notDeepEqual(simulate(options), simulate({ ...options, seed: 4 }))
})

test('work waits for a core as long as the theory of queues says', () => {
  for (const busy of [0.5, 0.8]) {
    const events = new Events()
    const cores = new Cores(events, 1)
    const random = new Random(5)
    const us = 500
    const arrive = () => {
      cores.work(us, () => {})
      events.after(drawPause(random, (busy * 1e6) / us), arrive)
    }
    arrive()
    events.runUntil(60_000_000)
    const expectedUs = (busy * us) / (2 * (1 - busy))
    assert.ok(Math.abs(cores.waitedUs / cores.jobs / expectedUs - 1) < 0.05, `${busy}: ${cores.waitedUs / cores.jobs}`)
    assert.ok(Math.abs(cores.busyUs / 60_000_000 - busy) < 0.01)
  }
})

test('locks are given in the order in which they were asked for, and again after they are released', () => {
  const locks = new Locks()
  const got: string[] = []
  locks.take([1, 2], () => got.push('a'))
  locks.take([2, 3], () => got.push('b'))
  locks.take([2], () => got.push('c'))
  assert.deepEqual([got, locks.waits], [['a'], 2])
  locks.release([1, 2])
  locks.release([2, 3])
  locks.release([2])
  locks.take([1, 2, 3], () => got.push('d'))
  assert.deepEqual(got, ['a', 'b', 'c', 'd'])
})

test('ranks are drawn as often as the distribution of Zipf says', () => {
  const zipf = new Zipf(1_000_000, 1)
  assert.ok(Math.abs(zipf.shareOf(0) - 0.07) < 0.002)
  assert.ok(Math.abs(zipf.shareOf(0) / zipf.shareOf(9) - 10) < 1e-6)
  const random = new Random(9)
  const draws = Array.from({ length: 50_000 }, () => zipf.draw(random))
  assert.ok(Math.abs(draws.filter((rank) => rank === 0).length / draws.length / zipf.shareOf(0) - 1) < 0.05)
  assert.ok(draws.every((rank) => rank >= 0 && rank < 1_000_000))
})

test('a bucket is in the shard in which Citus has it', () => {
  // select hashint4(n)
  assert.deepEqual([0, 1, 2, 4095].map(hashInteger), [-272711505, -1905060026, 1134484726, 975066378])
  const placement = placeBuckets(8, 3)
  assert.equal(new Set(placement.shardOfBucket).size, 8)
  const moved = moveShard(placement, 5, 0)
  assert.deepEqual([...placement.nodeOfShard], [0, 1, 2, 0, 1, 2, 0, 1])
  assert.deepEqual([...moved.nodeOfShard], [0, 1, 2, 0, 1, 0, 0, 1])
})

test('no update is lost or doubled while a node is away, and all are applied when it is back', () => {
  for (const installation of [three, citus]) {
    const away = { kind: 'away', atMs: 500, node: 1, forMs: 1500 } as const
    const result = simulate({ ...options, installation, faults: [away] })
    assert.equal(result.committed, result.accepted)
    assert.ok(result.refused > 0)
    const calm = simulate({ ...options, installation })
    assert.equal(calm.refused, 0)
    assert.ok(Math.abs(result.accepted / calm.accepted - 1) < 0.02)
    assert.ok(result.longestMs > 1000 && calm.longestMs < 200)
  }
})

test('with one database a node that is away stops everybody, and with one for each group only its group', () => {
  const away = { kind: 'away', atMs: 500, node: 1, forMs: 1500 } as const
  const [whole, groups] = [citus, three].map((installation) => simulate({ ...options, installation, faults: [away] }))
  assert.ok(whole!.refused > 2 * groups!.refused)
})

test('a shard that moves is on the other node afterwards, and writes wait only for the end of the move', () => {
  const move = { kind: 'move', atMs: 500, shard: 4, toNode: 0, copyMs: 300, blockedMs: 400 } as const
  const moved = simulate({ ...options, faults: [move] })
  const calm = simulate(options)
  assert.equal(moved.refused, 0)
  assert.equal(moved.committed, moved.accepted)
  assert.ok(moved.longestMs > 400 && moved.longestMs < 800)
  assert.ok(moved.worstNode > calm.worstNode)
})

test('a hot workspace fills one database of several, and no shard more than another', () => {
  const hot = { ...load, hotWorkspaces: 1.2 }
  const worst = (installation: Options['installation'], given: Load) => {
    return simulate({ ...options, installation, load: given }).worstNode
  }
  assert.ok(worst(three, hot) > worst(three, load) * 1.3)
  assert.ok(Math.abs(worst(citus, hot) / worst(citus, load) - 1) < 0.03)
})

test('processes wait for each other when all of them write the same person', () => {
  const waits = (hotPeople: number) => simulate({ ...options, load: { ...load, hotPeople, workspaces: 1 } }).lockWaits
  assert.ok(waits(1) > 20 * Math.max(1, waits(0)))
})

test('clients that wait for answers are answered as often as the law of Little says', () => {
  const { requestsPerSecond: _, ...closed } = load
  const clients = 64
  const result = simulate({ ...options, installation: three, load: { ...closed, workspaces: 1, clients } })
  const meanMs = (clients * load.updatesPerRequest * 1000) / result.updatesPerSecond
  assert.ok(Math.abs(result.p50Ms / meanMs - 1) < 0.1, `${result.p50Ms}: ${meanMs}`)
})
