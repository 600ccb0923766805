import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import type { TestEasel } from '../../client/src/testing/testing.ts'
import { joinEmulator } from '../support/emulators.ts'

const starts = 20
const repeats = 10
/** Far above the promised 1.5 s, 50 ms and 200 ms, which hold on an idle machine: a busy one must not fail this test. */
const boundMs = { start: 60_000, reset: 10_000, snapshot: 10_000, restore: 10_000 }
const memoryMibMax = 400

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now()
  await work()
  return performance.now() - startMs
}

function describe(name: string, values: readonly number[]): string {
  const sorted = values.toSorted((one, other) => one - other)
  const at = (share: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!)
  return `${name}: lowest ${at(0)}, median ${at(0.5)}, nine of ten ${at(0.9)}, highest ${at(1)}`
}

test('an emulator starts, is reset and returns to a snapshot in the promised times', async (t) => {
  const times: Record<keyof typeof boundMs, number[]> = { start: [], reset: [], snapshot: [], restore: [] }
  const memoryMib: number[] = []
  for (let i = 0; i < starts; i++) {
    let easel!: TestEasel
    times.start.push(
      await timed(async () => {
        easel = await joinEmulator({ isolated: true })
      }),
    )
    await using running = easel
    for (let n = 0; n < repeats; n++) {
      await running.person(`person-${n}`).set({ plan: 'gold' })
      times.snapshot.push(await timed(() => running.save(`s${n}`)))
      times.restore.push(await timed(() => running.restore(`s${n}`)))
    }
    for (let n = 0; n < repeats; n++) {
      times.reset.push(await timed(() => running.admin('POST', '/emulator/reset', {})))
    }
    if (process.platform !== 'linux') continue
    const rss = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${running.emulator!.pid}/status`, 'utf8'))?.[1]
    memoryMib.push(Number(rss) / 1024)
  }
  for (const [name, values] of Object.entries(times)) {
    t.diagnostic(describe(`${name}, ms`, values))
    assert.ok(Math.max(...values) < boundMs[name as keyof typeof boundMs], name)
  }
  if (memoryMib.length === 0) return
  t.diagnostic(describe('memory, MiB', memoryMib))
  assert.ok(Math.min(...memoryMib) < memoryMibMax)
})
