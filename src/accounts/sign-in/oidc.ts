import type { ClientAuth, Configuration } from 'openid-client'
import type { Clock } from '../../base/clock.ts'
import { decrypt, encrypt } from '../../base/encrypt.ts'
import { Failure, forbidden, unavailable } from '../../base/errors.ts'
import type { Query } from '../../base/http/route.ts'
import type { Log } from '../../base/log.ts'
import type { SignInIdentity } from '../sessions/identity-store.ts'

export type OidcConfig = {
  /** The URL of the provider: the base of its discovery document, and the `iss` of its tokens. */
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** `optional`: an address counts as verified when the provider does not say whether it is. */
  readonly emailVerified: 'required' | 'optional'
}

/** A person that the identity provider has confirmed. */
export type ConfirmedPerson = SignInIdentity & { readonly email: ConfirmedEmail }

/** The verified e-mail address of a person, or why there is none. */
export type ConfirmedEmail = { readonly address: string } | { readonly refusal: string }

export type OidcServices = OidcConfig & {
  readonly publicUrl: string
  readonly secret: Buffer
  readonly clock: Clock
  readonly log: Log
}

/** Sign-in by an identity provider: OpenID Connect, code flow with PKCE, state and nonce. */
export type Oidc = {
  /** Returns the URL to which a browser is sent, and the value of the attempt cookie. Throws 503 when the provider cannot be reached. */
  begin(): Promise<{ readonly url: string; readonly attempt: string }>
  /**
   * Reads the cookie of the browser that the provider has sent back with this query. Throws 403 when there is no attempt, when it belongs
   * to another browser, or is too old. Sends no request.
   */
  readAttempt(query: Query, attempt: string | undefined): Attempt
  /** Returns the person that the provider confirms. Throws 403 when the answer is not valid, 503 when the provider cannot be reached. */
  finish(query: Query, attempt: Attempt): Promise<ConfirmedPerson>
}

export const attemptMs = 10 * 60_000
const answerS = 10
const clockToleranceS = 30
const addressCharactersMax = 254
/** OpenID Connect Core 1.0, section 2: at most 255 ASCII characters. */
const subjectForm = /^[\x20-\x7e]{1,255}$/
const sealPurpose = 'sign-in by OpenID Connect'
/** After a failure, the provider is not asked for its discovery document for so long. */
export const rediscoverMs = 2_000
const unreachable = 'The identity provider cannot be reached'

/** A sign-in that was begun. `state` is its random name, which the query repeats. */
export type Attempt = {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly endsMs: number
}
type Client = typeof import('openid-client')

/** Opens sign-in by an identity provider. The client and the discovery document are loaded at the first sign-in. */
export function openOidc(services: OidcServices): Oidc {
  const { publicUrl, secret, clock, log } = services
  const redirect_uri = `${publicUrl}/sign-in/oidc/callback`
  const discoverOnce = openDiscovery(services)

  async function withProvider<T>(work: (client: Client, provider: Configuration) => Promise<T>): Promise<T> {
    const client = await import('openid-client')
    try {
      return await work(client, await discoverOnce(client))
    } catch (error) {
      if (error instanceof Failure) throw error
      log.warn({ err: error }, 'Sign-in by OpenID Connect failed')
      throw toFailure(client, error)
    }
  }

  return {
    begin: () =>
      withProvider(async (client, provider) => {
        const attempt: Attempt = {
          state: client.randomState(),
          nonce: client.randomNonce(),
          verifier: client.randomPKCECodeVerifier(),
          endsMs: clock.elapsed() + attemptMs,
        }
        const url = client.buildAuthorizationUrl(provider, {
          redirect_uri,
          scope: 'openid email',
          state: attempt.state,
          nonce: attempt.nonce,
          code_challenge: await client.calculatePKCECodeChallenge(attempt.verifier),
          code_challenge_method: 'S256',
        })
        return { url: url.href, attempt: encrypt(JSON.stringify(attempt), sealPurpose, secret).toString('base64url') }
      }),
    readAttempt(query, sealed) {
      const [state, ...more] = query.state ?? []
      const attempt = unseal(sealed, secret)
      if (!attempt || attempt.endsMs < clock.elapsed()) throw forbidden('Signing in took too long')
      // Without this check, a link on another site could use up the attempt of a visitor who is signing in.
      if (state !== attempt.state || more.length > 0) throw forbidden('Your company account was not confirmed')
      return attempt
    },
    finish: (query, attempt) =>
      withProvider(async (client, provider) => {
        const back = new URL(redirect_uri)
        for (const [name, values = []] of Object.entries(query))
          for (const value of values) back.searchParams.append(name, value)
        const tokens = await client.authorizationCodeGrant(provider, back, {
          expectedState: attempt.state,
          expectedNonce: attempt.nonce,
          pkceCodeVerifier: attempt.verifier,
          idTokenExpected: true,
        })
        const claims = tokens.claims()!
        const person = { issuer: claims.iss, subject: readSubject(claims.sub) }
        if (isComplete(claims, services, provider)) return { ...person, email: readEmail(claims, services) }
        const userInfo = await client.fetchUserInfo(provider, tokens.access_token, claims.sub)
        return { ...person, email: readEmail({ ...userInfo, email: userInfo.email ?? claims.email }, services) }
      }),
  }
}

