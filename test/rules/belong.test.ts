import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Belonging, belong } from '../../src/people/devices/belong.ts'
import type { Identifier } from '../../src/people/identity/identifier.ts'
import { person } from '../../src/people/identity/person.ts'

const device: Identifier = { kind: 'device', value: 'device-0001' }
const [ann, bob] = [person(1, '11'), person(2, '22')]
const anonymous = (one: typeof ann) => ({ person: one, identified: false })
const identified = (one: typeof ann) => ({ person: one, identified: true })
const nothing = { attached: false, absorbed: null, claims: false, loser: null }

const names: readonly Identifier[] = [
  { kind: 'external_id', value: 'ann' },
  { kind: 'alias', value: 'shop\u001fann' },
  { kind: 'email', value: 'ann@example.com' },
  { kind: 'phone', value: '+15551234567' },
]
const stranger: Identifier = { kind: 'service_id', value: 'f'.repeat(24) }

describe('whom a call of an SDK is about', () => {
  test('without an identifier, or with a service id of nobody, it is the owner of the device', () => {
    for (const who of [null, stranger]) {
      for (const owner of [anonymous(ann), identified(ann)]) {
        assert.deepEqual(belong(device, owner, who, null, false), { ...nothing, person: ann, by: device })
      }
      const made: Belonging = { ...nothing, person: null, by: device, claims: true }
      assert.deepEqual(belong(device, null, who, null, false), made)
    }
  })

  test('an identifier that nobody has is given to somebody anonymous, else to somebody new who gets the device', () => {
    for (const who of names) {
      const made: Belonging = { ...nothing, person: null, by: who, claims: true }
      assert.deepEqual(belong(device, null, who, null, false), made)
      const given: Belonging = { ...nothing, person: ann, by: who, attached: true }
      assert.deepEqual(belong(device, anonymous(ann), who, null, false), given)
      assert.deepEqual(belong(device, identified(ann), who, null, false), { ...made, loser: ann })
      assert.deepEqual(belong(device, anonymous(ann), who, null, true), { ...made, loser: ann })
    }
  })

  test('an identifier that somebody has names them: they take in somebody anonymous, or the device alone', () => {
    for (const who of [...names, stranger]) {
      for (const named of [anonymous(bob), identified(bob)]) {
        const known: Belonging = { ...nothing, person: bob, by: device }
        assert.deepEqual(belong(device, null, who, named, false), { ...known, claims: true })
        assert.deepEqual(belong(device, named, who, named, false), known)
        assert.deepEqual(belong(device, anonymous(ann), who, named, false), { ...known, absorbed: ann })
        assert.deepEqual(belong(device, identified(ann), who, named, false), { ...known, claims: true, loser: ann })
      }
    }
  })
})
