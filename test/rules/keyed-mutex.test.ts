import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { KeyedMutex, waitingMax } from '../../src/base/work/keyed-mutex.ts'

const turn = () => new Promise<void>((resume) => setImmediate(resume))

describe('a keyed mutex', () => {
  test('work of one key runs one after the other, also after failures; work of other keys runs at the same time', async () => {
    const mutex = new KeyedMutex()
    const steps: string[] = []
    const run = (key: string, name: string, fails = false) =>
      mutex.run(key, async () => {
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
    const ofOneKey = steps.filter((step) => !step.startsWith('other'))
    assert.deepEqual(
      ofOneKey,
      ['one', 'two', 'three'].flatMap((name) => [`${name} begins`, `${name} ends`]),
    )
    assert.ok(steps.indexOf('other begins') < steps.indexOf('one ends'))
    assert.equal(await run('a', 'four'), 'four')
  })

  test('the number of waiting callers of a key is bounded', async () => {
    const mutex = new KeyedMutex()
    const { promise: opened, resolve: open } = Promise.withResolvers<void>()
    const running = Array.from({ length: 1 + waitingMax }, () => mutex.run('a', () => opened))
    const late = mutex.run('a', async () => {})
    await assert.rejects(late, { kind: 'unavailable' })
    await mutex.run('b', async () => {})
    open()
    await Promise.all(running)
    await mutex.run('a', async () => {})
  })
})
