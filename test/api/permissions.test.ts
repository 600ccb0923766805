import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import { changeAccount, removeAccount } from '../../src/accounts/accounts/accounts.ts'
import { abilitiesOf } from '../../src/accounts/permissions/abilities.ts'
import { noPermissions } from '../../src/accounts/permissions/permissions.ts'
import type { Db } from '../../src/base/db/db.ts'
import { type Ability, abilities, scopeOf } from '../../src/base/http/abilities.ts'
import { openServer } from '../../src/base/http/server.ts'
import { configSections } from '../../src/config-sections.ts'
import { emulatorRoutes } from '../../src/emulator/control/routes.ts'
import { makeAccount, maker, type Person, resolved, signIn } from '../support/accounts.ts'
import { type Answer, type RequestOptions, type Service, scimToken, startService } from '../support/harness.ts'
import { apps, newId } from '../support/people.ts'
import { canvas } from '../support/triggers.ts'

let service: Service
let db: Db
let operations: Operation[]
const scimOrigin = 'https://shop.example.com'

before(async () => {
  const file = { workspace: { id: 'shop', name: 'Shop' } }
  service = await startService({
    env: { EASEL_REQUEST_ORIGIN: scimOrigin, EASEL_TRUSTED_PROXIES: '127.0.0.1' },
    opened(opened) {
      db = opened
    },
  })
  await service.admin('POST', '/admin/apply', file)
  // With it, the route that makes a demo is refused at once.
  await service.admin('POST', '/admin/workspace', { id: 'demo', name: 'Demo' })
  operations = await readOperations()
})
after(() => service[Symbol.asyncDispose]())

type Scheme = 'public' | 'key' | 'admin' | 'scim'
type Operation = { what: string; method: string; path: string; scheme: Scheme; permission: string }

const schemes: readonly [name: string, scheme: Scheme, permission: RegExp][] = [
  ['api_key', 'key', /Permission: `(.+?)`/],
  ['admin_token', 'admin', /session with `(.+?)`/],
  ['scim_token', 'scim', /()/],
]

/** Returns every operation of the published interface, with its parameters filled in. The interface is made from the route table. */
async function readOperations(): Promise<Operation[]> {
  const { body } = await service.get('/openapi.json', { key: null })
  return Object.entries(body.paths as { [path: string]: object }).flatMap(([path, methods]) =>
    Object.entries(methods).map(([name, { security, description }]) => {
      const method = name.toUpperCase()
      const [, scheme, permission] = schemes.find(([name]) => security[0] && name in security[0]) ?? []
      assert.ok(
        scheme !== undefined || security.length === 0,
        `${method} ${path} has an authentication scheme that this test knows`,
      )
      const filled = path.replaceAll(/\{\w+\}/g, 'unknown')
      return {
        ...{ method, what: `${method} ${path}`, path: filled, scheme: scheme ?? 'public' },
        permission: permission?.exec(description)?.[1] ?? '',
      }
    }),
  )
}

const ofScheme = (scheme: Scheme) => operations.filter((operation) => operation.scheme === scheme)
const bodyOf = ({ method }: Operation) => (method === 'GET' ? undefined : {})
let callers = 0
/** Each request has an address of its own: wrong tokens of one address are throttled. */
const byKey = (operation: Operation, key: string | null) => {
  const headers = { 'x-forwarded-for': `198.18.${(++callers >> 8) & 255}.${callers & 255}` }
  return service.send(operation.method, operation.path, bodyOf(operation), { key, headers })
}
const bySession = (operation: Operation, person: Person) =>
  person.send(operation.method, operation.path, bodyOf(operation))

const byProvider = ({ method, path }: Operation, origin: string | undefined) => {
  const headers: RequestOptions['headers'] = origin === undefined ? {} : { 'x-request-origin': origin }
  return service.send(method, path, method === 'GET' ? undefined : {}, { key: scimToken, headers })
}

const wrongKey = 'easel_key_that_nobody_made'
const wrongSession = { cookie: `easel_session=easel_session_${'x'.repeat(32)}` }
const elsewhere = '10.99.0.0/16'
const lacksAbility = /^You do not have permission to do this: it takes [\w.]+$/
const lacks = 'You do not have permission to access this resource'

function assertRefused(answer: Answer, status: number, message: RegExp | string, what: string): void {
  assert.equal(answer.status, status, `${what}: ${answer.text}`)
  if (typeof message === 'string') assert.equal(answer.body.message, message, what)
  else assert.match(answer.body.message, message, what)
  assert.ok(!Object.keys(answer.headers).some((name) => name.startsWith('x-ratelimit')), `${what} has no rate headers`)
}

