import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { project, projectionNamesMax, readProjection } from '../../src/accounts/scim/projection.ts'
import {
  type Attribute,
  accountAddressesMax,
  enterpriseSchema,
  userAttributes,
  userResource,
  userSchema,
} from '../../src/accounts/scim/schema.ts'
import { schemaDocuments } from '../../src/accounts/scim/schema-documents.ts'
import { listEntriesMax, readUser, scimTextCharactersMax } from '../../src/accounts/scim/values.ts'
import { seed, sizes } from '../sizes.ts'

const work = { value: 'ann@example.com', type: 'work', primary: true }
const shop = { appGroupName: 'Shop', appGroupPermissions: ['basic_access'], team: [] }
const meta = { resourceType: 'User', version: 'W/"1"' }
const user = {
  schemas: [userSchema],
  id: '1',
  userName: 'ann@example.com',
  name: { givenName: 'Ann', familyName: 'Lee' },
  active: true,
  emails: [work],
  department: 'finance',
  permissions: { companyPermissions: [], roles: [], appGroup: [shop] },
  lastSignInAt: null,
  meta,
}
type User = Record<string, unknown>
const always = { schemas: [userSchema], id: '1' }
const without = (...names: string[]) =>
  Object.fromEntries(Object.entries(user).filter(([name]) => !names.includes(name)))

function shown(attributes: unknown, excludedAttributes?: unknown): User {
  const read = readProjection(attributes, excludedAttributes)
  assert.ok('projection' in read, JSON.stringify(read))
  // Every resource has the extension, which is returned only when a request names it.
  return project({ ...user, password: 'x' }, read.projection)
}

describe('projections', () => {
  test('of named attributes, with the id and the schemas', () => {
    const table: readonly (readonly [unknown, User])[] = [
      [undefined, user],
      [null, user],
      ['', user],
      [' , ', user],
      [[], user],
      ['userName', { ...always, userName: user.userName }],
      ['USERNAME, active', { ...always, userName: user.userName, active: true }],
      [['userName', 'active'], { ...always, userName: user.userName, active: true }],
      ['id', always],
      ['nothing', always],
      ['__proto__,constructor', always],
      ['password', always],
      ['urn:example:userName', always],
      ['name', { ...always, name: user.name }],
      ['name.givenName', { ...always, name: { givenName: 'Ann' } }],
      ['name.givenName,name', { ...always, name: user.name }],
      ['name.nothing', always],
      ['userName.nothing', always],
      ['emails.value', { ...always, emails: [{ value: work.value }] }],
      ['emails.value,emails.type', { ...always, emails: [{ value: work.value, type: 'work' }] }],
      ['meta.version', { ...always, meta: { version: 'W/"1"' } }],
      ['lastSignInAt', { ...always, lastSignInAt: null }],
      ['permissions.appGroup.appGroupName', { ...always, permissions: { appGroup: [{ appGroupName: 'Shop' }] } }],
      [`${userSchema}:userName`, { ...always, userName: user.userName }],
      [`${userSchema.toLowerCase()}:NAME.givenname`, { ...always, name: { givenName: 'Ann' } }],
      [userSchema, user],
    ]
    for (const [attributes, expected] of table) assert.deepEqual(shown(attributes), expected, String(attributes))
  })

  test('without named attributes, but always with the id and the schemas', () => {
    const table: readonly (readonly [unknown, User])[] = [
      ['members', user],
      ['id,schemas', user],
      ['meta', without('meta')],
      ['META,Permissions', without('meta', 'permissions')],
      [['meta', 'active'], without('meta', 'active')],
      ['meta.version', { ...user, meta: { resourceType: 'User' } }],
      ['name.givenName', { ...user, name: { familyName: 'Lee' } }],
      ['name.givenName,name.familyName', without('name')],
      ['emails.primary,emails.type', { ...user, emails: [{ value: work.value }] }],
      ['userName.nothing', user],
      [userSchema, always],
      [enterpriseSchema, user],
    ]
    for (const [names, expected] of table) assert.deepEqual(shown(undefined, names), expected, String(names))
  })

  test('of the extension when a request names it', () => {
    const extended = { schemas: [userSchema, enterpriseSchema], [enterpriseSchema]: { department: 'finance' } }
    assert.deepEqual(shown(enterpriseSchema), { ...always, ...extended })
    assert.deepEqual(shown(`${enterpriseSchema}:department,userName`), {
      ...always,
      ...extended,
      userName: user.userName,
    })
    assert.deepEqual(shown(`${enterpriseSchema}:employeeNumber`), always)
    const read = readProjection(enterpriseSchema, undefined)
    assert.ok('projection' in read)
    assert.deepEqual(project(always, read.projection), always, 'no extension without a department')
  })

  test('both parameters at once, too many names, and invalid names are refused', () => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => `a${i}`)
    const detailOf = (attributes: unknown, excluded?: unknown) => {
      const read = readProjection(attributes, excluded)
      assert.ok('projection' in read || read.mistake.scimType === 'invalidValue')
      return 'mistake' in read ? read.mistake.detail : undefined
    }
    assert.match(detailOf('userName', 'name')!, /cannot be given together/)
    assert.equal(detailOf('', 'name'), undefined)
    for (const value of [7, {}, true, [7], [null], ['a', []]]) {
      assert.match(detailOf(value)!, /^attributes must be/)
      assert.match(detailOf(undefined, value)!, /^excludedAttributes must be/)
    }
    assert.equal(detailOf(many(projectionNamesMax - 1)), undefined)
    assert.equal(detailOf(many(projectionNamesMax).join()), undefined)
    assert.match(detailOf(many(projectionNamesMax + 1))!, /at most 100/)
  })
})

