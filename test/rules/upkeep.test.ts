import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Db } from '../../src/base/db/db.ts'
import { openUpkeep } from '../../src/base/db/upkeep.ts'

const lookMs = 5_000
const walBytesMax = 1_000

type Upkeep = { wal: { bytes: number }; look(): Promise<string[]> }

/** Upkeep of a database that writes down what it is told; each command takes `tookMs`. `look` answers what the next look told it. */
function watch(tookMs: { checkpoint: number; vacuum: number }): Upkeep {
  const told: string[] = []
  const wal = { bytes: 0 }
  let nowMs = 1_000_000
  const db: Pick<Db, 'query' | 'execute'> = {
    async query<Row>() {
      return [{ bytes: String(wal.bytes), command: 'vacuum' }] as Row[]
    },
    async execute(command) {
      told.push(command)
      nowMs += tookMs[command as keyof typeof tookMs]
    },
  }
  const look = openUpkeep(db as Db, { walBytesMax, clock: { elapsed: () => nowMs } })
  return {
    wal,
    async look() {
      nowMs += lookMs
      await look()
      return told.splice(0)
    },
  }
}

async function looks(upkeep: Upkeep, count: number): Promise<string[]> {
  const told: string[] = []
  for (let i = 0; i < count; i++) told.push(...(await upkeep.look()))
  return told
}

test('a vacuum rests two hundred times as long as it took', async () => {
  const upkeep = watch({ checkpoint: 0, vacuum: 75 })
  assert.deepEqual(await looks(upkeep, 1), ['vacuum'])
  assert.deepEqual(await looks(upkeep, 2), [])
  assert.deepEqual(await looks(upkeep, 1), ['vacuum'])
})

test('a checkpoint rests twenty-five times as long as it took, until the log is four times as long as it should be', async () => {
  const upkeep = watch({ checkpoint: 600, vacuum: 30_000 })
  assert.deepEqual(await looks(upkeep, 61), ['vacuum'])
  upkeep.wal.bytes = walBytesMax
  assert.deepEqual(await looks(upkeep, 4), [])
  upkeep.wal.bytes = walBytesMax + 1
  assert.deepEqual(await looks(upkeep, 1), ['checkpoint'])
  assert.deepEqual(await looks(upkeep, 2), [])
  assert.deepEqual(await looks(upkeep, 1), ['checkpoint'])
  upkeep.wal.bytes = 4 * walBytesMax
  assert.deepEqual(await looks(upkeep, 1), [])
  upkeep.wal.bytes = 4 * walBytesMax + 1
  assert.deepEqual(await looks(upkeep, 2), ['checkpoint', 'checkpoint'])
})

test('after a vacuum a checkpoint waits ten times as long as it took, and a vacuum after a checkpoint', async () => {
  const upkeep = watch({ checkpoint: 1_100, vacuum: 2_100 })
  upkeep.wal.bytes = walBytesMax + 1
  assert.deepEqual(await looks(upkeep, 3), ['checkpoint'])
  assert.deepEqual(await looks(upkeep, 5), ['vacuum'])
  assert.deepEqual(await looks(upkeep, 1), ['checkpoint'])
})