function assertLetIn({ status, text }: Answer, what: string): void {
  assert.ok(status < 500 && status !== 401 && status !== 403, `${what}: ${status} ${text}`)
}

async function person(permissions: unknown): Promise<Person> {
  return signIn(service, db, await makeAccount(db, permissions))
}

const inWorkspace = (appGroupId: string, ...appGroupPermissions: string[]) => ({
  appGroup: [{ appGroupId, appGroupPermissions }],
})

test('every route for API keys requires a key, and accepts only keys with its permission', async () => {
  const { headers } = await person({ companyPermissions: ['admin'] })
  const merging = await service.key(['users.merge'])
  const deleting = await service.key(['users.delete'])
  const far = await service.key(['*'], [elsewhere])
  assert.ok(ofScheme('key').length > 50)
  for (const operation of ofScheme('key')) {
    const { what, permission } = operation
    assertRefused(await byKey(operation, null), 401, /^Invalid API key/, `${what} without a key`)
    assertRefused(await byKey(operation, wrongKey), 401, 'Invalid API key', `${what} with a wrong key`)
    assertRefused(await byKey(operation, service.adminToken), 401, 'Invalid API key', `${what} with the admin token`)
    const signedIn = await service.send(operation.method, operation.path, bodyOf(operation), { key: null, headers })
    assertRefused(signedIn, 401, /^Invalid API key/, `${what} with a session`)
    const other = permission === 'users.merge' ? deleting : merging
    assertRefused(await byKey(operation, other), 403, lacks, `${what} without the permission`)
    assertRefused(await byKey(operation, far), 403, 'Invalid whitelisted IPs', `${what} from another address`)
    assertLetIn(await byKey(operation, await service.key([permission])), what)
  }
})

test('every admin route accepts the admin token, and no other token', async () => {
  assert.ok(ofScheme('admin').length > 90)
  for (const operation of ofScheme('admin')) {
    const { what } = operation
    assertRefused(await byKey(operation, null), 401, /^Invalid admin token/, `${what} without a token`)
    assertRefused(await byKey(operation, wrongKey), 401, 'Invalid admin token', `${what} with a wrong token`)
    assertRefused(await byKey(operation, service.apiKey), 401, 'Invalid admin token', `${what} with an API key`)
    assertLetIn(await byKey(operation, service.adminToken), what)
  }
})

test('every admin route accepts the session of an administrator, and no invented session', async () => {
  const administrator = await person({ companyPermissions: ['admin'] })
  for (const operation of ofScheme('admin')) {
    const { what, method, path } = operation
    const wrong = await service.send(method, path, bodyOf(operation), { key: null, headers: wrongSession })
    assertRefused(wrong, 401, /^Sign in first/, `${what} with a wrong session`)
    assertLetIn(await bySession(operation, administrator), what)
    if (method === 'GET') continue
    const { cookie } = administrator.headers
    const forgeries: readonly RequestOptions['headers'][] = [{}, { 'x-csrf-token': 'easel' }]
    for (const token of forgeries) {
      const headers = { cookie: cookie!, ...token }
      const forged = await service.send(method, path, bodyOf(operation), { key: null, headers })
      assertRefused(forged, 403, /^X-CSRF-Token/, `${what} from another site`)
    }
  }
})

test('every admin route refuses a session without its ability in the workspace of the request', async () => {
  const names = [
    ...[[], ['basic_access', 'view_user_profile'], ['send_campaigns_canvases', 'edit_content_blocks']],
    ...[['export_user_data', 'view_pii', 'manage_dashboard_users'], ['admin']],
  ]
  for (const permissions of names) {
    const here = await person(inWorkspace('default', ...permissions))
    const given = abilitiesOf(permissions, 'workspace')
    for (const operation of ofScheme('admin')) {
      const ability = operation.permission as Ability
      const isOwn = scopeOf(ability) === 'session'
      const what = `${operation.what} with ${permissions}`
      const answer = await bySession(operation, here)
      if (isOwn || (given.has(ability) && !asksFurther(operation, given))) assertLetIn(answer, what)
      else assertRefused(answer, 403, lacksAbility, what)
      if (isOwn || !permissions.includes('admin')) continue
      const path = `${operation.path}?workspace=shop`
      assertRefused(await bySession({ ...operation, path }, here), 403, lacksAbility, `${what} in another workspace`)
    }
  }
})

/**
 * Writes to these routes take effect at once unless the body says that the flow or block is a draft. A count by any condition could tell
 * what one person has. The file of a workspace has all its lists.
 */
