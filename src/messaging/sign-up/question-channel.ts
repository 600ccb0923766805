import { toE164, toEmail } from '../../people/identity/identifier.ts'
import type { DoubleOptIn } from '../../workspace/settings/double-opt-in.ts'
import type { GroupRow } from '../../workspace/settings/store.ts'
import { confirmationText, confirmationWord } from '../channels/sms/confirmation-text.ts'
import type { Contents } from '../orders/sending.ts'
import { confirmationEmail } from './confirmation-email.ts'
import type { OwnerState } from './owner-state-store.ts'

/** What a message that asks for a confirmation is made from. */
export type Question = {
  readonly confirmation_id: string
  readonly group: Pick<GroupRow, 'id' | 'name'>
  readonly language: string
}

/** What differs between the channels of groups when a person is asked to confirm. */
type QuestionChannel = {
  /** The kind of the address that is asked. */
  readonly kind: 'email' | 'phone'
  /** Returns the normalised address of a person. */
  addressOf(owner: OwnerState): string | undefined
  /** Whether members of the group get its messages. If they do not, a confirmation has an effect for them too. */
  isReached(owner: OwnerState): boolean
  /** What the person replies; null for a link. */
  keywordOf(optIn: DoubleOptIn): string | null
  /** Returns what an order sends, by the name of the channel. */
  contentsOf(optIn: DoubleOptIn, question: Question): Contents
}

export const questionChannels: Readonly<Record<GroupRow['channel'], QuestionChannel>> = {
  email: {
    kind: 'email',
    addressOf: ({ email }) => (email === null ? undefined : toEmail(email)),
    isReached: ({ email_subscribe }) => email_subscribe !== 'unsubscribed',
    keywordOf: () => null,
    contentsOf: (optIn, { confirmation_id, group, language }) => ({
      email: confirmationEmail(optIn, { confirmation_id, group: group.name, language }),
    }),
  },
  sms: {
    kind: 'phone',
    addressOf: ({ phone }) => (phone === null ? undefined : toE164(phone)),
    isReached: () => true,
    keywordOf: confirmationWord,
    contentsOf: (optIn, { group, language }) => ({
      sms: confirmationText(optIn, { subscription_group_id: group.id, group: group.name, language }),
    }),
  },
}
