import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { groupSchema } from '../../src/accounts/scim/schema.ts'
import { sql } from '../../src/base/db/sql.ts'
import { rateWindows } from '../../src/base/http/limits.ts'
import { drawDatabases } from '../support/harness.ts'
import {
  assertRefused,
  enterpriseSchema,
  errorSchema,
  listSchema,
  provisioningOf,
  publicUrl,
  sampleUser,
  searchSchema,
  userSchema,
  users,
} from '../support/scim-service.ts'

const root = '/scim/v2'
const peopleMax = 205
const numbered = (i: number) => `person${String(i).padStart(3, '0')}@test.com`

for (const database of drawDatabases('scim-search')) {
  describe(`searches of /scim/v2 (${database})`, () => {
    const scim = provisioningOf(database)
    before(async () => {
      const { path } = await scim.make({
        userName: 'zoe@test.com',
        name: { givenName: 'Zoë', familyName: 'adams' },
        department: 'pm',
        externalId: 'Z1',
        displayName: 'Zoe %_\\',
        active: false,
        title: 'Chief Engineer',
        userType: 'Contractor',
        emails: [
          { value: 'zoe@work.com', type: 'work', primary: true },
          { value: 'zoe@home.com', type: 'home' },
        ],
        ims: [{ value: 'zoe.a', type: 'xmpp', primary: true }, { value: 'zoe.b' }],
      })
      await scim.done('PATCH', path, {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
        Operations: [{ op: 'add', path: 'locale', value: 'de' }],
      })
      for (let i = 1; i < peopleMax; i++) {
        await scim.make({ userName: numbered(i), name: { givenName: 'P', familyName: `Nr${i % 3}` } })
      }
    })
    const page = async (query: string) => {
      const { body } = await scim.done('GET', `${users}?${query}`)
      const { totalResults, startIndex, itemsPerPage, Resources } = body
      assert.equal(Resources.length, itemsPerPage)
      return { totalResults, startIndex, itemsPerPage, first: Resources[0]?.userName, last: Resources.at(-1)?.userName }
    }

    test('a list is returned in pages of at most 200, in one order, from any start index', async () => {
      const of = (startIndex: number, itemsPerPage: number, first?: string, last?: string) => ({
        ...{ totalResults: peopleMax, startIndex, itemsPerPage, first, last },
      })
      const pages: [string, ReturnType<typeof of>][] = [
        ['', of(1, 100, 'zoe@test.com', numbered(99))],
        ['startIndex=1&count=2', of(1, 2, 'zoe@test.com', numbered(1))],
        ['startIndex=101&count=100', of(101, 100, numbered(100), numbered(199))],
        ['startIndex=201&count=100', of(201, 5, numbered(200), numbered(204))],
        ['startIndex=205', of(205, 1, numbered(204), numbered(204))],
        ['startIndex=206', of(206, 0)],
        ['startIndex=99999999999999999999', of(2_000_000_000, 0)],
        ['count=200', of(1, 200, 'zoe@test.com', numbered(199))],
        ['count=201', of(1, 200, 'zoe@test.com', numbered(199))],
        ['count=1', of(1, 1, 'zoe@test.com', 'zoe@test.com')],
        ['count=0', of(1, 0)],
        ['count=-5&startIndex=-3', of(1, 0)],
        ['startIndex=0&count=1', of(1, 1, 'zoe@test.com', 'zoe@test.com')],
        ['startIndex=&count=', of(1, 100, 'zoe@test.com', numbered(99))],
        ['sortOrder=descending&count=1', of(1, 1, numbered(204), numbered(204))],
      ]
      for (const [query, wanted] of pages) assert.deepEqual(await page(query), wanted, query)
      for (const query of ['count=ten', 'count=1.5', 'startIndex=1e3', 'startIndex=0x1', 'count=1&count=2']) {
        assertRefused(await scim.get(`${users}?${query}`), 400, 'invalidValue')
      }
    })

    test('every operator of filters gives the right users', async () => {
      const zoe = ['zoe@test.com']
      const filters: [string, string[]][] = [
        ['userName eq "ZOE@test.com"', zoe],
        ["userName eq 'zoe@test.com'", zoe],
        ['userName eq zoe@test.com', zoe],
        [`${userSchema}:userName eq "zoe@test.com"`, zoe],
        ['externalId eq "Z1"', zoe],
        ['externalId eq "z1"', []],
        ['externalId pr', zoe],
        ['active eq false', zoe],
        ['active eq "False"', zoe],
        ['not (active eq true)', zoe],
        ['displayName co "%_\\\\"', zoe],
        ['name.familyName sw "ADA"', zoe],
        ['name.givenName ew "ë"', zoe],
        ['emails eq "zoe@home.com"', zoe],
        ['emails[type eq "work"].value eq "zoe@work.com"', zoe],
        ['emails[type eq "home" and value co "@home"]', zoe],
        ['emails[type eq "home" and value co "@work"]', []],
        [`${enterpriseSchema}:department eq "PM"`, zoe],
        ['department eq "pm" and (userName sw "x" or locale eq "de")', zoe],
        [
          'userName sw "person" and name.familyName eq "nr0" and userName le "person006@test.com"',
          [numbered(3), numbered(6)],
        ],
        ['title co "engineer" and userType eq "contractor"', zoe],
        ['ims[type eq "XMPP" and value sw "zoe"]', zoe],
        ['ims eq "zoe.b"', zoe],
        ['ims pr', zoe],
        ['meta.created gt "2100-01-01T00:00:00Z"', []],
        ['meta.resourceType eq "User" and department ne "finance"', zoe],
        ['lastSignInAt pr', []],
        ['id eq "00000000-0000-7000-8000-000000000000"', []],
        ['userName eq "\' or true --"', []],
      ]
      for (const [filter, names] of filters) assert.deepEqual(await scim.found(filter), names, filter)
      assert.deepEqual(await scim.found('lastSignInAt eq null', '&count=1'), zoe)
    })

    test('an invalid filter is refused with the position of the error, and never returns an empty list', async () => {
      const bad: [string, number][] = [
        ['', 1],
        ['userName', 9],
        ['userName eq', 12],
        ['userName = "x"', 10],
        ['nickname eq "x"', 1],
        ['userName eq "x', 13],
        ['(userName pr', 13],
        ['userName pr and', 16],
        ['active gt true', 8],
        ['permissions pr', 1],
        ['password eq "x"', 1],
        ['__proto__ pr', 1],
        ['{userName@example.com}', 1],
      ]
      for (const [filter, at] of bad) {
        const answer = await scim.get(`${users}?filter=${encodeURIComponent(filter)}`)
        assertRefused(answer, 400, 'invalidFilter', new RegExp(`^The filter is not valid at character ${at}: .`))
        const body = { schemas: [searchSchema], filter }
        assert.deepEqual((await scim.send('POST', `${users}/.search`, body)).body, answer.body)
      }
      assertRefused(await scim.get(`${users}?filter=active%20pr&filter=active%20pr`), 400, 'invalidValue')
      assertRefused(
        await scim.send('POST', `${users}/.search`, { schemas: [searchSchema], filter: 7 }),
        400,
        'invalidFilter',
      )
    })

    test('lists are sorted by any attribute, and users without a value come last', async () => {
      const names = async (query: string) => {
        const { body } = await scim.done('GET', `${users}?count=2&${query}`)
        return body.Resources.map(({ userName }: { userName: string }) => userName)
      }
      assert.deepEqual(await names('sortBy=userName'), [numbered(1), numbered(2)])
      assert.deepEqual(await names('sortBy=USERNAME&sortOrder=Descending'), ['zoe@test.com', numbered(204)])
      assert.deepEqual(await names('sortBy=name.familyName'), ['zoe@test.com', numbered(3)])
      assert.deepEqual(await names('sortBy=externalId'), ['zoe@test.com', numbered(1)])
      for (const attribute of ['title', 'userType', 'ims', 'ims.type', 'emails.value']) {
        const [first] = await names(
          `sortBy=${attribute}${attribute.startsWith('emails') ? '&sortOrder=descending' : ''}`,
        )
        assert.equal(first, 'zoe@test.com', attribute)
      }
      assert.deepEqual(await names(`sortBy=${enterpriseSchema}:department&sortOrder=descending`), [
        'zoe@test.com',
        numbered(204),
      ])
      for (const query of [
        'sortBy=emails.primary',
        'sortBy=nothing',
        'sortBy=password',
        'sortOrder=up',
        "sortBy=id'--",
      ]) {
        assertRefused(await scim.get(`${users}?${query}`), 400, 'invalidValue')
      }
    })

    test('an answer is limited to the requested attributes', async () => {
      const { body, path } = await scim.make()
      const { id, schemas, userName, name, meta } = body
      const always = { schemas, id }
      const { permissions: _, ...others } = body
      const cuts: [string, object][] = [
        ['attributes=userName', { ...always, userName }],
        ['attributes=USERNAME,name.familyName,nothing', { ...always, userName, name: { familyName: name.familyName } }],
        [`attributes=${userSchema}:userName, meta.version`, { ...always, userName, meta: { version: meta.version } }],
        ['attributes=userName&attributes=id', { ...always, userName }],
        ['attributes=id', always],
        [
          `attributes=${enterpriseSchema}`,
          { ...always, schemas: [userSchema, enterpriseSchema], [enterpriseSchema]: { department: 'finance' } },
        ],
        ['excludedAttributes=permissions,id,schemas', others],
        ['attributes=&excludedAttributes=permissions', others],
      ]
      for (const [query, wanted] of cuts) {
        const encoded = query.replaceAll(' ', '%20')
        assert.deepEqual((await scim.get(`${path}?${encoded}`)).body, wanted, query)
        const found = await scim.get(`${users}?filter=id+eq+"${id}"&${encoded}`)
        assert.deepEqual(found.body.Resources, [wanted], query)
        const patched = await scim.send('PATCH', `${path}?${encoded}`, {
          schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
          Operations: [{ op: 'replace', path: 'active', value: true }],
        })
        assert.deepEqual(patched.body, wanted, query)
      }
      const made = await scim.send('POST', `${users}?attributes=active`, sampleUser())
      assert.deepEqual(Object.keys(made.body), ['schemas', 'id', 'active'])
      assertRefused(await scim.get(`${path}?attributes=id&excludedAttributes=name`), 400, 'invalidValue')
      for (const each of [path, made.body.id && `${users}/${made.body.id}`]) await scim.done('DELETE', each)
    })

    test('a search in a body finds the same as one in a query', async () => {
      for (const path of [`${users}/.search`, `${root}/.search`, `${users}/.search/`]) {
        const body = {
          schemas: [searchSchema],
          filter: 'active eq false or userName sw "person00"',
          ...{ sortBy: 'userName', sortOrder: 'descending', startIndex: 2, count: 3, attributes: ['userName'] },
        }
        const { body: found } = await scim.done('POST', path, body)
        assert.deepEqual(
          [found.schemas, found.totalResults, found.startIndex, found.itemsPerPage],
          [[listSchema], 10, 2, 3],
        )
        const shown = found.Resources.map(({ schemas, id, ...rest }: { schemas: string[]; id: string }) => rest)
        assert.deepEqual(
          shown,
          [9, 8, 7].map((i) => ({ userName: numbered(i) })),
        )
      }
      for (const body of [{}, { schemas: [userSchema] }, [], undefined]) {
        assertRefused(await scim.send('POST', `${users}/.search`, body), 400, 'invalidSyntax')
      }
      for (const more of [{ count: 'x' }, { startIndex: 1.5 }, { sortBy: 1 }, { attributes: 7 }, { attributes: [7] }]) {
        assertRefused(
          await scim.send('POST', `${users}/.search`, { schemas: [searchSchema], ...more }),
          400,
          'invalidValue',
        )
      }
    })

    test('the capabilities of the service are listed, and can be neither searched nor changed', async () => {
      const { body: config } = await scim.done('GET', `${root}/ServiceProviderConfig`)
      assert.equal(config.meta.location, `${publicUrl}/scim/v2/ServiceProviderConfig`)
      assert.deepEqual([config.patch, config.sort, config.etag], Array(3).fill({ supported: true }))
      assert.deepEqual(config.filter, { supported: true, maxResults: 200 })
      const { body: types } = await scim.done('GET', `${root}/ResourceTypes`)
      assert.deepEqual(
        types.Resources.map(({ endpoint, schema }: { endpoint: string; schema: string }) => [endpoint, schema]),
        [
          ['/Users', userSchema],
          ['/Groups', groupSchema],
        ],
      )
      const { body: schemas } = await scim.done('GET', `${root}/Schemas`)
      assert.deepEqual(
        schemas.Resources.map(({ id }: { id: string }) => id),
        [userSchema, enterpriseSchema, groupSchema],
      )
      const byName = (name: string) =>
        schemas.Resources[0].attributes.find((each: { name: string }) => each.name === name)
      assert.deepEqual(byName('department').canonicalValues, [
        'agency',
        'bi',
        'c_suite',
        'engineering',
        'finance',
        'marketing',
        'pm',
      ])
      assert.ok(!JSON.stringify([config, types, schemas]).includes(':null'))
      const [company] = byName('permissions').subAttributes
      assert.deepEqual(company.canonicalValues, ['admin', 'manage_company_settings', 'add_remove_app_groups'])
      for (const resource of [config, ...types.Resources, ...schemas.Resources]) {
        const path = resource.meta.location.replace(publicUrl, '')
        assert.deepEqual((await scim.get(path)).body, resource)
        assertRefused(await scim.get(`${path}?filter=id%20pr`), 403, undefined)
        for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
          assertRefused(await scim.send(method, path, {}), 405, undefined, 'Method not allowed')
        }
      }
      for (const path of ['ResourceTypes/Bulk', 'Schemas/urn:none', 'Schemas/__proto__']) {
        assertRefused(await scim.get(`${root}/${path}`), 404, undefined)
      }
      const none = { schemas: [listSchema], totalResults: 0, startIndex: 1, itemsPerPage: 0, Resources: [] }
      assert.deepEqual(
        (await scim.get(`${root}/Groups?count=100&startIndex=1&filter=displayName%20eq%20%22a%22`)).body,
        none,
      )
      assertRefused(await scim.get(`${root}/Groups?filter=displayName`), 400, 'invalidFilter')
    })

    test('unsupported features are 501, and every answer has SCIM form and the accepted media type', async () => {
      assertRefused(await scim.send('POST', `${root}/Bulk`, {}), 501, undefined)
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        assertRefused(await scim.send(method, `${root}/Me`), 501, undefined)
      }
      const text = { 'content-type': 'text/plain' }
      const deflated = { 'content-encoding': 'deflate' }
      for (const headers of [text, deflated])
        assertRefused(await scim.send('POST', users, '{}', headers), 415, undefined)
      for (const path of ['/scim/v2/users', '/scim/v2/Users/a/b', '/scim/v2/Groups/a/b', '/scim/v1/Users', '/scim']) {
        assertRefused(await scim.get(path), 404, undefined, 'Not found')
      }
      assertRefused(await scim.send('OPTIONS', users), 405, undefined)
      const types: [Record<string, string>, string][] = [
        [{}, 'application/json'],
        [{ accept: '*/*' }, 'application/json'],
        [{ accept: 'application/scim+json' }, 'application/scim+json'],
        [{ 'content-type': 'application/scim+json' }, 'application/scim+json'],
        [{ 'content-type': 'application/scim+json; charset=utf-8' }, 'application/scim+json'],
      ]
      for (const [headers, type] of types) {
        const made = await scim.send('POST', users, sampleUser(), headers)
        assert.deepEqual([made.status, made.headers['content-type']], [201, type])
        const refused = await scim.send('POST', users, {}, headers)
        assert.deepEqual([refused.status, refused.headers['content-type']], [400, type])
        assert.deepEqual(refused.body.schemas, [errorSchema])
        await scim.done('DELETE', `${users}/${made.body.id}`)
      }
    })

    test('requests are counted by the day when the settings say so', async () => {
      await scim.service.admin('PATCH', '/admin/settings', { rate_limits: { scim: { per_day: 2 } } })
      const first = await scim.get(users)
      assert.deepEqual(
        [first.status, first.headers['x-ratelimit-limit'], first.headers['x-ratelimit-remaining']],
        [200, '2', '1'],
      )
      assert.equal(Number(first.headers['x-ratelimit-reset']) % (rateWindows.per_day / 1000), 0)
      assert.equal((await scim.get(`${root}/Groups`)).status, 200)
      const refused = await scim.get(users)
      assertRefused(refused, 429, undefined, 'Rate limit exceeded')
      assert.ok(Number(refused.headers['retry-after']) > 0)
      await scim.service.admin('DELETE', '/admin/settings/rate_limits')
    })

    test('an unexpected error is 500 in SCIM form, without its details', async () => {
      await scim.db.query(sql`alter table account rename column locale to locale_`)
      const answer = await scim.get(users)
      await scim.db.query(sql`alter table account rename column locale_ to locale`)
      assertRefused(answer, 500, undefined, 'Internal error')
    })
  })
}
