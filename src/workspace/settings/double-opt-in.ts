import Type, { type Static } from 'typebox'

/** Hours for which a confirmation can be given. */
export const validHoursDefault = 48
export const validHoursMax = 720
/** Mails or texts of one confirmation, the first one included. */
export const sendsDefault = 3
export const sendsMaxMax = 10
const mailboxCharactersMax = 998
const lineCharactersMax = 998
/** Characters of each body of the mail. */
export const confirmationBodyCharactersMax = 102_400
/** What people reply to a text, and the most characters of such a word. */
export const keywordDefault = 'YES'
const keywordCharactersMax = 20
/** Characters of the text that answers such a reply. */
const replyCharactersMax = 320
/** Characters of each text on a page. */
export const pageTextCharactersMax = 1_000

const exact = { additionalProperties: false }
const text = (description: string, maxLength: number) =>
  Type.String({ minLength: 1, maxLength, description: `${description}, 1 to ${maxLength} characters` })
const pageText = (description: string) => Type.Optional(text(description, pageTextCharactersMax))

/** A language tag, such as `de` or `pt-BR`. */
export const Language = Type.String({
  pattern: '^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2}$',
  description: 'a language tag, such as en or pt-BR',
})

/** Texts of the page behind the link. */
export const confirmationTexts = Type.Object(
  {
    title: pageText('the heading before the button was pressed'),
    text: pageText('what stands above the button'),
    button: pageText('the button'),
    done_title: pageText('the heading after the button was pressed'),
    done_text: pageText('what stands below that heading'),
  },
  { ...exact, description: 'an object with the texts that differ from the built-in ones' },
)

/** How people confirm that they want to be in a group. */
export const DoubleOptIn = Type.Object(
  {
    enabled: Type.Boolean({ description: 'true or false' }),
    from: Type.Optional(text('the sender of the mail: Name <address>', mailboxCharactersMax)),
    reply_to: Type.Optional(text('an address for replies', mailboxCharactersMax)),
    subject: Type.Optional(text('the subject of the mail', lineCharactersMax)),
    body: Type.Optional(
      text(
        'the HTML of the mail with the link in it, or the text message with the keyword',
        confirmationBodyCharactersMax,
      ),
    ),
    plaintext_body: Type.Optional(text('the plain text of the mail', confirmationBodyCharactersMax)),
    keyword: Type.Optional(text('the word that people reply to the text message', keywordCharactersMax)),
    confirmed_reply: Type.Optional(text('the text that answers such a reply', replyCharactersMax)),
    valid_hours: Type.Optional(
      Type.Integer({ minimum: 1, maximum: validHoursMax, description: `a number of hours from 1 to ${validHoursMax}` }),
    ),
    sends_max: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: sendsMaxMax,
        description: `a number of mails or text messages from 1 to ${sendsMaxMax}`,
      }),
    ),
    through_api: Type.Optional(Type.Boolean({ description: 'true or false' })),
    language: Type.Optional(Language),
    texts: Type.Optional(confirmationTexts),
  },
  { ...exact, description: 'an object with enabled, and for mail also from' },
)
export type DoubleOptIn = Static<typeof DoubleOptIn>

/** What a group says of confirmations; undefined where people are in it without one. */
export function activeDoubleOptIn(group: {
  readonly channel: string
  readonly double_opt_in?: DoubleOptIn | null
}): DoubleOptIn | undefined {
  return group.double_opt_in?.enabled ? group.double_opt_in : undefined
}
