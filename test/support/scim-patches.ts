import { patchSchema } from '../../src/accounts/scim/patch.ts'
import { userSchema } from '../../src/accounts/scim/schema.ts'

export const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
export const work = { value: 'ann@example.com', type: 'work', primary: true }
export const home = { value: 'ann@home.example', type: 'home' }
export const shop = {
  appGroupId: 'shop',
  appGroupName: 'Shop',
  appGroupPermissions: ['basic_access'],
  team: [{ teamId: 't1', teamName: 'North', teamPermissions: ['basic_access'] }],
}
const editor = { roleName: 'Editor', roleId: 'editor', appGroup: [shop] }
export const permissions = { companyPermissions: ['manage_company_settings'], roles: [editor], appGroup: [shop] }
export const user = {
  schemas: [userSchema],
  id: '1',
  userName: 'ann@example.com',
  name: { givenName: 'Ann', familyName: 'Lee' },
  displayName: 'Ann Lee',
  active: true,
  emails: [work, home],
  department: 'finance',
  permissions,
  lastSignInAt: null,
  meta: { resourceType: 'User', version: 'W/"1"' },
}
export type User = Record<string, unknown>
const without = (...names: string[]) =>
  Object.fromEntries(Object.entries(user).filter(([name]) => !names.includes(name)))

export const patch = (...Operations: unknown[]) => ({ schemas: [patchSchema], Operations })
export const path = (op: string, where: string, value?: unknown) => ({
  op,
  path: where,
  ...(value !== undefined && { value }),
})
export const whole = (op: string, value: unknown) => ({ op, value })

