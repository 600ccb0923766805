import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openLoop } from '../../src/base/work/loop.ts'
import { quiet } from '../support/databases.ts'

const soonMs = 5
const neverMs = 60_000

describe('work done in turns', () => {
  test('goes on while there is more, then rests until it is time', async () => {
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

  test('is done at once when it is asked for, and never twice at the same time', async () => {
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

  test('who asks for the next turn is told when one that began later has ended', async () => {
    const begun: number[] = []
    let asked = 0
    const turn = async () => {
      begun.push(asked)
      await pause(2)
      return false
    }
    const loop = openLoop({ name: 'a', everyMs: neverMs, turn }, quiet)
    for (asked = 1; asked < 10; asked++) {
      const mine = asked
      await loop.nextTurn()
      assert.ok(begun.at(-1)! >= mine)
    }
    await loop.close()
  })

  test('what is only asked for is not done before', async () => {
    let turns = 0
    const loop = openLoop({ name: 'a', turn: async () => ++turns < 0 }, quiet)
    await pause(soonMs)
    assert.equal(turns, 0)
    await loop.nextTurn()
    assert.equal(turns, 1)
    await loop.close()
  })

  test('what failed is tried again, and says so until it succeeds', async () => {
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

  test('it can be closed at any moment, and whoever waits is let go', async () => {
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
