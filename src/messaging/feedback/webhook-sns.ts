import { verify, X509Certificate } from 'node:crypto'
import { unavailable } from '../../base/errors.ts'
import type { Fetcher } from '../../base/fetch/fetch.ts'
import { textIn } from './webhook-events.ts'

/** The signed fields of each type of message, in the order of the signed text. */
const signedFields: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['Notification', ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']],
  ['SubscriptionConfirmation', ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']],
  ['UnsubscribeConfirmation', ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']],
])
const hashes: ReadonlyMap<unknown, string> = new Map([
  ['1', 'RSA-SHA1'],
  ['2', 'RSA-SHA256'],
])

/** The path of certificates, as Amazon documents it. */
const certificatePath = /^\/SimpleNotificationService-[0-9a-f]{32}\.pem$/
const hostPattern = /^sns\.([a-z0-9-]{3,40})\.amazonaws\.com(?:\.cn)?$/
const certificatesMax = 32
const certificateBytesMax = 65_536

type Fields = { readonly [name: string]: unknown }

type Fetch = Pick<Fetcher, 'fetch'>

/** Verifies messages of Amazon SNS, with a cache of certificates. */
export type SnsClient = {
  /** Returns whether SNS signed this message for the topic. `nowMs` is machine time. Throws 503 if the certificate cannot be fetched. */
  isSigned(message: Fields, topic_arn: string, nowMs: number): Promise<boolean>
  /** Confirms the subscription that a signed message asks for. Throws 503 if this does not succeed now. */
  confirm(message: Fields): Promise<void>
}

export function openSnsClient(fetcher: Fetch): SnsClient {
  const certificates = new Map<string, X509Certificate>()

  async function certificateAt(url: string): Promise<X509Certificate | undefined> {
    const known = certificates.get(url)
    if (known) return known
    const certificate = readCertificate(await fetchFromSns(fetcher, url, certificateBytesMax))
    if (!certificate) return undefined
    const oldest = certificates.keys().next()
    if (certificates.size >= certificatesMax && !oldest.done) certificates.delete(oldest.value)
    certificates.set(url, certificate)
    return certificate
  }

  return {
    async isSigned(message, topic_arn, nowMs) {
      const signed = signedText(message)
      const url = snsUrl(message.SigningCertURL ?? message.SigningCertUrl, topic_arn)
      const hash = hashes.get(message.SignatureVersion)
      const signature = textIn(message.Signature)
      if (message.TopicArn !== topic_arn || signed === undefined || !hash || !signature) return false
      if (!url || !certificatePath.test(url.pathname) || url.search !== '') return false
      const certificate = await certificateAt(`${url.origin}${url.pathname}`)
      if (!certificate) return false
      if (certificate.validFromDate.getTime() > nowMs || certificate.validToDate.getTime() < nowMs) return false
      return verify(hash, Buffer.from(signed), certificate.publicKey, Buffer.from(signature, 'base64'))
    },
    async confirm(message) {
      const url = snsUrl(message.SubscribeURL, String(message.TopicArn))
      if (url) await fetchFromSns(fetcher, url.href, certificateBytesMax)
    },
  }
}

/** Parses a URL of SNS in the region of the topic: https at the usual port; undefined for any other URL. */
function snsUrl(text: unknown, topic_arn: string): URL | undefined {
  const url = URL.parse(textIn(text) ?? '')
  if (url?.protocol !== 'https:' || url.port !== '' || url.username !== '' || url.password !== '') return undefined
  return hostPattern.exec(url.hostname)?.[1] === topic_arn.split(':')[3] ? url : undefined
}

/** Reads a certificate. Returns undefined if it is invalid or its key is not RSA, the only kind that SNS uses. */
function readCertificate(pem: Buffer): X509Certificate | undefined {
  try {
    const certificate = new X509Certificate(pem)
    return certificate.publicKey.asymmetricKeyType === 'rsa' ? certificate : undefined
  } catch {
    // The runtime throws when the answer is not a certificate.
    return undefined
  }
}

function signedText(message: Fields): string | undefined {
  const names = signedFields.get(message.Type)
  if (names === undefined) return undefined
  const lines = names.flatMap((name) => {
    const value = message[name]
    return typeof value === 'string' ? [name, value] : []
  })
  return `${lines.join('\n')}\n`
}

async function fetchFromSns(fetcher: Fetch, url: string, bytesMax: number): Promise<Buffer> {
  const answer = await fetcher.fetch(url, { bytesMax, redirectsMax: 0 }).catch((error: unknown) => {
    throw unavailable('Amazon SNS cannot be reached', error)
  })
  if (answer.status !== 200) throw unavailable(`Amazon SNS answered with ${answer.status}`)
  return answer.body
}
