import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { drawDatabases, requestOrigin, type Service, scimToken, startService } from '../support/harness.ts'
import { newId } from '../support/people.ts'

const path = '/admin/scim/tokens'
const users = '/scim/v2/Groups'
const errorSchema = 'urn:ietf:params:scim:api:messages:2.0:Error'
const elsewhere = 'https://idp.example.com'

for (const database of drawDatabases('scim-tokens')) {
  describe(`SCIM tokens (${database})`, () => {
    let service: Service
    before(async () => {
      service = await startService({ database })
    })
    after(() => service[Symbol.asyncDispose]())

    const asAdmin = (method: string, at: string, body?: unknown) =>
      service.send(method, at, body, { key: service.adminToken })
    const make = async (body: object) =>
      (await service.admin('POST', path, { name: newId('provider'), ...body })).body.token
    const come = (key: string | null, headers: Record<string, string> = { 'x-request-origin': requestOrigin }) =>
      service.get(users, { key, headers })
    const origin = (text: string) => ({ 'x-request-origin': text })

    test('the token of the environment is accepted with its origin only, and gives access to SCIM only', async () => {
      const { status, body, headers } = await come(scimToken)
      assert.deepEqual([status, body.totalResults, headers['content-type']], [200, 0, 'application/json'])
      assert.equal('message' in body, false)
      for (const same of [`${requestOrigin}/`, requestOrigin.toUpperCase()]) {
        assert.equal((await come(scimToken, origin(same))).status, 200, same)
      }
      const refusals: [string | null, Record<string, string>, number, string][] = [
        [null, origin(requestOrigin), 401, 'Invalid SCIM token: send it as "Authorization: Bearer ..."'],
        ['nothing', origin(requestOrigin), 401, 'Invalid SCIM token'],
        [service.adminToken, origin(requestOrigin), 401, 'Invalid SCIM token'],
        [service.apiKey, origin(requestOrigin), 401, 'Invalid SCIM token'],
        [scimToken, {}, 403, 'X-Request-Origin must be the request origin of this service'],
        [scimToken, origin(elsewhere), 403, 'X-Request-Origin must be the request origin of this service'],
        [
          scimToken,
          origin(`${requestOrigin}, ${elsewhere}`),
          403,
          'X-Request-Origin must be the request origin of this service',
        ],
      ]
      for (const [key, sent, status, detail] of refusals) {
        const refused = await come(key, sent)
        assert.equal(refused.status, status, detail)
        assert.deepEqual(refused.body, { schemas: [errorSchema], detail, status })
        if (status === 401) assert.equal(refused.headers['www-authenticate'], 'Bearer')
      }
      assert.equal((await service.get('/admin/clock', { key: scimToken })).status, 401)
      assert.equal((await service.post('/users/track', {}, { key: scimToken })).status, 401)
    })

    test('a token is shown once, works at once, and is listed without its text', async () => {
      const { token, ...shown } = await make({})
      assert.match(token, /^easel_scim_.{32}$/)
      assert.deepEqual(Object.keys(shown), [
        'id',
        'name',
        'token_start',
        'origin',
        'allowed_ips',
        'may_grant',
        'created_at',
        'last_used_at',
      ])
      assert.deepEqual([shown.origin, shown.allowed_ips, shown.token_start], [requestOrigin, [], token.slice(0, 12)])
      assert.equal((await come(token)).status, 200)
      const { body, text } = await asAdmin('GET', path)
      assert.ok(!text.includes(token) && !text.includes(scimToken))
      assert.deepEqual(
        body.tokens.find(({ id }: { id: string }) => id === shown.id),
        shown,
      )
      const environment = body.tokens.find(({ name }: { name: string }) => name === 'EASEL_SCIM_TOKEN')
      assert.equal(environment.origin, requestOrigin)
    })

    test('a token can have its own origin, or need none', async () => {
      const bound = await make({ origin: elsewhere })
      assert.deepEqual(
        [(await come(bound.token)).status, (await come(bound.token, origin(elsewhere))).status],
        [403, 200],
      )
      const free = await make({ origin: null })
      assert.deepEqual([(await come(free.token, {})).status, (await come(free.token, origin('x'))).status], [200, 200])
    })

    test('a token is accepted from its addresses only', async () => {
      const { token } = await make({ allowed_ips: ['10.0.0.0/8'] })
      const { status, body } = await come(token)
      assert.deepEqual([status, body.detail, body.schemas], [403, 'Invalid whitelisted IPs', [errorSchema]])
      assert.equal((await come((await make({ allowed_ips: ['127.0.0.1'] })).token)).status, 200)
    })

    test('after a rotation only the new text is accepted', async () => {
      const before = await make({ origin: elsewhere })
      const { body } = await asAdmin('POST', `${path}/${before.id}/rotate`)
      const { token, ...now } = body.token
      assert.notEqual(token, before.token)
      assert.deepEqual([now.id, now.name, now.origin], [before.id, before.name, elsewhere])
      assert.equal((await come(before.token, origin(elsewhere))).status, 401)
      assert.equal((await come(token, origin(elsewhere))).status, 200)
      const { tokens } = (await service.admin('GET', path)).body
      const environment = tokens.find(({ name }: { name: string }) => name === 'EASEL_SCIM_TOKEN')
      const refused = await asAdmin('POST', `${path}/${environment.id}/rotate`)
      assert.deepEqual(
        [refused.status, refused.body.message],
        [409, 'This token follows EASEL_SCIM_TOKEN: change the variable'],
      )
    })

    test('a deleted token is refused from the next request', async () => {
      const { id, token } = await make({})
      const { status, text } = await asAdmin('DELETE', `${path}/${id}`)
      assert.deepEqual([status, text], [204, ''])
      assert.equal((await come(token)).status, 401)
      for (const [method, at] of [
        ['DELETE', `${path}/${id}`],
        ['POST', `${path}/${id}/rotate`],
        ['DELETE', `${path}/%00`],
      ] as const) {
        assert.equal((await asAdmin(method, at)).status, 404, at)
      }
    })

    test('an invalid token is refused, with the path of every error', async () => {
      const name = newId('taken')
      await make({ name })
      const bad = [
        undefined,
        null,
        [],
        '"x"',
        {},
        { name: '' },
        { name: 'a\u0000' },
        { name: 1 },
        { name: 'x', origin: 'idp.example.com' },
        { name: 'x', origin: 'https://idp.example.com/path' },
        { name: 'x', origin: 1 },
        { name: 'x', allowed_ips: ['anywhere'] },
        { name: 'x', allowed_ips: Array.from({ length: 101 }, () => '10.0.0.1') },
        { name: 'x', token: 'a-text-of-our-own' },
      ]
      for (const body of bad) {
        const { status, body: answer } = await asAdmin('POST', path, body)
        assert.equal(status, 400, JSON.stringify(body))
        assert.ok(answer.errors.length > 0)
      }
      assert.equal((await asAdmin('POST', path, { name })).status, 409)
    })

    test('every answer under /scim/ has SCIM form, and the SCIM media type for clients that accept it', async () => {
      const of = (status: number, detail: string) => ({ schemas: [errorSchema], detail, status })
      for (const at of ['/scim', '/scim/v2/', '/scim/v2/users', '/scim/v2/Groups/a/b', '/scim/v3?x=1', '//scim/v2/x']) {
        const { status, body } = await service.get(at, { key: scimToken })
        assert.deepEqual([status, body], [404, of(404, 'Not found')], at)
      }
      const wrong = await service.send('DELETE', users, undefined, { key: scimToken })
      assert.deepEqual(
        [wrong.status, wrong.body, wrong.headers.allow],
        [405, of(405, 'Method not allowed'), 'GET, POST, HEAD'],
      )
      const badUrl = await service.get('/scim/v2/%zz', { key: scimToken })
      assert.deepEqual(
        [badUrl.status, badUrl.body],
        [400, { ...of(400, 'The URL is not valid'), scimType: 'invalidValue' }],
      )
      for (const path of ['/scimitar', '/users/scim/v2'])
        assert.match((await service.get(path)).body.message, /^Not found\. /)
      const types: [Record<string, string>, string][] = [
        [{}, 'application/json'],
        [{ accept: 'application/json' }, 'application/json'],
        [{ accept: 'application/scim+json, application/json' }, 'application/scim+json'],
        [{ 'content-type': 'application/SCIM+json; charset=utf-8' }, 'application/scim+json'],
      ]
      for (const [headers, type] of types) {
        const good = await come(scimToken, { ...origin(requestOrigin), ...headers })
        const refused = await come('nothing', headers)
        const missing = await service.get('/scim/v2/none', { key: null, headers })
        assert.deepEqual(
          [good, refused, missing].map((answer) => answer.headers['content-type']),
          [type, type, type],
        )
      }
    })

    test('a status is text when the settings say so', async () => {
      await service.admin('PATCH', '/admin/settings', { scim: { status: 'string' } })
      assert.equal((await come(null)).body.status, '401')
      assert.equal((await service.get('/scim/v2/none')).body.status, '404')
      await service.admin('DELETE', '/admin/settings/scim')
      assert.equal((await come(null)).body.status, 401)
    })
  })
}

test('a first start without a token in the environment creates one and prints it', async () => {
  await using service = await startService({ env: { EASEL_SCIM_TOKEN: '' } })
  const [made] = service.app.made.filter(({ name }) => name === 'SCIM token')
  assert.match(made!.text, /^easel_scim_.{32}$/)
  const headers = { 'x-request-origin': requestOrigin }
  assert.equal((await service.get(users, { key: made!.text, headers })).status, 200)
})
