import Type from 'typebox'
import { Id, Tags } from '../../workspace/settings/schema.ts'
import { count, Success, Texts, Time, textBelow } from '../texts/schema.ts'

/** The most content blocks of a workspace. */
export const blocksMax = 1000
/** Each is the lowest number that is refused. */
export const blockNameCharactersEnd = 100
export const blockDescriptionCharactersEnd = 250
export const contentBytesEnd = 50 * 1024

export const states = ['active', 'draft'] as const

// Texts verbatim from the interface (contract 10.5), in the order of the checks.
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
  nameNotAlphanumeric: 'Content Block name can only contain alphanumeric characters',
  nameTaken: 'Content Block with this name already exists',
  nameFixed: 'Content Block name cannot be updated for active Content Blocks',
  badState: 'Content Block state must be either active or draft',
  stateFixed: 'Active Content Block can not be updated to Draft. Create a new Content Block.',
  idBlank: 'Content Block ID cannot be blank',
  idUnknown: 'Content Block ID is invalid for this workspace',
  badInclusion: 'Include Inclusion Data - error',
} as const

// The shape in the workspace file. It checks the file.

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
  { additionalProperties: false, description: 'an object with name and content' },
)

// Shapes for `/openapi.json`. They only describe. The functions of the routes check requests.

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
  inclusion_count: Type.Integer({ description: 'Campaigns and canvases that include the block.' }),
  created_at: Time,
  last_edited: Time,
  tags: Texts,
}

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
