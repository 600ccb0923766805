import Type, { type Static } from 'typebox'
import { paging, workspace } from '../../workspace/settings/query-schema.ts'

/** Mails that the inbox of a workspace keeps; older ones go. */
export const inboxMailsMax = 10_000
/** Bytes of their sources together. */
export const inboxBytesMax = 256 * 1024 * 1024
/** Mails on a page. */
export const inboxPageMax = 200
export const inboxPageDefault = 50

export const unknownMail = 'There is no such mail in the inbox'

const Text = Type.Union([Type.String(), Type.Null()])

export const InboxQuery = Type.Object({
  workspace,
  to: Type.Optional(Type.String({ description: 'The address it was for, in either case.' })),
  external_id: Type.Optional(Type.String({ description: 'The person it was for.' })),
  dispatch_id: Type.Optional(Type.String({ description: 'The order it is of.' })),
  since: Type.Optional(Type.String({ description: 'Only mail from this instant on, ISO 8601 with offset.' })),
  ...paging(inboxPageDefault, inboxPageMax),
})

const InboxEntry = Type.Object({
  id: Type.String(),
  to: Type.String({ description: 'The address it was for.' }),
  subject: Type.String(),
  at: Type.String({ format: 'date-time', description: 'When it was delivered, by the clock of the business.' }),
  external_id: Text,
  dispatch_id: Type.Union([Type.String(), Type.Null()], {
    description: 'The order it is of; the entry where something that happened brought the person into a canvas.',
  }),
  message_id: Text,
  bytes: Type.Integer(),
})
export type InboxEntry = Static<typeof InboxEntry>

export const InboxReply = Type.Object({
  messages: Type.Array(InboxEntry, { description: 'Newest first' }),
  cursor: Type.Optional(Type.String({ description: 'For the next page; absent on the last one' })),
})
export type InboxReply = Static<typeof InboxReply>

export const MailQuery = Type.Object({
  workspace,
  source: Type.Optional(Type.Enum(['true', 'false'], { description: 'true: also the mail as it went over the wire.' })),
})

export const MailReply = Type.Intersect([
  InboxEntry,
  Type.Object({
    from: Text,
    headers: Type.Object(
      {},
      {
        additionalProperties: true,
        description: 'By name in lower case, unfolded; of several the values line by line.',
      },
    ),
    html: Text,
    text: Text,
    attachments: Type.Array(
      Type.Object(
        { filename: Text, content_type: Type.String(), bytes: Type.Integer() },
        { description: 'In their order' },
      ),
    ),
    source: Type.Optional(Type.String()),
  }),
])
export type MailReply = Static<typeof MailReply>

export const EmptiedReply = Type.Object({ deleted: Type.Integer() })
