import Type from 'typebox'

/** People that one request may name. */
export const recipientsMax = 50
/** Characters of a `send_id`. */
export const sendIdCharactersMax = 255

/** Refuses too many recipients, verbatim from the interface (contract 4.11). */
export const tooManyRecipients = 'The max number of external_ids and aliases per request was exceeded'
/** Refuses an order without recipients, verbatim from the interface (contract 4.11). */
export const noRecipients = 'No Recipients'
export const badSendId = `'send_id' must be text of 1 to ${sendIdCharactersMax} characters`
export const sendOfAnother = "'send_id' belongs to another campaign"

// Shapes of members that requests about messages, canvases and campaigns have in common.

export const Flag = (description: string) =>
  Type.Optional(Type.Union([Type.Boolean(), Type.Enum(['true', 'false'])], { default: false, description }))

export const AudienceTree = Type.Optional(
  Type.Object({}, { description: 'A tree of conditions. The order is only for people who match it.' }),
)

export const Broadcast = Flag(
  'Whether the order is for all people in the segment and the audience. Must be true when no recipients are named, and false otherwise.',
)

export const Attachment = Type.Object({
  file_name: Type.String({ description: 'Without the extension.' }),
  url: Type.String({ format: 'uri', description: 'Its path must end in an accepted extension.' }),
  basic_auth_credential: Type.Optional(Type.String({ description: 'The name of a stored credential.' })),
})

export const SendIdMember = Type.Optional(
  Type.String({ minLength: 1, maxLength: sendIdCharactersMax, description: 'Is stored and returned.' }),
)

export const DispatchId = Type.String({ pattern: '^[0-9a-f]{32}$', description: 'The id of this order.' })
export const AnsweredSendId = Type.Optional(Type.String({ description: 'As the request gave it.' }))
export const Notice = Type.Optional(Type.String({ description: 'Says what was accepted but has no effect.' }))
