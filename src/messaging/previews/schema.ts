import Type, { type TSchema } from 'typebox'
import { PersonalData, PreviewQuery } from '../../content/rendering/preview.ts'
import { idBytesMax } from '../../people/identity/identifier.ts'

export { PreviewQuery }

/** Minutes for which the page of a preview can be looked at. */
export const pageMinutes = 5
/** Tests that an account may send itself in an hour of the machine's clock. */
export const testsPerHourMax = 20
/** The most mistakes of one preview: all texts are rendered again after each. */
export const mistakesMax = 20
/** Characters of what names a person. No identifier is longer. */
export const personCharactersMax = 1_000
/** Characters of the id of a template, block or app. */
export const idCharactersMax = idBytesMax

const text = (description: string) => Type.Optional(Type.String({ description }))

const Mail = Type.Object(
  {
    email_template_id: text('A template. The texts beside it are shown in place of its own'),
    app_id: text('The app for `{{app.${...}}}`; the first one of the workspace when absent'),
    from: text('The sender of this installation when absent'),
    reply_to: text('The setting of the workspace when absent'),
    subject: text('One line'),
    preheader: text('One line'),
    body: text('HTML'),
    plaintext_body: text('Made from the HTML when absent'),
    should_inline_css: Type.Optional(Type.Boolean()),
  },
  { description: 'The texts of an e-mail' },
)

const Block = Type.Object(
  { content_block_id: text('A content block'), content: text('Is shown in place of its own') },
  { description: 'A content block, which is shown alone' },
)

const message = {
  channel: Type.Optional(Type.String({ description: 'How the message is sent, such as `sms`' })),
  message: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'The content of a message of `channel`, as in a step of a canvas. Members may be missing',
    }),
  ),
}

const about = {
  person: text(
    'The person for which the texts are rendered: its id, or one of the identifiers that `/admin/people/search` takes',
  ),
  personal: Type.Optional(PersonalData),
}

export const PreviewMailBody = Type.Object(
  { mail: Type.Optional(Mail), content_block: Type.Optional(Block), ...message, ...about },
  {
    description:
      'Either `mail`, `content_block`, or `channel` with `message`. Without `person` and `personal`, for an invented person.',
  },
)

export const SendPreviewBody = Type.Object(
  {
    mail: Type.Optional(Mail),
    ...message,
    to: text(
      'Who gets the test: the phone number for a text message; for a push the person whose devices get it, named as in `person`. A mail ' +
        'goes to the address of the account, and a webhook to the server of its URL',
    ),
    ...about,
  },
  { description: 'Either `mail`, or `channel` with `message` and, except for a webhook, `to`.' },
)

const orNull = <const S extends TSchema>(schema: S, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description })

const Mistake = Type.Object({
  text: orNull(Type.String(), 'Which text has the mistake'),
  content_block: orNull(Type.String(), 'The content block that has it: line and column are those of its content'),
  message: Type.String(),
  line: orNull(Type.Integer()),
  column: orNull(Type.Integer()),
})

export const PreviewMailReply = Type.Object({
  outcome: Type.Enum(['rendered', 'aborted', 'failed']),
  sentence: Type.String({ description: 'What came of it' }),
  reason: orNull(Type.String(), 'Why a text aborts the message'),
  mistakes: Type.Array(Mistake, { description: `The first mistake of each text, of at most ${mistakesMax} texts` }),
  texts: Type.Record(Type.String(), Type.String(), { description: 'The texts that could be rendered' }),
  person: orNull(
    Type.Object({ id: Type.String(), name: Type.String() }),
    'The person for which the texts were rendered; null for data of the request or of an invented person',
  ),
  warnings: Type.Array(Type.String()),
  bytes: orNull(
    Type.Integer(),
    'Of the mail without its files, of the content block, or of what a push service gets. Null when nothing depends on it',
  ),
  bytes_max: orNull(Type.Integer(), 'The most bytes that a push service takes; null for others'),
  ms: Type.Integer(),
  html_url: orNull(
    Type.String(),
    `Where a browser with a session shows it, for ${pageMinutes} minutes. The path begins at the root of the service`,
  ),
  text: orNull(
    Type.String(),
    'The plain text of the mail, as mail programs without HTML show it; the text of a text message or a push; the body of a webhook',
  ),
  from: orNull(Type.String(), 'The sender of a text message; null for others, and when none is set'),
  headers: Type.Record(Type.String(), Type.String(), {
    description: 'The headers of a webhook, without the texts of secret ones; empty for others',
  }),
  details: orNull(
    Type.Record(Type.String(), Type.Unknown()),
    'What only this channel has, such as the segments of a text message or the title of a push',
  ),
})

export const SendPreviewReply = Type.Object({
  to: Type.String({ description: 'The address, the device that was used last, or the server of a webhook' }),
  subject: Type.String(),
  mail_id: orNull(Type.String(), 'The message in the inbox; null when a server got it'),
  sentence: Type.String({ description: 'Where the message went' }),
})
