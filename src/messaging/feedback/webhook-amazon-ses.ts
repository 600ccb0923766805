import { type BounceKind, judgeBounce } from '../mail/bounce-kind.ts'
import { toldBy } from './delivery-status.ts'
import { fieldsOf, listOf, microsecondsOf, type ProviderEvent, textOf, wordsOf } from './webhook-events.ts'

/** Types of feedback (RFC 5965) that are no complaint. */
const harmlessFeedback: ReadonlySet<unknown> = new Set(['not-spam', 'auth-failure'])
const aboutContent: ReadonlySet<unknown> = new Set([
  'ContentRejected',
  'AttachmentRejected',
  'MessageTooLarge',
  'CustomTimeoutExceeded',
])

/** Reads what Amazon SES publishes: feedback notifications and events of a configuration set. What is not known is left out. */
export function readSes(message: unknown): ProviderEvent[] {
  const fields = fieldsOf(message)
  const { mail } = fields
  const { source, headers, tags, timestamp, destination } = fieldsOf(mail)
  const traces = [source, ...valuesOf(headers), ...listOf(fieldsOf(tags).easel_message)]
  const shared = { traces }
  const type = fields.eventType ?? fields.notificationType
  switch (type) {
    case 'Bounce':
      return readBounces(fieldsOf(fields.bounce), traces)
    case 'Complaint': {
      const { complainedRecipients, complaintFeedbackType, timestamp: at } = fieldsOf(fields.complaint)
      if (harmlessFeedback.has(complaintFeedbackType)) return []
      const told = wordsOf('Complaint', complaintFeedbackType)
      return recipientsOf(complainedRecipients).map(({ emailAddress }) => {
        return { ...shared, verb: 'complained', told, address: textOf(emailAddress), seenUs: microsecondsOf(at) }
      })
    }
    case 'Delivery': {
      const { recipients, smtpResponse, timestamp: at } = fieldsOf(fields.delivery)
      const rest = { ...shared, verb: 'delivered', told: wordsOf(smtpResponse), seenUs: microsecondsOf(at) } as const
      return listOf(recipients).map((recipient) => ({ ...rest, address: textOf(recipient) }))
    }
    case 'Open':
    case 'Click': {
      const { ipAddress, userAgent, timestamp: at } = fieldsOf(type === 'Open' ? fields.open : fields.click)
      const verb = type === 'Open' ? 'opened' : 'clicked'
      const seen = { agent: textOf(userAgent), ip: textOf(ipAddress) ?? '', seenUs: microsecondsOf(at ?? timestamp) }
      return [{ ...shared, verb, told: '', address: undefined, ...seen }]
    }
    case 'Subscription': {
      const { newTopicPreferences, timestamp: at } = fieldsOf(fields.subscription)
      if (fieldsOf(newTopicPreferences).unsubscribeAll !== true) return []
      const [recipient] = listOf(destination)
      const rest = { ...shared, told: 'Subscription', address: textOf(recipient), seenUs: microsecondsOf(at) }
      return [{ ...rest, verb: 'unsubscribed' }]
    }
    default:
      return []
  }
}

function readBounces(bounce: ReturnType<typeof fieldsOf>, traces: readonly unknown[]): ProviderEvent[] {
  const { bounceType, bounceSubType, bouncedRecipients, timestamp } = bounce
  const seenUs = microsecondsOf(timestamp)
  return recipientsOf(bouncedRecipients).map(({ emailAddress, status, diagnosticCode }) => {
    const said = toldBy(textOf(diagnosticCode) ?? '', textOf(status))
    const kind = judgeSes(bounceType, bounceSubType, said)
    const told = wordsOf(bounceType, bounceSubType, status, diagnosticCode)
    return { verb: 'bounced', kind, told, traces, seenUs, address: textOf(emailAddress) }
  })
}

function judgeSes(type: unknown, subType: unknown, said: ReturnType<typeof toldBy>): BounceKind {
  const judged = judgeBounce(said)
  if (type === 'Permanent') return judged === 'policy' ? 'policy' : 'hard'
  // SES has tried for hours, and nobody ever answered for the domain.
  if (said.enhanced === '4.4.7') return 'hard'
  if (type === 'Transient') return aboutContent.has(subType) ? 'policy' : 'soft'
  return judged
}

function recipientsOf(list: unknown) {
  return listOf(list).map(fieldsOf)
}

function valuesOf(headers: unknown): unknown[] {
  return listOf(headers).map((header) => fieldsOf(header).value)
}
