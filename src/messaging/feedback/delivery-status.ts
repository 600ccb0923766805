import { type BounceKind, classifyBounce } from '../mail/bounce-kind.ts'

/** What a report says of one recipient (RFC 3464). Addresses without their type; texts as they stand, unfolded. */
export type RecipientStatus = {
  /** As it was sent to, where the report knows that, else where it ended. */
  readonly recipient: string | undefined
  /** `failed`, `delayed`, `delivered`, `relayed` or `expanded`; lower case. */
  readonly action: string
  readonly status: string | undefined
  readonly diagnostic: string | undefined
}

/** Recipients of one report that are read. */
export const recipientsMax = 100

const statusPattern = /\b[245]\.\d{1,3}\.\d{1,3}\b/
const codePattern = /(?:^|[^\d.])([45]\d\d)(?=[\s-]|$)/

/** Reads the part `message/delivery-status`: groups of fields, the first of them about the message. */
export function readDeliveryStatus(part: string): RecipientStatus[] {
  const deliveries: RecipientStatus[] = []
  for (const group of part.split(/\r?\n[ \t]*\r?\n/)) {
    const fields = readFields(group)
    const recipient = typedValue(fields.get('original-recipient')) ?? typedValue(fields.get('final-recipient'))
    const action = fields.get('action')?.trim().toLowerCase()
    if (recipient === undefined && action === undefined) continue
    const status = statusPattern.exec(fields.get('status') ?? '')?.[0]
    deliveries.push({ recipient, action: action ?? '', status, diagnostic: typedValue(fields.get('diagnostic-code')) })
    if (deliveries.length === recipientsMax) break
  }
  return deliveries
}

/** Fields as they stand in a header, the first of each name, folded lines joined. */
export function readFields(text: string): Map<string, string> {
  const fields = new Map<string, string>()
  for (const line of text.replaceAll(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const at = line.indexOf(':')
    if (at <= 0) continue
    const name = line.slice(0, at).trim().toLowerCase()
    if (!fields.has(name)) fields.set(name, line.slice(at + 1).trim())
  }
  return fields
}

/** `rfc822; somebody@example.com`, `smtp; 550 5.1.1 ...`: what follows the type. */
function typedValue(field: string | undefined): string | undefined {
  if (field === undefined) return undefined
  const at = field.indexOf(';')
  const value = (at === -1 ? field : field.slice(at + 1)).trim()
  return value.replace(/^<(.*)>$/, '$1') || undefined
}

/** What a delivery that failed says of the address. The words of the server that refused know more than the summary before them. */
export function classifyDelivery({ status, diagnostic }: RecipientStatus): BounceKind {
  return classifyBounce(parseDiagnostic(diagnostic ?? '', status))
}

/** Code, enhanced code and words of what a server has said. An enhanced code that says nothing (5.0.0) gives way to one in the words. */
export function parseDiagnostic(text: string, status?: string): { code?: number; enhanced?: string; text: string } {
  const inWords = statusPattern.exec(text)?.[0]
  const vague = status === undefined || /^[45]\.0\.0$/.test(status)
  const enhanced = vague ? (inWords ?? status) : status
  const code = codePattern.exec(text)?.[1]
  return { ...(code && { code: Number(code) }), ...(enhanced && { enhanced }), text }
}
