import Type, { type Static } from 'typebox'
import { paging, workspace } from '../../workspace/settings/query-schema.ts'
import { confirmationSources, confirmationStates } from './confirmation.ts'

/** Confirmations in a page of a group. */
export const confirmationPageDefault = 50
export const confirmationPageMax = 200

const Time = Type.String({ format: 'date-time' })
const TimeOrNull = Type.Union([Time, Type.Null()])
const network = (description: string) => Type.Union([Type.String(), Type.Null()], { description })
const State = Type.Enum([...confirmationStates])

const common = {
  address: Type.String({ description: 'The e-mail address or phone number that was asked.' }),
  keyword: Type.Union([Type.String(), Type.Null()], {
    description: 'The word to reply to a text; null for a mail with a link.',
  }),
  source: Type.Enum([...confirmationSources], {
    description: 'A sign-up form, a request of a program, or a preference page.',
  }),
  form_id: Type.Union([Type.String(), Type.Null()], { description: 'The id of the sign-up form.' }),
  requested_at: Time,
  requested_from: network('The network of the person who asked, such as 192.0.2.0/24; null when it is not known.'),
  sent_at: Type.String({ format: 'date-time', description: 'When the last mail or text was ordered.' }),
  sent_count: Type.Integer({ description: 'Mails or texts so far.' }),
  expires_at: Type.String({ format: 'date-time', description: 'Until then the link works, or the reply counts.' }),
  confirmed_at: TimeOrNull,
  confirmed_from: network('The network of the person who confirmed; null for a reply to a text.'),
}

/** A confirmation as the page of a person has it. */
export const PersonConfirmation = Type.Object({
  subscription_group_id: Type.String(),
  group: Type.String({ description: 'The name of the group.' }),
  state: State,
  sentence: Type.String(),
  ...common,
})
export type PersonConfirmation = Static<typeof PersonConfirmation>

export const ConfirmationsQuery = Type.Object({
  workspace,
  state: Type.Optional(Type.Enum([...confirmationStates], { description: 'All when absent.' })),
  ...paging(confirmationPageDefault, confirmationPageMax),
})

export const ConfirmationsReply = Type.Object({
  confirmations: Type.Array(
    Type.Object({ person: Type.String({ description: 'The id of the person.' }), state: State, ...common }),
    { description: 'Newest first.' },
  ),
  cursor: Type.Optional(Type.String({ description: 'For the next page. Absent on the last one.' })),
})
export type ConfirmationsReply = Static<typeof ConfirmationsReply>

export const ConfirmationCountsReply = Type.Object({
  pending: Type.Integer({ description: 'People who may still confirm.' }),
  confirmed: Type.Integer({ description: 'People who have confirmed. Some may have left the group since.' }),
  expired: Type.Integer({ description: 'People who did not confirm in time, within the last 30 days.' }),
})

export const ResendReply = Type.Object({
  outcome: Type.Literal('sent'),
})
