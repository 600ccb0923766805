import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { abilitiesOf, can, grantsOf } from '../../src/accounts/permissions/abilities.ts'
import { permissionNames } from '../../src/accounts/permissions/permission-names.ts'
import { noPermissions, type Permissions } from '../../src/accounts/permissions/permissions.ts'
import { type Ability, abilities, scopeOf } from '../../src/base/http/abilities.ts'
import { declared } from '../support/declared-permissions.ts'

const none = { permissions: [], sets: [], teams: [] }
const levels = ['company', 'workspace', 'team'] as const
const everywhere = abilities.filter((ability) => scopeOf(ability) !== 'session')
const ofWorkspaces = abilities.filter((ability) => scopeOf(ability) === 'workspace')

function held(permissions: Partial<Permissions>, workspace_id: number | undefined): Ability[] {
  const grants = grantsOf({ ...noPermissions, ...permissions }, declared)
  return abilities.filter((ability) => can(grants, ability, workspace_id))
}

test('Without permissions an account may only read its own session and the clock.', () => {
  assert.deepEqual(held({}, 1), ['session.read', 'clock.read'])
  assert.deepEqual(held({ workspaces: [{ id: 'default', ...none }] }, 1), ['session.read', 'clock.read'])
})

test('A company administrator may do everything, a workspace administrator everything in that workspace.', () => {
  assert.deepEqual(held({ company: ['admin'] }, 1), [...abilities])
  assert.deepEqual(held({ company: ['admin'] }, undefined), [...abilities])
  const ofShop = { workspaces: [{ id: 'shop', ...none, permissions: ['admin'] }] }
  assert.deepEqual(held(ofShop, 7), ['session.read', 'clock.read', ...ofWorkspaces])
  assert.deepEqual(held(ofShop, 1), ['session.read', 'clock.read'])
  assert.deepEqual(held(ofShop, undefined), ['session.read', 'clock.read'])
})

test('Workspace and team permissions never grant abilities over the whole installation.', () => {
  const given = abilitiesOf(permissionNames.workspace, 'workspace')
  assert.deepEqual(
    [...given].filter((ability) => scopeOf(ability) !== 'workspace'),
    [],
  )
  assert.deepEqual([...given].toSorted(), ofWorkspaces.toSorted())
  assert.deepEqual([...abilitiesOf(permissionNames.team, 'team')], [])
})

test('Only administrators may edit SCIM tokens, roles and settings, end sessions, read the inbox, and use what is of the machine.', () => {
  const machine = ['file.apply', 'clock.move', 'emulator.use'] as const
  const guarded: readonly Ability[] = ['scim_tokens.edit', 'sessions.end', 'inbox.read', ...machine]
  const others = levels.flatMap((level) =>
    permissionNames[level]
      .filter((name) => name !== 'admin')
      .map((name) => [name, abilitiesOf([name], level)] as const),
  )
  for (const ability of [...guarded, 'roles.edit', 'permission_sets.edit', 'settings.edit'] as const) {
    const givers = others.filter(([, given]) => given.has(ability)).map(([name]) => name)
    assert.deepEqual(givers, ability === 'settings.edit' ? ['manage_company_settings'] : [], ability)
    assert.ok(abilitiesOf(['admin'], 'company').has(ability))
  }
})

test('Every ability is granted by some permission, and an unknown permission grants none.', () => {
  const given = levels.flatMap((level) => [...abilitiesOf(permissionNames[level], level)])
  assert.deepEqual([...new Set(everywhere).difference(new Set(given))], [])
  for (const level of levels) {
    for (const name of ['of_next_year', '__proto__', 'constructor', 'toString', '']) {
      assert.equal(abilitiesOf([name], level).size, 0, name)
    }
  }
})

