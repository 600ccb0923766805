import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Db } from '../../src/base/db/db.ts'
import { openUpkeep } from '../../src/base/db/upkeep.ts'

const lookMs = 5_000
const walBytesMax = 1_000

type Upkeep = { wal: { bytes: number }; look(): Promise<string[]> }

/** Opens upkeep on a fake database whose commands take `tookMs`. `look` runs the next look and returns its commands. */
function watch(tookMs: { checkpoint: number; vacuum: number }): Upkeep {
  const commands: string[] = []
  const wal = { bytes: 0 }
  let nowMs = 1_000_000
  const db: Pick<Db, 'query' | 'execute'> = {
    async query<Row>() {
      return [{ bytes: String(wal.bytes), command: 'vacuum' }] as Row[]
    },
    async execute(command) {
      commands.push(command)
      nowMs += tookMs[command as keyof typeof tookMs]
    },
  }
  const look = openUpkeep(db as Db, { walBytesMax, clock: { elapsed: () => nowMs } })
  return {
    wal,
    async look() {
      nowMs += lookMs
      await look()
      return commands.splice(0)
    },
  }
}

async function looks(upkeep: Upkeep, count: number): Promise<string[]> {
  const commands: string[] = []
  for (let i = 0; i < count; i++) commands.push(...(await upkeep.look()))
  return commands
}

test('the pause after a vacuum is two hundred times as long as the vacuum', async () => {
  const upkeep = watch({ checkpoint: 0, vacuum: 75 })
  assert.deepEqual(await looks(upkeep, 1), ['vacuum'])
  assert.deepEqual(await looks(upkeep, 2), [])
  assert.deepEqual(await looks(upkeep, 1), ['vacuum'])
})

test('the pause after a checkpoint is twenty-five times as long as the checkpoint, unless the log is four times too long', async () => {
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

test('a checkpoint waits ten times as long as the vacuum before it, and a vacuum ten times as long as the checkpoint', async () => {
  const upkeep = watch({ checkpoint: 1_100, vacuum: 2_100 })
  upkeep.wal.bytes = walBytesMax + 1
  assert.deepEqual(await looks(upkeep, 3), ['checkpoint'])
  assert.deepEqual(await looks(upkeep, 5), ['vacuum'])
  assert.deepEqual(await looks(upkeep, 1), ['checkpoint'])
})
