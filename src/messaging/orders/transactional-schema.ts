import Type, { type Static } from 'typebox'
import { noticeMembers } from '../../base/http/notices.ts'
import { Attachment, DispatchId, Notice } from './order-schema.ts'
import { properties, Recipient } from './trigger-schema.ts'

/** Characters of an `external_send_id`. */
export const externalSendIdCharactersMax = 255
/** How long a repeated `external_send_id` sends nothing again, in machine time (contract 10.3). */
export const externalSendIdKeptMs = 24 * 3_600_000

export const badExternalSendId = `'external_send_id' must be 1 to ${externalSendIdCharactersMax} letters, digits and characters of -_+/=`
/** Refusals, verbatim from the interface (contract 10.3). */
export const noSuchCampaign = 'Campaign does not exist'
export const notTransactional =
  'The campaign is not a transactional campaign. Only transactional campaigns may use this endpoint'

export const TransactionalPath = Type.Object({
  campaign_id: Type.String({ description: 'The id of a campaign with `class: transactional`.' }),
})

export const TransactionalBody = Type.Object({
  external_send_id: Type.Optional(
    Type.String({
      pattern: '^[a-zA-Z0-9_+/=-]+$',
      minLength: 1,
      maxLength: externalSendIdCharactersMax,
      description: 'A request with the same id within 24 hours gets the same answer and sends nothing.',
    }),
  ),
  trigger_properties: properties('Properties of the mail.'),
  recipient: Type.Union([Recipient, Type.Array(Recipient, { minItems: 1, maxItems: 1 })]),
  attachments: Type.Optional(Type.Array(Attachment, { description: 'Files beside those of the campaign.' })),
})

const Time = Type.String({ format: 'date-time' })

export const TransactionalReply = Type.Object({
  dispatch_id: DispatchId,
  status: Type.Literal('sent'),
  metadata: Type.Object({
    external_send_id: Type.Optional(Type.String()),
    campaign_api_id: Type.String(),
    received_at: Time,
    enqueued_at: Time,
  }),
  notice: Notice,
  ...noticeMembers,
})
export type TransactionalReply = Static<typeof TransactionalReply>