function asksFurther({ method, path }: Operation, given: ReadonlySet<Ability>): boolean {
  if (path === '/admin/audience/count') return !given.has('people.read') && !given.has('segments.edit')
  if (path === '/admin/file') return !configSections.every(({ name }) => given.has(`${name}.read` as Ability))
  const [, noun] = /^\/admin\/(canvases|campaigns|content_blocks)(\/unknown)?$/.exec(path) ?? []
  return noun !== undefined && ['POST', 'PATCH'].includes(method) && !given.has(`${noun}.launch` as Ability)
}

test('every route for identity providers accepts its token only together with its origin', async () => {
  const { headers } = await person({ companyPermissions: ['admin'] })
  assert.ok(ofScheme('scim').length > 10)
  for (const operation of ofScheme('scim')) {
    for (const key of [null, wrongKey, service.apiKey, service.adminToken]) {
      assert.equal((await byKey(operation, key)).status, 401, operation.what)
    }
    const signedIn = await service.send(operation.method, operation.path, bodyOf(operation), { key: null, headers })
    assert.equal(signedIn.status, 401, `${operation.what} with a session`)
    for (const origin of [undefined, 'https://elsewhere.example.com']) {
      const answer = await byProvider(operation, origin)
      assert.equal(answer.status, 403, `${operation.what} from ${origin}: ${answer.text}`)
    }
    const { status, text } = await byProvider(operation, scimOrigin)
    assert.ok((status < 500 || status === 501) && status !== 401 && status !== 403, `${operation.what}: ${text}`)
  }
})

test('every public route answers without credentials', async () => {
  for (const operation of ofScheme('public')) assertLetIn(await byKey(operation, null), operation.what)
})

/** What the routes of an emulator require, which no other service has. */
const ofEmulator = new Set(emulatorRoutes(() => assert.fail()).map(({ ability }) => String(ability)))

test('every route of an emulator requires an ability that only administrators of the company have', () => {
  assert.deepEqual([...ofEmulator], ['emulator.use'])
  assert.equal(scopeOf('emulator.use'), 'company')
})

test('every ability is required by a route', () => {
  const asked = new Set(ofScheme('admin').map(({ permission }) => permission))
  const further = new Set(['canvases.launch', 'campaigns.launch', 'content_blocks.launch', ...ofEmulator])
  assert.deepEqual([...asked.union(further).symmetricDifference(new Set(abilities))], [])
})

test('the server refuses to start with a route that has no ability', () => {
  const parts = { timeouts: { headersMs: 1, bodyMs: 1, slowMs: 1, drainMs: 1 }, pages: [] }
  const route = { permission: 'admin', method: 'GET', path: '/admin/new', errors: 'standard', reply: { 200: {} } }
  for (const ability of [undefined, 'new.read', '__proto__']) {
    assert.throws(
      () => openServer({ ...parts, routes: [{ ...route, ability }] } as never),
      /GET \/admin\/new has no ability/,
    )
  }
})

test('a draft requires the ability to edit, an active flow also that to launch, and an archived one that to archive', async () => {
  await service.admin('POST', '/admin/apps', apps.phone)
  const editor = await person(inWorkspace('default', 'edit_canvases'))
  const launcher = await person(inWorkspace('default', 'edit_canvases', 'launch_canvases'))
  const archivist = await person(inWorkspace('default', 'edit_canvases', 'archive_canvases'))
  const id = newId('canvas')
  const draft = { ...canvas(id), state: 'draft' }
  const path = `/admin/canvases/${id}`
  const statuses = [
    await editor.send('POST', '/admin/canvases', { ...draft, state: 'active' }),
    await editor.send('POST', '/admin/canvases', { ...draft, state: undefined }),
    await editor.send('POST', '/admin/canvases', draft),
    await editor.send('PATCH', path, { description: 'Mine' }),
    await editor.send('PATCH', path, { description: 'Mine', state: 'draft' }),
    await editor.send('PATCH', path, { state: 'active' }),
    await launcher.send('PATCH', path, { state: 'active' }),
    // The stored flow is active, so it is no draft whatever the body says.
    await editor.send('PATCH', path, { description: 'Other', state: 'draft' }),
    await editor.send('POST', `${path}/pause`),
    await launcher.send('POST', `${path}/pause`),
    await launcher.send('POST', `${path}/stop`),
    await launcher.send('PATCH', path, { state: 'archived' }),
    await launcher.send('DELETE', path),
    await archivist.send('PATCH', path, { state: 'active' }),
    await archivist.send('PATCH', path, { state: 'archived' }),
  ].map(({ status }) => status)
  assert.deepEqual(statuses, [403, 403, 201, 403, 200, 403, 200, 400, 403, 200, 403, 403, 403, 403, 200])
})