const body = {
  schemas: [userSchema],
  userName: 'ann@example.com',
  name: { givenName: 'Ann', familyName: 'Lee' },
  department: 'finance',
}
const polluting = `{"schemas":["${userSchema}"],"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},
  "userName":"ann@example.com","name":{"givenName":"Ann","familyName":"Lee","__proto__":{"polluted":1}},"department":"finance"}`
const read = { userName: body.userName, name: body.name, department: body.department }

/** Returns the user that a body is read as, with the department of either schema. */
function userOf(given: unknown, required?: readonly string[]): User {
  const result = readUser(given, required)
  assert.ok('user' in result, JSON.stringify(result))
  const { user, enterpriseDepartment } = result
  return { ...user, ...(enterpriseDepartment !== undefined && { department: enterpriseDepartment }) }
}

describe('bodies', () => {
  test('are read by the schema, in any case, and unknown members are left out', () => {
    const table: readonly (readonly [User, User])[] = [
      [body, read],
      [
        {
          SCHEMAS: [userSchema.toUpperCase()],
          USERNAME: 'a',
          NAME: { GIVENNAME: 'b', familyname: 'c' },
          Department: 'd',
        },
        { userName: 'a', name: { givenName: 'b', familyName: 'c' }, department: 'd' },
      ],
      [
        { ...body, id: '7', meta: {}, lastSignInAt: 'x', createdAt: 7, password: 'secret', groups: [], nothing: {} },
        read,
      ],
      [
        { ...body, active: 'False', displayName: '', locale: null, externalId: '7' },
        { ...read, active: false, externalId: '7' },
      ],
      [
        { ...body, emails: [{ value: 'a', primary: 'TRUE', type: 'work', $ref: 'x' }, { type: 'home' }, 'b'] },
        { ...read, emails: [{ value: 'a', primary: true, type: 'work' }, { value: 'b' }] },
      ],
      [
        { ...body, emails: { value: 'a' } },
        { ...read, emails: [{ value: 'a' }] },
      ],
      [
        { ...body, emails: [] },
        { ...read, emails: [] },
      ],
      [{ ...body, name: { ...body.name, formatted: 'Ann Lee' } }, read],
      [
        { ...body, department: undefined, [enterpriseSchema]: { department: 'pm', employeeNumber: '7' } },
        { ...read, department: 'pm' },
      ],
      [{ ...body, [enterpriseSchema.toUpperCase()]: { Department: 'pm' } }, read],
      [
        { ...body, [`${userSchema}:displayName`]: 'Ann' },
        { ...read, displayName: 'Ann' },
      ],
      [
        { ...body, permissions: { companyPermissions: 'admin', ROLES: [{ roleName: 'a', appGroup: [shop] }] } },
        { ...read, permissions: { companyPermissions: ['admin'], roles: [{ roleName: 'a' }] } },
      ],
      [
        {
          ...body,
          permissions: {
            appGroup: [{ ...shop, appGroupPermissionSets: [{ appGroupPermissionSetID: 's', permissions: ['x'] }] }],
          },
        },
        {
          ...read,
          permissions: { appGroup: [{ ...shop, appGroupPermissionSets: [{ appGroupPermissionSetId: 's' }] }] },
        },
      ],
      [JSON.parse(polluting), read],
    ]
    for (const [given, expected] of table) assert.deepEqual(userOf(given), expected)
    assert.equal(({} as { polluted?: number }).polluted, undefined)
  })

  test('are refused with the path of the mistake', () => {
    const without = (name: string) => Object.fromEntries(Object.entries(body).filter(([each]) => each !== name))
    const table: readonly (readonly [unknown, RegExp, string?])[] = [
      [null, /must be a JSON object/, 'invalidSyntax'],
      [[], /must be a JSON object/, 'invalidSyntax'],
      ['x', /must be a JSON object/, 'invalidSyntax'],
      [without('schemas'), /^schemas must be a list with urn/],
      [{ ...body, schemas: [] }, /^schemas must be/],
      [{ ...body, schemas: userSchema }, /^schemas must be/],
      [{ ...body, schemas: [enterpriseSchema] }, /^schemas must be/],
      [{ ...body, schemas: [7] }, /^schemas must be/],
      [without('userName'), /^userName is required$/],
      [{ ...body, userName: '' }, /^userName is required$/],
      [{ ...body, userName: 7 }, /^userName must be text$/],
      [{ ...body, userName: 'a\0' }, /^userName has a character/],
      [{ ...body, userName: '\udc00' }, /^userName has a character/],
      [without('name'), /^name is required$/],
      [{ ...body, name: {} }, /^name\.givenName is required$/],
      [{ ...body, name: { givenName: 'Ann' } }, /^name\.familyName is required$/],
      [{ ...body, name: { givenName: null, familyName: 'Lee' } }, /^name\.givenName is required$/],
      [{ ...body, name: 'Ann' }, /^name must be an object$/],
      [{ ...body, name: [] }, /^name must be an object$/],
      [{ ...body, name: { givenName: 7, familyName: 'Lee' } }, /^name\.givenName must be text$/],
      [without('department'), /^department is required$/],
      [{ ...body, department: ['finance'] }, /^department must be text$/],
      [{ ...body, [enterpriseSchema]: { department: 7 }, department: null }, /^department is required$/],
      [{ ...body, active: 'yes' }, /^active must be true or false$/],
      [{ ...body, active: 1 }, /^active must be true or false$/],
      [{ ...body, emails: [7] }, /^emails\[0\] must be an object$/],
      [{ ...body, emails: ['a', [7]] }, /^emails\[1\] must be an object$/],
      [{ ...body, emails: [{ value: {} }] }, /^emails\[0\]\.value must be text$/],
      [{ ...body, emails: [work, work] }, /^emails must have at most one entry that is primary$/],
      [{ ...body, permissions: [] }, /^permissions must be an object$/],
      [{ ...body, permissions: { appGroup: [shop, 7] } }, /^permissions\.appGroup\[1\] must be an object$/],
      [
        { ...body, permissions: { appGroup: [{ team: [{ teamPermissions: [7] }] }] } },
        /^permissions\.appGroup\[0\]\.team\[0\]\.teamPermissions\[0\] must be text$/,
      ],
    ]
    for (const [given, detail, scimType = 'invalidValue'] of table) {
      const result = readUser(given)
      assert.ok('mistake' in result, JSON.stringify(given))
      assert.match(result.mistake.detail, detail)
      assert.equal(result.mistake.scimType, scimType)
    }
  })

  test('a missing surname is empty where an attribute of a provider shows that one wrote the body', () => {
    const mononym = { ...body, name: { givenName: 'Ann' } }
    const empty = { givenName: 'Ann', familyName: '' }
    const ofProviders = [
      ...[{ externalId: '7' }, { active: true }, { emails: [] }, { displayName: null }, { locale: 'de' }],
      ...[
        { PASSWORD: 'x' },
        { groups: [] },
        { title: '' },
        { [enterpriseSchema]: {} },
        { [`${userSchema}:active`]: true },
      ],
    ]
    for (const more of ofProviders) assert.deepEqual(userOf({ ...mononym, ...more }).name, empty, JSON.stringify(more))
    for (const more of [{}, { nothing: 1 }, { id: '7', meta: {}, permissions: {} }]) {
      assert.ok('mistake' in readUser({ ...mononym, ...more }), JSON.stringify(more))
    }
    assert.ok(
      'mistake' in readUser({ ...body, externalId: '7', name: { familyName: 'Lee' } }),
      'a first name is required',
    )
  })

  test('are read with what is wrong passed over, one attribute at a time', () => {
    const passed: string[] = []
    const given = {
      active: 'False',
      department: 7,
      name: { givenName: 5 },
      emails: 7,
      displayName: 'Ann',
      locale: '\0',
    }
    const result = readUser(given, undefined, ({ detail }) => passed.push(detail))
    assert.ok('user' in result)
    assert.deepEqual(result.user, { active: false, displayName: 'Ann' })
    assert.deepEqual(
      passed.map((detail) => detail.split(' ')[0]),
      ['department', 'name.givenName', 'emails', 'locale'],
    )
    assert.ok('mistake' in readUser([], undefined, () => undefined))
  })

  test('need the members that the caller requires', () => {
    assert.deepEqual(userOf({ schemas: [userSchema] }, []), {})
    const result = readUser(body, ['name', 'department', 'permissions'])
    assert.ok('mistake' in result && result.mistake.detail === 'permissions is required')
  })

  test(`a text has at most ${scimTextCharactersMax} characters, a list ${listEntriesMax} entries, emails ${accountAddressesMax}`, () => {
    const isRead = (more: User) => 'user' in readUser({ ...body, ...more })
    for (const [size, expected] of [
      [-1, true],
      [0, true],
      [1, false],
    ] as const) {
      assert.equal(isRead({ displayName: 'a'.repeat(scimTextCharactersMax + size) }), expected)
      assert.equal(isRead({ permissions: { companyPermissions: Array(listEntriesMax + size).fill('a') } }), expected)
      assert.equal(isRead({ emails: Array(accountAddressesMax + size).fill({ value: 'a' }) }), expected)
    }
  })

  test('no body throws an exception', () => {
    const names = fc.constantFrom(
      ...userResource.map(({ name }) => name),
      'value',
      'appGroup',
      'team',
      '__proto__',
      enterpriseSchema,
    )
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.jsonValue({ maxDepth: 1 }),
        fc.dictionary(names, tie('value'), { maxKeys: 3 }),
        fc.array(tie('value'), { maxLength: 2 }),
      ),
    }))
    const property = fc.property(fc.dictionary(names, value, { maxKeys: 5 }), (given) => {
      const result = readUser({ ...body, ...given, schemas: [userSchema] }, [])
      if ('user' in result) {
        const again = { ...result.user, schemas: [userSchema], password: 'of a provider' }
        assert.deepEqual(userOf(again, []), result.user, 'the result is read as the same value')
      }
      assert.ok('user' in readUser({ ...body, ...given }, [], () => undefined), 'passing over refuses nothing')
    })
    fc.assert(property, { seed, numRuns: sizes.propertyRuns })
  })
})

