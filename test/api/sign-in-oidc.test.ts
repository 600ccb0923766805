import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { pino } from 'pino'
import { attemptMs, type ConfirmedPerson, type Oidc, openOidc, rediscoverMs } from '../../src/accounts/sign-in/oidc.ts'
import { systemClock } from '../../src/base/clock.ts'
import type { Query } from '../../src/base/http/route.ts'
import { type ClaimsProvider, foreignKey, openClaimsProvider, type Wrong } from '../servers/claims.ts'

const machine = systemClock()
let aheadMs = 0
const clock = { ...machine, elapsed: () => machine.elapsed() + aheadMs }
const log = pino({ level: 'silent' })
const client = { clientId: 'easel', clientSecret: 'secret', publicUrl: 'http://127.0.0.1:8080', clock, log }

let provider: ClaimsProvider
let oidc: Oidc
let lenient: Oidc
let challenge = ''

before(async () => {
  provider = await openClaimsProvider()
  const parts = { ...client, issuer: provider.issuer, secret: randomBytes(32) }
  oidc = openOidc({ ...parts, emailVerified: 'required' })
  lenient = openOidc({ ...parts, emailVerified: 'optional' })
})
after(() => provider[Symbol.asyncDispose]())

type Change = { readonly state?: string; readonly attempt?: string | undefined; readonly at?: Oidc }

/** Begins a sign-in and finishes it as the browser would. */
async function comeBack({ at = oidc, ...change }: Change = {}): Promise<ConfirmedPerson> {
  const { url, attempt } = await at.begin()
  const asked = new URL(url).searchParams
  provider.nonce = asked.get('nonce')!
  challenge = asked.get('code_challenge')!
  const query = { code: ['code'], state: [change.state ?? asked.get('state')!] }
  return finish(query, 'attempt' in change ? change.attempt : attempt, at)
}

const finish = async (query: Query, attempt: string | undefined, at = oidc) =>
  at.finish(query, at.readAttempt(query, attempt))

const emailOf = async (wrong: Wrong, at = oidc) => {
  provider.wrong = wrong
  return (await comeBack({ at })).email
}
const unconfirmed = { refusal: 'The e-mail address of your company account is not confirmed' }
const nameless = { refusal: 'Your company account has no e-mail address' }

test('a confirmed person is returned, and the verifier matches the challenge', async () => {
  provider.wrong = {}
  provider.verifiers = []
  const ada = { issuer: provider.issuer, subject: '1', email: { address: 'ada@example.com' } }
  assert.deepEqual(await comeBack(), ada)
  const digest = createHash('sha256').update(provider.verifiers[0]!).digest('base64url')
  assert.equal(digest, challenge)
})

test('what is not in the token is read from the userinfo endpoint', async () => {
  const grace = { sub: '1', email: 'grace@example.com', email_verified: true }
  assert.deepEqual(await emailOf({ claims: { email: undefined }, userinfo: grace }), { address: 'grace@example.com' })
  const unsaid = { email_verified: undefined }
  const verified = { sub: '1', email_verified: true }
  assert.deepEqual(await emailOf({ claims: unsaid, userinfo: verified }), { address: 'ada@example.com' })
  assert.deepEqual(await emailOf({ claims: unsaid, userinfo: { ...grace, email_verified: false } }), unconfirmed)
  provider.wrong = { claims: { email: undefined }, userinfo: { ...grace, sub: '2' } }
  await assert.rejects(comeBack(), { kind: 'forbidden' })
})

