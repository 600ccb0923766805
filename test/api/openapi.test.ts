import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import test, { after, before } from 'node:test'
import { withoutReferences } from '../../scripts/references.ts'
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

function operations(paths = document.paths): [name: string, operation: Document][] {
  return Object.entries<Document>(paths).flatMap(([path, methods]) =>
    Object.entries<Document>(methods).map(([method, operation]): [string, Document] => [
      `${method} ${path}`,
      operation,
    ]),
  )
}

/** The operations with each schema in the place of its reference. */
function written(): Document {
  return (withoutReferences(document) as Document).paths
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
    Object.keys(written()[path].post.responses[201].content['application/json'].schema.properties)
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

/** What linters recommend for every operation. */
const recommended: Readonly<Record<string, (operation: Document, path: string) => unknown>> = {
  operationId: ({ operationId }) => /^[a-z][A-Za-z0-9]+$/.test(operationId),
  'a summary': ({ summary }) => summary?.trim(),
  'a description': ({ description }) => description?.trim(),
  'one declared tag': ({ tags }) => tags.length === 1 && document.tags.some(({ name }: Document) => name === tags[0]),
  'declared security': ({ security }) =>
    security.every((one: Document) => Object.keys(one).every((key) => key in document.components.securitySchemes)),
  'a refusal': ({ responses }) => Object.keys(responses).some((status) => status.startsWith('4')),
  'a success': ({ responses }) => Object.keys(responses).some((status) => /^2|^501/.test(status)),
  'described answers': ({ responses }) => Object.values<Document>(responses).every(({ description }) => description),
  'its path parameters': ({ parameters = [] }, path) => {
    const inPath = parameters.filter((one: Document) => one.in === 'path' && one.required)
    const names = inPath.map(({ name }: Document) => `{${name}}`)
    return names.toSorted().join() === (path.match(/\{\w+\}/g) ?? []).toSorted().join()
  },
}

test('every operation has what linters recommend', () => {
  const missing = operations().flatMap(([name, operation]) =>
    Object.entries(recommended)
      .filter(([, has]) => !has(operation, name.split(' ')[1]!))
      .map(([rule]) => `${name} has not ${rule}`),
  )
  assert.deepEqual(missing, [])
  assert.ok(document.info.license.identifier && document.servers.length > 0)
})

test('every tag says what its operations are about, and is used', () => {
  const used = new Set(operations().flatMap(([, { tags }]) => tags))
  assert.deepEqual(document.tags.map(({ name }: Document) => name).toSorted(), [...used].toSorted())
  for (const { name, description } of document.tags) assert.match(description, /^[A-Z].+\.$/, name)
})

test('the name of a component is a noun, or an operation with Body or Reply', () => {
  const ids = operations().map(([, { operationId }]) => operationId[0].toUpperCase() + operationId.slice(1))
  const whole = new Set(ids.flatMap((id) => [`${id}Body`, `${id}Reply`]))
  const names = Object.keys(document.components.schemas)
  const made = names.filter(
    (name) => !whole.has(name) && ids.some((id) => name.startsWith(`${id}Body`) || name.startsWith(`${id}Reply`)),
  )
  assert.deepEqual(made, [])
})

test('every component is used, and every reference has its component', () => {
  const used = new Set(
    [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/([^"]+)"/g)].map(([, path]) => path),
  )
  const { headers, schemas, securitySchemes } = document.components
  const declared = Object.entries({ headers, schemas }).flatMap(([kind, each]) =>
    Object.keys(each).map((name) => `${kind}/${name}`),
  )
  assert.deepEqual([...used].toSorted(), declared.toSorted())
  const schemes = operations().flatMap(([, { security }]) => security.flatMap(Object.keys))
  assert.deepEqual([...new Set(schemes)].toSorted(), Object.keys(securitySchemes).toSorted())
})

test('every object that requests and answers have twice is a named component', () => {
  const seen = new Set<string>()
  const twice = new Set<string>()
  const walk = (value: Document): void => {
    if (typeof value !== 'object' || value === null) return
    if (value.type === 'object' && Object.keys(value.properties ?? {}).length > 0) {
      const text = JSON.stringify(value)
      if (seen.has(text)) twice.add(text)
      seen.add(text)
    }
    Object.values(value).forEach(walk)
  }
  walk(document.paths)
  walk(document.components.schemas)
  assert.deepEqual([...twice], [])
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
  for (const [name, { responses }] of operations(written())) {
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
