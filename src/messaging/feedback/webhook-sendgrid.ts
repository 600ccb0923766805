import { createPublicKey, verify } from 'node:crypto'
import { classifyBounce } from '../mail/bounce-kind.ts'
import type { BounceKind } from '../messages/transport-outcome.ts'
import { parseDiagnostic } from './delivery-status.ts'
import { fieldsIn, joinTexts, listIn, microsecondsOf, type ProviderEvent, textIn } from './webhook-events.ts'

/** Returns whether the signature of a request is valid: ECDSA over P-256 of the timestamp and the bytes of the body. */
export function isSignedBySendgrid(
  body: Buffer,
  timestamp: string | undefined,
  signature: string | undefined,
  public_key: string,
): boolean {
  if (!timestamp || !signature) return false
  const der = Buffer.from(public_key, 'base64')
  const signed = Buffer.concat([Buffer.from(timestamp, 'latin1'), body])
  try {
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
    if (key.asymmetricKeyType !== 'ec') return false
    return verify('sha256', signed, key, Buffer.from(signature, 'base64'))
  } catch {
    // A configured key that cannot be read verifies nothing.
    return false
  }
}

const policyClasses: ReadonlySet<unknown> = new Set(['Content', 'Reputation', 'Frequency/Volume'])

/** Reads a batch of SendGrid's event webhook. Unknown events are ignored. */
export function readSendgridEvents(batch: unknown): ProviderEvent[] {
  return listIn(batch).flatMap((each) => readEvent(fieldsIn(each)))
}

function readEvent(event: ReturnType<typeof fieldsIn>): ProviderEvent[] {
  const { email, timestamp, reason, status, response } = event
  const rest = {
    address: textIn(email),
    tokenTexts: [event.easel_message, event['smtp-id']],
    detail: joinTexts(status, reason ?? response),
    occurredUs: microsecondsOf(timestamp),
  }
  switch (event.event) {
    case 'bounce':
      return [{ ...rest, verb: 'bounced', kind: classifySendgrid(event) }]
    case 'dropped':
      return readDropped(rest, reason)
    case 'delivered':
      return [{ ...rest, verb: 'delivered' }]
    case 'spamreport':
      return [{ ...rest, verb: 'complained', detail: 'spamreport' }]
    case 'unsubscribe':
    case 'group_unsubscribe':
      return [{ ...rest, verb: 'unsubscribed' }]
    case 'open':
    case 'click': {
      const verb = event.event === 'open' ? 'opened' : 'clicked'
      return [{ ...rest, verb, agent: textIn(event.useragent), ip: textIn(event.ip) ?? '' }]
    }
    default:
      return []
  }
}

function classifySendgrid(event: ReturnType<typeof fieldsIn>): BounceKind {
  const { type, status, reason, bounce_classification } = event
  if (bounce_classification === 'Invalid Address') return 'hard'
  if (type === 'expired') return 'soft'
  if (policyClasses.has(bounce_classification)) return 'policy'
  const kind = classifyBounce(parseDiagnostic(textIn(reason) ?? '', textIn(status)))
  // SendGrid itself sends again to an address that it calls blocked.
  return type === 'blocked' && kind === 'hard' ? 'soft' : kind
}

/** Reads mail that SendGrid dropped because of its own suppression lists. Other reasons say nothing about the address. */
function readDropped(rest: Omit<ProviderEvent, 'verb'>, reason: unknown): ProviderEvent[] {
  switch (reason) {
    case 'Bounced Address':
      return [{ ...rest, verb: 'bounced', kind: 'hard' }]
    case 'Spam Reporting Address':
      return [{ ...rest, verb: 'complained' }]
    case 'Unsubscribed Address':
      return [{ ...rest, verb: 'unsubscribed' }]
    default:
      return []
  }
}
