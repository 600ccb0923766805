import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { operationsMax } from '../../src/accounts/scim/patch.ts'
import { sql } from '../../src/base/db/sql.ts'
import { scimBytesMax } from '../../src/base/http/body.ts'
import { long, seed } from '../sizes.ts'
import { signIn } from '../support/accounts.ts'
import { type Answer, drawDatabases, requestOrigin, scimToken } from '../support/harness.ts'
import type { Item } from '../support/people.ts'
import {
  assertRefused,
  errorSchema,
  newName,
  patchOf,
  provisioningOf,
  sampleUser,
  userSchema,
  users,
} from '../support/scim-service.ts'

const many = 50
const statusesOf = (answers: readonly { status: number }[]) => answers.map(({ status }) => status).sort()
/** Texts that a database, a browser or a careless program could interpret. */
const hostile = [
  "'; drop table account; --",
  '" or ""="',
  '$1',
  '%_\\',
  '<script>alert(1)</script>',
  '{{7*7}}',
  '\u202e\u0007',
  '__proto__',
  'constructor',
]

const inWorkspace = (member: object) => ({
  permissions: { appGroup: [{ appGroupName: 'Test Workspace', ...member }] },
})
/** Members of a user that are invalid, with the error text. */
const badMembers: readonly [Item, RegExp][] = [
  [{ schemas: undefined }, /^schemas /],
  [{ schemas: [errorSchema] }, /^schemas /],
  [{ name: undefined }, /^name is required$/],
  [{ name: { givenName: 'Test' } }, /^name.familyName is required$/],
  [{ name: { givenName: '', familyName: 'User' } }, /^name.givenName is required$/],
  [{ name: 'Test User' }, /^name must be an object$/],
  [{ department: undefined }, /^department is required$/],
  [{ department: 'cooking' }, /^department must be one of agency, bi, c_suite, /],
  [{ department: ['finance'] }, /^department must be text$/],
  [{ active: 'perhaps' }, /^active must be true or false$/],
  [{ emails: [{ value: 'nowhere' }] }, /^emails\[0\]\.value must be an e-mail address$/],
  [
    {
      emails: [
        { value: 'a@b.c', primary: true },
        { value: 'b@b.c', primary: true },
      ],
    },
    /^emails must have at most one/,
  ],
  [{ permissions: 'admin' }, /^permissions must be an object$/],
  [{ permissions: { companyPermissions: ['owner'] } }, /^permissions\.companyPermissions\[0\] is no company perm/],
  [
    { permissions: { appGroup: [{ appGroupName: 'Elsewhere', appGroupPermissions: [] }] } },
    /^permissions\.appGroup\[0\]\.appGroupName is no workspace/,
  ],
  [{ permissions: { roles: [{ roleName: 'Nobody' }] } }, /^permissions\.roles\[0\]\.roleName is no role/],
  [{ permissions: { roles: [{}] } }, /^permissions\.roles\[0\] must have roleName or roleId$/],
  [inWorkspace({}), /^permissions\.appGroup\[0\] must have appGroupPermissions/],
  [inWorkspace({ appGroupPermissions: ['fly'] }), /^permissions\.appGroup\[0\]\.appGroupPermissions\[0\] is no/],
  [
    inWorkspace({ team: [{ teamName: 'Red', teamPermissions: [] }] }),
    /^permissions\.appGroup\[0\]\.team\[0\]\.teamName is no team/,
  ],
  [
    inWorkspace({ team: [{ teamName: 'Test Team' }] }),
    /^permissions\.appGroup\[0\]\.team\[0\]\.teamPermissions is missing/,
  ],
  [
    inWorkspace({ appGroupPermissionSets: [{ appGroupPermissionSetName: 'None' }] }),
    /appGroupPermissionSetName is no permission set/,
  ],
]

const noAddresses: readonly unknown[] = [
  undefined,
  null,
  '',
  'user',
  'a b@c.d',
  'a@b@c',
  'x\r\nBcc: y@z',
  'a\u0000@b.c',
  '<a@b.c>',
  `${'x'.repeat(251)}@b.c`,
  7,
  {},
]