test('a request cannot reach another workspace by any workspace in its body or query', async () => {
  const here = await person(inWorkspace('default', 'admin'))
  const asked: readonly [method: string, path: string, body: unknown, status: number][] = [
    ['POST', '/admin/apply', { workspace: { id: 'shop' }, apps: [{ name: 'A', platform: 'web' }] }, 403],
    ['POST', '/admin/apply', { apps: [{ name: 'A', platform: 'web' }] }, 403],
    ['PATCH', '/admin/workspace', { id: 'shop', name: 'Taken' }, 200],
    ['PATCH', '/admin/workspace', { name: 'Shop' }, 409],
    ['POST', '/admin/workspace', { name: 'Mine' }, 403],
    ['GET', '/admin/apps?workspace=', undefined, 403],
    ['GET', '/admin/apps?workspace=nowhere', undefined, 403],
    ['GET', '/admin/apps?workspace=default&workspace=shop', undefined, 400],
    ['GET', '/admin/apps?workspace[]=shop', undefined, 403],
    ['GET', '/admin/apps?workspace=default', undefined, 200],
    ['GET', '/admin/apps', undefined, 200],
  ]
  for (const [method, path, body, status] of asked) {
    const answer = await here.send(method, path, body)
    assert.equal(answer.status, status, `${method} ${path}: ${answer.text}`)
  }
  const { body } = await service.admin('GET', '/admin/workspace')
  assert.deepEqual(
    body.workspaces.map(({ name }: { name: string }) => name),
    ['Taken', 'Shop', 'Demo'],
  )
  const everywhere = await person({ companyPermissions: ['admin'] })
  assert.equal((await everywhere.send('GET', '/admin/apps?workspace=nowhere')).status, 404)
  await service.admin('PATCH', '/admin/workspace', { name: 'Default' })
})

test('a session returns its account and its abilities in each workspace', async () => {
  const someone = await person({
    companyPermissions: ['add_remove_app_groups'],
    ...inWorkspace('shop', 'view_segments'),
  })
  const { status, body } = await someone.send('GET', '/admin/session')
  assert.equal(status, 200)
  assert.deepEqual(body, {
    account: {
      id: someone.account.account_id,
      user_name: someone.account.user_name,
      given_name: 'Ada',
      family_name: 'Lovelace',
      department: null,
      last_sign_in_at: null,
      permissions: {
        companyPermissions: ['add_remove_app_groups'],
        roles: [],
        appGroup: [{ appGroupId: 'shop', appGroupName: 'Shop', appGroupPermissions: ['view_segments'], team: [] }],
      },
    },
    csrf_token: someone.headers['x-csrf-token'],
    abilities: ['session.read', 'clock.read', 'workspaces.read', 'workspaces.create'],
    workspaces: [{ id: 'shop', name: 'Shop', time_zone: 'UTC', abilities: ['segments.read'] }],
    message: 'success',
  })
  const admin = (await service.admin('GET', '/admin/session')).body
  assert.deepEqual([admin.account, admin.csrf_token, admin.workspaces.length], [null, null, 3])
  assert.equal(admin.abilities.length + admin.workspaces[0].abilities.length, abilities.length)
})

test('removed permissions are gone from the next request', async () => {
  await service.admin('POST', '/admin/roles', { id: 'reader', name: 'Reader', permissions: ['view_segments'] })
  const reader = await person({ roles: [{ roleName: 'Reader' }] })
  const reads = async () => (await reader.send('GET', '/admin/segments')).status
  assert.equal(await reads(), 200)
  await service.admin('PATCH', '/admin/roles/reader', { permissions: [] })
  assert.equal(await reads(), 403)
  const { account_id, given_name, family_name } = reader.account
  const name = { given_name, family_name }
  const change = (given: object) =>
    db.transaction((tx) =>
      changeAccount(tx, maker, account_id, () => ({ ...name, permissions: noPermissions, ...given })),
    )
  await change({ permissions: await resolved(db, inWorkspace('default', 'basic_access')) })
  assert.equal(await reads(), 200)
  await change({ active: false })
  assert.equal(await reads(), 401)
  await change({ active: true })
  assert.equal(await reads(), 401, 'the account is active again, but the old session has ended')
  const again = await signIn(service, db, reader.account)
  assert.equal((await again.send('GET', '/admin/session')).status, 200)
  await db.transaction((tx) => removeAccount(tx, maker, account_id))
  assert.equal((await again.send('GET', '/admin/session')).status, 401)
})

test('a token in the request counts, and the session does not', async () => {
  const { headers } = await person({})
  const both = await service.get('/admin/apps', { key: service.adminToken, headers })
  assert.equal(both.status, 200)
  const wrong = await service.get('/admin/session', { key: wrongKey, headers })
  assert.equal(wrong.status, 401)
})
