import Type from 'typebox'
import { Id, Name, Tags, tagCharactersMax } from '../../workspace/settings/schema.ts'

/** Content blocks and e-mail templates of a workspace. */
export const blocksMax = 1000
export const templatesMax = 1000
/** Of a content block: each is the first number that is too many. */
export const blockNameCharactersEnd = 100
export const blockDescriptionCharactersEnd = 250
export const contentBytesEnd = 50 * 1024
/** Of an e-mail template; `bodyBytesMax` holds for either body. */
export const lineCharactersMax = 1000
export const bodyBytesMax = 1_048_576
/** Bodies of all templates of a workspace together: they are in memory while a workspace file is applied. */
export const allBodyBytesMax = 64 * 1_048_576
export const listedDefault = 100
export const listedMax = 1000

export const states = ['active', 'draft'] as const

// Texts verbatim from the interface (contract 10.5, 4.11), in the order in which they are judged.
export const blockTexts = {
  contentBlank: 'Content cannot be blank',
  contentNotString: 'Content must be a string',
  contentTooLarge: 'Content must be smaller than 50kb',
  malformed: 'Content contains malformed liquid',
  itself: 'Content Block cannot be referenced within itself',
  descriptionBlank: 'Content Block description cannot be blank',
  descriptionNotString: 'Content Block description must be a string',
  descriptionTooLong: `Content Block description must be shorter than ${blockDescriptionCharactersEnd} characters`,
  nameBlank: 'Content Block name cannot be blank',
  nameTooLong: `Content Block name must be shorter than ${blockNameCharactersEnd} characters`,
  nameOdd: 'Content Block name can only contain alphanumeric characters',
  nameTaken: 'Content Block with this name already exists',
  nameFixed: 'Content Block name cannot be updated for active Content Blocks',
  badState: 'Content Block state must be either active or draft',
  stateFixed: 'Active Content Block can not be updated to Draft. Create a new Content Block.',
  idBlank: 'Content Block ID cannot be blank',
  idUnknown: 'Content Block ID is invalid for this workspace',
  badInclusion: 'Include Inclusion Data - error',
} as const

export const templateTexts = {
  nameRequired: 'Template name is required',
  unknownBlocks: 'Email must have valid Content Block names',
  badInline: 'Invalid value for `should_inline_css`. One of `true` or `false` was expected',
} as const

export const tagTexts = {
  notArray: 'Tags must be an array',
  notStrings: 'All tags must be strings',
  unknown: 'Some tags could not be found',
} as const

export const timeTexts = {
  badAfter: 'Modified after time is invalid',
  badBefore: 'Modified before time is invalid',
  reversed: 'Modified after time must be earlier than or the same as modified before time.',
} as const

// Shapes for the workspace file: they judge.

const exact = { additionalProperties: false }
const line = Type.String({ maxLength: lineCharactersMax, description: `at most ${lineCharactersMax} characters` })

/** An entry of `content_blocks`. */
export const BlockShape = Type.Object(
  {
    id: Type.Optional(Id),
    name: Type.String({
      pattern: `^[A-Za-z0-9_-]{1,${blockNameCharactersEnd - 1}}$`,
      description: `1 to ${blockNameCharactersEnd - 1} letters, digits, dashes or underscores`,
    }),
    description: Type.Optional(
      Type.String({
        maxLength: blockDescriptionCharactersEnd - 1,
        description: `at most ${blockDescriptionCharactersEnd - 1} characters`,
      }),
    ),
    content: textBelow(contentBytesEnd, 1),
    state: Type.Optional(Type.Enum([...states], { description: 'active or draft' })),
    tags: Type.Optional(Tags),
  },
  { ...exact, description: 'an object with name and content' },
)

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
  { ...exact, description: 'an object with name, subject and body' },
)

function textBelow(bytesEnd: number, minLength = 0) {
  const what = minLength > 0 ? 'text that is not empty' : 'text'
  const text = Type.String({ minLength, description: `${what}, smaller than ${bytesEnd} bytes` })
  return Type.Refine(text, (given) => Buffer.byteLength(given) < bytesEnd)
}

// Shapes for `/openapi.json`. They describe; the verbs judge what arrives.

const Success = { message: Type.Literal('success') }
const Time = Type.String({ format: 'date-time' })
const Texts = Type.Array(Type.String())

const blockFields = {
  description: Type.Optional(Type.String({ maxLength: blockDescriptionCharactersEnd - 1 })),
  state: Type.Optional(Type.Enum([...states], { default: 'active' })),
  tags: Type.Optional(Texts),
}
const blockName = Type.String({ pattern: '^[A-Za-z0-9_-]+$', maxLength: blockNameCharactersEnd - 1 })
const blockContent = Type.String({ description: `Liquid, smaller than ${contentBytesEnd} bytes.` })

export const CreateBlockBody = Type.Object({ name: blockName, content: blockContent, ...blockFields })
export const UpdateBlockBody = Type.Object({
  content_block_id: Type.String(),
  name: Type.Optional(blockName),
  content: Type.Optional(blockContent),
  ...blockFields,
})

const block = { content_block_id: Type.String(), liquid_tag: Type.String() }
export const CreatedBlockReply = Type.Object({ ...block, created_at: Time, ...Success })
export const UpdatedBlockReply = Type.Object({ ...block, updated_at: Time, ...Success })

const listedBlock = {
  content_block_id: Type.String(),
  name: Type.String(),
  content_type: Type.Enum(['html', 'text']),
  inclusion_count: Type.Integer({ description: 'Campaigns and canvases that include it.' }),
  created_at: Time,
  last_edited: Time,
  tags: Texts,
}

/** Query of both lists. */
export const ListQuery = Type.Object({
  modified_after: Type.Optional(Type.String({ format: 'date-time', description: 'Updated then or later.' })),
  modified_before: Type.Optional(Type.String({ format: 'date-time', description: 'Updated then or earlier.' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: listedMax, default: listedDefault })),
  offset: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
})

const count = Type.Integer({ description: 'Entries in this answer.' })

export const ListBlocksReply = Type.Object({
  count,
  content_blocks: Type.Array(Type.Object({ ...listedBlock, liquid_tag: Type.String() })),
  ...Success,
})

export const BlockQuery = Type.Object({
  content_block_id: Type.String(),
  include_inclusion_data: Type.Optional(Type.Boolean({ default: false })),
})
export const BlockReply = Type.Object({
  ...listedBlock,
  content: Type.String(),
  description: Type.String(),
  inclusion_data: Type.Optional(Type.Array(Type.Object({}))),
  ...Success,
})

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
