import type { Email } from 'postal-mime'
import { type BounceKind, classifyBounce } from '../mail/bounce-kind.ts'
import {
  classifyDelivery,
  parseDiagnostic,
  type RecipientStatus,
  readDeliveryStatus,
  readFields,
} from './delivery-status.ts'

/** What mail that came back to the return path of a message has to say about it. */
export type BounceReport =
  | { readonly verb: 'bounced'; readonly kind: BounceKind; readonly recipient?: string; readonly detail: string }
  | { readonly verb: 'complained' | 'unsubscribed'; readonly recipient?: string; readonly detail: string }
  /** It is delayed, or arrived, or an answer by a machine: nothing that changes anything. */
  | { readonly verb: 'nothing' }

const nothing: BounceReport = { verb: 'nothing' }
/** Of a report without the standard's parts so many characters are looked at. */
const plainCharactersMax = 8_192
/** Of a part of a report so many bytes. */
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

/** Reads a mail, whatever its bytes: a delivery report (RFC 3464), a complaint (RFC 5965), or what older servers write in plain words. */
export async function readBounceReport(raw: Buffer): Promise<BounceReport> {
  const { default: PostalMime } = await import('postal-mime')
  const [parsed] = await Promise.allSettled([PostalMime.parse(raw, { maxNestingDepth: 16 })])
  if (parsed.status === 'rejected') return nothing
  return judgeMail(parsed.value)
}

function judgeMail(mail: Email): BounceReport {
  const feedback = partOf(mail, 'message/feedback-report')
  if (feedback !== undefined) return judgeFeedback(feedback)
  const status = partOf(mail, 'message/delivery-status') ?? partOf(mail, 'message/global-delivery-status')
  const deliveries = status === undefined ? [] : readDeliveryStatus(status)
  return deliveries.length > 0 ? judgeDeliveries(deliveries) : judgePlain(mail)
}

function partOf({ attachments }: Email, type: string): string | undefined {
  const content = attachments.find(({ mimeType }) => mimeType === type)?.content
  if (content === undefined) return undefined
  return typeof content === 'string'
    ? content.slice(0, partBytesMax)
    : Buffer.from(content.slice(0, partBytesMax) as ArrayBuffer).toString('utf8')
}

/** A return path belongs to one recipient, so the first that failed counts: others are whom that one forwards to. */
function judgeDeliveries(deliveries: readonly RecipientStatus[]): BounceReport {
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

/** Types of RFC 5965 and its extensions that are somebody's complaint; the others tell of machines. */
const complaintTypes: ReadonlySet<string> = new Set(['abuse', 'fraud'])
const leavingTypes: ReadonlySet<string> = new Set(['opt-out', 'opt-out-list'])

function judgeFeedback(part: string): BounceReport {
  const fields = readFields(part)
  const type = fields.get('feedback-type')?.toLowerCase() ?? ''
  const recipient = fields.get('original-rcpt-to')?.replace(/^<(.*)>$/, '$1')
  const detail = [type, fields.get('user-agent')].filter(Boolean).join(' by ')
  const rest = { detail, ...(recipient && { recipient }) }
  if (complaintTypes.has(type)) return { verb: 'complained', ...rest }
  return leavingTypes.has(type) ? { verb: 'unsubscribed', ...rest } : nothing
}

/** Mail without a report in it: a bounce when it says so in its headers or with a code, else somebody's out-of-office answer. */
function judgePlain(mail: Email): BounceReport {
  const { subject = '', from, text = '', html = '' } = mail
  const headers = new Map(mail.headers.map(({ key, value }) => [key, value]))
  const failedFor = headers.get('x-failed-recipients')?.split(',')[0]?.trim()
  const sender = `${from?.address ?? ''} ${from?.name ?? ''}`
  const looks = failedFor !== undefined || bounceSubject.test(subject) || daemon.test(sender)
  if (!looks || (delaySubject.test(subject) && failedFor === undefined)) return nothing
  const body = (text.trim() === '' ? html.slice(0, partBytesMax).replaceAll(/<[^<>]{0,500}>/g, ' ') : text).slice(
    0,
    plainCharactersMax,
  )
  const words = body.slice(0, copyMark.exec(body)?.index)
  const diagnostic = parseDiagnostic(words)
  return {
    verb: 'bounced',
    kind: classifyBounce(diagnostic),
    detail: sentenceOf(words) || subject,
    ...(failedFor && { recipient: failedFor }),
  }
}

/** The line that has the code, for whoever asks why. */
function sentenceOf(words: string): string {
  return /^.*(?:^|[^\d.])(?:[45]\d\d[ -]|[45]\.\d{1,3}\.\d{1,3}).*$/m.exec(words)?.[0].trim() ?? ''
}
