import { verify, X509Certificate } from 'node:crypto'
import { unavailable } from '../../base/errors.ts'
import type { Fetcher } from '../../base/fetch/fetch.ts'
import { textOf } from './webhook-events.ts'

/** What is signed of each type of message, in this order. */
const signedFields: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['Notification', ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']],
  ['SubscriptionConfirmation', ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']],
  ['UnsubscribeConfirmation', ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']],
])
const hashes: ReadonlyMap<unknown, string> = new Map([
  ['1', 'RSA-SHA1'],
  ['2', 'RSA-SHA256'],
])

/** As Amazon documents it. */
const certificatePath = /^\/SimpleNotificationService-[0-9a-f]{32}\.pem$/
const hostPattern = /^sns\.([a-z0-9-]{3,40})\.amazonaws\.com(?:\.cn)?$/
const certificatesMax = 32
const certificateBytesMax = 65_536

type Fields = { readonly [name: string]: unknown }

type Fetch = Pick<Fetcher, 'fetch'>

/** Checks messages of Amazon SNS; keeps the certificates that it has fetched. */
export type SnsClient = {
  /** Whether SNS signed this for the topic, by machine time. Rejects with 503 when its certificate cannot be had now. */
  isSigned(message: Fields, topic_arn: string, nowMs: number): Promise<boolean>
  /** Confirms the subscription that a signed message asks for. Rejects with 503 when that does not succeed now. */
  confirm(message: Fields): Promise<void>
}

export function openSnsClient(fetcher: Fetch): SnsClient {
  const certificates = new Map<string, X509Certificate>()

  async function certificateAt(url: string): Promise<X509Certificate | undefined> {
    const known = certificates.get(url)
    if (known) return known
    const certificate = readCertificate(await fetched(fetcher, url, certificateBytesMax))
    if (!certificate) return undefined
    const oldest = certificates.keys().next()
    if (certificates.size >= certificatesMax && !oldest.done) certificates.delete(oldest.value)
    certificates.set(url, certificate)
    return certificate
  }

  return {
    async isSigned(message, topic_arn, nowMs) {
      const signed = signedText(message)
      const url = ownUrl(message.SigningCertURL ?? message.SigningCertUrl, topic_arn)
      const hash = hashes.get(message.SignatureVersion)
      const signature = textOf(message.Signature)
      if (message.TopicArn !== topic_arn || signed === undefined || !hash || !signature) return false
      if (!url || !certificatePath.test(url.pathname) || url.search !== '') return false
      const certificate = await certificateAt(`${url.origin}${url.pathname}`)
      if (!certificate) return false
      if (certificate.validFromDate.getTime() > nowMs || certificate.validToDate.getTime() < nowMs) return false
      return verify(hash, Buffer.from(signed), certificate.publicKey, Buffer.from(signature, 'base64'))
    },
    async confirm(message) {
      const url = ownUrl(message.SubscribeURL, String(message.TopicArn))
      if (url) await fetched(fetcher, url.href, certificateBytesMax)
    },
  }
}

/** An address of SNS itself, in the region of the topic: over TLS, at its usual port. */
function ownUrl(text: unknown, topic_arn: string): URL | undefined {
  const url = URL.parse(textOf(text) ?? '')
  if (url?.protocol !== 'https:' || url.port !== '' || url.username !== '' || url.password !== '') return undefined
  return hostPattern.exec(url.hostname)?.[1] === topic_arn.split(':')[3] ? url : undefined
}

/** Undefined for what is no certificate of an RSA key, the only ones that SNS signs with. */
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

async function fetched(fetcher: Fetch, url: string, bytesMax: number): Promise<Buffer> {
  const [answer] = await Promise.allSettled([fetcher.fetch(url, { bytesMax, redirectsMax: 0 })])
  if (answer.status === 'rejected') throw unavailable('Amazon SNS cannot be reached', answer.reason)
  if (answer.value.status !== 200) throw unavailable(`Amazon SNS answered with ${answer.value.status}`)
  return answer.value.body
}
