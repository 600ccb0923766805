import { createHmac, timingSafeEqual } from 'node:crypto'
import { classifyBounce } from '../mail/bounce-kind.ts'
import type { BounceKind } from '../messages/transport-outcome.ts'
import { parseDiagnostic } from './delivery-status.ts'
import { fieldsIn, joinTexts, microsecondsOf, type ProviderEvent, textIn } from './webhook-events.ts'

/** How far the timestamp of a request may be from machine time. Mailgun tries a request for eight hours. */
export const mailgunWindowMs = 12 * 60 * 60 * 1000

const signaturePattern = /^[0-9a-f]{64}$/i

/** Returns the token of a request if the signature is valid and its timestamp within the window around `nowMs`, machine time. */
export function verifyMailgun(body: unknown, key: string, nowMs: number): string | undefined {
  const { timestamp: at, token: givenToken, signature: givenSignature } = fieldsIn(fieldsIn(body).signature)
  const [timestamp, token, signature] = [joinTexts(at), textIn(givenToken), textIn(givenSignature)]
  if (!/^\d{1,12}$/.test(timestamp) || !token || !signature || !signaturePattern.test(signature)) return undefined
  const expected = createHmac('sha256', key)
    .update(timestamp + token)
    .digest()
  if (!timingSafeEqual(Buffer.from(signature, 'hex'), expected)) return undefined
  return Math.abs(Number(timestamp) * 1000 - nowMs) <= mailgunWindowMs ? token : undefined
}

/** Reads a webhook of Mailgun. Unknown events are ignored. */
export function readMailgunEvents(body: unknown): ProviderEvent[] {
  const event = fieldsIn(fieldsIn(body)['event-data'])
  const status = fieldsIn(event['delivery-status'])
  const headers = fieldsIn(fieldsIn(event.message).headers)
  const rest = {
    address: textIn(event.recipient),
    tokenTexts: [
      fieldsIn(event['user-variables']).easel_message,
      headers['message-id'],
      fieldsIn(event.envelope).sender,
    ],
    detail: joinTexts(event.reason, status.code, status.message, status.description),
    occurredUs: microsecondsOf(event.timestamp),
  }
  switch (event.event) {
    case 'failed':
      return readFailed(rest, event, status)
    case 'complained':
      return [{ ...rest, verb: 'complained', detail: 'complained' }]
    case 'delivered':
    case 'unsubscribed':
      return [{ ...rest, verb: event.event }]
    case 'opened':
    case 'clicked': {
      const agent = textIn(fieldsIn(event['client-info'])['user-agent'])
      return [{ ...rest, verb: event.event, agent, ip: textIn(event.ip) ?? '' }]
    }
    default:
      return []
  }
}

type Fields = ReturnType<typeof fieldsIn>

/** Reads a failure. Mailgun retries after temporary ones. A permanent one may also come from Mailgun's own suppression lists. */
function readFailed(rest: Omit<ProviderEvent, 'verb'>, { severity, reason }: Fields, status: Fields): ProviderEvent[] {
  if (severity !== 'permanent') return []
  if (reason === 'suppress-complaint') return [{ ...rest, verb: 'complained' }]
  if (reason === 'suppress-unsubscribe') return [{ ...rest, verb: 'unsubscribed' }]
  return [{ ...rest, verb: 'bounced', kind: classifyMailgun(reason, status) }]
}

function classifyMailgun(reason: unknown, status: Fields): BounceKind {
  if (reason === 'suppress-bounce') return 'hard'
  if (reason === 'old') return 'soft'
  const { code, message, description } = status
  const enhanced = textIn(status['enhanced-code']) ?? textIn(status['bounce-code'])
  const diagnostic = parseDiagnostic(joinTexts(message, description), enhanced)
  return classifyBounce({ ...diagnostic, ...(typeof code === 'number' && code >= 400 && code < 600 && { code }) })
}
