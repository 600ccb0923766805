import type { Clock } from '../../../base/clock.ts'
import { type Fetcher, openFetcher } from '../../../base/fetch/fetch.ts'
import { FetchError } from '../../../base/fetch/fetch-error.ts'
import { tryFetch } from '../../../base/fetch/try-fetch.ts'
import type { ServiceAccount } from '../../../base/service-account.ts'
import { openBearer } from './fcm-bearer.ts'
import { outcomeOfFcm } from './outcome.ts'
import { fcmMessageOf } from './payload.ts'
import { type PushName, timeToLiveMax } from './push-message.ts'
import type { PushSender } from './send-pushes.ts'

const defaultUrl = 'https://fcm.googleapis.com'
const answerBytesMax = 65_536
const answerMsMax = 10_000

/** Opens what sends to Apple and Android devices by the HTTP v1 interface of FCM. Its hosts are those that the operator names. */
export function openFcm(
  name: Exclude<PushName, 'web_push'>,
  account: ServiceAccount,
  url: string | undefined,
  clock: Clock,
): PushSender {
  const base = fcmBase(url)
  const fetcher: Fetcher = openFetcher({ allow: [allowedHost(base), allowedHost(account.token_uri)] })
  const bearer = openBearer(account, fetcher, clock)
  const endpoint = `${base}/v1/projects/${encodeURIComponent(account.project_id)}/messages:send`
  async function post(token: string, message: object, signal: AbortSignal) {
    const access = await bearer.get()
    if ('kind' in access) return access
    const answer = await tryFetch(fetcher, endpoint, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${access.token}`,
        'content-type': 'application/json',
        accept: 'application/json',
      },
      body: JSON.stringify({ message: { token, ...message } }),
      bytesMax: answerBytesMax,
      timeoutMs: answerMsMax,
      redirectsMax: 0,
      signal,
    })
    // It may have been revoked before its time. The next attempt gets another one.
    if (!(answer instanceof FetchError) && answer.status === 401) bearer.forget(access.token)
    return answer
  }
  return {
    server: base,
    async send(token, { push, tag, isUrgent }, signal) {
      const expiresS = Math.floor(clock.elapsed() / 1_000) + (push.time_to_live ?? timeToLiveMax)
      const answer = await post(token, fcmMessageOf(name, push, tag, isUrgent, expiresS), signal)
      return 'kind' in answer ? answer : outcomeOfFcm(answer)
    },
    close: () => fetcher.close(),
  }
}

/** Returns the address of the service; `url` is `EASEL_FCM_URL`. */
export function fcmBase(url: string | undefined): string {
  return url ?? defaultUrl
}

function allowedHost(url: string) {
  const { hostname, port, protocol } = new URL(url)
  return { target: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port) || (protocol === 'https:' ? 443 : 80) }
}
