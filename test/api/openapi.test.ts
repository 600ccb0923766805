import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import test, { after, before } from 'node:test'
import { permissions } from '../../src/base/http/permissions.ts'
import { type Service, startService } from '../support/harness.ts'

// biome-ignore lint/suspicious/noExplicitAny: the document is checked by a validator first.
type Document = any

let service: Service
let document: Document
before(async () => {
  service = await startService()
  document = (await service.get('/openapi.json', { key: null })).body
})
after(() => service[Symbol.asyncDispose]())

function operations(): [name: string, operation: Document][] {
  return Object.entries<Document>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Document>(methods).map(([method, operation]): [string, Document] => [
      `${method} ${path}`,
      operation,
    ]),
  )
}

type Validator = { validate(document: Document): Promise<{ valid: boolean; errors?: unknown }> }

/** The parser that is part of the reference page. */
function parser(): Validator {
  const require = createRequire(import.meta.resolve('@scalar/fastify-api-reference'))
  return require('@scalar/openapi-parser')
}

test('the published description is valid OpenAPI 3.1', async () => {
  const { validate } = parser()
  assert.match(document.openapi, /^3\.1\./)
  const { valid, errors } = await validate(document)
  assert.ok(valid, JSON.stringify(errors, null, 2))
})

test('every operation documents its permission, its rate limit and its errors', () => {
  const names = operations().map(([name]) => name)
  for (const name of [
    'post /users/track',
    'post /users/export/ids',
    'get /admin/clock',
    'post /admin/clock',
    'get /health',
  ]) {
    assert.ok(names.includes(name), name)
  }
  const ids = operations().map(([, { operationId }]) => operationId)
  assert.equal(new Set(ids).size, ids.length)
  for (const [name, { security, description, responses, tags }] of operations()) {
    assert.equal(tags.length, 1, name)
    assert.ok(Array.isArray(security), name)
    if (security.length === 0) continue
    assert.ok(responses[401] && responses[500] && responses[503], name)
    assert.equal(Object.keys(responses).filter((status) => /^2|^501/.test(status)).length, 1, name)
    if (security[0].admin_token) continue
    assert.ok(responses[403], name)
    if (security[0].scim_token) continue
    const permission = /Permission: `(.+?)`/.exec(description)?.[1]
    assert.ok(
      permissions.some((known) => known === permission),
      name,
    )
  }
})

test('rate limits and error shapes are documented where they apply', () => {
  const exported = document.paths['/users/export/ids'].post
  assert.match(exported.description, /250 per minute/)
  for (const kind of ['canvases', 'campaigns']) {
    const { pause, stop } = {
      pause: document.paths[`/admin/${kind}/{id}/pause`],
      stop: document.paths[`/admin/${kind}/{id}/stop`],
    }
    for (const { post } of [pause, stop]) assert.ok(post.responses[404] && post.responses[409])
    for (const verb of ['impact', 'dry_run'])
      assert.ok(document.paths[`/admin/${kind}/{id}/${verb}`].post.responses[404])
    const { get, patch, delete: end } = document.paths[`/admin/${kind}/{id}`]
    assert.ok(get.responses[404] && patch.responses[404] && end.responses[404] && end.responses[409])
  }
  const replyOf = (path: string) =>
    Object.keys(document.paths[path].post.responses[201].content['application/json'].schema.properties)
  assert.deepEqual(replyOf('/canvas/trigger/send'), ['dispatch_id', 'notice', 'notices', 'further_notices', 'message'])
  assert.ok(replyOf('/campaigns/trigger/schedule/create').includes('send_id'))
  assert.ok(exported.responses[429].headers['Retry-After'])
  assert.ok(exported.responses[201].headers['X-RateLimit-Remaining'])
  const refused = document.paths['/users/track'].post.responses[400].content['application/json'].schema
  assert.deepEqual(refused, { $ref: '#/components/schemas/TrackError' })
})

test('operations describe the statuses that only they have', () => {
  const statuses = (name: string): string[] => Object.keys(new Map(operations()).get(name).responses)
  const cases: Readonly<Record<string, readonly number[]>> = {
    'post /scim/v2/Users': [201, 409],
    'get /scim/v2/Users/{id}': [200, 304, 404],
    'put /scim/v2/Users/{id}': [200, 404, 412],
    'patch /scim/v2/Groups/{id}': [200, 404, 409],
    'post /catalogs/{catalog_name}/items/{item_id}': [201, 400, 404],
    'delete /catalogs/{catalog_name}': [200, 404],
    'get /admin/segments/{id}/count': [200, 403, 404],
    'get /admin/segments': [200, 403, 404],
    'get /admin/segments/{id}': [200, 304, 404],
    'patch /admin/settings': [200, 412],
    'patch /admin/segments/{id}': [200, 404, 412],
    'post /admin/clock': [200, 403, 409],
    'post /admin/dispatches/{dispatch_id}/resume': [200, 404, 409],
    'post /webhooks/sendgrid/{workspace}': [200, 403, 404],
    'post /messages/send': [201, 409, 422],
  }
  for (const [name, expected] of Object.entries(cases)) {
    for (const status of expected) assert.ok(statuses(name).includes(String(status)), `${name} ${status}`)
  }
  assert.equal(new Map(operations()).get('get /scim/v2/Users/{id}').responses[304].content, undefined)
  assert.ok(!statuses('post /users/track').includes('404'))
})

test('operations of SCIM have the header X-Request-Origin, the others do not', () => {
  for (const [name, { parameters = [] }] of operations()) {
    const origin = parameters.find((parameter: Document) => parameter.name === 'X-Request-Origin')
    assert.deepEqual(
      [origin?.in, origin?.required],
      name.includes(' /scim/') ? ['header', true] : [undefined, undefined],
      name,
    )
  }
})

test('every description of a success has the member message', () => {
  for (const [name, { responses }] of operations()) {
    for (const [status, { content }] of Object.entries<Document>(responses)) {
      const schema = content?.['application/json']?.schema
      if (!status.startsWith('2') || schema?.properties === undefined) continue
      // Success answers that RFC 7643 describes have no further members.
      if (name.includes(' /scim/')) continue
      assert.ok(schema.properties.message, `${name} ${status}`)
    }
  }
})

test('the reference page and its script are served by Easel and load nothing from elsewhere', async () => {
  const page = await service.get('/docs', { key: null })
  assert.equal(page.status, 200)
  const policy = String(page.headers['content-security-policy'])
  for (const source of ["script-src 'self'", "connect-src 'self'", "font-src 'self'", "default-src 'none'"]) {
    assert.ok(policy.includes(source), policy)
  }
  const others = page.text.replaceAll(/<pre>[\s\S]*?<\/pre>/g, '')
  assert.ok(!/https?:/.test(others), others)
  const [, path] = /<script src="([^"]+)"/.exec(page.text)!
  const script = await service.get(path!, { key: null })
  assert.equal(script.status, 200)
  assert.match(String(script.headers['content-type']), /^text\/javascript/)
  assert.ok(script.text.length > 1_000_000)
})
