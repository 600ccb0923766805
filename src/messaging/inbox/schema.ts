import Type, { type Static } from 'typebox'
import { paging, workspace } from '../../workspace/settings/query-schema.ts'

/** The most mails in the inbox of a workspace. The oldest are deleted. */
export const inboxMailsMax = 10_000
/** The most bytes of their sources together. */
export const inboxBytesMax = 256 * 1024 * 1024
/** The most mails on a page. */
export const inboxPageMax = 200
export const inboxPageDefault = 50

export const unknownMail = 'There is no such mail in the inbox'

const Text = Type.Union([Type.String(), Type.Null()])

export const InboxQuery = Type.Object({
  workspace,
  to: Type.Optional(Type.String({ description: 'Only mail to this address, in upper or lower case.' })),
  external_id: Type.Optional(Type.String({ description: 'Only mail to this person.' })),
  dispatch_id: Type.Optional(Type.String({ description: 'Only mail of this order.' })),
  since: Type.Optional(Type.String({ description: 'Only mail since this instant, ISO 8601 with an offset.' })),
  ...paging(inboxPageDefault, inboxPageMax),
})

const InboxEntry = Type.Object(
  {
    id: Type.String(),
    channel: Type.String({ description: 'The channel of the message, such as email or sms.' }),
    to: Type.String({
      description: 'The address of the recipient, the `bcc` address that got this copy, or the receiver of a webhook.',
    }),
    subject: Type.String(),
    at: Type.String({ format: 'date-time', description: 'When the message was delivered, in business time.' }),
    external_id: Text,
    dispatch_id: Type.Union([Type.String(), Type.Null()], {
      description: 'The order of the mail, or the entry if the person entered the canvas after an event.',
    }),
    message_id: Text,
    bytes: Type.Integer(),
  },
  { title: 'inbox_entry' },
)
export type InboxEntry = Static<typeof InboxEntry>

export const InboxReply = Type.Object({
  messages: Type.Array(InboxEntry, { description: 'Newest first' }),
  cursor: Type.Optional(Type.String({ description: 'The cursor of the next page; absent on the last page' })),
  delivery: Type.String({ description: 'Where the messages of each channel go now' }),
})
export type InboxReply = Static<typeof InboxReply>

export const MailQuery = Type.Object({
  workspace,
  source: Type.Optional(Type.Enum(['true', 'false'], { description: 'true: also return the source of the mail.' })),
})

export const MailReply = Type.Intersect([
  InboxEntry,
  Type.Object({
    from: Text,
    headers: Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'Unfolded values by name in lower case. If a header occurs several times, its values are separated by line breaks.',
      },
    ),
    html: Text,
    html_url: Type.Union([Type.String(), Type.Null()], {
      description: 'Where a browser with a session shows the mail. The path begins at the root of the service.',
    }),
    text: Text,
    attachments: Type.Array(
      Type.Object(
        { filename: Text, content_type: Type.String(), bytes: Type.Integer() },
        { description: 'In the order of the mail' },
      ),
    ),
    details: Type.Optional(
      Type.Object({}, { additionalProperties: true, description: 'What only messages of this channel have.' }),
    ),
    source: Type.Optional(Type.String()),
  }),
])
export type MailReply = Static<typeof MailReply>

export const EmptiedReply = Type.Object({ deleted: Type.Integer() })
