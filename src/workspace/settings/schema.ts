import Type, { type Static } from 'typebox'
import { DoubleOptIn } from './double-opt-in.ts'

export const fileBytesMax = 4 * 1024 * 1024
export const appsMax = 500
/** Archived groups do not count (contract, section 3). */
export const groupsMax = 450
/** Tags of a segment, a canvas, a template and so on. */
export const tagsMax = 50
export const tagCharactersMax = 255
const descriptionCharactersMax = 1_000

export const platforms = ['android', 'ios', 'web', 'email', 'sms', 'server', 'other'] as const
export const groupChannels = ['email', 'sms'] as const

const exact = { additionalProperties: false }

export const Id = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$',
  description: '1 to 64 letters, digits, dots, dashes or underscores, a letter or digit first',
})

export const Name = Type.String({
  pattern: '^\\S([^\\n\\r]{0,253}\\S)?$',
  description: 'one line of 1 to 255 characters without spaces around it',
})

export const Tags = Type.Array(
  Type.String({ minLength: 1, maxLength: tagCharactersMax, description: `1 to ${tagCharactersMax} characters` }),
  { maxItems: tagsMax, uniqueItems: true, description: `a list of at most ${tagsMax} different tags` },
)

export const Description = Type.String({
  maxLength: descriptionCharactersMax,
  description: `at most ${descriptionCharactersMax} characters`,
})

/** The head of a workspace file: id or name of the workspace. */
export const WorkspaceHead = Type.Object(
  { id: Type.Optional(Id), name: Type.Optional(Name) },
  { ...exact, minProperties: 1, description: 'an object with id, name or both' },
)
export type WorkspaceHead = Static<typeof WorkspaceHead>

export const AppShape = Type.Object(
  { id: Type.Optional(Id), name: Name, platform: Type.Enum([...platforms], { description: orList(platforms) }) },
  { ...exact, description: 'an object with name and platform' },
)

export const GroupShape = Type.Object(
  {
    id: Type.Optional(Id),
    name: Name,
    channel: Type.Enum([...groupChannels], { description: orList(groupChannels) }),
    archived: Type.Optional(Type.Boolean({ description: 'true or false' })),
    double_opt_in: Type.Optional(DoubleOptIn),
  },
  { ...exact, description: 'an object with name and channel' },
)

function orList(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}
