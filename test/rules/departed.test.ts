import assert from 'node:assert/strict'
import test from 'node:test'
import { Failure } from '../../src/base/errors.ts'
import { PersonRemoved, retryWhenRemoved } from '../../src/people/identity/retry-removed.ts'

/** A transaction from under which somebody departs so many times. */
function departing(times: number): (attempt: number) => Promise<number> {
  return async (attempt) => {
    if (attempt <= times) throw new PersonRemoved('a profile was merged away or deleted')
    return attempt
  }
}

test('a transaction from under which people depart is run again until nobody does', async () => {
  assert.equal(await retryWhenRemoved(departing(0)), 1)
  assert.equal(await retryWhenRemoved(departing(15)), 16)
})

test('when people still depart at the last attempt, the answer is 503 and no mistake of ours', async () => {
  await assert.rejects(
    retryWhenRemoved(departing(16)),
    (error) => error instanceof Failure && error.kind === 'unavailable',
  )
})

test('any other error ends it at once', async () => {
  let attempts = 0
  const broken = async () => {
    attempts++
    throw new Error('broken')
  }
  await assert.rejects(retryWhenRemoved(broken), /broken/)
  assert.equal(attempts, 1)
})
