import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { isPermissionName, permissionNames } from '../../src/accounts/permissions/permission-names.ts'
import {
  describePermissions,
  type Permissions,
  resolvePermissions,
} from '../../src/accounts/permissions/permissions.ts'
import { listRoles } from '../../src/accounts/permissions/role-names.ts'
import { declared } from '../support/declared-permissions.ts'

const none = { permissions: [], sets: [], teams: [] }
const inDefault = (appGroup: object) => ({ appGroup: [{ appGroupName: 'Default', ...appGroup }] })
const held = (workspace: object) => ({ workspaces: [{ id: 'default', ...none, ...workspace }] })

const good: readonly [title: string, given: unknown, stored: Partial<Permissions>][] = [
  ['nothing: the default workspace, and no permission there', undefined, { workspaces: [{ id: 'default', ...none }] }],
  ['null is nothing', null, { workspaces: [{ id: 'default', ...none }] }],
  ['an empty object: no workspace', {}, {}],
  ['lists that are null', { companyPermissions: null, roles: null, appGroup: null }, {}],
  ['company permissions, each once', { companyPermissions: ['admin', 'admin'] }, { company: ['admin'] }],
  ['a role by name', { roles: [{ roleName: 'Editor' }] }, { roles: ['r-editor'] }],
  ['a role by id', { roles: [{ roleId: 'r-editor' }] }, { roles: ['r-editor'] }],
  ['a role by both', { roles: [{ roleId: 'r-editor', roleName: 'Editor' }] }, { roles: ['r-editor'] }],
  ['a role twice is once', { roles: [{ roleId: 'r-editor' }, { roleName: 'Editor' }] }, { roles: ['r-editor'] }],
  ['one role of two workspaces', { roles: [{ roleName: 'Everywhere' }] }, { roles: ['r-both'] }],
  [
    'a name that two workspaces have: that of the default one',
    { roles: [{ roleName: 'Twin' }] },
    { roles: ['r-twin-1'] },
  ],
  ['the other by its workspace', { roles: [{ roleName: 'Shop/Twin' }] }, { roles: ['r-twin-2'] }],
  [
    'the other by its workspace and its id',
    { roles: [{ roleName: 'Shop/Twin', roleId: 'r-twin-2' }] },
    { roles: ['r-twin-2'] },
  ],
  ['a role of any workspace with its workspace', { roles: [{ roleName: 'Default/Editor' }] }, { roles: ['r-editor'] }],
  ['one of twins by id', { roles: [{ roleId: 'r-twin-2' }] }, { roles: ['r-twin-2'] }],
  [
    'a workspace by name',
    inDefault({ appGroupPermissions: ['basic_access'] }),
    held({ permissions: ['basic_access'] }),
  ],
  [
    'a workspace by id',
    { appGroup: [{ appGroupId: 'shop', appGroupPermissions: [] }] },
    { workspaces: [{ id: 'shop', ...none }] },
  ],
  ['a newer name', inDefault({ appGroupPermissions: ['launch_canvases'] }), held({ permissions: ['launch_canvases'] })],
  [
    'a permission set by name',
    inDefault({ appGroupPermissionSets: [{ appGroupPermissionSetName: 'Care' }] }),
    held({ sets: ['s-care'] }),
  ],
  [
    'by id as requests write it',
    inDefault({ appGroupPermissionSets: [{ appGroupPermissionSetID: 's-care' }] }),
    held({ sets: ['s-care'] }),
  ],
  [
    'by id as answers write it',
    inDefault({ appGroupPermissionSets: [{ appGroupPermissionSetId: 's-care' }] }),
    held({ sets: ['s-care'] }),
  ],
  [
    'teams by name and by id',
    inDefault({
      team: [
        { teamName: 'Germany', teamPermissions: ['admin'] },
        { teamId: 't-fr', teamPermissions: [] },
      ],
    }),
    held({
      teams: [
        { id: 't-de', permissions: ['admin'] },
        { id: 't-fr', permissions: [] },
      ],
    }),
  ],
  ['what only answers have', { roles: [{ roleId: 'r-both', appGroup: 'anything' }], more: 1 }, { roles: ['r-both'] }],
]

