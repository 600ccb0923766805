import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { KeyedMutex, waitingMax } from '../../src/base/work/keyed-mutex.ts'

const turn = () => new Promise<void>((resume) => setImmediate(resume))

describe('lanes', () => {
  test('what is about the same is done one after the other, whatever becomes of it; the rest beside it', async () => {
    const lanes = new KeyedMutex()
    const steps: string[] = []
    const run = (key: string, name: string, fails = false) =>
      lanes.run(key, async () => {
        steps.push(`${name} begins`)
        await turn()
        steps.push(`${name} ends`)
        if (fails) throw new Error(name)
        return name
      })
    const outcomes = await Promise.allSettled([
      run('a', 'one', true),
      run('a', 'two'),
      run('b', 'other'),
      run('a', 'three'),
    ])
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason.message)),
      ['one', 'two', 'other', 'three'],
    )
    const ofOneLane = steps.filter((step) => !step.startsWith('other'))
    assert.deepEqual(
      ofOneLane,
      ['one', 'two', 'three'].flatMap((name) => [`${name} begins`, `${name} ends`]),
    )
    assert.ok(steps.indexOf('other begins') < steps.indexOf('one ends'))
    assert.equal(await run('a', 'four'), 'four')
  })

  test('so many may wait, and not one more', async () => {
    const lanes = new KeyedMutex()
    const { promise: opened, resolve: open } = Promise.withResolvers<void>()
    const running = Array.from({ length: 1 + waitingMax }, () => lanes.run('a', () => opened))
    const late = lanes.run('a', async () => {})
    await assert.rejects(late, { kind: 'unavailable' })
    await lanes.run('b', async () => {})
    open()
    await Promise.all(running)
    await lanes.run('a', async () => {})
  })
})
