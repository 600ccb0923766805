import assert from 'node:assert/strict'
import test from 'node:test'
import { abilitiesOf } from '../../src/accounts/permissions/abilities.ts'
import { permissionNames } from '../../src/accounts/permissions/permission-names.ts'
import {
  allowedBy,
  permissionsInWords,
  permissionsThatGive,
  phraseOf,
  sentencesOf,
} from '../../src/accounts/permissions/permission-words.ts'
import { abilities } from '../../src/base/http/abilities.ts'

const sentences: readonly [names: readonly string[], said: readonly string[]][] = [
  [[], []],
  [['of_next_year', '__proto__', 'constructor'], []],
  [['edit_canvases'], ['See and edit canvases.', 'Send tests of messages.']],
  [
    ['edit_canvases', 'view_campaigns'],
    ['See and edit canvases.', 'See campaigns and sends.', 'Send tests of messages.'],
  ],
  [['view_user_profile'], []],
  [
    ['view_user_profile', 'view_pii'],
    ['See people, suppressions, messages and merges and deletions that were accepted.'],
  ],
  [['admin', 'edit_canvases'], ['Everything in the workspace.']],
]

for (const [names, said] of sentences) {
  test(`${names.join(', ') || 'no permission'} allow: ${said.join(' ') || 'nothing'}`, () => {
    assert.deepEqual(allowedBy(names, 'workspace'), said)
  })
}

test('Every ability has words, and no sentence has a name of the code.', () => {
  for (const ability of abilities) {
    assert.match(phraseOf(ability), /^[a-z][\w' ,-]+$/, ability)
    assert.doesNotMatch(phraseOf(ability), /undefined|_/, ability)
    assert.equal(sentencesOf(new Set([ability])).length, 1, ability)
  }
})

test('Every permission has a sentence, and says honestly when it allows nothing.', () => {
  for (const level of ['company', 'workspace'] as const) {
    const listed = permissionsInWords(level)
    assert.deepEqual(
      listed.map(({ permission }) => permission),
      permissionNames[level],
    )
    for (const { permission, allows, applies, needs_view_pii, group } of listed) {
      assert.match(allows, /^[A-Z].+\.$/, permission)
      const given = abilitiesOf([permission, 'view_pii'], level)
      assert.equal(applies, given.size > 0 || permission === 'view_pii', permission)
      assert.equal(group === 'Without effect', !applies, permission)
      const alone = abilitiesOf([permission], level)
      assert.equal(needs_view_pii, alone.size < given.size, permission)
    }
  }
})

test('The permissions that give an ability are those that the table gives it to.', () => {
  assert.deepEqual(permissionsThatGive('canvases.launch', 'workspace'), ['send_campaigns_canvases', 'launch_canvases'])
  assert.deepEqual(permissionsThatGive('accounts.edit', 'workspace'), [])
  assert.deepEqual(permissionsThatGive('accounts.edit', 'company'), [])
  assert.ok(permissionsThatGive('people.read', 'workspace').includes('view_user_profile'))
})