for (const [title, given, stored] of good) {
  test(`${title} is resolved.`, () => {
    const permissions = { company: [], roles: [], workspaces: [], ...stored }
    assert.deepEqual(resolvePermissions(given, declared), { permissions })
  })
}

const bad: readonly [given: unknown, mistake: string][] = [
  [5, ' must be an object'],
  [[], ' must be an object'],
  ['admin', ' must be an object'],
  [{ companyPermissions: 'admin' }, '.companyPermissions must be a list'],
  [{ companyPermissions: ['basic_access'] }, '.companyPermissions[0] is no company permission'],
  [{ companyPermissions: [null] }, '.companyPermissions[0] must be the name of a permission'],
  [{ companyPermissions: ['__proto__'] }, '.companyPermissions[0] is no company permission'],
  [{ companyPermissions: ['constructor'] }, '.companyPermissions[0] is no company permission'],
  [{ companyPermissions: Array(1001).fill('admin') }, '.companyPermissions must have at most 1000 entries'],
  [{ roles: {} }, '.roles must be a list'],
  [{ roles: ['Editor'] }, '.roles[0] must be an object'],
  [{ roles: [{}] }, '.roles[0] must have roleName or roleId'],
  [{ roles: [{ roleName: 'editor' }] }, '.roles[0].roleName is no role that is declared here'],
  [{ roles: [{ roleName: 5 }] }, '.roles[0].roleName must be text'],
  [{ roles: [{ roleId: ['r-both'] }] }, '.roles[0].roleId must be text'],
  [{ roles: [{ roleName: 'Editor', roleId: 'r-both' }] }, '.roles[0].roleName is no role that is declared here'],
  [
    { roles: [{ roleName: 'Triplet' }] },
    '.roles[0].roleName is the name of several; write Workspace/Name, or say which by roleId',
  ],
  [{ roles: [{ roleName: 'Default/Triplet' }] }, '.roles[0].roleName is no role that is declared here'],
  [{ roles: [{ roleName: 'Shop/Twin', roleId: 'r-twin-1' }] }, '.roles[0].roleName is no role that is declared here'],
  [{ appGroup: [{}] }, '.appGroup[0] must have appGroupName or appGroupId'],
  [{ appGroup: [{ appGroupName: 'Elsewhere' }] }, '.appGroup[0].appGroupName is no workspace that is declared here'],
  [{ appGroup: [{ appGroupId: '1' }] }, '.appGroup[0].appGroupId is no workspace that is declared here'],
  [inDefault({}), '.appGroup[0] must have appGroupPermissions or appGroupPermissionSets'],
  [inDefault({ appGroupPermissions: {} }), '.appGroup[0].appGroupPermissions must be a list'],
  [inDefault({ appGroupPermissions: ['fly'] }), '.appGroup[0].appGroupPermissions[0] is no workspace permission'],
  [
    inDefault({ appGroupPermissions: ['manage_company_settings'] }),
    '.appGroup[0].appGroupPermissions[0] is no workspace permission',
  ],
  [
    inDefault({ appGroupPermissionSets: [{ appGroupPermissionSetName: 'Cure' }] }),
    '.appGroup[0].appGroupPermissionSets[0].appGroupPermissionSetName is no permission set that is declared here',
  ],
  [
    { appGroup: [{ appGroupId: 'shop', appGroupPermissionSets: [{ appGroupPermissionSetName: 'Care' }] }] },
    '.appGroup[0].appGroupPermissionSets[0].appGroupPermissionSetName is no permission set that is declared here',
  ],
  [
    inDefault({ team: [{ teamName: 'Spain', teamPermissions: [] }] }),
    '.appGroup[0].team[0].teamName is no team that is declared here',
  ],
  [
    { appGroup: [{ appGroupId: 'shop', team: [{ teamName: 'Germany', teamPermissions: [] }] }] },
    '.appGroup[0].team[0].teamName is no team that is declared here',
  ],
  [
    inDefault({ team: [{ teamName: 'Germany' }] }),
    '.appGroup[0].team[0].teamPermissions is missing; it must be a list of permissions',
  ],
  [
    inDefault({ team: [{ teamName: 'Germany', teamPermissions: ['manage_apps'] }] }),
    '.appGroup[0].team[0].teamPermissions[0] is no team permission',
  ],
  [inDefault({ team: Array(2).fill({ teamId: 't-de', teamPermissions: [] }) }), '.appGroup[0].team[1] is given twice'],
  [
    { appGroup: [{ appGroupId: 'default', appGroupPermissions: [] }, ...inDefault({ team: [] }).appGroup] },
    '.appGroup[1] is given twice',
  ],
]

