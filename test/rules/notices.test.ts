import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../../src/base/errors.ts'
import { Notices, noticesMax, reasonsMax } from '../../src/base/http/notices.ts'

/** Adds this many notices about one object. */
function addMany(notices: Notices, count: number): void {
  for (let i = 0; i < count; i++) notices.add(`m${i}`, 'is lost')
}

test('an answer without notices has no members for them', () => {
  const notices = new Notices(false)
  notices.begin('events', 0)
  assert.equal(notices.refusal(), undefined)
  assert.deepEqual(notices.members(), {})
})

test('a notice names the array and the position of its object, if the request has arrays', () => {
  const notices = new Notices(false)
  notices.begin('attributes', 3)
  notices.add('plan', 'is lost')
  notices.begin('events', 0)
  notices.add('properties.size', 'is cut')
  assert.deepEqual(notices.members(), {
    notices: [
      { index: 3, input_array: 'attributes', member: 'plan', reason: 'is lost' },
      { index: 0, input_array: 'events', member: 'properties.size', reason: 'is cut' },
    ],
  })
  const alone = new Notices(false)
  alone.add('plan', 'is lost')
  assert.deepEqual(alone.members(), { notices: [{ member: 'plan', reason: 'is lost' }] })
})

test('notices of refused objects are forgotten', () => {
  const notices = new Notices(false)
  for (const index of [0, 1, 2]) {
    notices.begin('attributes', index)
    notices.add('plan', 'is lost')
    if (index === 0) notices.forget()
  }
  notices.begin('events', 2)
  notices.add('name', 'is lost')
  notices.forgetObjects('attributes', new Set([2]))
  const positions = notices.members().notices!.map(({ index, input_array }) => [input_array, index])
  assert.deepEqual(positions, [
    ['attributes', 1],
    ['events', 2],
  ])
})

test('an answer has at most 100 notices, and counts the others', () => {
  for (const [count, shown, further] of [
    [noticesMax - 1, noticesMax - 1, undefined],
    [noticesMax, noticesMax, undefined],
    [noticesMax + 1, noticesMax, 1],
    [3 * noticesMax, noticesMax, 2 * noticesMax],
  ] as const) {
    const inOne = new Notices(false)
    addMany(inOne, count)
    const inMany = new Notices(false)
    for (let i = 0; i < count; i++) {
      inMany.begin('events', i)
      inMany.add('name', 'is lost')
    }
    for (const { notices, further_notices } of [inOne.members(), inMany.members()]) {
      assert.deepEqual([notices!.length, further_notices], [shown, further], String(count))
    }
  }
})

test('a strict caller gets the reasons of an object as the text that refuses it', () => {
  for (const [count, further] of [
    [reasonsMax - 1, ''],
    [reasonsMax, ''],
    [reasonsMax + 1, '; and 1 more'],
    [noticesMax + 5, `; and ${noticesMax + 5 - reasonsMax} more`],
  ] as const) {
    const notices = new Notices(true)
    notices.begin('attributes', 0)
    assert.equal(notices.refusal(), undefined)
    addMany(notices, count)
    const reasons = Array.from({ length: Math.min(count, reasonsMax) }, (_, i) => `'m${i}' is lost`)
    assert.equal(notices.refusal(), reasons.join('; ') + further)
    notices.forget()
    notices.begin('attributes', 1)
    assert.equal(notices.refusal(), undefined)
    assert.deepEqual(notices.members(), {})
  }
})

test('a request without arrays is refused as a whole for a strict caller', () => {
  const strict = new Notices(true)
  strict.check()
  strict.add('messages.email.headers', 'is lost')
  assert.throws(
    () => strict.check(),
    (error) => error instanceof Failure && error.message === "'messages.email.headers' is lost",
  )
  const other = new Notices(false)
  other.add('plan', 'is lost')
  other.check()
})

test('a request with arrays that is refused as a whole names the object, and members have its path before them', () => {
  const notices = new Notices(true)
  notices.begin('recipients', 3, 'attributes.')
  notices.add('plan', 'is lost')
  notices.beginRequest()
  notices.add('send_id', 'is lost')
  assert.deepEqual(notices.members().notices, [
    { index: 3, input_array: 'recipients', member: 'attributes.plan', reason: 'is lost' },
    { member: 'send_id', reason: 'is lost' },
  ])
  assert.throws(
    () => notices.check(),
    (error) => error instanceof Failure && error.message === "recipients[3]: 'attributes.plan' is lost",
  )
})

test('the name of a member is cut and cleaned', () => {
  const notices = new Notices(false)
  notices.add(`\ud800\u0000${'k'.repeat(300)}`, 'is lost')
  assert.equal(notices.members().notices![0]!.member, `\ufffd\ufffd${'k'.repeat(253)}`)
})
