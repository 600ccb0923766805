import { type BounceKind, classifyBounce } from '../mail/bounce-kind.ts'
import { parseDiagnostic } from './delivery-status.ts'
import { fieldsOf, joinTexts, listOf, microsecondsOf, type ProviderEvent, textOf } from './webhook-events.ts'

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
  const fields = fieldsOf(message)
  const { mail } = fields
  const { source, headers, tags, timestamp, destination } = fieldsOf(mail)
  const tokenTexts = [source, ...valuesOf(headers), ...listOf(fieldsOf(tags).easel_message)]
  const shared = { tokenTexts }
  const type = fields.eventType ?? fields.notificationType
  switch (type) {
    case 'Bounce':
      return readBounces(fieldsOf(fields.bounce), tokenTexts)
    case 'Complaint': {
      const { complainedRecipients, complaintFeedbackType, timestamp: at } = fieldsOf(fields.complaint)
      if (harmlessFeedback.has(complaintFeedbackType)) return []
      const detail = joinTexts('Complaint', complaintFeedbackType)
      return recipientsOf(complainedRecipients).map(({ emailAddress }) => {
        return { ...shared, verb: 'complained', detail, address: textOf(emailAddress), occurredUs: microsecondsOf(at) }
      })
    }
    case 'Delivery': {
      const { recipients, smtpResponse, timestamp: at } = fieldsOf(fields.delivery)
      const rest = {
        ...shared,
        verb: 'delivered',
        detail: joinTexts(smtpResponse),
        occurredUs: microsecondsOf(at),
      } as const
      return listOf(recipients).map((recipient) => ({ ...rest, address: textOf(recipient) }))
    }
    case 'Open':
    case 'Click': {
      const { ipAddress, userAgent, timestamp: at } = fieldsOf(type === 'Open' ? fields.open : fields.click)
      const verb = type === 'Open' ? 'opened' : 'clicked'
      const seen = {
        agent: textOf(userAgent),
        ip: textOf(ipAddress) ?? '',
        occurredUs: microsecondsOf(at ?? timestamp),
      }
      return [{ ...shared, verb, detail: '', address: undefined, ...seen }]
    }
    case 'Subscription': {
      const { newTopicPreferences, timestamp: at } = fieldsOf(fields.subscription)
      if (fieldsOf(newTopicPreferences).unsubscribeAll !== true) return []
      const [recipient] = listOf(destination)
      const rest = { ...shared, detail: 'Subscription', address: textOf(recipient), occurredUs: microsecondsOf(at) }
      return [{ ...rest, verb: 'unsubscribed' }]
    }
    default:
      return []
  }
}

function readBounces(bounce: ReturnType<typeof fieldsOf>, tokenTexts: readonly unknown[]): ProviderEvent[] {
  const { bounceType, bounceSubType, bouncedRecipients, timestamp } = bounce
  const occurredUs = microsecondsOf(timestamp)
  return recipientsOf(bouncedRecipients).map(({ emailAddress, status, diagnosticCode }) => {
    const diagnostic = parseDiagnostic(textOf(diagnosticCode) ?? '', textOf(status))
    const kind = classifySes(bounceType, bounceSubType, diagnostic)
    const detail = joinTexts(bounceType, bounceSubType, status, diagnosticCode)
    return { verb: 'bounced', kind, detail, tokenTexts, occurredUs, address: textOf(emailAddress) }
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
  return listOf(list).map(fieldsOf)
}

function valuesOf(headers: unknown): unknown[] {
  return listOf(headers).map((header) => fieldsOf(header).value)
}