describe('schemas', () => {
  const declaredNames = { workspaces: ['Shop'], roles: ['Editor'], teams: ['North'], sets: ['Care'] }
  const names = {
    departments: ['finance'],
    company: ['admin'],
    workspace: ['basic_access'],
    team: ['publish_cards'],
    ...declaredNames,
  }
  const [core, enterprise] = schemaDocuments(names)

  test('have every attribute with the characteristics of RFC 7643, and no nulls', () => {
    assert.deepEqual([core!.id, enterprise!.id], [userSchema, enterpriseSchema])
    const check = (shown: Record<string, unknown>, attribute: Attribute) => {
      for (const trait of ['name', 'type', 'multiValued', 'description', 'required', 'mutability', 'returned']) {
        assert.ok(shown[trait] !== undefined && shown[trait] !== null, `${attribute.name}.${trait}`)
      }
      assert.equal('isFilterable' in shown, false)
      const subs = (shown.subAttributes ?? []) as Record<string, unknown>[]
      for (const [i, sub] of (attribute.subAttributes ?? []).entries()) check(subs[i]!, sub)
    }
    const attributes = core!.attributes as Record<string, unknown>[]
    assert.equal(attributes.length, userAttributes.length)
    for (const [i, attribute] of userAttributes.entries()) check(attributes[i]!, attribute)
    assert.ok(!JSON.stringify([core, enterprise]).includes(':null'))
  })

  test('have the known names as canonical values', () => {
    const at = (document: typeof core, ...path: string[]) => {
      let found: Record<string, unknown> = { subAttributes: document!.attributes }
      for (const name of path) {
        found = (found.subAttributes as Record<string, unknown>[]).find((each) => each.name === name)!
      }
      return found.canonicalValues
    }
    assert.deepEqual(at(core, 'department'), ['finance'])
    assert.deepEqual(at(enterprise, 'department'), ['finance'])
    assert.deepEqual(at(core, 'permissions', 'companyPermissions'), ['admin'])
    assert.deepEqual(at(core, 'permissions', 'appGroup', 'appGroupPermissions'), ['basic_access'])
    assert.deepEqual(at(core, 'permissions', 'appGroup', 'team', 'teamPermissions'), ['publish_cards'])
    assert.deepEqual(at(core, 'roles', 'value'), ['Editor'])
    assert.deepEqual(at(core, 'permissions', 'roles', 'roleName'), ['Editor'])
    assert.deepEqual(at(core, 'permissions', 'appGroup', 'appGroupName'), ['Shop'])
    assert.deepEqual(at(core, 'permissions', 'appGroup', 'team', 'teamName'), ['North'])
    assert.deepEqual(at(core, 'permissions', 'appGroup', 'appGroupPermissionSets', 'appGroupPermissionSetName'), [
      'Care',
    ])
    assert.deepEqual(at(core, 'emails', 'type'), ['work', 'home', 'other'])
    assert.equal(at(core, 'userName'), undefined)
  })
})