test('an address must be verified, or may be unsaid when the setting says so', async () => {
  const userinfo = { sub: '1' }
  for (const [email_verified, strict, loose] of [
    [true, true, true],
    ['true', true, true],
    [undefined, false, true],
    [false, false, false],
    ['false', false, false],
    [1, false, false],
    [null, false, false],
  ] as const) {
    for (const [at, isVerified] of [
      [oidc, strict],
      [lenient, loose],
    ] as const) {
      const email = await emailOf({ claims: { email_verified }, userinfo }, at)
      const expected = isVerified ? { address: 'ada@example.com' } : unconfirmed
      assert.deepEqual(email, expected, `${email_verified}, ${at === oidc ? 'required' : 'optional'}`)
    }
  }
  const invalid = { refusal: 'Your e-mail address is not valid' }
  for (const [email, expected] of [
    ['', nameless],
    [['ada@example.com'], nameless],
    ['ada\0@example.com', invalid],
    [`${'a'.repeat(243)}@example.com`, invalid],
    [`${'a'.repeat(242)}@example.com`, { address: `${'a'.repeat(242)}@example.com` }],
  ] as const) {
    assert.deepEqual(await emailOf({ claims: { email }, userinfo }), expected)
  }
})

const long = 1_000_000
const wrongs: Readonly<Record<string, () => Wrong>> = {
  'another nonce': () => ({ claims: { nonce: 'another' } }),
  'no nonce': () => ({ claims: { nonce: undefined } }),
  'another audience': () => ({ claims: { aud: 'somebody-else' } }),
  'another issuer': () => ({ claims: { iss: 'https://elsewhere.example' } }),
  'an expired token': () => ({ claims: { iat: 1, exp: long } }),
  'the key of another provider': () => ({ key: foreignKey }),
  'no signature': () => ({ algorithm: 'none' }),
  'a refusal': () => ({ status: 400 }),
  'no subject': () => ({ claims: { sub: '' } }),
  'a long subject': () => ({ claims: { sub: 'x'.repeat(256) } }),
  'a subject that is no ASCII': () => ({ claims: { sub: 'a\0' } }),
}

for (const [name, make] of Object.entries(wrongs)) {
  test(`a provider with ${name} signs nobody in`, async () => {
    provider.wrong = make()
    await assert.rejects(comeBack(), { kind: 'forbidden' })
  })
}

test('the answer of a provider must belong to this attempt, be complete, and arrive in time', async () => {
  provider.wrong = {}
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
  provider.nonce = new URL(begun.url).searchParams.get('nonce')!
  const flipped = `${begun.attempt.slice(0, -4)}${begun.attempt.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`
  await assert.rejects(finish({ code: ['c'], state: [state] }, flipped), { kind: 'forbidden' })
  for (const query of [{}, { state: [state] }, { code: ['c'] }, { error: ['access_denied'], state: [state] }]) {
    await assert.rejects(finish(query, begun.attempt), { kind: 'forbidden' }, JSON.stringify(query))
  }
  aheadMs = attemptMs + 1000
  await assert.rejects(finish({ code: ['c'], state: [state] }, begun.attempt), { kind: 'forbidden' })
  aheadMs = 0
  const { subject } = await finish({ code: ['c'], state: [state] }, begun.attempt)
  assert.equal(subject, '1')
})

test('an attempt that was not begun sends no request to the provider', async () => {
  const away = { ...client, issuer: 'http://127.0.0.1:1', secret: randomBytes(32), emailVerified: 'required' as const }
  const { readAttempt } = openOidc(away)
  for (const attempt of [undefined, '', 'AQID']) {
    assert.throws(() => readAttempt({ code: ['c'], state: ['s'] }, attempt), { kind: 'forbidden' })
  }
})

test('a provider without a discovery document is asked for it again after a while', async () => {
  let asked = 0
  await using server = createServer((_, response) => {
    asked++
    response.writeHead(500).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { begin } = openOidc({ ...client, issuer, secret: randomBytes(32), emailVerified: 'required' })
  const fail = () => assert.rejects(begin(), { kind: 'unavailable' })
  await fail()
  const perSignIn = asked
  await Promise.all([fail(), fail()])
  assert.equal(asked, perSignIn)
  aheadMs = rediscoverMs
  await Promise.all([fail(), fail()])
  aheadMs = 0
  assert.equal(asked, perSignIn * 2)
})
