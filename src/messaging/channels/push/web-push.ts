import { createECDH } from 'node:crypto'
import type { Fetcher } from '../../../base/fetch/fetch.ts'
import { FetchError } from '../../../base/fetch/fetch-error.ts'
import { tryFetch } from '../../../base/fetch/try-fetch.ts'
import { type DeviceOutcome, outcomeOfWebPush } from './outcome.ts'
import { webPayloadOf } from './payload.ts'
import type { PreparedPush } from './prepare-pushes.ts'
import { timeToLiveMax } from './push-message.ts'
import type { PushSender } from './send-pushes.ts'
import { type BrowserSubscription, readSubscription, serviceOf } from './subscription.ts'

const answerBytesMax = 65_536
const answerMsMax = 10_000
/** Hosts that are remembered because they have answered. */
const hostsMax = 1_000

/** The services of all browsers, in a sentence. */
export const browserServices = 'the push services of browsers'

/** The keys by which push services know this installation (VAPID, RFC 8292), and how their operators reach its operator. */
export type VapidDetails = { readonly subject: string; readonly publicKey: string; readonly privateKey: string }

/** Returns the public key of a private one; both in base64url. Browsers subscribe with it. */
export function publicKeyOf(privateKey: string): string {
  const curve = createECDH('prime256v1')
  curve.setPrivateKey(Buffer.from(privateKey, 'base64url'))
  return curve.getPublicKey().toString('base64url')
}

/** Opens what sends to browsers by Web Push (RFC 8030, 8188, 8291). Browsers give the URLs, so the guard of foreign URLs decides. */
export function openWebPush(vapid: VapidDetails, fetcher: Fetcher): PushSender {
  const answered = new Set<string>()
  return {
    server: browserServices,
    async send(token, prepared, signal) {
      const subscription = readSubscription(token)!
      const request = await requestOf(subscription, prepared, vapid)
      if (!('headers' in request)) return request
      const { 'Content-Length': _, ...headers } = request.headers
      const answer = await tryFetch(fetcher, subscription.endpoint, {
        method: 'POST',
        headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
        body: request.body!,
        bytesMax: answerBytesMax,
        timeoutMs: answerMsMax,
        redirectsMax: 0,
        signal,
      })
      const host = serviceOf(subscription)
      if (!(answer instanceof FetchError) && answered.size < hostsMax) answered.add(host)
      return ofKnownHost(outcomeOfWebPush(answer), answered.has(host))
    },
    // The fetcher belongs to the process.
    close: async () => {},
  }
}

/**
 * A browser may name any host, also one that does not exist. Only a host that has answered before says that services are away: the others
 * must not make the pushes to everybody wait.
 */
function ofKnownHost(outcome: DeviceOutcome, isKnown: boolean): DeviceOutcome {
  if (outcome.kind !== 'unreached' || isKnown) return outcome
  return { kind: 'deferred', throttled: false, code: 0, response: outcome.message }
}

async function requestOf(subscription: BrowserSubscription, prepared: PreparedPush, vapid: VapidDetails) {
  const { push, tag, isUrgent } = prepared
  // Loaded by the first push: most processes send none.
  const { default: webPush } = await import('web-push')
  try {
    return webPush.generateRequestDetails(subscription, JSON.stringify(webPayloadOf(push, tag)), {
      vapidDetails: vapid,
      contentEncoding: 'aes128gcm',
      TTL: push.time_to_live ?? timeToLiveMax,
      urgency: isUrgent ? 'high' : 'normal',
      topic: tag,
    })
  } catch (error) {
    // The key of the browser is no point of the curve.
    return {
      kind: 'refused' as const,
      code: 0,
      response: `nothing can be encrypted for it: ${(error as Error).message}`,
    }
  }
}
