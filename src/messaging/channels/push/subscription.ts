/** The subscription of a browser, as `JSON.stringify(subscription)` of a page writes it: the push token of an app for the web. */
export type BrowserSubscription = {
  readonly endpoint: string
  readonly keys: { readonly p256dh: string; readonly auth: string }
}

/** Bytes of the public key of a browser, which is a point that is not compressed, and of its secret. */
const publicKeyBytes = 65
const authBytes = 16
const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** Reads the push token of a browser. Returns undefined for a text that is no subscription. Pure. */
export function readSubscription(token: string): BrowserSubscription | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(token)
  } catch {
    // The token of something that is no browser.
    return undefined
  }
  const { endpoint, keys } = (parsed ?? {}) as {
    endpoint?: unknown
    keys?: { p256dh?: unknown; auth?: unknown } | null
  }
  const { p256dh, auth } = keys ?? {}
  if (typeof endpoint !== 'string' || typeof p256dh !== 'string' || typeof auth !== 'string') return undefined
  if (!isEndpoint(endpoint)) return undefined
  const key = Buffer.from(p256dh, 'base64url')
  if (key.length !== publicKeyBytes || key[0] !== 4 || Buffer.from(auth, 'base64url').length !== authBytes)
    return undefined
  // The library takes base64url without padding.
  return { endpoint, keys: { p256dh: plain(p256dh), auth: plain(auth) } }
}

/** Browsers give only URLs with https. The text is not confidential, but its recipient is, so http is for this machine only. */
function isEndpoint(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username } = new URL(text)
  return username === '' && (protocol === 'https:' || (protocol === 'http:' && loopback.test(hostname)))
}

function plain(key: string): string {
  return Buffer.from(key, 'base64url').toString('base64url')
}

/** Returns the host of the push service of a subscription. */
export function serviceOf({ endpoint }: BrowserSubscription): string {
  return new URL(endpoint).host
}
