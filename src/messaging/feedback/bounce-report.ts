import type { Email } from 'postal-mime'
import { classifyBounce } from '../mail/bounce-kind.ts'
import type { BounceKind } from '../messages/transport-outcome.ts'
import {
  classifyDelivery,
  parseDiagnostic,
  type RecipientStatus,
  readDeliveryStatus,
  readHeaderFields,
} from './delivery-status.ts'

/** What a mail to the return path of a message reports about it. */
export type BounceReport =
  | { readonly verb: 'bounced'; readonly kind: BounceKind; readonly recipient?: string; readonly detail: string }
  | { readonly verb: 'complained' | 'unsubscribed'; readonly recipient?: string; readonly detail: string }
  /** A delay, a delivery or an automatic reply, which change nothing. */
  | { readonly verb: 'nothing' }

const nothing: BounceReport = { verb: 'nothing' }
/** The most characters of a report in plain words that are searched. */
const plainCharactersMax = 8_192
/** The most bytes of a part of a report that are read. */
const partBytesMax = 65_536

const copyMark =
  /^(?:-{2,}[^\n]*(?:copy of|original message|message header|below this line)[^\n]*|Return-Path:[^\n]*)$/im
const bounceSubject = new RegExp(
  [
    'undeliver|not delivered|delivery notification|failure notice|returned (?:mail|to sender)',
    'delivery (?:status|failure|has failed|failed|problem)|mail delivery (?:failed|failure|system)',
  ].join('|'),
  'i',
)
const delaySubject = /\b(?:delay(?:ed)?|warning|still being retried|temporarily)\b/i
const daemon = /mailer-daemon|postmaster|mail delivery (?:sub)?system/i

/** Reads a delivery report (RFC 3464), a complaint (RFC 5965), or a report in plain words. Never throws, whatever the bytes are. */
export async function readBounceReport(raw: Buffer): Promise<BounceReport> {
  const { default: PostalMime } = await import('postal-mime')
  try {
    return reportIn(await PostalMime.parse(raw, { maxNestingDepth: 16 }))
  } catch {
    // Bytes from outside may not be a mail.
    return nothing
  }
}

function reportIn(mail: Email): BounceReport {
  const feedback = partOf(mail, 'message/feedback-report')
  if (feedback !== undefined) return reportOfFeedback(feedback)
  const status = partOf(mail, 'message/delivery-status') ?? partOf(mail, 'message/global-delivery-status')
  const deliveries = status === undefined ? [] : readDeliveryStatus(status)
  return deliveries.length > 0 ? reportOfStatus(deliveries) : reportOfText(mail)
}

function partOf({ attachments }: Email, type: string): string | undefined {
  const content = attachments.find(({ mimeType }) => mimeType === type)?.content
  if (content === undefined) return undefined
  return typeof content === 'string'
    ? content.slice(0, partBytesMax)
    : Buffer.from(content.slice(0, partBytesMax) as ArrayBuffer).toString('utf8')
}

/** Reads a delivery report. A return path belongs to one recipient, so the first failure counts; others are forwarding addresses. */
function reportOfStatus(deliveries: readonly RecipientStatus[]): BounceReport {
  const failed = deliveries.find(({ action }) => action === 'failed' || action === '')
  if (failed === undefined) return nothing
  const detail = [failed.status, failed.diagnostic].filter((text) => text !== undefined).join(' ') || 'failed'
  return {
    verb: 'bounced',
    kind: classifyDelivery(failed),
    detail,
    ...(failed.recipient && { recipient: failed.recipient }),
  }
}

/** The types of RFC 5965 and its extensions that are complaints of people. */
const complaintTypes: ReadonlySet<string> = new Set(['abuse', 'fraud'])
const unsubscribeTypes: ReadonlySet<string> = new Set(['opt-out', 'opt-out-list'])

function reportOfFeedback(part: string): BounceReport {
  const fields = readHeaderFields(part)
  const type = fields.get('feedback-type')?.toLowerCase() ?? ''
  const recipient = fields.get('original-rcpt-to')?.replace(/^<(.*)>$/, '$1')
  const detail = [type, fields.get('user-agent')].filter(Boolean).join(' by ')
  const rest = { detail, ...(recipient && { recipient }) }
  if (complaintTypes.has(type)) return { verb: 'complained', ...rest }
  return unsubscribeTypes.has(type) ? { verb: 'unsubscribed', ...rest } : nothing
}

/** Reads a mail without a structured report. It is a bounce if its headers or subject say so; otherwise it may be an automatic reply. */
function reportOfText(mail: Email): BounceReport {
  const { subject = '', from, text = '', html = '' } = mail
  const headers = new Map(mail.headers.map(({ key, value }) => [key, value]))
  const failedFor = headers.get('x-failed-recipients')?.split(',')[0]?.trim()
  const sender = `${from?.address ?? ''} ${from?.name ?? ''}`
  const isBounce = failedFor !== undefined || bounceSubject.test(subject) || daemon.test(sender)
  if (!isBounce || (delaySubject.test(subject) && failedFor === undefined)) return nothing
  const body = (text.trim() === '' ? html.slice(0, partBytesMax).replaceAll(/<[^<>]{0,500}>/g, ' ') : text).slice(
    0,
    plainCharactersMax,
  )
  const report = body.slice(0, copyMark.exec(body)?.index)
  const diagnostic = parseDiagnostic(report)
  return {
    verb: 'bounced',
    kind: classifyBounce(diagnostic),
    detail: lineWithCode(report) || subject,
    ...(failedFor && { recipient: failedFor }),
  }
}

/** Finds the line with the code, for the detail of the bounce. */
function lineWithCode(text: string): string {
  return /^.*(?:^|[^\d.])(?:[45]\d\d[ -]|[45]\.\d{1,3}\.\d{1,3}).*$/m.exec(text)?.[0].trim() ?? ''
}
