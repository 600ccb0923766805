import Type from 'typebox'

const exact = { additionalProperties: false }
const perSecondMax = 10_000
const replyCharactersMax = 320
/** Groups with a sender of their own. */
const groupSendersMax = 100

const sender = Type.String({
  pattern: '^(\\+[1-9]\\d{6,14}|\\d{3,8}|MG[0-9a-f]{32}|(?=.*[A-Za-z])[A-Za-z0-9 &_.+-]{1,11})$',
  description:
    'a phone number such as +15551234567, a short code, a name of at most 11 letters and digits, or the id of a messaging service',
})
const reply = Type.String({
  minLength: 1,
  maxLength: replyCharactersMax,
  description: `a text of at most ${replyCharactersMax} characters`,
})

/** How a workspace sends text messages. */
export const SmsShape = Type.Object(
  {
    from: Type.Optional(sender),
    from_by_group: Type.Optional(
      Type.Refine(
        Type.Record(Type.String({ pattern: '^.{1,255}$' }), sender, {
          ...exact,
          description: `an object of at most ${groupSendersMax} ids of subscription groups, each with a sender`,
        }),
        (senders) => Object.keys(senders).length <= groupSendersMax,
      ),
    ),
    per_second: Type.Optional(
      Type.Number({
        minimum: 0.01,
        maximum: perSecondMax,
        description: `a number of text messages a second from 0.01 to ${perSecondMax}`,
      }),
    ),
    stop_reply: Type.Optional(reply),
    start_reply: Type.Optional(reply),
    help_reply: Type.Optional(reply),
  },
  {
    ...exact,
    description: 'an object with from, from_by_group, per_second, stop_reply, start_reply or help_reply',
  },
)
