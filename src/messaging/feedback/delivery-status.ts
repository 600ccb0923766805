import { classifyBounce } from '../mail/bounce-kind.ts'
import type { BounceKind } from '../messages/transport-outcome.ts'

/** The fields of one recipient in a report (RFC 3464): unfolded, addresses without their type. */
export type RecipientStatus = {
  /** The original recipient if the report has it, otherwise the final one. */
  readonly recipient: string | undefined
  /** `failed`, `delayed`, `delivered`, `relayed` or `expanded`; lower case. */
  readonly action: string
  readonly status: string | undefined
  readonly diagnostic: string | undefined
}

/** The most recipients of a report that are read. */
export const reportRecipientsMax = 100

const statusPattern = /\b[245]\.\d{1,3}\.\d{1,3}\b/
const codePattern = /(?:^|[^\d.])([45]\d\d)(?=[\s-]|$)/

/** Reads the part `message/delivery-status`: groups of fields, the first of them about the message. */
export function readDeliveryStatus(part: string): RecipientStatus[] {
  const deliveries: RecipientStatus[] = []
  for (const group of part.split(/\r?\n[ \t]*\r?\n/)) {
    const fields = readHeaderFields(group)
    const recipient = typedValue(fields.get('original-recipient')) ?? typedValue(fields.get('final-recipient'))
    const action = fields.get('action')?.trim().toLowerCase()
    if (recipient === undefined && action === undefined) continue
    const status = statusPattern.exec(fields.get('status') ?? '')?.[0]
    deliveries.push({ recipient, action: action ?? '', status, diagnostic: typedValue(fields.get('diagnostic-code')) })
    if (deliveries.length === reportRecipientsMax) break
  }
  return deliveries
}

/** Reads header fields: the first of each name, with folded lines joined. */
export function readHeaderFields(text: string): Map<string, string> {
  const fields = new Map<string, string>()
  for (const line of text.replaceAll(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const at = line.indexOf(':')
    if (at <= 0) continue
    const name = line.slice(0, at).trim().toLowerCase()
    if (!fields.has(name)) fields.set(name, line.slice(at + 1).trim())
  }
  return fields
}

/** Returns the value after the type in `rfc822; somebody@example.com` or `smtp; 550 5.1.1 ...`. */
function typedValue(field: string | undefined): string | undefined {
  if (field === undefined) return undefined
  const at = field.indexOf(';')
  const value = (at === -1 ? field : field.slice(at + 1)).trim()
  return value.replace(/^<(.*)>$/, '$1') || undefined
}

/** Classifies a failed delivery. The diagnostic of the refusing server is more precise than the status before it. */
export function classifyDelivery({ status, diagnostic }: RecipientStatus): BounceKind {
  return classifyBounce(parseDiagnostic(diagnostic ?? '', status))
}

/** Finds the codes in a server's reply. An enhanced code in the text is preferred to a `status` that says nothing (5.0.0). */
export function parseDiagnostic(text: string, status?: string): { code?: number; enhanced?: string; text: string } {
  const inText = statusPattern.exec(text)?.[0]
  const isVague = status === undefined || /^[45]\.0\.0$/.test(status)
  const enhanced = isVague ? (inText ?? status) : status
  const code = codePattern.exec(text)?.[1]
  return { ...(code && { code: Number(code) }), ...(enhanced && { enhanced }), text }
}