/** The operations, and the members that they change. */
export const accepted: readonly (readonly [title: string, operations: readonly unknown[], expected: User])[] = [
  ['one provider disables', [whole('replace', { active: false })], { ...user, active: false }],
  ['the other disables, in capitals and by a word', [path('Replace', 'active', 'False')], { ...user, active: false }],
  ['and enables', [path('Add', 'active', 'True')], user],
  [
    'dotted keys',
    [whole('replace', { 'name.givenName': 'Anna', 'name.familyName': 'Li' })],
    { ...user, name: { givenName: 'Anna', familyName: 'Li' } },
  ],
  ['keys behind a schema', [whole('add', { [`${enterprise}:department`]: 'pm' })], { ...user, department: 'pm' }],
  [
    'a schema as the key',
    [whole('replace', { [enterprise]: { department: 'pm', employeeNumber: '7' } })],
    { ...user, department: 'pm' },
  ],
  ['a schema as the path', [path('replace', enterprise, { department: 'pm' })], { ...user, department: 'pm' }],
  ['no surname', [path('remove', 'name.familyName')], { ...user, name: { givenName: 'Ann' } }],
  ['a department of the provider that is removed', [path('remove', `${enterprise}:department`)], without('department')],
  ['a schema that is removed', [path('Remove', enterprise)], without('department')],
  ['a department of the provider that is no text', [path('add', `${enterprise}:department`, 7)], user],
  ['a schema that is no object', [path('add', enterprise, 7), whole('add', { [enterprise]: 'pm' })], user],
  [
    'both departments',
    [whole('replace', { department: 'pm', [enterprise]: { department: 'bi' } })],
    { ...user, department: 'pm' },
  ],
  ['a path behind a schema', [path('Replace', `${enterprise}:department`, 'pm')], { ...user, department: 'pm' }],
  [
    'a path behind the schema of users',
    [path('replace', `${userSchema}:displayName`, 'A')],
    { ...user, displayName: 'A' },
  ],
  [
    'a path as the key',
    [whole('replace', { 'emails[type eq "home"].value': 'a@b.c' })],
    { ...user, emails: [work, { ...home, value: 'a@b.c' }] },
  ],
  [
    'names in any case',
    [path('REPLACE', 'NAME.GIVENNAME', 'Anna')],
    { ...user, name: { givenName: 'Anna', familyName: 'Lee' } },
  ],
  [
    'a part of an object, the others stay',
    [path('replace', 'name', { givenName: 'Anna', formatted: 'Anna Lee' })],
    { ...user, name: { givenName: 'Anna', familyName: 'Lee' } },
  ],
  ['an empty text unassigns', [path('replace', 'displayName', '')], without('displayName')],
  ['null unassigns', [whole('replace', { displayName: null })], without('displayName')],
  ['a removal', [path('remove', 'displayName')], without('displayName')],
  ['a removal of what is not there', [path('remove', 'locale')], user],
  ['what is not there is added by replacing', [path('replace', 'locale', 'de')], { ...user, locale: 'de' }],
  ['the same value', [path('add', 'displayName', 'Ann Lee'), whole('add', { emails: [{ ...work }] })], user],
  ['the same name in another case', [path('replace', 'userName', 'ANN@example.com')], user],
  [
    'what nobody keeps',
    [
      path('Add', 'nickName', 'Annie'),
      path('Replace', 'addresses[type eq "work"].country', 'DE'),
      path('remove', `${enterprise}:manager`),
      path('add', 'name.formatted', 'x'),
      path('add', 'password', 'x'),
    ],
    user,
  ],
  [
    'whole resources, of which most is passed over',
    [
      whole('replace', {
        ...user,
        id: '2',
        meta: {},
        lastSignInAt: 'x',
        nothing: 1,
        password: 'x',
        groups: [],
        displayName: 'A',
      }),
    ],
    { ...user, displayName: 'A', permissions: { ...permissions, roles: [{ roleName: 'Editor', roleId: 'editor' }] } },
  ],
  [
    'several operations in their order',
    [
      path('add', 'locale', 'de'),
      path('replace', 'locale', 'fr'),
      path('remove', 'displayName'),
      path('add', 'displayName', 'B'),
    ],
    { ...user, locale: 'fr', displayName: 'B' },
  ],
  [
    'a missing path counts as an empty one',
    [
      { op: 'replace', path: '', value: { displayName: 'A' } },
      { op: 'add', path: null, value: { locale: 'de' } },
    ],
    { ...user, displayName: 'A', locale: 'de' },
  ],

  [
    'an address is added',
    [path('add', 'emails', [{ value: 'x@y.z', type: 'other' }])],
    { ...user, emails: [work, home, { value: 'x@y.z', type: 'other' }] },
  ],
  ['not as a list', [path('add', 'emails', { value: 'x@y.z' })], { ...user, emails: [work, home, { value: 'x@y.z' }] }],
  ['as a text', [path('add', 'emails', 'x@y.z')], { ...user, emails: [work, home, { value: 'x@y.z' }] }],
  [
    'a new primary one',
    [path('add', 'emails', [{ value: 'x@y.z', primary: 'true' }])],
    { ...user, emails: [{ ...work, primary: false }, home, { value: 'x@y.z', primary: true }] },
  ],
  [
    'another one becomes primary',
    [path('replace', 'emails[type eq "home"].primary', true)],
    {
      ...user,
      emails: [
        { ...work, primary: false },
        { ...home, primary: true },
      ],
    },
  ],
  ['all are replaced', [path('replace', 'emails', [home])], { ...user, emails: [home] }],
  ['all are removed', [path('remove', 'emails')], without('emails')],
  ['all are replaced by none', [path('replace', 'emails', [])], without('emails')],
  [
    'one is replaced in place',
    [path('Replace', 'emails[type eq "work"].value', 'x@y.z')],
    { ...user, emails: [{ ...work, value: 'x@y.z' }, home] },
  ],
  [
    'one gains members',
    [path('add', 'emails[type eq "home"]', { display: 'Home' })],
    { ...user, emails: [work, { ...home, display: 'Home' }] },
  ],
  ['one is removed', [path('remove', 'emails[type eq "home"]')], { ...user, emails: [work] }],
  [
    'one is removed by its address',
    [path('remove', 'emails[value eq "ANN@home.example"]')],
    { ...user, emails: [work] },
  ],
  ['one without its value is none', [path('replace', 'emails[type eq "home"].value', '')], { ...user, emails: [work] }],
  [
    'some are removed by values',
    [path('Remove', 'emails', [{ value: 'ann@home.example' }])],
    { ...user, emails: [work] },
  ],
  [
    'one that is selected and not there is made, the others stay',
    [path('Add', 'emails[type eq "other"].value', 'x@y.z')],
    { ...user, emails: [work, home, { type: 'other', value: 'x@y.z' }] },
  ],
  [
    'also of nothing',
    [path('remove', 'emails'), path('Replace', 'emails[type eq "work" and primary eq true].value', 'x@y.z')],
    { ...user, emails: [{ type: 'work', primary: true, value: 'x@y.z' }] },
  ],
  [
    'of every item',
    [path('replace', 'emails.display', 'A')],
    {
      ...user,
      emails: [
        { ...work, display: 'A' },
        { ...home, display: 'A' },
      ],
    },
  ],

  [
    'a permission is added',
    [path('add', 'permissions.companyPermissions', ['admin', 'manage_company_settings'])],
    { ...user, permissions: { ...permissions, companyPermissions: ['manage_company_settings', 'admin'] } },
  ],
  [
    'a permission is removed',
    [path('remove', 'permissions.companyPermissions[value eq "manage_company_settings"]')],
    { ...user, permissions: { roles: [editor], appGroup: [shop] } },
  ],
  [
    'a permission is removed by its value',
    [path('remove', 'permissions.companyPermissions', ['manage_company_settings'])],
    { ...user, permissions: { roles: [editor], appGroup: [shop] } },
  ],
  ['a role that is there is added', [path('add', 'permissions.roles', [{ roleName: 'Editor' }])], user],
  [
    'a role is added',
    [path('add', 'permissions.roles', { roleName: 'Other' })],
    { ...user, permissions: { ...permissions, roles: [editor, { roleName: 'Other' }] } },
  ],
  [
    'a role is removed',
    [path('remove', 'permissions.roles', [{ roleName: 'Editor' }])],
    { ...user, permissions: { companyPermissions: ['manage_company_settings'], appGroup: [shop] } },
  ],
  [
    'permissions in a workspace are added',
    [whole('add', { permissions: { appGroup: [{ appGroupName: 'Shop', appGroupPermissions: ['publish_cards'] }] } })],
    {
      ...user,
      permissions: { ...permissions, appGroup: [{ ...shop, appGroupPermissions: ['basic_access', 'publish_cards'] }] },
    },
  ],
  [
    'permissions in a workspace are replaced',
    [path('replace', 'permissions.appGroup[appGroupName eq "Shop"].appGroupPermissions', ['publish_cards'])],
    { ...user, permissions: { ...permissions, appGroup: [{ ...shop, appGroupPermissions: ['publish_cards'] }] } },
  ],
  [
    'permissions in a team are replaced',
    [
      path('replace', 'permissions.appGroup[appGroupId eq "shop"].team[teamName eq "North"].teamPermissions', [
        'admin',
      ]),
    ],
    {
      ...user,
      permissions: { ...permissions, appGroup: [{ ...shop, team: [{ ...shop.team[0], teamPermissions: ['admin'] }] }] },
    },
  ],
  [
    'all workspaces are replaced',
    [whole('replace', { permissions: { appGroup: [{ appGroupName: 'Other', appGroupPermissions: ['admin'] }] } })],
    { ...user, permissions: { ...permissions, appGroup: [{ appGroupName: 'Other', appGroupPermissions: ['admin'] }] } },
  ],
  ['permissions are removed', [path('remove', 'permissions')], without('permissions')],
]

