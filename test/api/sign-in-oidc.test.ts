import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { pino } from 'pino'
import { attemptMs, type Oidc, openOidc } from '../../src/accounts/sign-in/oidc.ts'
import { systemClock } from '../../src/base/clock.ts'

const keyPair = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
const own = keyPair()
const other = keyPair()
const machine = systemClock()
let aheadMs = 0
const clock = { ...machine, elapsed: () => machine.elapsed() + aheadMs }

type Claims = Record<string, unknown>
/** Defects of the provider. */
type Wrong = { claims?: Claims; key?: KeyObject; algorithm?: string; status?: number; userinfo?: Claims }

let server: Server
let issuer: string
let oidc: Oidc
let wrong: Wrong = {}
let nonce = ''
let challenge = ''
let verified: (string | undefined)[] = []

/** A provider whose claims and signing key a test can choose. */
before(async () => {
  server = createServer(async (request, response) => {
    const [status, body] = await answer(request)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const parts = { clientId: 'easel', clientSecret: 'secret', publicUrl: 'http://127.0.0.1:8080', clock }
  oidc = openOidc({ ...parts, issuer, secret: randomBytes(32), log: pino({ level: 'silent' }) })
})
after(async () => {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
})

async function answer(request: IncomingMessage): Promise<[number, object]> {
  const path = request.url!.split('?')[0]
  if (path === '/.well-known/openid-configuration') return [200, metadata()]
  if (path === '/keys') return [200, { keys: [{ ...own.publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig' }] }]
  if (path === '/userinfo') return [200, wrong.userinfo ?? {}]
  const body = new URLSearchParams(Buffer.concat((await Array.fromAsync(request)) as Buffer[]).toString())
  verified.push(body.get('code_verifier') ?? undefined)
  if (wrong.status) return [wrong.status, { error: 'invalid_grant' }]
  return [200, { access_token: 'a', token_type: 'Bearer', expires_in: 60, id_token: idToken() }]
}

function metadata(): object {
  const at = { authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/keys` }
  const kinds = { response_types_supported: ['code'], subject_types_supported: ['public'] }
  const algorithms = { id_token_signing_alg_values_supported: ['RS256'] }
  return { issuer, ...at, userinfo_endpoint: `${issuer}/userinfo`, ...kinds, ...algorithms }
}

function idToken(): string {
  const nowS = Math.floor(Date.now() / 1000)
  const claims = { iss: issuer, aud: 'easel', sub: '1', iat: nowS, exp: nowS + 60, nonce, email: 'ada@example.com' }
  const { algorithm = 'RS256', key = own.privateKey } = wrong
  const text = [
    { alg: algorithm, kid: 'one' },
    { ...claims, ...wrong.claims },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  return `${text}.${algorithm === 'none' ? '' : sign('sha256', Buffer.from(text), key).toString('base64url')}`
}

/** Begins a sign-in and finishes it as the browser would. */
async function comeBack(change: { state?: string; attempt?: string | undefined } = {}): Promise<string> {
  const { url, attempt } = await oidc.begin()
  const asked = new URL(url).searchParams
  nonce = asked.get('nonce')!
  challenge = asked.get('code_challenge')!
  const query = { code: ['code'], state: [change.state ?? asked.get('state')!] }
  return oidc.finish(query, 'attempt' in change ? change.attempt : attempt)
}

test('a confirmed address is returned, and the verifier matches the challenge', async () => {
  wrong = {}
  verified = []
  assert.equal(await comeBack(), 'ada@example.com')
  const digest = createHash('sha256').update(verified[0]!).digest('base64url')
  assert.equal(digest, challenge)
})

test('an address that is not in the token is read from the userinfo endpoint', async () => {
  wrong = { claims: { email: undefined }, userinfo: { sub: '1', email: 'grace@example.com', email_verified: true } }
  assert.equal(await comeBack(), 'grace@example.com')
  wrong = { claims: { email: undefined }, userinfo: { sub: '2', email: 'eve@example.com', email_verified: true } }
  await assert.rejects(comeBack(), { kind: 'forbidden' })
})

const long = 1_000_000
const wrongs: Readonly<Record<string, () => Wrong>> = {
  'another nonce': () => ({ claims: { nonce: 'another' } }),
  'no nonce': () => ({ claims: { nonce: undefined } }),
  'another audience': () => ({ claims: { aud: 'somebody-else' } }),
  'another issuer': () => ({ claims: { iss: 'https://elsewhere.example' } }),
  'an expired token': () => ({ claims: { iat: 1, exp: long } }),
  'the key of another provider': () => ({ key: other.privateKey }),
  'no signature': () => ({ algorithm: 'none' }),
  'a refusal': () => ({ status: 400 }),
  'an unconfirmed address': () => ({ claims: { email_verified: false } }),
  'an unconfirmed address as text': () => ({ claims: { email_verified: 'false' } }),
  'no address': () => ({ claims: { email: '' } }),
  'an address that is no text': () => ({ claims: { email: ['ada@example.com'] } }),
}

for (const [name, make] of Object.entries(wrongs)) {
  test(`a provider with ${name} signs nobody in`, async () => {
    wrong = make()
    await assert.rejects(comeBack(), { kind: 'forbidden' })
  })
}

test('the answer of a provider must belong to this attempt, be complete, and arrive in time', async () => {
  wrong = {}
  const { attempt } = await oidc.begin()
  for (const change of [
    { state: 'another' },
    { attempt },
    { attempt: undefined },
    { attempt: '' },
    { attempt: 'AQID' },
  ]) {
    await assert.rejects(comeBack(change), { kind: 'forbidden' }, JSON.stringify(change))
  }
  const begun = await oidc.begin()
  const state = new URL(begun.url).searchParams.get('state')!
  nonce = new URL(begun.url).searchParams.get('nonce')!
  const flipped = `${begun.attempt.slice(0, -4)}${begun.attempt.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`
  await assert.rejects(oidc.finish({ code: ['c'], state: [state] }, flipped), { kind: 'forbidden' })
  for (const query of [{}, { state: [state] }, { code: ['c'] }, { error: ['access_denied'], state: [state] }]) {
    await assert.rejects(oidc.finish(query, begun.attempt), { kind: 'forbidden' }, JSON.stringify(query))
  }
  aheadMs = attemptMs + 1000
  await assert.rejects(oidc.finish({ code: ['c'], state: [state] }, begun.attempt), { kind: 'forbidden' })
  aheadMs = 0
  assert.equal(await oidc.finish({ code: ['c'], state: [state] }, begun.attempt), 'ada@example.com')
})

test('an attempt that was not begun sends no request to the provider', async () => {
  const parts = { clientId: 'easel', clientSecret: 'secret', publicUrl: 'http://127.0.0.1:8080', clock }
  const away = { ...parts, issuer: 'http://127.0.0.1:1', secret: randomBytes(32), log: pino({ level: 'silent' }) }
  const { finish } = openOidc(away)
  for (const attempt of [undefined, '', 'AQID']) {
    await assert.rejects(finish({ code: ['c'], state: ['s'] }, attempt), { kind: 'forbidden' })
  }
})