for (const database of drawDatabases('scim-defence')) {
  describe(`/scim/v2 with hostile and concurrent requests (${database})`, () => {
    const scim = provisioningOf(database)
    /** Sends a request again while the service is busy, as clients do: fifty changes of one account come one after the other. */
    const untilServed = async (send: () => Promise<Answer>): Promise<Answer> => {
      for (;;) {
        const answer = await send()
        if (answer.status !== 503) return answer
        assert.ok(Number(answer.headers['retry-after']) > 0)
      }
    }
    const together = <T>(work: (i: number) => Promise<T>, times = many) =>
      Promise.all(Array.from({ length: times }, (_, i) => work(i)))

    test('of fifty concurrent requests to create one account one succeeds', async () => {
      const userName = newName()
      const answers = await together((i) =>
        scim.send('POST', users, sampleUser({ userName: i % 2 ? userName : userName.toUpperCase() })),
      )
      assert.deepEqual(statusesOf(answers), [201, ...Array(many - 1).fill(409)])
      for (const answer of answers.filter(({ status }) => status === 409)) assertRefused(answer, 409, 'uniqueness')
      assert.equal((await scim.found(`userName eq "${userName}"`)).length, 1)
    })

    test('updates during a deletion succeed or get 404, and never restore the account', async () => {
      const { id, path } = await scim.make()
      const update = (i: number) => sampleUser({ userName: undefined, permissions: {}, displayName: `No ${i}` })
      const answers = await together((i) => (i === 20 ? scim.send('DELETE', path) : scim.send('PUT', path, update(i))))
      const [gone, ...others] = [answers[20]!, ...answers.toSpliced(20, 1)]
      assert.equal(gone.status, 204)
      for (const { status, body } of others)
        assert.ok(status === 200 || (status === 404 && body.detail === 'User not found'))
      assert.equal((await scim.get(path)).status, 404)
      const rows = await scim.written(id)
      assert.equal(rows.at(-1)!.action, 'account.delete')
      assert.equal(rows.length, 2 + others.filter(({ status }) => status === 200).length)
      const twice = await scim.make()
      assert.deepEqual(statusesOf(await together(() => scim.send('DELETE', twice.path), 5)), [204, 404, 404, 404, 404])
    })

    test('concurrent changes lose nothing: without a tag all are applied, with one tag only one is', async () => {
      const { path } = await scim.make()
      const add = (i: number) => [{ op: 'add', path: 'emails', value: [{ value: `a${i}@test.com`, type: 'other' }] }]
      const added = await together((i) => untilServed(() => scim.patch(path, add(i))))
      assert.deepEqual(statusesOf(added), Array(many).fill(200))
      const { body } = await scim.get(path)
      assert.equal(body.emails.length, many + 1)
      assert.equal(body.meta.version, `W/"${many + 1}"`)
      const tag = { 'if-match': body.meta.version }
      const answers = await together(
        (i) => scim.patch(path, [{ op: 'replace', path: 'displayName', value: `${i}` }], tag),
        10,
      )
      assert.deepEqual(statusesOf(answers), [200, ...Array(9).fill(412)])
      const won = answers.find(({ status }) => status === 200)!
      assert.deepEqual((await scim.get(path)).body, won.body)
    })

    test('a client that retries with the new version loses no change', async () => {
      const { path } = await scim.make()
      const counted = async () => {
        for (;;) {
          const { body, headers } = await scim.get(path)
          const value = String(Number(body.displayName ?? '0') + 1)
          const operations = [{ op: 'replace', path: 'displayName', value }]
          if ((await scim.patch(path, operations, { 'if-match': headers.etag! })).status === 200) return
        }
      }
      await together(counted, 8)
      assert.equal((await scim.get(path)).body.displayName, '8')
    })

    test('a deleted or disabled account is signed out at once', async () => {
      for (const end of [
        (path: string) => scim.send('DELETE', path),
        (path: string) => scim.patch(path, [{ op: 'Replace', path: 'active', value: 'False' }]),
        (path: string) => scim.send('PUT', path, sampleUser({ userName: undefined, permissions: {}, active: false })),
      ]) {
        const { id: account_id, path } = await scim.make({ permissions: { companyPermissions: ['admin'] } })
        await scim.make({ permissions: { companyPermissions: ['admin'] } })
        const person = await signIn(scim.service, scim.db, { account_id } as Parameters<typeof signIn>[2])
        assert.equal((await person.send('GET', '/admin/session')).status, 200)
        assert.ok((await end(path)).status < 300)
        assert.equal((await person.send('GET', '/admin/session')).status, 401)
      }
    })

    test('missing and invalid members are 400 with their path, and nothing is stored', async () => {
      const { path, body } = await scim.make()
      const before = await scim.count()
      for (const [given, detail] of badMembers) {
        assertRefused(await scim.send('POST', users, sampleUser(given)), 400, 'invalidValue', detail)
        const update = sampleUser({ userName: undefined, permissions: {}, ...given })
        assertRefused(await scim.send('PUT', path, update), 400, 'invalidValue', detail)
      }
      for (const userName of noAddresses) {
        assertRefused(await scim.send('POST', users, sampleUser({ userName })), 400, 'invalidValue', /^userName /)
      }
      assert.deepEqual([await scim.count(), (await scim.get(path)).body], [before, body])
    })

    test('a body that is no object or has no required members is refused', async () => {
      const { path, body } = await scim.make()
      const before = await scim.count()
      for (const missing of ['schemas', 'name', 'department', 'permissions']) {
        const update = sampleUser({ userName: undefined, permissions: {}, [missing]: undefined })
        assertRefused(await scim.send('PUT', path, update), 400, 'invalidValue', new RegExp(`^${missing} `))
      }
      for (const nothing of [undefined, null, [], 'text', 7]) {
        const sent = nothing === undefined ? undefined : JSON.stringify(nothing)
        assertRefused(await scim.send('POST', users, sent), 400, 'invalidSyntax', 'The body must be a JSON object')
        assertRefused(await scim.send('PUT', path, sent), 400, 'invalidSyntax', 'The body must be a JSON object')
        assertRefused(await scim.send('PATCH', path, sent), 400, 'invalidSyntax', 'The body must be a JSON object')
      }
      assertRefused(
        await scim.send('POST', users, '{"schemas":'),
        400,
        'invalidSyntax',
        'The request body is not valid JSON',
      )
      assert.deepEqual([await scim.count(), (await scim.get(path)).body], [before, body])
    })

    test('a body of the largest size is accepted, and one byte more is refused', async () => {
      const { path } = await scim.make()
      const sized = (bytes: number) => {
        const [head, tail] = JSON.stringify(sampleUser({ nickName: '|' })).split('|')
        return `${head}${'x'.repeat(bytes - head!.length - tail!.length)}${tail}`
      }
      const before = await scim.count()
      for (const [method, at] of [
        ['POST', users],
        ['PUT', path],
        ['PATCH', path],
        ['POST', `${users}/.search`],
      ] as const) {
        const refused = await scim.send(method, at, sized(scimBytesMax + 1))
        assertRefused(refused, 413, undefined, `The request body is larger than ${scimBytesMax} bytes`)
      }
      assert.equal(await scim.count(), before)
      assert.equal((await scim.send('POST', users, sized(scimBytesMax))).status, 201)
    })

    test('a hundred operations are applied, and one more is refused', async () => {
      const { path } = await scim.make()
      const operations = (count: number) =>
        Array.from({ length: count }, (_, i) => ({ op: 'replace', path: 'displayName', value: `No ${i}` }))
      assertRefused(await scim.patch(path, operations(operationsMax + 1)), 400, 'tooMany')
      assert.equal((await scim.get(path)).body.displayName, undefined)
      assert.equal((await scim.patch(path, operations(operationsMax))).body.displayName, `No ${operationsMax - 1}`)
    })

    test('filters that are nested too deep or too long are refused at once', async () => {
      const nested = (depth: number) => `${'('.repeat(depth)}active pr${')'.repeat(depth)}`
      assert.ok((await scim.found(nested(8))).length > 0)
      const bad = [nested(9), nested(1000), `${'not ('.repeat(9)}active pr${')'.repeat(9)}`]
      const long = Array(51).fill('active pr').join(' or ')
      for (const filter of [...bad, long, '('.repeat(1000), `userName eq "${'x'.repeat(2000)}"`]) {
        assertRefused(await scim.get(`${users}?filter=${encodeURIComponent(filter)}`), 400, 'invalidFilter')
      }
      const { path } = await scim.make()
      const patch = await scim.patch(path, [{ op: 'remove', path: `emails[${nested(1000)}]` }])
      assertRefused(patch, 400, 'invalidPath')
    })

    test('names of built-in JavaScript members are not names of attributes', async () => {
      const { path, body } = await scim.make()
      for (const name of ['__proto__', 'constructor', 'prototype', 'toString']) {
        for (const each of [
          name,
          `${name}.active`,
          `name.${name}`,
          `emails[${name} eq "x"].value`,
          `${userSchema}:${name}`,
        ]) {
          const refused = await scim.patch(path, [{ op: 'add', path: each, value: { active: false, isAdmin: true } }])
          assertRefused(refused, 400, 'invalidPath')
        }
        const polluted = `{"active":true,"${name}":{"active":false,"admin":true},"name":{"${name}":{"givenName":"x"}}}`
        const merged = `{"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"],"Operations":[{"op":"add","value":${polluted}}]}`
        assert.deepEqual((await scim.send('PATCH', path, merged)).body, body)
        const sent = JSON.stringify(sampleUser({ permissions: {} }))
        const made = await scim.send('POST', users, `{"${name}":{"active":false,"id":"x"},${sent.slice(1)}`)
        assert.deepEqual([made.status, made.body.active], [201, true])
        assertRefused(await scim.get(`${users}?filter=${name}%20pr`), 400, 'invalidFilter')
        assertRefused(await scim.get(`${users}?sortBy=${name}`), 400, 'invalidValue')
        assert.deepEqual((await scim.get(`${path}?attributes=${name}`)).body, { schemas: [userSchema], id: body.id })
      }
      assert.equal(({} as { isAdmin?: boolean }).isAdmin, undefined)
    })

    test('a text is only a text at every place of a request', async () => {
      for (const text of hostile) {
        const given = { displayName: text, locale: text, externalId: text, name: { givenName: text, familyName: text } }
        const { path, body } = await scim.make(given)
        assert.deepEqual({ ...body, ...given }, body)
        const quoted = JSON.stringify(text).replaceAll('\u0007', '\\u0007')
        for (const attribute of ['displayName', 'externalId', 'name.familyName', 'locale']) {
          assert.deepEqual(await scim.found(`${attribute} eq ${quoted}`), [body.userName], `${attribute} eq ${quoted}`)
        }
        const permissions = { companyPermissions: [text] }
        assertRefused(await scim.send('POST', users, sampleUser({ permissions })), 400, 'invalidValue')
        assertRefused(await scim.send('POST', users, sampleUser({ department: text })), 400, 'invalidValue')
        await scim.done('DELETE', path)
      }
      for (const text of ['a\u0000b', '\ud800', 'x'.repeat(1025)]) {
        for (const given of [
          { displayName: text },
          { externalId: text },
          { name: { givenName: text, familyName: 'b' } },
        ]) {
          assertRefused(await scim.send('POST', users, sampleUser(given)), 400, 'invalidValue')
        }
      }
      assert.equal((await scim.db.query(sql`select 1 from account limit 1`)).length, 1)
    })

    test('values of every wrong type are refused or ignored, and never cause a 5xx', async () => {
      const { path } = await scim.make()
      const values: unknown[] = [
        null,
        true,
        0,
        -1,
        1e308,
        '',
        'x',
        [],
        [null],
        [[]],
        {},
        { value: {} },
        [{ value: 7 }],
        [{}],
      ]
      const members = ['schemas', 'userName', 'name', 'active', 'emails', 'department', 'permissions', 'externalId']
      for (const [i, member] of [...members, 'displayName', 'id', 'meta', 'lastSignInAt', 'password'].entries()) {
        // The short run tests half of the values.
        for (const value of values.filter((_, j) => long || (i + j + seed) % 2 === 0)) {
          const made = await scim.send('POST', users, sampleUser({ [member]: value }))
          assert.ok(made.status === 201 || made.status === 400, `${member} ${JSON.stringify(value)}: ${made.text}`)
          for (const operation of [
            { op: 'add', path: member, value },
            { op: 'replace', value: { [member]: value } },
          ] as Item[]) {
            const { status, text } = await scim.patch(path, [operation])
            assert.ok(status === 200 || status === 400, `${JSON.stringify(operation)}: ${text}`)
          }
        }
      }
      for (const Operations of [
        ...values,
        [7],
        [{ op: 7 }],
        [{ op: 'add', path: 7, value: 1 }],
        [{ op: 'add', path: '', value: 1 }],
      ]) {
        const answer = await scim.send('PATCH', path, { ...patchOf([]), Operations })
        assert.equal(answer.status, 400, `${JSON.stringify(Operations)}: ${answer.text}`)
      }
    })

    test('no part of a request becomes a header of the answer', async () => {
      const answer = await scim.send('POST', users, sampleUser({ externalId: 'x\r\nSet-Cookie: a=b' }))
      assert.equal(answer.headers['set-cookie'], undefined)
      const lines = ['POST /scim/v2/Users HTTP/1.1', 'Host: evil.example', `Authorization: Bearer ${scimToken}`]
      const text = JSON.stringify(sampleUser())
      const more = [
        `X-Request-Origin: ${requestOrigin}`,
        'X-Forwarded-Host: evil.example',
        'Content-Type: application/json',
      ]
      const head = [...lines, ...more, `Content-Length: ${text.length}`, 'Connection: close', '', text].join('\r\n')
      const raw = await scim.service.raw([head])
      assert.match(raw, /^HTTP\/1\.1 201 /)
      assert.ok(!raw.includes('evil.example'))
      const split = await scim.get(`${users}/x%0d%0aSet-Cookie:%20a=b`)
      assertRefused(split, 404, undefined, 'User not found')
      assert.equal(split.headers['set-cookie'], undefined)
    })
  })
}
