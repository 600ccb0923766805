import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import {
  type CuttableServer,
  type NextAnswer,
  startCuttableServer,
  type TakenRequest,
  type Taking,
} from './cuttable-server.ts'

/** A push that a browser has got, decrypted. */
export type BrowserPush = {
  readonly payload: Readonly<Record<string, unknown>>
  /** The decrypted bytes. */
  readonly bytes: number
  readonly ttl: number
  readonly urgency: string
  readonly topic: string
}

/** A browser that has subscribed. */
export type Browser = {
  /** What `JSON.stringify(subscription)` gives on its page: the push token. */
  readonly token: string
  readonly endpoint: string
  readonly got: BrowserPush[]
  /** The notifications that it shows: one for each tag. */
  shown(): readonly Readonly<Record<string, unknown>>[]
  /** The person takes the permission back: the service no longer knows the subscription. `status` is what it answers then. */
  leave(status?: 404 | 410): void
}

export type PushService = {
  /** The settings with which a service of Easel sends to it. */
  readonly env: { readonly [name: string]: string }
  readonly next: NextAnswer[]
  /** Why requests were refused. */
  readonly complaints: string[]
  /** The endpoints that got a push, in their order. */
  readonly taken: string[]
  /** The pushes that browsers could decrypt, in their order, with the connections by which the service got them. */
  readonly seen: { readonly endpoint: string; readonly push: BrowserPush; readonly connection: number }[]
  readonly server: CuttableServer
  subscribe(): Browser
  stop(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

/** A private VAPID key of the tests, and its public key. */
const vapid = createECDH('prime256v1')
vapid.setPrivateKey(Buffer.alloc(32, 7))
export const vapidPrivateKey = vapid.getPrivateKey().toString('base64url')
export const vapidPublicKey = vapid.getPublicKey().toString('base64url')
export const vapidContact = 'mailto:push@example.com'

/** The largest body that services take (RFC 8030, 7.2). */
const bodyBytesMax = 4_096
const dayS = 86_400

/** A browser, what decrypts for it, and what the service answers when it no longer knows it. */
type Known = { readonly browser: Browser; readonly decrypt: (body: Buffer) => Buffer; goneWith: number | undefined }

/** Starts a push service (RFC 8030) that checks the signature of the sender (RFC 8292), and browsers that decrypt (RFC 8291). */
export async function startPushService(): Promise<PushService> {
  const browsers = new Map<string, Known>()
  const complaints: string[] = []
  const taken: string[] = []
  const seen: PushService['seen'] = []
  const server = await startCuttableServer(
    (request) => answer(request),
    ({ path }) => browsers.get(path)?.goneWith === undefined,
  )
  const origin = `http://127.0.0.1:${server.port}`

  function answer(request: TakenRequest): Taking {
    const { method, path } = request
    const known = browsers.get(path)
    if (known?.goneWith !== undefined) return { status: known.goneWith, body: { reason: 'unsubscribed or expired' } }
    const refused =
      method !== 'POST' || known === undefined
        ? { status: 404, reason: `${method} ${path} is no subscription` }
        : mistakeOf(request, origin)
    if (refused !== undefined) {
      complaints.push(refused.reason)
      return { status: refused.status, body: refused }
    }
    return { status: 201, take: () => take(known!, origin + path, request) }
  }

  function take(
    { browser, decrypt: open }: Known,
    endpoint: string,
    { headers, body, connection }: TakenRequest,
  ): void {
    taken.push(endpoint)
    try {
      const push = pushOf(open(body), headers)
      browser.got.push(push)
      seen.push({ endpoint, push, connection })
    } catch (error) {
      // A service cannot decrypt. Its browser shows nothing, and a test that expects a push sees why.
      complaints.push(`the browser cannot decrypt it: ${String(error)}`)
    }
  }

  return {
    env: {
      EASEL_FETCH_ALLOW: `127.0.0.1:${server.port}`,
      WEB_PUSH_CONTACT: vapidContact,
      WEB_PUSH_PRIVATE_KEY: vapidPrivateKey,
    },
    next: server.next,
    complaints,
    taken,
    seen,
    server,
    subscribe() {
      const path = `/push/${randomBytes(16).toString('base64url')}`
      const known = newBrowser(origin + path)
      browsers.set(path, known)
      return known.browser
    },
    stop: server.stop,
    start: server.start,
    close: server.close,
  }
}

/** Makes the keys of a browser that subscribes. */
function newBrowser(endpoint: string): Known {
  const keys = createECDH('prime256v1')
  keys.generateKeys()
  const auth = randomBytes(16)
  const p256dh = keys.getPublicKey('base64url')
  const got: BrowserPush[] = []
  const browser: Browser = {
    token: JSON.stringify({ endpoint, expirationTime: null, keys: { p256dh, auth: auth.toString('base64url') } }),
    endpoint,
    got,
    shown: () => [...new Map(got.map(({ payload }) => [payload.tag, payload])).values()],
    leave(status = 410) {
      known.goneWith = status
    },
  }
  const known: Known = { browser, decrypt: (body) => decrypt(body, keys, auth), goneWith: undefined }
  return known
}

function pushOf(plain: Buffer, { ttl, urgency, topic }: IncomingHttpHeaders): BrowserPush {
  return {
    payload: JSON.parse(plain.toString('utf8')),
    bytes: plain.length,
    ttl: Number(ttl),
    urgency: String(urgency),
    topic: String(topic),
  }
}

function mistakeOf({ headers, body }: TakenRequest, origin: string): { status: number; reason: string } | undefined {
  const signed = vapidMistake(headers, origin)
  if (signed !== undefined) return { status: 403, reason: signed }
  if (body.length > bodyBytesMax) return { status: 413, reason: `the body has ${body.length} bytes` }
  const wrong = headerMistake(headers)
  return wrong === undefined ? undefined : { status: 400, reason: wrong }
}

/** Returns why the sender is not who it says. */
function vapidMistake({ authorization = '' }: IncomingHttpHeaders, origin: string): string | undefined {
  const [, token, key] = /^vapid t=([^,]+), k=([\w-]+)$/.exec(authorization) ?? []
  if (token === undefined || key === undefined) return 'there is no VAPID header'
  if (key !== vapidPublicKey) return 'the browser has subscribed with another key'
  const [head = '', claims = '', signature = ''] = token.split('.')
  const point = Buffer.from(key, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
  const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: x!, y: y! }, format: 'jwk' })
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  if (!isSigned) return 'the signature is wrong'
  const { aud, exp, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>
  const nowS = Date.now() / 1_000
  if (aud !== origin) return `it is signed for ${String(aud)}`
  if (typeof exp !== 'number' || exp < nowS || exp > nowS + dayS) return `it ends at ${String(exp)}`
  return sub === vapidContact ? undefined : `its contact is ${String(sub)}`
}

function headerMistake(headers: IncomingHttpHeaders): string | undefined {
  if (!/^\d+$/.test(String(headers.ttl))) return 'there is no TTL'
  if (headers['content-encoding'] !== 'aes128gcm') return `the encoding is ${headers['content-encoding']}`
  if (!['very-low', 'low', 'normal', 'high'].includes(String(headers.urgency))) return 'the urgency is unknown'
  return /^[\w-]{1,32}$/.test(String(headers.topic)) ? undefined : 'the topic is none'
}

/** Decrypts a body of one record as a browser does (RFC 8291 and RFC 8188). */
function decrypt(body: Buffer, keys: ReturnType<typeof createECDH>, auth: Buffer): Buffer {
  const salt = body.subarray(0, 16)
  const recordBytes = body.readUInt32BE(16)
  const idBytes = body.readUInt8(20)
  const sender = body.subarray(21, 21 + idBytes)
  const record = body.subarray(21 + idBytes)
  if (record.length > recordBytes) throw new Error('there is more than one record')
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), keys.getPublicKey(), sender])
  const shared = Buffer.from(hkdfSync('sha256', keys.computeSecret(sender), auth, info, 32))
  const derive = (use: string, length: number) =>
    Buffer.from(hkdfSync('sha256', shared, salt, `Content-Encoding: ${use}\0`, length))
  const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12))
  decipher.setAuthTag(record.subarray(-16))
  const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()])
  const end = padded.findLastIndex((byte) => byte !== 0)
  if (padded[end] !== 2) throw new Error('the last record does not say that it is the last')
  return padded.subarray(0, end)
}