/** A body, and the text of its refusal. */
export const refused: readonly (readonly [body: unknown, scimType: string, detail: RegExp])[] = [
  [null, 'invalidSyntax', /JSON object/],
  [[], 'invalidSyntax', /JSON object/],
  ['x', 'invalidSyntax', /JSON object/],
  [{ Operations: [whole('replace', {})] }, 'invalidSyntax', /schemas must be/],
  [{ schemas: [userSchema], Operations: [whole('replace', {})] }, 'invalidSyntax', /schemas must be/],
  [{ schemas: patchSchema, Operations: [whole('replace', {})] }, 'invalidSyntax', /schemas must be/],
  [{ schemas: [patchSchema] }, 'invalidSyntax', /Operations must be/],
  [patch(), 'invalidSyntax', /Operations must be/],
  [{ schemas: [patchSchema], Operations: {} }, 'invalidSyntax', /Operations must be/],
  [patch(null), 'invalidSyntax', /Operations\[0\] must be an object/],
  [patch([]), 'invalidSyntax', /Operations\[0\] must be an object/],
  [patch({}), 'invalidSyntax', /Operations\[0\]\.op must be/],
  [patch(path('move', 'displayName', 'x')), 'invalidSyntax', /op must be/],
  [patch({ op: ['add'], path: 'displayName', value: 'x' }), 'invalidSyntax', /op must be/],
  [patch({ op: 'add', path: 7, value: 'x' }), 'invalidPath', /path must be text/],
  [patch({ op: 'remove' }), 'noTarget', /needs a path/],
  [patch({ op: 'remove', value: { displayName: 'x' } }), 'noTarget', /needs a path/],
  [patch(path('add', 'displayName')), 'invalidValue', /needs a value/],
  [patch({ op: 'replace' }), 'invalidValue', /needs an object/],
  [patch(whole('replace', 'x')), 'invalidValue', /needs an object/],
  [patch(whole('replace', [])), 'invalidValue', /needs an object/],
  [patch(path('replace', 'nothing', 'x')), 'invalidPath', /"nothing" is not an attribute/],
  [patch(path('replace', 'name.nothing', 'x')), 'invalidPath', /is not an attribute/],
  [patch(path('replace', 'displayName.x', 'x')), 'invalidPath', /is not an attribute/],
  [patch(path('replace', 'emails[0].value', 'x')), 'invalidPath', /not valid at character 8: emails have no attribute/],
  [patch(path('replace', 'emails[type eq "work"', 'x')), 'invalidPath', /is not an attribute/],
  [patch(path('replace', 'emails[type is "work"]', 'x')), 'invalidPath', /not valid at character 13: an operator/],
  [patch(path('replace', `${userSchema}:emails[type is "work"]`, 'x')), 'invalidPath', /not valid at character 56/],
  [patch(path('replace', 'emails[type eq "work]', 'x')), 'invalidPath', /not closed/],
  [patch(path('replace', 'emails[type eq "work"]value', 'x')), 'invalidPath', /is not an attribute/],
  [patch(path('replace', 'displayName[type eq "work"]', 'x')), 'invalidPath', /is not an attribute/],
  [patch(path('replace', '[type eq "work"]', 'x')), 'invalidPath', /is not an attribute/],
  [patch(path('replace', '(displayName)', 'x')), 'invalidPath', /is not an attribute/],
  [patch(path('replace', ' ', 'x')), 'invalidPath', /is not an attribute/],
  [patch(path('replace', `${enterprise}:displayName`, 'x')), 'invalidPath', /is not an attribute/],
  [patch(path('replace', 'urn:example:displayName', 'x')), 'invalidPath', /is not an attribute/],
  [patch(path('replace', '__proto__.x', 'x')), 'invalidPath', /is not an attribute/],
  [patch(path('add', '__proto__', { x: 1 })), 'invalidPath', /is not an attribute/],
  [patch(path('add', 'constructor.prototype.x', 1)), 'invalidPath', /is not an attribute/],
  [patch(path('add', 'name.__proto__.x', 1)), 'invalidPath', /is not an attribute/],
  [patch(path('add', 'emails[__proto__ eq "x"].value', 1)), 'invalidPath', /no attribute/],
  [patch(path('replace', 'id', 'x')), 'mutability', /id cannot be changed/],
  [patch(path('remove', 'id')), 'mutability', /id cannot be changed/],
  [patch(path('replace', 'meta.version', 'x')), 'mutability', /meta cannot be changed/],
  [patch(path('replace', 'schemas', [])), 'mutability', /schemas cannot be changed/],
  [patch(path('replace', 'lastSignInAt', '2026-01-01T00:00:00Z')), 'mutability', /lastSignInAt cannot be changed/],
  [
    patch(path('add', 'permissions.roles[roleName eq "Editor"].appGroup', [])),
    'mutability',
    /appGroup cannot be changed/,
  ],
  [patch(path('replace', 'userName', 'other@example.com')), 'mutability', /userName cannot be changed/],
  [patch(whole('replace', { userName: 'other@example.com' })), 'mutability', /userName cannot be changed/],
  [
    patch(whole('replace', { [`${userSchema}:userName`]: 'other@example.com' })),
    'mutability',
    /userName cannot be changed/,
  ],
  [patch(path('remove', 'userName')), 'mutability', /userName cannot be removed/],
  [patch(path('replace', 'userName', '')), 'mutability', /userName cannot be removed/],
  [patch(path('remove', 'name')), 'mutability', /name cannot be removed/],
  [patch(whole('replace', { name: { givenName: '' } })), 'mutability', /name\.givenName cannot be removed/],
  [patch(path('remove', 'department')), 'mutability', /department cannot be removed/],
  [patch(path('remove', 'active')), 'mutability', /active cannot be removed/],
  [patch(path('replace', 'active', 'no')), 'invalidValue', /active must be true or false/],
  [patch(path('replace', 'active', 0)), 'invalidValue', /active must be true or false/],
  [patch(path('replace', 'displayName', 7)), 'invalidValue', /displayName must be text/],
  [patch(path('replace', 'displayName', 'a\0')), 'invalidValue', /not allowed in text/],
  [patch(path('replace', 'displayName', '\ud800')), 'invalidValue', /not allowed in text/],
  [patch(path('replace', 'displayName', 'a'.repeat(1025))), 'invalidValue', /at most 1024 characters/],
  [patch(path('replace', 'name', 'Ann')), 'invalidValue', /name must be an object/],
  [patch(path('replace', 'name', ['Ann'])), 'invalidValue', /name must be an object/],
  [patch(path('replace', 'emails', [7])), 'invalidValue', /emails\[0\] must be an object/],
  [patch(path('replace', 'emails', [{ value: 7 }])), 'invalidValue', /emails\[0\]\.value must be text/],
  [
    patch(path('replace', 'emails', [work, { ...home, primary: true }])),
    'invalidValue',
    /at most one entry that is primary/,
  ],
  [
    patch(path('replace', 'permissions.companyPermissions', [''])),
    'invalidValue',
    /companyPermissions\[0\] must be text/,
  ],
  [patch(path('replace', 'permissions', 'all')), 'invalidValue', /permissions must be an object/],
  [patch(path('remove', 'emails[type eq "other"]')), 'noTarget', /no item that matches/],
  [patch(path('replace', 'emails[value eq "x@y.z"].type', 'home')), 'noTarget', /no item that matches/],
  [patch(path('add', 'emails[type ne "work" and type ne "home"].value', 'x')), 'noTarget', /no item that matches/],
  [patch(path('add', 'emails[type eq "a" or type eq "b"].value', 'x')), 'noTarget', /no item that matches/],
  [
    patch(path('replace', 'permissions.appGroup[appGroupName eq "None"].appGroupPermissions', [])),
    'noTarget',
    /no item/,
  ],
  [patch(path('replace', 'displayName', 'A'), path('replace', 'nothing', 'x')), 'invalidPath', /nothing/],
]
