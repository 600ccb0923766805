/** Who caused the question: a sign-up form, a request of a program, or a person on a preference page. */
export const confirmationSources = ['form', 'api', 'preferences'] as const
export type ConfirmationSource = (typeof confirmationSources)[number]

/** What a person was asked to confirm: to be in a group. One row for a person and a group. */
export type Confirmation = {
  readonly bucket: number
  readonly profile_id: string
  readonly group_id: number
  /** In the link; a decimal bigint. */
  readonly confirmation_id: string
  readonly workspace_id: number
  /** The e-mail address or the phone number that was asked. */
  readonly address: string
  /** What the person replies to a text, as `wordOf` makes it; null for a mail with a link. */
  readonly keyword: string | null
  readonly source: ConfirmationSource
  readonly form_id: string | null
  readonly language: string
  readonly requested_at: Date
  readonly requested_from: string | null
  readonly dispatch_id: string
  readonly sent_at: Date
  readonly sent_count: number
  readonly expires_at: Date
  readonly confirmed_at: Date | null
  readonly confirmed_from: string | null
  /** SHA-256 of links that other installations have sent. */
  readonly link_hashes: readonly string[]
}

/** `pending` and `expired` are not confirmed. The interface has no such states: there the person is simply not subscribed. */
export const confirmationStates = ['pending', 'confirmed', 'expired'] as const
export type ConfirmationState = (typeof confirmationStates)[number]

export type ConfirmationTimes = Pick<Confirmation, 'confirmed_at' | 'expires_at'>

/** The link works, and a reply counts, until the moment `expires_at`, exclusive. Pure. */
export function stateOf({ confirmed_at, expires_at }: ConfirmationTimes, nowMs: number): ConfirmationState {
  if (confirmed_at !== null) return 'confirmed'
  return expires_at.getTime() > nowMs ? 'pending' : 'expired'
}

/** How a person is asked: by a mail with a link, or by a text with a word to reply. */
type Asked = Pick<Confirmation, 'keyword'>

/** Returns where the confirmation stands, in a sentence. `groupName` is the name of the group. Pure. */
export function confirmationSentence(
  { confirmed_at, expires_at, sent_count, keyword }: ConfirmationTimes & Asked & Pick<Confirmation, 'sent_count'>,
  groupName: string,
  nowMs: number,
): string {
  const group = `the group "${groupName}"`
  if (confirmed_at !== null) return `The person confirmed ${group} on ${confirmed_at.toISOString()}.`
  const one = keyword === null ? 'mail' : 'text'
  const ordered = sent_count === 1 ? `One ${one} was` : `${sent_count} ${one}s were`
  const isOpen = expires_at.getTime() > nowMs
  return `The person has not confirmed ${group}${isOpen ? ' yet' : ''}; ${untilText(keyword, expires_at, isOpen)}. ${ordered} ordered.`
}

/** Returns until when a confirmation can be given, as a part of a sentence. */
function untilText(keyword: string | null, expiresAt: Date, isOpen: boolean): string {
  const at = expiresAt.toISOString()
  if (keyword === null) return `the link ${isOpen ? 'expires' : 'expired'} on ${at}`
  return `the reply ${keyword} ${isOpen ? 'counts' : 'counted'} until ${at}`
}

/** The rule of a decision that a pending confirmation explains. Pure. */
export function notConfirmedRule(groupName: string, { keyword, expires_at }: Asked & ConfirmationTimes): string {
  return `the person has not confirmed the group "${groupName}" yet; ${untilText(keyword, expires_at, true)}`
}
