import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assignDevice, type DeviceAssignment } from '../../src/people/devices/assign-device.ts'
import type { Identifier } from '../../src/people/identity/identifier.ts'
import { person } from '../../src/people/identity/person.ts'

const device: Identifier = { kind: 'device', value: 'device-0001' }
const [ann, bob] = [person(1, '11'), person(2, '22')]
const anonymous = (one: typeof ann) => ({ person: one, identified: false })
const identified = (one: typeof ann) => ({ person: one, identified: true })
const nothing = { givesIdentifier: false, merged: null, takesDevice: false, previousOwner: null }

const names: readonly Identifier[] = [
  { kind: 'external_id', value: 'ann' },
  { kind: 'alias', value: 'shop\u001fann' },
  { kind: 'email', value: 'ann@example.com' },
  { kind: 'phone', value: '+15551234567' },
]
const unknownId: Identifier = { kind: 'service_id', value: 'f'.repeat(24) }

describe('the person of an SDK call', () => {
  test('is the owner of the device when the call has no identifier or an unknown service id', () => {
    for (const who of [null, unknownId]) {
      for (const owner of [anonymous(ann), identified(ann)]) {
        assert.deepEqual(assignDevice(device, owner, who, null, false), { ...nothing, person: ann, identifier: device })
      }
      const made: DeviceAssignment = { ...nothing, person: null, identifier: device, takesDevice: true }
      assert.deepEqual(assignDevice(device, null, who, null, false), made)
    }
  })

  test('gets a new identifier when anonymous; else a new person gets the identifier and the device', () => {
    for (const who of names) {
      const made: DeviceAssignment = { ...nothing, person: null, identifier: who, takesDevice: true }
      assert.deepEqual(assignDevice(device, null, who, null, false), made)
      const given: DeviceAssignment = { ...nothing, person: ann, identifier: who, givesIdentifier: true }
      assert.deepEqual(assignDevice(device, anonymous(ann), who, null, false), given)
      assert.deepEqual(assignDevice(device, identified(ann), who, null, false), { ...made, previousOwner: ann })
      assert.deepEqual(assignDevice(device, anonymous(ann), who, null, true), { ...made, previousOwner: ann })
    }
  })

  test('is the person who has the identifier; an anonymous owner is merged, another owner loses the device', () => {
    for (const who of [...names, unknownId]) {
      for (const named of [anonymous(bob), identified(bob)]) {
        const known: DeviceAssignment = { ...nothing, person: bob, identifier: device }
        assert.deepEqual(assignDevice(device, null, who, named, false), { ...known, takesDevice: true })
        assert.deepEqual(assignDevice(device, named, who, named, false), known)
        assert.deepEqual(assignDevice(device, anonymous(ann), who, named, false), { ...known, merged: ann })
        assert.deepEqual(assignDevice(device, identified(ann), who, named, false), {
          ...known,
          takesDevice: true,
          previousOwner: ann,
        })
      }
    }
  })
})
