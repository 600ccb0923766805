import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { filterTermsMax } from '../../src/accounts/scim/filter.ts'
import { applyPatch, operationsMax, patchSchema, pathCharactersMax, pathSteps } from '../../src/accounts/scim/patch.ts'
import { patchStepsMax } from '../../src/accounts/scim/patch-change.ts'
import { accountAddressesMax } from '../../src/accounts/scim/schema.ts'
import { listEntriesMax } from '../../src/accounts/scim/values.ts'
import { seed, sizes } from '../sizes.ts'
import {
  accepted,
  enterprise,
  home,
  patch,
  path,
  permissions,
  refused,
  shop,
  type User,
  user,
  whole,
  work,
} from '../support/scim-patches.ts'

function after(resource: User, ...operations: unknown[]): User {
  const before = structuredClone(resource)
  const result = applyPatch(resource, patch(...operations))
  assert.deepEqual(resource, before, 'the arguments are not changed')
  assert.ok(!('mistake' in result), JSON.stringify(result))
  return result.resource
}

describe('PATCH', () => {
  test(`${accepted.length} documents of both dialects have the expected result`, () => {
    for (const [title, operations, expected] of accepted) assert.deepEqual(after(user, ...operations), expected, title)
  })

  test(`${refused.length} documents are refused as a whole, with their first mistake`, () => {
    for (const [body, scimType, detail] of refused) {
      const result = applyPatch(user, body)
      assert.ok('mistake' in result, JSON.stringify(body))
      assert.equal(result.mistake.scimType, scimType, JSON.stringify([body, result.mistake]))
      assert.match(result.mistake.detail, detail)
    }
  })

  test('the member Operations may be in lower case', () => {
    const result = applyPatch(user, {
      SCHEMAS: [patchSchema.toUpperCase()],
      operations: [path('replace', 'locale', 'de')],
    })
    assert.ok('resource' in result && result.resource.locale === 'de')
  })

  test('names such as __proto__ do not become members', () => {
    const body = `{"schemas":["${patchSchema}"],"Operations":[
      {"op":"add","value":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"name":{"__proto__":{"polluted":1}},
        "emails":[{"value":"x@y.z","__proto__":{"polluted":1}}],"permissions":{"__proto__":{"polluted":1}},"__proto__.polluted":1}}]}`
    const result = applyPatch(user, JSON.parse(body))
    assert.ok('resource' in result)
    assert.deepEqual(result.resource, { ...user, emails: [work, home, { value: 'x@y.z' }] })
    assert.equal(({} as { polluted?: number }).polluted, undefined)
    assert.ok(!JSON.stringify(result.resource).includes('polluted'))
  })

  test('no document throws an exception or changes a read-only attribute', () => {
    const paths = fc.constantFrom(
      ...[
        'userName',
        'name',
        'name.givenName',
        'emails',
        'emails.value',
        'emails[type eq "work"]',
        'id',
        'meta',
        '__proto__',
      ],
      ...[
        'emails[type eq "x"].value',
        'permissions',
        'permissions.appGroup',
        'permissions.appGroup.team',
        'active',
        enterprise,
      ],
      'permissions.appGroup[appGroupId eq "shop"].team[teamId pr].teamPermissions',
    )
    const value = fc.oneof(fc.jsonValue(), fc.constantFrom(user, shop, permissions, [work], 'true', ''))
    const operation = fc.oneof(
      fc.record({ op: fc.constantFrom('add', 'Replace', 'remove'), path: fc.oneof(paths, fc.string()), value }),
      fc.record({ op: fc.constantFrom('add', 'replace'), value: fc.dictionary(paths, value) }),
    )
    const property = fc.property(fc.array(operation, { maxLength: 4 }), (operations) => {
      const result = applyPatch(user, patch(...operations))
      if ('mistake' in result) return
      const { id, userName, meta, schemas, lastSignInAt } = result.resource
      assert.deepEqual(
        { id, userName, meta, schemas, lastSignInAt },
        {
          ...{ id: user.id, userName: user.userName, meta: user.meta },
          ...{ schemas: user.schemas, lastSignInAt: null },
        },
      )
      const emails = (result.resource.emails ?? []) as { value: string; primary?: boolean }[]
      assert.ok(emails.filter(({ primary }) => primary).length <= 1)
      assert.ok(emails.every((email) => typeof email.value === 'string' && email.value !== ''))
    })
    fc.assert(property, { seed, numRuns: sizes.propertyRuns })
  })
})

describe('a PATCH with what is wrong passed over', () => {
  test('does everything else, one member at a time', () => {
    const passed: string[] = []
    const result = applyPatch(
      { ...user, active: true },
      patch(
        { op: 'Move' },
        path('replace', 'nothing', 'x'),
        path('replace', 'userName', 'other@example.com'),
        whole('replace', { displayName: 'A', userName: 'other@example.com', active: 'False', name: { givenName: '' } }),
        path('remove', 'emails[type eq "none"]'),
        path('add', 'locale', 'de'),
      ),
      { passOver: ({ scimType }) => passed.push(scimType) },
    )
    assert.ok('resource' in result)
    assert.deepEqual(result.resource, { ...user, active: false, displayName: 'A', locale: 'de' })
    assert.deepEqual(passed, [
      ...['invalidSyntax', 'invalidPath', 'mutability', 'mutability', 'mutability', 'noTarget'],
    ])
    assert.ok(
      'mistake' in applyPatch(user, { Operations: [] }, { passOver: () => undefined }),
      'a body that is no PATCH stays refused',
    )
  })
})