for (const [given, expected] of bad) {
  test(`${JSON.stringify(given).slice(0, 90)} is refused: ${expected.slice(0, 60)}`, () => {
    const answer = resolvePermissions(given, declared)
    assert.ok('mistake' in answer, JSON.stringify(answer))
    assert.equal(`${answer.mistake.path} ${answer.mistake.message}`, `permissions${expected}`)
  })
}

test('A role with different names in two workspaces can only be given by its id.', () => {
  const [first, second] = declared.workspaces
  const roles = second!.roles.map((role) => (role.id === 'r-both' ? { ...role, name: 'Administrators' } : role))
  const renamed = { ...declared, workspaces: [first!, { ...second!, roles }] }
  assert.deepEqual(resolvePermissions({ roles: [{ roleName: 'Everywhere' }] }, renamed), {
    mistake: {
      path: 'permissions.roles[0].roleName',
      message: 'is not its name in every workspace; say which by roleId',
    },
  })
  assert.ok('mistake' in resolvePermissions({ roles: [{ roleName: 'Administrators' }] }, renamed))
  for (const role of [{ roleId: 'r-both' }, { roleId: 'r-both', roleName: 'Everywhere' }]) {
    const expected = { permissions: { company: [], roles: ['r-both'], workspaces: [] } }
    assert.deepEqual(resolvePermissions({ roles: [role] }, renamed), expected)
  }
})

test('A role that is named like the role of another workspace takes nothing from it.', () => {
  const [first, ...others] = declared.workspaces
  const roles = [...first!.roles, { id: 'r-false', name: 'Shop/Twin', permissions: [] }]
  const named = { ...declared, workspaces: [{ ...first!, roles }, ...others] }
  const idOf = (roleName: string) => {
    const answer = resolvePermissions({ roles: [{ roleName }] }, named)
    return 'permissions' in answer ? answer.permissions.roles[0] : answer.mistake.message
  }
  assert.equal(idOf('Shop/Twin'), 'r-twin-2')
  assert.equal(idOf('Default/Shop/Twin'), 'r-false')
  for (const { id, name } of listRoles(named)) assert.equal(idOf(name), id)
  assert.deepEqual(
    listRoles(named).map(({ name }) => name),
    ['Editor', 'Everywhere', 'Twin', 'Default/Shop/Twin', 'Shop/Twin', 'Shop/Triplet', 'Club/Triplet'],
  )
})

test('Unknown names are kept where the workspace says so, unless they cannot be stored.', () => {
  const keeping = { ...declared, keepsUnknown: true }
  const given = { companyPermissions: ['basic_access', 'of_next_year'] }
  assert.deepEqual(resolvePermissions(given, keeping), {
    permissions: { company: ['basic_access', 'of_next_year'], roles: [], workspaces: [] },
  })
  for (const name of ['', 'a\0b', '\ud800', 'x'.repeat(256), 'a\nb', {}]) {
    assert.ok('mistake' in resolvePermissions({ companyPermissions: [name] }, keeping), JSON.stringify(name))
  }
})