/** Returns a function that reads the discovery document once. After a failure it throws 503 for a while, and then tries again. */
function openDiscovery(services: OidcServices): (client: Client) => Promise<Configuration> {
  const { clock } = services
  let discovering: Promise<Configuration> | undefined
  let nextMs = 0
  return async (client) => {
    if (!discovering && clock.elapsed() < nextMs) throw unavailable(unreachable)
    discovering ??= discover(client, services).catch((error: unknown) => {
      discovering = undefined
      nextMs = clock.elapsed() + rediscoverMs
      throw error
    })
    return discovering
  }
}

function discover(client: Client, { issuer, clientId, clientSecret }: OidcConfig): Promise<Configuration> {
  const basic = client.ClientSecretBasic(clientSecret)
  const posted = client.ClientSecretPost(clientSecret)
  // The default is Basic (OpenID Connect Discovery 1.0, section 3).
  const authentication: ClientAuth = (provider, metadata, body, headers) => {
    const known = provider.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const way = known.includes('client_secret_basic') ? basic : posted
    return way(provider, metadata, body, headers)
  }
  const insecure = new URL(issuer).protocol === 'http:' ? [client.allowInsecureRequests] : []
  return client.discovery(
    new URL(issuer),
    clientId,
    { client_secret: clientSecret, [client.clockTolerance]: clockToleranceS },
    authentication,
    // The signature is checked although the token comes directly from the provider, so that TLS is not the only protection.
    { execute: [client.enableNonRepudiationChecks, ...insecure], timeout: answerS },
  )
}

function unseal(sealed: string | undefined, secret: Buffer): Attempt | undefined {
  if (sealed === undefined) return undefined
  try {
    return JSON.parse(decrypt(Buffer.from(sealed, 'base64url'), sealPurpose, secret)) as Attempt
  } catch {
    // A cookie that cannot be decrypted is treated as absent.
    return undefined
  }
}

type EmailClaims = { readonly [claim: string]: unknown }
type EmailRule = Pick<OidcConfig, 'emailVerified'>

/** Whether an ID token says enough. Many providers return the address, or whether it is verified, only from the UserInfo endpoint. */
function isComplete(
  { email, email_verified }: EmailClaims,
  { emailVerified }: EmailRule,
  provider: Configuration,
): boolean {
  if (email === undefined) return false
  const isKnown = email_verified !== undefined || emailVerified === 'optional'
  return isKnown || provider.serverMetadata().userinfo_endpoint === undefined
}

function readEmail({ email, email_verified }: EmailClaims, { emailVerified }: EmailRule): ConfirmedEmail {
  if (typeof email !== 'string' || email === '') return { refusal: 'Your company account has no e-mail address' }
  if (email.length > addressCharactersMax || /\p{C}/u.test(email))
    return { refusal: 'Your e-mail address is not valid' }
  const isVerified = email_verified === true || email_verified === 'true'
  if (isVerified || (email_verified === undefined && emailVerified === 'optional')) return { address: email }
  return { refusal: 'The e-mail address of your company account is not confirmed' }
}

function readSubject(subject: string): string {
  if (subjectForm.test(subject)) return subject
  throw forbidden('Your company account has no valid identifier')
}

function toFailure(client: Client, error: unknown): Failure {
  if (error instanceof client.AuthorizationResponseError) return forbidden('Your company account was not confirmed')
  const code = error instanceof client.ClientError ? error.code : undefined
  const isUnavailable =
    error instanceof TypeError || code === 'OAUTH_TIMEOUT' || code === 'OAUTH_RESPONSE_IS_NOT_CONFORM'
  if (isUnavailable) return unavailable(unreachable, error)
  return forbidden('Your company account was not confirmed')
}
