import Type from 'typebox'
import { Id, Name, Tags, tagCharactersMax } from '../../workspace/settings/schema.ts'
import { lineCharactersMax } from '../texts/lengths.ts'
import { count, Success, Texts, Time, textBelow } from '../texts/schema.ts'

/** The most e-mail templates of a workspace. */
export const templatesMax = 1000
/** Bytes of an HTML body, and of a plain-text body. */
export const bodyBytesMax = 1_048_576
/** The most bytes of the bodies of all templates of a workspace. They are in memory while a workspace file is applied. */
export const allBodyBytesMax = 64 * 1_048_576

// Texts verbatim from the interface (contract 4.11).
export const templateTexts = {
  nameRequired: 'Template name is required',
  unknownBlocks: 'Email must have valid Content Block names',
  unknownCenters: 'Email must have valid Preference Center names',
  idBlank: 'Email Template ID cannot be blank',
  idUnknown: 'Email Template ID is invalid for this workspace',
  badInline: 'Invalid value for `should_inline_css`. One of `true` or `false` was expected',
} as const

// The shape in the workspace file. It checks the file.

const line = Type.String({ maxLength: lineCharactersMax, description: `at most ${lineCharactersMax} characters` })

/** An entry of `email_templates`. */
export const TemplateShape = Type.Object(
  {
    id: Type.Optional(Id),
    name: Name,
    description: Type.Optional(line),
    subject: line,
    preheader: Type.Optional(line),
    body: textBelow(bodyBytesMax + 1, 1),
    plaintext_body: Type.Optional(textBelow(bodyBytesMax + 1)),
    should_inline_css: Type.Optional(Type.Boolean({ description: 'true or false' })),
    tags: Type.Optional(Tags),
  },
  { additionalProperties: false, description: 'an object with name, subject and body' },
)

// Shapes for `/openapi.json`. They only describe. The functions of the routes check requests.

const templateFields = {
  plaintext_body: Type.Optional(Type.String()),
  preheader: Type.Optional(Type.String({ maxLength: lineCharactersMax })),
  tags: Type.Optional(Texts),
  should_inline_css: Type.Optional(Type.Boolean({ description: 'The setting of the workspace when absent.' })),
}
const templateName = Type.String({ minLength: 1, maxLength: tagCharactersMax })
const subject = Type.String({ maxLength: lineCharactersMax })
const body = Type.String({ description: `HTML with Liquid, at most ${bodyBytesMax} bytes.` })

export const CreateTemplateBody = Type.Object({ template_name: templateName, subject, body, ...templateFields })
export const UpdateTemplateBody = Type.Object({
  email_template_id: Type.String(),
  template_name: Type.Optional(templateName),
  subject: Type.Optional(subject),
  body: Type.Optional(body),
  ...templateFields,
})
export const WrittenTemplateReply = Type.Object({ email_template_id: Type.String(), ...Success })

const listedTemplate = {
  email_template_id: Type.String(),
  template_name: Type.String(),
  created_at: Time,
  updated_at: Time,
  tags: Texts,
}

export const ListTemplatesReply = Type.Object({ count, templates: Type.Array(Type.Object(listedTemplate)), ...Success })

export const TemplateQuery = Type.Object({ email_template_id: Type.String() })
export const TemplateReply = Type.Object({
  ...listedTemplate,
  description: Type.String(),
  subject: Type.String(),
  preheader: Type.Union([Type.String(), Type.Null()]),
  body: Type.String(),
  plaintext_body: Type.Union([Type.String(), Type.Null()]),
  should_inline_css: Type.Union([Type.Boolean(), Type.Null()]),
  ...Success,
})