test('An answer has names and ids, the contents of roles and permission sets, and nothing that is no longer declared.', () => {
  const permissions: Permissions = {
    company: ['admin'],
    roles: ['r-both', 'gone'],
    workspaces: [
      {
        id: 'default',
        permissions: ['basic_access'],
        sets: ['s-care', 'gone'],
        teams: [
          { id: 't-de', permissions: ['admin'] },
          { id: 'gone', permissions: ['admin'] },
        ],
      },
      { id: 'gone', ...none },
      { id: 'shop', ...none },
    ],
  }
  const role = (appGroupId: string, appGroupName: string, appGroupPermissions: string[]) => ({
    ...{ appGroupId, appGroupName, appGroupPermissions },
    team: [],
  })
  assert.deepEqual(describePermissions(permissions, declared), {
    companyPermissions: ['admin'],
    roles: [
      {
        roleName: 'Everywhere',
        roleId: 'r-both',
        appGroup: [role('default', 'Default', ['basic_access']), role('shop', 'Shop', ['launch_canvases'])],
      },
    ],
    appGroup: [
      {
        ...role('default', 'Default', ['basic_access']),
        appGroupPermissionSets: [
          {
            appGroupPermissionSetName: 'Care',
            appGroupPermissionSetId: 's-care',
            permissions: ['view_user_profile', 'view_pii'],
          },
        ],
        team: [{ teamId: 't-de', teamName: 'Germany', teamPermissions: ['admin'] }],
      },
      role('shop', 'Shop', []),
    ],
  })
})

test('An answer can be sent back and resolves to the same permissions.', () => {
  const some = (names: readonly string[]) => fc.uniqueArray(fc.constantFrom(...names), { maxLength: 4 })
  const workspace = (id: string, sets: string[], teams: string[]) =>
    fc.record({
      id: fc.constant(id),
      permissions: some(permissionNames.workspace),
      sets: fc.subarray(sets),
      teams: fc
        .subarray(teams)
        .chain((ids) =>
          fc.tuple(...ids.map((team) => fc.record({ id: fc.constant(team), permissions: some(permissionNames.team) }))),
        ),
    })
  const arbitrary = fc.record({
    company: some(permissionNames.company),
    roles: fc.subarray(['r-editor', 'r-both', 'r-twin-1', 'r-twin-2']),
    workspaces: fc.tuple(workspace('default', ['s-care'], ['t-de', 't-fr']), workspace('shop', [], ['t-de'])),
  })
  fc.assert(
    fc.property(arbitrary, (permissions) => {
      const shown = JSON.parse(JSON.stringify(describePermissions(permissions, declared)))
      assert.deepEqual(resolvePermissions(shown, declared), { permissions: JSON.parse(JSON.stringify(permissions)) })
    }),
  )
})

test('Any value resolves to permissions or one mistake.', () => {
  const key = fc.constantFrom(
    ...['companyPermissions', 'roles', 'appGroup', 'team', 'roleName', 'roleId', 'appGroupName', 'appGroupId'],
    ...['appGroupPermissions', 'appGroupPermissionSets', 'teamName', 'teamPermissions', '__proto__', 'constructor'],
  )
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom(null, 0, '', 'admin', 'Default', 'shop', 'Germany', 'Editor', '\0'),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(key, tie('tree'), { maxKeys: 5 }),
    ),
  }))
  fc.assert(
    fc.property(tree, (given) => {
      const answer = resolvePermissions(given, declared)
      assert.ok('mistake' in answer ? answer.mistake.path.startsWith('permissions') : answer.permissions.company)
    }),
  )
})

test('The names of permissions are those of the specification.', () => {
  const { company, workspace, team } = permissionNames
  assert.deepEqual([company.length, workspace.length, team.length], [3, 136, 122])
  for (const names of [company, workspace, team]) assert.equal(new Set(names).size, names.length)
  for (const name of [
    ...[
      'manage_company_settings',
      'basic_access',
      'send_campaigns_canvases',
      'publish_cards',
      'export_user_data',
      'admin',
    ],
    ...['delete_media_library_asset', 'create_reports', 'blocklist_products', 'export_catalogs', 'use_operator'],
  ]) {
    assert.ok(isPermissionName('company', name) || isPermissionName('workspace', name), name)
  }
  assert.ok(!isPermissionName('workspace', 'delete_media_library_assets') && !isPermissionName('team', 'manage_apps'))
})
