import assert from 'node:assert/strict'
import test from 'node:test'
import { nearestName } from '../../src/people/values/nearest-name.ts'

const names = ['email', 'email_subscribe', 'first_name', 'last_name', 'phone', 'time_zone']

const cases: readonly [text: string, nearest: string][] = [
  ['email', 'email'],
  ['EMAIL', 'email'],
  ['emial', 'email'],
  ['mail', 'email'],
  ['firstname', 'first_name'],
  ['frist_name', 'first_name'],
  ['lastname', 'last_name'],
  ['telephone', 'phone'],
  ['timezone', 'time_zone'],
  ['email_subscription', 'email_subscribe'],
  ['', 'email'],
  ['x'.repeat(100_000), 'email'],
]

for (const [text, nearest] of cases) {
  test(`the nearest name to "${text.slice(0, 20)}" is ${nearest}`, () =>
    assert.equal(nearestName(text, names), nearest))
}

test('there is no nearest name among none', () => assert.equal(nearestName('email', []), undefined))
