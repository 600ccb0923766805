import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { startInterval } from '../../src/base/interval.ts'

test('a run is left out while the one before is in flight, and no run begins after the end', async () => {
  mock.timers.enable({ apis: ['setInterval'] })
  try {
    let runs = 0
    let finish = () => {}
    const stop = startInterval(async () => {
      runs++
      await new Promise<void>((resolve) => {
        finish = resolve
      })
    }, 10)
    mock.timers.tick(35)
    assert.equal(runs, 1)
    finish()
    await new Promise(setImmediate)
    mock.timers.tick(10)
    assert.equal(runs, 2)
    stop()
    finish()
    await new Promise(setImmediate)
    mock.timers.tick(50)
    assert.equal(runs, 2)
  } finally {
    mock.timers.reset()
  }
})
