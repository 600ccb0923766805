import assert from 'node:assert/strict'
import test from 'node:test'
import { abilitiesForKey } from '../../src/accounts/keys/key-abilities.ts'
import { abilities, scopeOf } from '../../src/base/http/abilities.ts'
import { permissions } from '../../src/base/http/permissions.ts'

const everything = abilities.filter((ability) => scopeOf(ability) === 'workspace')

const cases: readonly [permissions: unknown, needed: readonly string[]][] = [
  [['users.track'], ['people.import']],
  [['users.track', 'users.merge'], ['people.import']],
  [
    ['users.export.ids', 'users.track'],
    ['people.export', 'people.import'],
  ],
  [['messages.send'], ['campaigns.edit', 'campaigns.launch']],
  [['catalogs.delete_item'], ['catalogs.end']],
  [['users.delete'], everything],
  [['kpi.dau.data_series'], ['usage.read']],
  [['messages.live_activity.update'], everything],
  [['*'], everything],
  [['toString'], everything],
  [undefined, []],
  ['users.track', []],
]

for (const [given, needed] of cases) {
  test(`a key with ${JSON.stringify(given)} takes ${needed === everything ? 'everything' : needed.join(', ')}`, () => {
    assert.deepEqual(abilitiesForKey(given), needed)
  })
}

test('every permission of a key takes at least one ability', () => {
  for (const permission of permissions) assert.ok(abilitiesForKey([permission]).length > 0, permission)
})
