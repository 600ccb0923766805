import type { BounceKind } from '../messages/transport-outcome.ts'

/** The reply of a mail server, as far as it is known: the code (550), the enhanced code (5.1.1, RFC 3463) and the text. */
export type BounceEvidence = {
  readonly code?: number | undefined
  readonly enhanced?: string | undefined
  readonly text?: string | undefined
}

const enhancedPattern = /^([245])\.(\d{1,3})\.(\d{1,3})$/
const aboutSender: ReadonlySet<string> = new Set(['5.1.7', '5.1.8'])
const hardStatuses: ReadonlySet<string> = new Set(['5.2.1', '5.4.4'])
/** For these codes the text decides: a large provider also uses 5.4.1 for recipients that do not exist. */
const vagueStatuses: ReadonlySet<string> = new Set(['5.0.0', '5.4.1'])
/** Security and policy, protocol, content: the problem is the mail or its sender. */
const policySubjects: ReadonlySet<string> = new Set(['5', '6', '7'])
const tooLarge: ReadonlySet<string> = new Set(['5.2.3', '5.3.4'])

const unknownRecipientPhrases = [
  'unknown (?:user|recipient|mailbox)',
  "(?:user|recipient|mailbox|address|account)(?: is)? (?:unknown|not (?:found|exist)|does(?: not|n't) exist|invalid|disabled)",
  'no such (?:user|recipient|mailbox|person|address)',
  "no mailbox|does(?: not|n't) have an? .{1,40} account|recipient address rejected|invalid recipient",
  '(?:host|domain)(?: name)? (?:not found|does not exist)',
]
const unknownRecipientWords = new RegExp(String.raw`\b(?:${unknownRecipientPhrases.join('|')})\b`, 'i')
const tooLargeWords = '(?:message|mail) (?:size|(?:is )?too (?:large|big))'
const policyWords = new RegExp(
  String.raw`\b(?:spam|blocked|block ?list|blacklist|policy|reputation|rejected due to content|dmarc|spf|${tooLargeWords})\b`,
  'i',
)
const mailboxCodes: ReadonlySet<number> = new Set([550, 551, 553])

/** Classifies a bounce. Anything unclear is soft. */
export function classifyBounce({ code, enhanced, text = '' }: BounceEvidence): BounceKind {
  const [status, severity, subject] = enhancedPattern.exec(enhanced ?? '') ?? []
  if (severity === '4') return 'soft'
  if (status !== undefined && severity === '5' && !vagueStatuses.has(status)) {
    if (aboutSender.has(status) || tooLarge.has(status)) return 'policy'
    if (subject === '1' || hardStatuses.has(status)) return 'hard'
    return policySubjects.has(subject ?? '') ? 'policy' : 'soft'
  }
  if (code !== undefined && code < 500) return 'soft'
  if (policyWords.test(text)) return 'policy'
  const aboutMailbox = code === undefined || mailboxCodes.has(code) || status !== undefined
  return aboutMailbox && unknownRecipientWords.test(text) ? 'hard' : 'soft'
}
