import assert from 'node:assert/strict'
import test from 'node:test'
import { Failure } from '../../src/base/errors.ts'
import { PersonRemoved, retryWhenRemoved } from '../../src/people/identity/retry-removed.ts'

/** Returns a transaction that finds a removed person in its first `times` attempts. */
function failing(times: number): (attempt: number) => Promise<number> {
  return async (attempt) => {
    if (attempt <= times) throw new PersonRemoved('a profile was merged away or deleted')
    return attempt
  }
}

test('a transaction that finds a removed person is run again until it finds none', async () => {
  assert.equal(await retryWhenRemoved(failing(0)), 1)
  assert.equal(await retryWhenRemoved(failing(15)), 16)
})

test('a transaction that finds a removed person 16 times fails as unavailable, not as a defect', async () => {
  await assert.rejects(
    retryWhenRemoved(failing(16)),
    (error) => error instanceof Failure && error.kind === 'unavailable',
  )
})

test('any other error ends the transaction at once', async () => {
  let attempts = 0
  const broken = async () => {
    attempts++
    throw new Error('broken')
  }
  await assert.rejects(retryWhenRemoved(broken), /broken/)
  assert.equal(attempts, 1)
})
