import { createHmac, timingSafeEqual } from 'node:crypto'
import { type BounceKind, classifyBounce } from '../mail/bounce-kind.ts'
import { parseDiagnostic } from './delivery-status.ts'
import { fieldsOf, joinTexts, microsecondsOf, type ProviderEvent, textOf } from './webhook-events.ts'

/** A request may be so much older or younger than this machine's time: Mailgun tries for eight hours. */
export const mailgunWindowMs = 12 * 60 * 60 * 1000

const signaturePattern = /^[0-9a-f]{64}$/i

/** The word that a request was signed with, when that was with this key and within the window around `nowMs`, machine time. */
export function verifyMailgun(body: unknown, key: string, nowMs: number): string | undefined {
  const { timestamp: at, token: word, signature: sign } = fieldsOf(fieldsOf(body).signature)
  const [timestamp, token, signature] = [joinTexts(at), textOf(word), textOf(sign)]
  if (!/^\d{1,12}$/.test(timestamp) || !token || !signature || !signaturePattern.test(signature)) return undefined
  const expected = createHmac('sha256', key)
    .update(timestamp + token)
    .digest()
  if (!timingSafeEqual(Buffer.from(signature, 'hex'), expected)) return undefined
  return Math.abs(Number(timestamp) * 1000 - nowMs) <= mailgunWindowMs ? token : undefined
}

/** Reads what Mailgun tells of a mail. What is not known is nothing. */
export function readMailgunEvents(body: unknown): ProviderEvent[] {
  const event = fieldsOf(fieldsOf(body)['event-data'])
  const status = fieldsOf(event['delivery-status'])
  const headers = fieldsOf(fieldsOf(event.message).headers)
  const rest = {
    address: textOf(event.recipient),
    tokenTexts: [
      fieldsOf(event['user-variables']).easel_message,
      headers['message-id'],
      fieldsOf(event.envelope).sender,
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
      const agent = textOf(fieldsOf(event['client-info'])['user-agent'])
      return [{ ...rest, verb: event.event, agent, ip: textOf(event.ip) ?? '' }]
    }
    default:
      return []
  }
}

type Fields = ReturnType<typeof fieldsOf>

/** A temporary failure is tried again; a permanent one may be only what Mailgun remembers of the address. */
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
  const enhanced = textOf(status['enhanced-code']) ?? textOf(status['bounce-code'])
  const said = parseDiagnostic(joinTexts(message, description), enhanced)
  return classifyBounce({ ...said, ...(typeof code === 'number' && code >= 400 && code < 600 && { code }) })
}
