import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Wakeups } from '../../src/base/work/wakeups.ts'

describe('wake-ups', () => {
  test('reach the listeners of their name only', () => {
    const wakeups = new Wakeups()
    const calls: string[] = []
    wakeups.on('delivery', () => calls.push('first'))
    wakeups.on('delivery', () => calls.push('second'))
    wakeups.on('expansion', () => calls.push('other'))
    wakeups.wake('delivery')
    assert.deepEqual(calls, ['first', 'second'])
  })

  test('do nothing when nobody listens', () => {
    new Wakeups().wake('exports')
  })

  test('do not reach a listener that was removed', () => {
    const wakeups = new Wakeups()
    let calls = 0
    const listener = () => {
      calls++
    }
    const remove = wakeups.on('exports', listener)
    wakeups.on('exports', listener)
    remove()
    remove()
    wakeups.wake('exports')
    assert.equal(calls, 1)
  })

  test('allow a listener to be removed while they are delivered', () => {
    const wakeups = new Wakeups()
    let calls = 0
    const remove = wakeups.on('signals', () => {
      calls++
      remove()
    })
    wakeups.wake('signals')
    wakeups.wake('signals')
    assert.equal(calls, 1)
  })
})
