import type { SuppressionReason } from '../addresses/suppression-store.ts'

const suppressed: Readonly<Record<SuppressionReason, string>> = {
  hard_bounce: 'a mail to it bounced for good',
  soft_bounces: 'too many mails to it bounced',
  spam: 'its owner reported a mail as spam',
  blocklist: 'it was blocked on request',
}

/** What can be sent to a person, in one or two sentences. Pure. */
export function sentenceOf(
  { email, email_subscribe }: { readonly email: string | null; readonly email_subscribe: string },
  reasons: readonly SuppressionReason[],
): string {
  if (email === null) return 'There is no e-mail address, so no mail can be sent.'
  const [reason] = reasons
  if (reason !== undefined) return `Nothing is sent to ${email}, because ${suppressed[reason]}.`
  if (email_subscribe === 'unsubscribed') return `Unsubscribed from all mail to ${email}.`
  if (email_subscribe === 'opted_in') return `Opted in to mail to ${email}.`
  return `Subscribed to mail to ${email}.`
}