describe('limits of PATCH', () => {
  const typeOf = (...operations: unknown[]) => {
    const result = applyPatch(user, patch(...operations))
    return 'mistake' in result ? result.mistake.scimType : undefined
  }

  test(`${operationsMax} operations are allowed`, () => {
    const many = (count: number) => Array.from({ length: count }, () => path('replace', 'locale', 'de'))
    assert.equal(typeOf(...many(operationsMax - 1)), undefined)
    assert.equal(typeOf(...many(operationsMax)), undefined)
    assert.equal(typeOf(...many(operationsMax + 1)), 'tooMany')
  })

  test(`${pathCharactersMax} characters of a path are allowed`, () => {
    const long = (length: number) => path('remove', `emails[value eq "${'a'.repeat(length - 19)}"]`)
    assert.equal(typeOf(long(pathCharactersMax - 1)), 'noTarget')
    assert.equal(typeOf(long(pathCharactersMax)), 'noTarget')
    assert.equal(typeOf(long(pathCharactersMax + 1)), 'invalidPath')
  })

  test(`${accountAddressesMax} addresses and ${listEntriesMax} entries of other lists are allowed, also one by one`, () => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => ({ value: `${i}@example.com` }))
    assert.equal(
      typeOf(path('replace', 'emails', many(accountAddressesMax - 1)), path('add', 'emails', 'a@b.c')),
      undefined,
    )
    assert.equal(typeOf(path('replace', 'emails', many(accountAddressesMax))), undefined)
    assert.equal(typeOf(path('replace', 'emails', many(accountAddressesMax + 1))), 'invalidValue')
    assert.equal(typeOf(path('replace', 'ims', many(accountAddressesMax))), undefined)
    assert.equal(typeOf(path('replace', 'ims', many(accountAddressesMax + 1))), 'invalidValue')
    assert.equal(
      typeOf(path('replace', 'emails', many(accountAddressesMax)), path('add', 'emails', 'a@b.c')),
      'invalidValue',
    )
    const names = (count: number, from = 0) => Array.from({ length: count }, (_, i) => `${from + i}`)
    const list = 'permissions.companyPermissions'
    assert.equal(
      typeOf(path('replace', list, names(listEntriesMax)), path('add', list, names(listEntriesMax))),
      undefined,
    )
    assert.equal(typeOf(path('replace', list, names(listEntriesMax + 1))), 'invalidValue')
    assert.equal(typeOf(path('replace', list, names(listEntriesMax)), path('add', list, 'x')), 'invalidValue')
  })

  test('the work of one request is limited: what takes longer is tooMany, whatever it is made of', () => {
    const workspaces = (from: number, count: number) =>
      Array.from({ length: count }, (_, i) => ({ appGroupName: `${from + i}`, appGroupPermissions: ['a'] }))
    const addresses = Array.from({ length: accountAddressesMax }, (_, i) => ({ value: `${i}@example.com` }))
    const selection = Array.from({ length: filterTermsMax - 1 }, () => 'type eq "x"').join(' or ')
    const members = (count: number, name: (i: number) => string) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [name(i), 'x']))
    const documents: Readonly<Record<string, readonly unknown[]>> = {
      'large lists that are added': [...Array(100)].map(() =>
        path('add', 'permissions.appGroup', workspaces(0, listEntriesMax - 1)),
      ),
      'large lists that are removed': [
        path('add', 'permissions.appGroup', workspaces(0, 990)),
        ...[...Array(20)].map(() => path('remove', 'permissions.appGroup', workspaces(2000, listEntriesMax))),
      ],
      'long selections': [
        path('replace', 'emails', addresses),
        ...[...Array(99)].map(() => path('replace', `emails[type pr or not (${selection})].display`, 'x')),
      ],
      'thousands of members': [
        whole(
          'replace',
          members(100_000, (i) => `a${i}`),
        ),
      ],
      'thousands of members of a schema': [
        path(
          'replace',
          enterprise,
          members(20_000, (i) => `a${i}`),
        ),
      ],
      'thousands of paths': [
        path('replace', 'emails', addresses),
        whole(
          'replace',
          members(20_000, (i) => `emails[value co "@" and value ne "${i}"].display`),
        ),
      ],
    }
    for (const [title, operations] of Object.entries(documents)) assert.equal(typeOf(...operations), 'tooMany', title)
  })

  test(`${patchStepsMax} steps of work are the most`, () => {
    const member = (count: number) =>
      whole(
        'replace',
        Object.fromEntries(
          Array(count)
            .entries()
            .map(([i]) => [`a${i}`, 1]),
        ),
      )
    const most = patchStepsMax / pathSteps - 1
    assert.equal(typeOf(member(most - 1)), undefined)
    assert.equal(typeOf(member(most)), undefined)
    assert.equal(typeOf(member(most + 1)), 'tooMany')
  })
})