test('Personal data is only readable with the permission view_pii in the same workspace.', () => {
  const names = ['view_user_profile', 'export_user_data', 'view_user_merge_records', 'view_event_user_log']
  assert.deepEqual([...abilitiesOf(names, 'workspace')], [])
  const personal = [
    ...['people.read', 'messages.read', 'suppressions.read', 'work.read', 'people.export', 'requests.read'],
    'feed.read',
  ]
  assert.deepEqual([...abilitiesOf([...names, 'view_pii'], 'workspace')].toSorted(), personal.toSorted())
  const elsewhere = {
    workspaces: [
      { id: 'default', ...none, permissions: names },
      { id: 'shop', ...none, permissions: ['view_pii'] },
    ],
  }
  assert.ok(!held(elsewhere, 1).includes('people.read') && !held(elsewhere, 7).includes('people.read'))
})

const steps: readonly [permission: string, may: readonly Ability[], mayNot: readonly Ability[]][] = [
  ['view_canvases', ['canvases.read'], ['canvases.edit', 'canvases.launch', 'canvases.end', 'campaigns.read']],
  ['edit_canvases', ['canvases.read', 'canvases.edit'], ['canvases.launch', 'canvases.end']],
  ['launch_canvases', ['canvases.launch', 'dispatches.act'], ['canvases.edit', 'canvases.end', 'campaigns.launch']],
  ['archive_canvases', ['canvases.end'], ['canvases.edit', 'canvases.launch']],
  [
    'send_campaigns_canvases',
    ['campaigns.launch', 'canvases.edit', 'messages.resend'],
    ['segments.edit', 'people.read'],
  ],
  ['basic_access', ['segments.read', 'settings.read'], ['people.read', 'api_keys.read', 'credentials.read']],
  ['view_api_keys', ['api_keys.read'], ['api_keys.edit', 'api_keys.end']],
  ['manage_email_settings', ['dkim_keys.edit'], ['settings.edit', 'credentials.edit']],
  ['manage_dashboard_users', [], ['sessions.read', 'people.read']],
]

for (const [name, may, mayNot] of steps) {
  test(`${name} allows ${may.join(', ') || 'nothing'}, and not ${mayNot.join(', ')}.`, () => {
    const given = abilitiesOf([name], 'workspace')
    for (const ability of may) assert.ok(given.has(ability), ability)
    for (const ability of mayNot) assert.ok(!given.has(ability), ability)
  })
}

test('Roles and permission sets grant what the workspaces that declare them say now.', () => {
  const both = held({ roles: ['r-both'] }, 1)
  assert.ok(both.includes('segments.read') && !both.includes('canvases.launch'))
  assert.ok(held({ roles: ['r-both'] }, 7).includes('canvases.launch'))
  assert.ok(!held({ roles: ['r-editor'] }, 7).includes('segments.edit'))
  const care = { workspaces: [{ id: 'default', ...none, sets: ['s-care'] }] }
  assert.ok(held(care, 1).includes('people.read') && !held(care, 7).includes('people.read'))
  const nothing = { ...declared, workspaces: declared.workspaces.map((each) => ({ ...each, roles: [], sets: [] })) }
  const grants = grantsOf({ ...noPermissions, roles: ['r-both'], ...care }, nothing)
  assert.ok(!can(grants, 'people.read', 1) && !can(grants, 'segments.read', 1))
})

test('docs/permissions.md agrees with the table of permissions.', () => {
  const page = readFileSync('docs/permissions.md', 'utf8')
  const rows = new Map([...page.matchAll(/^\| `(\w+)` \| (.+) \|$/gm)].map(([, name, allows]) => [name!, allows!]))
  const written = (line: string) =>
    line.split(' · ').flatMap((part) => {
      const [noun, verbs] = part.replaceAll('*', '').split(': ')
      return verbs!.split(' ').map((verb) => `${noun}.${verb}`)
    })
  for (const level of ['company', 'workspace'] as const) {
    for (const name of permissionNames[level].filter((each) => each !== 'admin')) {
      const given = [...abilitiesOf(level === 'company' ? [name] : [name, 'view_pii'], level)]
      const line = rows.get(name)
      assert.deepEqual(line === undefined ? [] : written(line).toSorted(), given.toSorted(), name)
      assert.ok(line !== undefined || page.includes(`\`${name}\``), name)
    }
  }
})
