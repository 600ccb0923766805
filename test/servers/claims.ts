import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

const keyPair = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
const own = keyPair()
/** The key of another provider. */
export const foreignKey = keyPair().privateKey

export type Claims = Record<string, unknown>
/** What the provider answers instead of the usual: defects, and claims of the ID token or of the UserInfo endpoint. */
export type Wrong = { claims?: Claims; key?: KeyObject; algorithm?: string; status?: number; userinfo?: Claims }

/** A provider whose claims and signing key a test can choose. */
export type ClaimsProvider = {
  readonly issuer: string
  /** What it answers next. */
  wrong: Wrong
  /** The nonce of its next ID token: that of the URL to which a browser was sent. */
  nonce: string
  /** The `code_verifier` of each request for tokens. */
  verifiers: (string | undefined)[]
  [Symbol.asyncDispose](): Promise<void>
}

export async function openClaimsProvider(): Promise<ClaimsProvider> {
  const server = createServer(async (request, response) => {
    const [status, body] = await answer(request, provider)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const provider: ClaimsProvider = {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    wrong: {},
    nonce: '',
    verifiers: [],
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return provider
}

async function answer(request: IncomingMessage, provider: ClaimsProvider): Promise<[number, object]> {
  const { wrong, issuer, verifiers } = provider
  const path = request.url!.split('?')[0]
  if (path === '/.well-known/openid-configuration') return [200, metadata(issuer)]
  if (path === '/keys') return [200, { keys: [{ ...own.publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig' }] }]
  if (path === '/userinfo') return [200, wrong.userinfo ?? {}]
  const body = new URLSearchParams(Buffer.concat((await Array.fromAsync(request)) as Buffer[]).toString())
  verifiers.push(body.get('code_verifier') ?? undefined)
  if (wrong.status) return [wrong.status, { error: 'invalid_grant' }]
  return [200, { access_token: 'a', token_type: 'Bearer', expires_in: 60, id_token: idToken(provider) }]
}

function metadata(issuer: string): object {
  const at = { authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/keys` }
  const kinds = { response_types_supported: ['code'], subject_types_supported: ['public'] }
  const algorithms = { id_token_signing_alg_values_supported: ['RS256'] }
  return { issuer, ...at, userinfo_endpoint: `${issuer}/userinfo`, ...kinds, ...algorithms }
}

function idToken({ wrong, issuer, nonce }: ClaimsProvider): string {
  const nowS = Math.floor(Date.now() / 1000)
  const address = { email: 'ada@example.com', email_verified: true }
  const claims = { iss: issuer, aud: 'easel', sub: '1', iat: nowS, exp: nowS + 60, nonce, ...address }
  const { algorithm = 'RS256', key = own.privateKey } = wrong
  const text = [
    { alg: algorithm, kid: 'one' },
    { ...claims, ...wrong.claims },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  return `${text}.${algorithm === 'none' ? '' : sign('sha256', Buffer.from(text), key).toString('base64url')}`
}
