import { createSign } from 'node:crypto'
import type { Clock } from '../../../base/clock.ts'
import { membersOf, saidBy } from '../../../base/fetch/answers.ts'
import type { Fetcher } from '../../../base/fetch/fetch.ts'
import { FetchError } from '../../../base/fetch/fetch-error.ts'
import { tryFetch } from '../../../base/fetch/try-fetch.ts'
import type { ServiceAccount } from '../../../base/service-account.ts'

const scope = 'https://www.googleapis.com/auth/firebase.messaging'
/** How long a signed request for a token is valid; the longest that is accepted. */
const assertionS = 3_600
/** A token is replaced this long before it ends, so that it does not end on its way. */
const aheadMs = 60_000
const answerBytesMax = 65_536
const answerMsMax = 10_000

/** A token, or why there is none. Nothing was sent then. */
type Access = { readonly token: string } | { readonly kind: 'unreached'; readonly message: string }

export type Bearer = {
  /** Returns a token that is valid, the same one until it ends. */
  get(): Promise<Access>
  /** Forgets a token that was refused. */
  forget(token: string): void
}

/** Gets bearer tokens of OAuth 2 for a service account (RFC 7523). */
export function openBearer(account: ServiceAccount, fetcher: Fetcher, clock: Clock): Bearer {
  let current: { readonly token: string; readonly untilMs: number } | undefined
  let asking: Promise<Access> | undefined
  async function ask(): Promise<Access> {
    const nowMs = clock.elapsed()
    const answer = await tryFetch(fetcher, account.token_uri, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        assertion: assertionOf(account, Math.floor(nowMs / 1_000)),
      }).toString(),
      bytesMax: answerBytesMax,
      timeoutMs: answerMsMax,
      redirectsMax: 0,
    })
    if (answer instanceof FetchError) return unreached(`${answer.message}, for a token`)
    const { access_token: token, expires_in } = membersOf(answer)
    if (answer.status !== 200 || typeof token !== 'string') return unreached(`no token was given: ${saidOf(answer)}`)
    const lifeMs = typeof expires_in === 'number' && expires_in > 0 ? expires_in * 1_000 : 0
    current = { token, untilMs: nowMs + Math.max(lifeMs - aheadMs, 0) }
    return { token }
  }
  return {
    async get() {
      if (current && clock.elapsed() < current.untilMs) return current
      // Many pushes at once need one token.
      asking ??= ask().finally(() => {
        asking = undefined
      })
      return asking
    },
    forget(token) {
      if (current?.token === token) current = undefined
    },
  }
}

function unreached(message: string): Access {
  return { kind: 'unreached', message }
}

/** An answer with 200 may have a token that is valid, which no log may have. */
function saidOf(answer: { readonly status: number; readonly body: Buffer }): string {
  return answer.status === 200 ? 'the answer has no access_token' : saidBy(answer)
}

function assertionOf({ client_email, private_key, token_uri }: ServiceAccount, nowS: number): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = { iss: client_email, scope, aud: token_uri, iat: nowS, exp: nowS + assertionS }
  const signed = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}`
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(private_key, 'base64url')}`
}
