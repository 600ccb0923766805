import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Fetcher } from '../../src/base/fetch/fetch.ts'
import { openSnsClient, type SnsClient } from '../../src/messaging/feedback/webhook-sns.ts'

/** A recorded event of a provider, and the report it is read as; null when it is ignored. */
export type RecordedEvent = { readonly message: Readonly<Record<string, unknown>>; readonly expect: object | null }

const folder = join(import.meta.dirname, '../wire/providers')
const pem = readFileSync(join(folder, 'sns-test.pem'), 'utf8')
const origin = 'https://sns.eu-west-1.amazonaws.com'

export const topic = 'arn:aws:sns:eu-west-1:123456789012:bounces'
const certificateUrl = (n: number) => `${origin}/SimpleNotificationService-${String(n).repeat(32)}.pem`
export const providerKey = {
  url: certificateUrl(0),
  expiredUrl: certificateUrl(1),
  goneUrl: certificateUrl(2),
  /** Answers with a text that is no certificate. */
  brokenUrl: certificateUrl(3),
  subscribeUrl: `${origin}/?Action=ConfirmSubscription&TopicArn=${topic}&Token=2336412f37`,
}

/** Reads the recorded events of a provider, with the ids of this test inserted. */
export function eventsOf(provider: string, ours: Readonly<Record<string, string>>): readonly RecordedEvent[] {
  const text = readFileSync(join(folder, `${provider}.json`), 'utf8')
  return JSON.parse(text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => ours[name]!))
}

/** Replaces the internet: serves the certificates and the confirmation of SNS, and records which URLs were fetched. */
export function snsServer(): { fetcher: Fetcher; fetched: string[] } {
  const fetched: string[] = []
  const bodies: Readonly<Record<string, string>> = {
    [providerKey.url]: pem.slice(0, pem.indexOf('-----BEGIN PRIVATE KEY')),
    [providerKey.expiredUrl]: readFileSync(join(folder, 'sns-expired.pem'), 'utf8'),
    [providerKey.brokenUrl]: '<html>Sorry</html>',
    [providerKey.subscribeUrl]: '<ConfirmSubscriptionResponse/>',
  }
  const fetcher: Fetcher = {
    async fetch(url) {
      fetched.push(url)
      const body = bodies[url]
      return { status: body === undefined ? 404 : 200, headers: {}, body: Buffer.from(body ?? ''), url }
    },
    close: async () => undefined,
  }
  return { fetcher, fetched }
}

export function snsOf(): { sns: SnsClient; fetched: string[] } {
  const { fetcher, fetched } = snsServer()
  return { sns: openSnsClient(fetcher), fetched }
}

type SnsOptions = {
  readonly version?: '1' | '2'
  readonly subject?: string
  readonly topic?: string
  readonly certificate?: string
  readonly type?: 'Notification' | 'SubscriptionConfirmation'
}

/** Returns a message in the form of SNS, signed with the key of the test certificate. */
export function snsMessage(text: string, options: SnsOptions = {}): Readonly<Record<string, string>> {
  const { version = '1', type = 'Notification', certificate = providerKey.url } = options
  const message = {
    Type: type,
    MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
    TopicArn: options.topic ?? topic,
    ...(options.subject && { Subject: options.subject }),
    ...(type === 'SubscriptionConfirmation' && { Token: '2336412f37', SubscribeURL: providerKey.subscribeUrl }),
    Message: text,
    Timestamp: '2026-11-20T15:00:00.000Z',
  }
  const lines = Object.entries(message).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const signed = Buffer.from(lines.map(([name, value]) => `${name}\n${value}\n`).join(''))
  const signature = sign(version === '1' ? 'RSA-SHA1' : 'RSA-SHA256', signed, createPrivateKey(pem))
  return { ...message, SignatureVersion: version, Signature: signature.toString('base64'), SigningCertURL: certificate }
}

const sendgridKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
export const sendgridKey = sendgridKeys.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')

/** Returns the headers with which SendGrid signs a body. */
export function sendgridHeaders(body: string): Readonly<Record<string, string>> {
  const timestamp = '1795186800'
  const signature = sign('sha256', Buffer.from(timestamp + body), sendgridKeys.privateKey).toString('base64')
  return {
    'x-twilio-email-event-webhook-signature': signature,
    'x-twilio-email-event-webhook-timestamp': timestamp,
  }
}
