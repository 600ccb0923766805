/**
 * What a bounce says of an address. hard: nobody is there; soft: not now (a full mailbox, a server that is away), which counts when it goes
 * on; policy: the mail was not wanted as it was, which says nothing of the address.
 */
export type BounceKind = 'hard' | 'soft' | 'policy'

/** What a mail server has said: the code of its reply (550), the enhanced one (5.1.1, RFC 3463) and its words, as far as there are any. */
export type BounceEvidence = {
  readonly code?: number | undefined
  readonly enhanced?: string | undefined
  readonly text?: string | undefined
}

const enhancedPattern = /^([245])\.(\d{1,3})\.(\d{1,3})$/
const aboutSender: ReadonlySet<string> = new Set(['5.1.7', '5.1.8'])
const hardStatuses: ReadonlySet<string> = new Set(['5.2.1', '5.4.4'])
/** What these say is told by the words alone: 5.4.1 is also how a large provider refuses recipients it does not know. */
const vagueStatuses: ReadonlySet<string> = new Set(['5.0.0', '5.4.1'])
/** Security and policy, protocol, content: what is wrong with the mail or its sender. */
const policySubjects: ReadonlySet<string> = new Set(['5', '6', '7'])
const tooLarge: ReadonlySet<string> = new Set(['5.2.3', '5.3.4'])

const nobodyPhrases = [
  'unknown (?:user|recipient|mailbox)',
  "(?:user|recipient|mailbox|address|account)(?: is)? (?:unknown|not (?:found|exist)|does(?: not|n't) exist|invalid|disabled)",
  'no such (?:user|recipient|mailbox|person|address)',
  "no mailbox|does(?: not|n't) have an? .{1,40} account|recipient address rejected|invalid recipient",
  '(?:host|domain)(?: name)? (?:not found|does not exist)',
]
const nobodyWords = new RegExp(String.raw`\b(?:${nobodyPhrases.join('|')})\b`, 'i')
const policyWords = /\b(?:spam|blocked|block ?list|blacklist|policy|reputation|rejected due to content|dmarc|spf)\b/i
const mailboxCodes: ReadonlySet<number> = new Set([550, 551, 553])

/** Decides what kind of bounce it is; what nobody can tell is soft. */
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
  return aboutMailbox && nobodyWords.test(text) ? 'hard' : 'soft'
}
