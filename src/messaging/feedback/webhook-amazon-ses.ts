import { classifyBounce } from '../mail/bounce-kind.ts'
import type { BounceKind } from '../messages/transport-outcome.ts'
import { parseDiagnostic } from './delivery-status.ts'
import { fieldsIn, joinTexts, listIn, microsecondsOf, type ProviderEvent, textIn } from './webhook-events.ts'

/** Types of feedback (RFC 5965) that are not complaints. */
const harmlessFeedback: ReadonlySet<unknown> = new Set(['not-spam', 'auth-failure'])
const aboutContent: ReadonlySet<unknown> = new Set([
  'ContentRejected',
  'AttachmentRejected',
  'MessageTooLarge',
  'CustomTimeoutExceeded',
])

/** Reads what Amazon SES publishes: feedback notifications and events of a configuration set. Unknown types are ignored. */
export function readSesEvents(message: unknown): ProviderEvent[] {
  const fields = fieldsIn(message)
  const { mail } = fields
  const { source, headers, tags, timestamp, destination } = fieldsIn(mail)
  const tokenTexts = [source, ...valuesOf(headers), ...listIn(fieldsIn(tags).easel_message)]
  const shared = { tokenTexts }
  const type = fields.eventType ?? fields.notificationType
  switch (type) {
    case 'Bounce':
      return readBounces(fieldsIn(fields.bounce), tokenTexts)
    case 'Complaint': {
      const { complainedRecipients, complaintFeedbackType, timestamp: at } = fieldsIn(fields.complaint)
      if (harmlessFeedback.has(complaintFeedbackType)) return []
      const detail = joinTexts('Complaint', complaintFeedbackType)
      return recipientsOf(complainedRecipients).map(({ emailAddress }) => {
        return { ...shared, verb: 'complained', detail, address: textIn(emailAddress), occurredUs: microsecondsOf(at) }
      })
    }
    case 'Delivery': {
      const { recipients, smtpResponse, timestamp: at } = fieldsIn(fields.delivery)
      const rest = {
        ...shared,
        verb: 'delivered',
        detail: joinTexts(smtpResponse),
        occurredUs: microsecondsOf(at),
      } as const
      return listIn(recipients).map((recipient) => ({ ...rest, address: textIn(recipient) }))
    }
    case 'Open':
    case 'Click': {
      const { ipAddress, userAgent, timestamp: at } = fieldsIn(type === 'Open' ? fields.open : fields.click)
      const verb = type === 'Open' ? 'opened' : 'clicked'
      const seen = {
        agent: textIn(userAgent),
        ip: textIn(ipAddress) ?? '',
        occurredUs: microsecondsOf(at ?? timestamp),
      }
      return [{ ...shared, verb, detail: '', address: undefined, ...seen }]
    }
    case 'Subscription': {
      const { newTopicPreferences, timestamp: at } = fieldsIn(fields.subscription)
      if (fieldsIn(newTopicPreferences).unsubscribeAll !== true) return []
      const [recipient] = listIn(destination)
      const rest = { ...shared, detail: 'Subscription', address: textIn(recipient), occurredUs: microsecondsOf(at) }
      return [{ ...rest, verb: 'unsubscribed' }]
    }
    default:
      return []
  }
}

function readBounces(bounce: ReturnType<typeof fieldsIn>, tokenTexts: readonly unknown[]): ProviderEvent[] {
  const { bounceType, bounceSubType, bouncedRecipients, timestamp } = bounce
  const occurredUs = microsecondsOf(timestamp)
  return recipientsOf(bouncedRecipients).map(({ emailAddress, status, diagnosticCode }) => {
    const diagnostic = parseDiagnostic(textIn(diagnosticCode) ?? '', textIn(status))
    const kind = classifySes(bounceType, bounceSubType, diagnostic)
    const detail = joinTexts(bounceType, bounceSubType, status, diagnosticCode)
    return { verb: 'bounced', kind, detail, tokenTexts, occurredUs, address: textIn(emailAddress) }
  })
}

function classifySes(type: unknown, subType: unknown, diagnostic: ReturnType<typeof parseDiagnostic>): BounceKind {
  const kind = classifyBounce(diagnostic)
  if (type === 'Permanent') return kind === 'policy' ? 'policy' : 'hard'
  // SES has tried for hours and could not reach any server of the domain.
  if (diagnostic.enhanced === '4.4.7') return 'hard'
  if (type === 'Transient') return aboutContent.has(subType) ? 'policy' : 'soft'
  return kind
}

function recipientsOf(list: unknown) {
  return listIn(list).map(fieldsIn)
}

function valuesOf(headers: unknown): unknown[] {
  return listIn(headers).map((header) => fieldsIn(header).value)
}
