import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import test from 'node:test'
import fc from 'fast-check'
import { findMessageToken } from '../../src/messaging/feedback/find-message-token.ts'
import { readSesEvents } from '../../src/messaging/feedback/webhook-amazon-ses.ts'
import type { ProviderEvent } from '../../src/messaging/feedback/webhook-events.ts'
import { mailgunWindowMs, readMailgunEvents, verifyMailgun } from '../../src/messaging/feedback/webhook-mailgun.ts'
import { isSignedBySendgrid, readSendgridEvents } from '../../src/messaging/feedback/webhook-sendgrid.ts'
import { formatToken } from '../../src/people/addresses/message-token.ts'
import { eventsOf, providerKey, snsMessage, snsOf, topic } from '../support/providers.ts'

const secret = Buffer.alloc(32, 7)
const named = { profile_id: '12345', message_id: '67890' }
const tokens = {
  address: 'somebody@example.com',
  message: formatToken(named, 'message', secret),
  bounce: formatToken(named, 'bounce', secret),
}
const providers: Readonly<Record<string, (message: unknown) => ProviderEvent[]>> = {
  'amazon-ses': readSesEvents,
  sendgrid: (message) => readSendgridEvents([message]),
  mailgun: (message) => readMailgunEvents({ 'event-data': message }),
}

test('events of providers are converted, with the message they belong to', () => {
  for (const [provider, read] of Object.entries(providers)) {
    const cases = eventsOf(provider, tokens)
    assert.ok(cases.length > 10)
    for (const { message, expect } of cases) {
      const events = read(message)
      const what = `${provider} ${JSON.stringify(message)}`
      assert.equal(events.length, expect === null ? 0 : 1, what)
      if (expect === null) continue
      assert.partialDeepStrictEqual(events[0], expect, what)
      assert.deepEqual(findMessageToken(events[0]!.tokenTexts, secret), named, what)
      assert.ok(events[0]!.occurredUs! > Date.UTC(2026, 10, 20) * 1000, what)
    }
  }
})

test('any other body has no events or complete events', () => {
  const names = [
    'event',
    'eventType',
    'notificationType',
    'bounce',
    'mail',
    'headers',
    'recipient',
    'timestamp',
    'bouncedRecipients',
  ]
  const words = [
    'bounce',
    'Bounce',
    'Complaint',
    'Delivery',
    'failed',
    'permanent',
    'open',
    '__proto__',
    '\u0000',
    '\ud800',
  ]
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<unknown>(null, true, 1e300, -1, Number.NaN, ...words),
      fc.array(tie('any'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...names, 'event-data'), tie('any'), { maxKeys: 5 }),
    ),
  })).any
  fc.assert(
    fc.property(value, (message) => {
      for (const read of [...Object.values(providers), readSendgridEvents, readMailgunEvents]) {
        for (const { verb, detail, tokenTexts, address, occurredUs } of read(message)) {
          assert.equal(typeof verb, 'string')
          assert.equal(typeof detail, 'string')
          assert.ok(address === undefined || typeof address === 'string')
          assert.ok(occurredUs === undefined || Number.isSafeInteger(occurredUs))
          findMessageToken(tokenTexts, secret)
        }
      }
    }),
    { numRuns: 500 },
  )
})

test('a token is only found in addresses and headers of its purpose', () => {
  const other = formatToken(named, 'unsubscribe', secret)
  const found: readonly string[] = [
    `<m.${tokens.message}@example.com>`,
    `m.${tokens.message}@example.com`,
    `<M.${tokens.message.toUpperCase()}@example.com>`,
    `Shop <b+${tokens.bounce}@bounce.example.com>`,
    ` ${tokens.message} `,
  ]
  for (const text of found) assert.deepEqual(findMessageToken([undefined, 7, 'x', text], secret), named, text)
  const unknown = [
    tokens.bounce,
    other,
    `b+${tokens.message}@a.example`,
    `m.${tokens.bounce}@a.example`,
    `<xm.${tokens.message}@a.example>`,
    `m.${tokens.message}0@a.example`,
  ]
  assert.equal(findMessageToken(unknown, secret), undefined)
})

