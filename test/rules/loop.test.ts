import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openLoop } from '../../src/base/work/loop.ts'
import { quiet } from '../support/databases.ts'

const soonMs = 5
const neverMs = 60_000

describe('a loop', () => {
  test('runs again while there is work, then sleeps', async () => {
    let left = 3
    let turns = 0
    const turn = async () => {
      turns++
      return left-- > 0
    }
    const loop = openLoop({ name: 'a', everyMs: soonMs, turn }, quiet)
    while (turns < 6) await pause(1)
    await loop.close()
    const done = turns
    await pause(3 * soonMs)
    assert.equal(turns, done)
  })

  test('runs at once after a wake, and never twice at the same time', async () => {
    let running = 0
    let turns = 0
    const turn = async () => {
      assert.equal(++running, 1)
      await pause(1)
      running--
      turns++
      return false
    }
    const loop = openLoop({ name: 'a', everyMs: neverMs, turn }, quiet)
    for (let i = 0; i < 20; i++) {
      loop.wake()
      if (i % 3 === 0) await loop.nextTurn()
    }
    assert.ok(turns >= 7)
    await loop.close()
  })

  test('ends a wait for the next turn after a turn that began later', async () => {
    const begun: number[] = []
    let waits = 0
    const turn = async () => {
      begun.push(waits)
      await pause(2)
      return false
    }
    const loop = openLoop({ name: 'a', everyMs: neverMs, turn }, quiet)
    for (waits = 1; waits < 10; waits++) {
      const mine = waits
      await loop.nextTurn()
      assert.ok(begun.at(-1)! >= mine)
    }
    await loop.close()
  })

  test('without an interval runs only when it is asked to', async () => {
    let turns = 0
    const loop = openLoop({ name: 'a', turn: async () => ++turns < 0 }, quiet)
    await pause(soonMs)
    assert.equal(turns, 0)
    await loop.nextTurn()
    assert.equal(turns, 1)
    await loop.close()
  })

  test('runs again after a failure, and reports failing until it succeeds', async () => {
    let failures = 2
    const turn = async () => {
      if (failures-- > 0) throw new Error('not yet')
      return false
    }
    const loop = openLoop({ name: 'a', everyMs: neverMs, turn }, quiet)
    await pause(1)
    assert.equal(loop.failing(), true)
    await loop.nextTurn()
    loop.wake()
    await loop.nextTurn()
    assert.equal(loop.failing(), false)
    await loop.close()
  })

  test('can be closed at any time, which ends the waits for a turn', async () => {
    for (const everyMs of [undefined, neverMs]) {
      const turn = async () => {
        await pause(soonMs)
        return false
      }
      const loop = openLoop({ name: 'a', ...(everyMs && { everyMs }), turn }, quiet)
      const waiting = loop.nextTurn()
      await pause(1)
      const later = loop.nextTurn()
      await loop.close()
      await Promise.all([waiting, later, loop.nextTurn()])
    }
  })
})
