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
  readonly address: string
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
}

/** `pending` and `expired` are not confirmed. The interface has no such states: there the person is simply not subscribed. */
export const confirmationStates = ['pending', 'confirmed', 'expired'] as const
export type ConfirmationState = (typeof confirmationStates)[number]

export type ConfirmationTimes = Pick<Confirmation, 'confirmed_at' | 'expires_at'>

/** The link works until the moment `expires_at`, exclusive. Pure. */
export function stateOf({ confirmed_at, expires_at }: ConfirmationTimes, nowMs: number): ConfirmationState {
  if (confirmed_at !== null) return 'confirmed'
  return expires_at.getTime() > nowMs ? 'pending' : 'expired'
}

/** Returns where the confirmation stands, in a sentence. `groupName` is the name of the group. Pure. */
export function confirmationSentence(
  { confirmed_at, expires_at, sent_count }: ConfirmationTimes & Pick<Confirmation, 'sent_count'>,
  groupName: string,
  nowMs: number,
): string {
  const group = `the group "${groupName}"`
  if (confirmed_at !== null) return `The person confirmed ${group} on ${confirmed_at.toISOString()}.`
  const mails = sent_count === 1 ? 'One mail was' : `${sent_count} mails were`
  if (expires_at.getTime() > nowMs) {
    return `The person has not confirmed ${group} yet; the link expires on ${expires_at.toISOString()}. ${mails} ordered.`
  }
  return `The person has not confirmed ${group}; the link expired on ${expires_at.toISOString()}. ${mails} ordered.`
}

/** The rule of a decision that a pending confirmation explains. Pure. */
export function notConfirmedRule(groupName: string, expiresAt: Date): string {
  return `the person has not confirmed the group "${groupName}" yet; the link expires on ${expiresAt.toISOString()}`
}