test("SendGrid's published example is valid, and changed ones are not", () => {
  // A signature from the tests of SendGrid's own libraries.
  const key =
    'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1flpVKS3GRqe62gw+2fNNRaINXvVpiglSI8eNEc6wEA3F+g=='
  const signature = 'MEUCIGHQVtGj+Y3LkG9fLcxf3qfI10QysgDWmMOVmxG0u6ZUAiEAyBiXDWzM+uOe5W0JuG+luQAbPIqHh89M15TluLtEZtM='
  const event = {
    email: 'hello@world.com',
    event: 'dropped',
    reason: 'Bounced Address',
    sg_event_id: 'ZHJvcC0xMDk5NDkxOS1MUnpYbF9OSFN0T0doUTRrb2ZTbV9BLTA',
    sg_message_id: 'LRzXl_NHStOGhQ4kofSm_A.filterdrecv-p3mdw1-756b745b58-kmzbl-18-5F5FC76C-9.0',
    'smtp-id': '<LRzXl_NHStOGhQ4kofSm_A@ismtpd0039p1iad1.sendgrid.net>',
    timestamp: 1600112492,
  }
  const body = Buffer.from(`${JSON.stringify([event])}\r\n`)
  assert.ok(isSignedBySendgrid(body, '1600112502', signature, key))
  assert.ok(!isSignedBySendgrid(body.subarray(0, -2), '1600112502', signature, key))
  assert.ok(!isSignedBySendgrid(body, '1600112503', signature, key))
  assert.ok(!isSignedBySendgrid(body, undefined, signature, key))
  assert.ok(!isSignedBySendgrid(body, '1600112502', undefined, key))
  for (const bad of ['', 'AAAA', `${signature.slice(0, -4)}AAA=`])
    assert.ok(!isSignedBySendgrid(body, '1600112502', bad, key))
  for (const bad of ['AAAA', 'MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=']) {
    assert.ok(!isSignedBySendgrid(body, '1600112502', signature, bad))
  }
})

test('a signature of Mailgun is valid for its key and time', () => {
  const nowMs = Date.UTC(2026, 10, 20)
  const signed = (atMs: number, key = 'key') => {
    const timestamp = String(atMs / 1000)
    return {
      signature: {
        timestamp,
        token: 'word',
        signature: createHmac('sha256', key).update(`${timestamp}word`).digest('hex'),
      },
    }
  }
  assert.equal(verifyMailgun(signed(nowMs), 'key', nowMs), 'word')
  for (const sign of [-1, 1]) {
    assert.equal(verifyMailgun(signed(nowMs + sign * mailgunWindowMs), 'key', nowMs), 'word')
    assert.equal(verifyMailgun(signed(nowMs + sign * (mailgunWindowMs + 1000)), 'key', nowMs), undefined)
  }
  const { signature } = signed(nowMs)
  const spoilt = [
    { ...signature, token: 'other' },
    { ...signature, timestamp: '1e9' },
    { ...signature, signature: 'é'.repeat(64) },
    null,
    'x',
  ]
  for (const each of spoilt) assert.equal(verifyMailgun({ signature: each }, 'key', nowMs), undefined)
  assert.equal(verifyMailgun(signed(nowMs, 'other'), 'key', nowMs), undefined)
})

test('a message of SNS is accepted when a certificate of SNS signs it for the topic', async () => {
  const { sns, fetched } = snsOf()
  const nowMs = Date.UTC(2026, 10, 20)
  const isSigned = (message: Readonly<Record<string, unknown>>) => sns.isSigned(message, topic, nowMs)
  for (const version of ['1', '2'] as const) {
    for (const subject of [undefined, 'Bounce']) {
      const message = snsMessage('{}', { version, ...(subject && { subject }) })
      assert.ok(await isSigned(message), version)
      assert.ok(!(await isSigned({ ...message, Message: '{ }' })))
      assert.ok(!(await isSigned({ ...message, Subject: 'other' })))
      assert.ok(!(await isSigned({ ...message, SignatureVersion: version === '1' ? '2' : '1' })))
    }
  }
  assert.deepEqual(fetched, [providerKey.url])
  const elsewhere = [
    'http://sns.eu-west-1.amazonaws.com/key.pem',
    'https://sns.eu-west-1.amazonaws.com.evil.example/key.pem',
    'https://sns.us-east-1.amazonaws.com/key.pem',
    'https://evil.example/sns.eu-west-1.amazonaws.com/key.pem',
    'https://sns.eu-west-1.amazonaws.com@evil.example/key.pem',
    'https://user@sns.eu-west-1.amazonaws.com/key.pem',
    'https://sns.eu-west-1.amazonaws.com:8443/key.pem',
    'https://s3.eu-west-1.amazonaws.com/key.pem',
    'https://sns.eu-west-1.amazonaws.com/key.txt',
    'https://sns.eu-west-1.amazonaws.com/key.pem',
    'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0.pem',
    `https://sns.eu-west-1.amazonaws.com/bucket/SimpleNotificationService-${'0'.repeat(32)}.pem`,
    `${providerKey.url}?other`,
    `${providerKey.url}/../x.pem`,
    7,
  ]
  for (const SigningCertURL of elsewhere) {
    assert.ok(!(await isSigned({ ...snsMessage('{}'), SigningCertURL })), String(SigningCertURL))
  }
  assert.deepEqual(fetched, [providerKey.url])
  assert.ok(!(await isSigned({ ...snsMessage('{}'), Type: 'toString' })))
  assert.ok(!(await isSigned(snsMessage('{}', { topic: `${topic}-other` }))))
  const broken = snsMessage('{}', { certificate: providerKey.brokenUrl })
  assert.ok(!(await isSigned(broken)), 'an answer that is not a certificate')
  const expired = snsMessage('{}', { certificate: providerKey.expiredUrl })
  assert.ok(!(await isSigned(expired)))
  await assert.rejects(isSigned(snsMessage('{}', { certificate: providerKey.goneUrl })), /Amazon SNS answered with 404/)
})
