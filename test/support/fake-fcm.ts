import { generateKeyPairSync, randomBytes, verify } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type CuttableServer,
  type NextAnswer,
  startCuttableServer,
  type TakenRequest,
  type Taking,
} from './cuttable-server.ts'

type Item = Readonly<Record<string, unknown>>

/** A message that the service has taken. */
export type FcmPush = {
  readonly token: string
  readonly notification?: Item
  readonly data?: Item
  readonly android?: Item & { readonly notification: Item }
  readonly apns?: { readonly headers: Item; readonly payload: Item }
}

export type FakeFcm = {
  readonly server: CuttableServer
  /** The messages in their order, with the connections by which the service got them. */
  readonly seen: { readonly push: FcmPush; readonly connection: number }[]
  /** The settings with which a service of Easel sends to it. */
  readonly env: { readonly [name: string]: string }
  readonly taken: FcmPush[]
  readonly next: NextAnswer[]
  readonly complaints: string[]
  /** Tokens of apps that were removed from their devices. */
  readonly unregistered: Set<string>
  /** How many bearer tokens were given. */
  tokensGiven(): number
  /** Makes all bearer tokens that were given invalid. */
  revoke(): void
  stop(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

const project = 'shop-of-the-tests'
const account = `push@${project}.iam.gserviceaccount.com`
const scope = 'https://www.googleapis.com/auth/firebase.messaging'
const payloadBytesMax = 4_096
const hourS = 3_600
const members = ['token', 'notification', 'data', 'android', 'apns']
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })

/** Starts a service with the token endpoint and the HTTP v1 interface of Firebase Cloud Messaging, as its reference describes them. */
export async function startFakeFcm(): Promise<FakeFcm> {
  const taken: FcmPush[] = []
  const seen: FakeFcm['seen'] = []
  const complaints: string[] = []
  const unregistered = new Set<string>()
  const bearers = new Set<string>()
  let given = 0
  const server = await startCuttableServer(answer, ({ path }) => path !== '/token')
  const url = `http://127.0.0.1:${server.port}`
  const folder = mkdtempSync(join(tmpdir(), 'easel-fcm-'))
  const file = writeAccount(folder, url)
  const refuse = (status: number, code: string, message: string): Taking => {
    complaints.push(message)
    return { status, body: fcmError(status, code, message) }
  }

  function answer(request: TakenRequest): Taking {
    if (request.path === '/token') return giveToken(request)
    if (request.path !== `/v1/projects/${project}/messages:send`) return refuse(404, 'NOT_FOUND', request.path)
    const [, bearer = ''] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? []
    if (!bearers.has(bearer)) return { status: 401, body: fcmError(401, 'UNAUTHENTICATED', 'the token is not valid') }
    const { message } = JSON.parse(request.body.toString('utf8')) as { message: FcmPush }
    const mistake = mistakeOf(message)
    if (mistake !== undefined) return refuse(400, 'INVALID_ARGUMENT', mistake)
    if (unregistered.has(message.token))
      return { status: 404, body: fcmError(404, 'UNREGISTERED', 'Requested entity was not found.') }
    const name = `projects/${project}/messages/${randomBytes(8).toString('hex')}`
    return { status: 200, body: { name }, take: () => take(message, request.connection) }
  }

  function take(push: FcmPush, connection: number): void {
    taken.push(push)
    seen.push({ push, connection })
  }

  function giveToken({ body }: TakenRequest): Taking {
    const mistake = grantMistake(new URLSearchParams(body.toString()), url)
    if (mistake !== undefined) return refuse(400, 'invalid_grant', mistake)
    const access_token = randomBytes(24).toString('base64url')
    bearers.add(access_token)
    given++
    return { status: 200, body: { access_token, token_type: 'Bearer', expires_in: hourS } }
  }

  return {
    env: { FCM_SERVICE_ACCOUNT_FILE: file, FCM_URL: url },
    server,
    seen,
    taken,
    complaints,
    unregistered,
    next: server.next,
    tokensGiven: () => given,
    revoke: () => bearers.clear(),
    stop: server.stop,
    start: server.start,
    async close() {
      await server.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** Writes the file of the service account. Returns its path. */
function writeAccount(folder: string, url: string): string {
  const file = join(folder, 'service-account.json')
  const given = {
    ...{ type: 'service_account', project_id: project, client_email: account, token_uri: `${url}/token` },
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  }
  writeFileSync(file, JSON.stringify(given))
  return file
}

/** Returns why a request for a bearer token is refused. */
function grantMistake(form: URLSearchParams, url: string): string | undefined {
  const [head = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.')
  const signed = Buffer.from(`${head}.${claims}`)
  if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer') return 'the grant is unknown'
  if (!verify('RSA-SHA256', signed, publicKey, Buffer.from(signature, 'base64url'))) return 'it is not signed'
  const { iss, aud, iat, exp, scope: wanted } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Item
  const isNow = Math.abs(Number(iat) - Date.now() / 1_000) < hourS / 2 && Number(exp) - Number(iat) === hourS
  const isRight = iss === account && aud === `${url}/token` && wanted === scope && isNow
  return isRight ? undefined : `the claims are wrong: ${claims}`
}

/** The body of an error of the service. */
export function fcmError(status: number, errorCode: string, message: string): object {
  const type = 'type.googleapis.com/google.firebase.fcm.v1.FcmError'
  return { error: { code: status, message, status: errorCode, details: [{ '@type': type, errorCode }] } }
}

function mistakeOf(message: FcmPush | undefined): string | undefined {
  if (typeof message?.token !== 'string') return 'message.token is required'
  const unknown = Object.keys(message).find((name) => !members.includes(name))
  if (unknown !== undefined) return `Unknown name "${unknown}" at 'message'`
  const { notification, data = {} } = message
  if (typeof notification?.body !== 'string') return 'message.notification.body is required'
  if (Object.values(data).some((value) => typeof value !== 'string')) return 'message.data has a value that is no text'
  const bytes = Buffer.byteLength(JSON.stringify({ notification, ...(Object.keys(data).length > 0 && { data }) }))
  return bytes > payloadBytesMax ? 'Android message is too big' : undefined
}
