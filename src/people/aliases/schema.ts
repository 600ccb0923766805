import Type, { type Static } from 'typebox'
import { noticeMembers } from '../../base/http/notices.ts'

/** The most items of one request. */
export const itemsMax = 50

export function notObjects(name: string): string {
  return `'${name}' must be an array of objects`
}

export function notIds(name: string): string {
  return `'${name}' must be an array of strings`
}

export function tooManyItems(items: string): string {
  return `a single request may not contain more than ${itemsMax} ${items}`
}

// Why an external id is not renamed or removed.
export const notAnId = "'external_ids' is not valid"
export const unknownCurrent = "'current_external_id' matches nobody"
export const deprecatedCurrent = "'current_external_id' is not the primary external_id of its user"
export const sameIds = "'current_external_id' and 'new_external_id' are the same"
export const newIsTaken = "'new_external_id' is already in use"
export const unknownId = 'the external_id matches nobody'
export const primaryId = 'a primary external_id cannot be removed'

// What notices name, because an item had no effect.
const noEffect = 'nothing was changed'
export const newAliasRefusals = {
  unknown: ['external_id', `matches nobody: ${noEffect}`],
  label: ['alias_label', `is the label of another alias of this person: ${noEffect}`],
  taken: ['alias_name', `is an alias that another person has: ${noEffect}`],
} as const
export const aliasUpdateRefusals = {
  unknown: ['old_alias_name', `matches nobody: ${noEffect}`],
  label: ['alias_label', `is the label of another alias of this person: ${noEffect}`],
  taken: ['new_alias_name', `is an alias that a person has: ${noEffect}`],
} as const

// Shapes for `/openapi.json`. They only describe requests: `read-request.ts` checks them.

const Id = Type.Union([Type.String(), Type.Integer()])
const Message = Type.Literal('success')
const aliasMembers = { alias_name: Type.String(), alias_label: Type.String() }

export const AliasNewBody = Type.Object({
  user_aliases: Type.Array(
    Type.Object({
      external_id: Type.Optional(
        Type.Union([Id, Type.Null()], {
          description: 'The person who gets the alias. Without it the alias creates a person, unless it is taken',
        }),
      ),
      alias_name: Type.Optional(Type.String()),
      alias_label: Type.Optional(Type.String()),
      user_alias: Type.Optional(Type.Object(aliasMembers, { description: 'Instead of the two members above' })),
    }),
    { minItems: 1, maxItems: itemsMax },
  ),
})

export const AliasNewReply = Type.Object({
  aliases_processed: Type.Integer({ description: 'Items of the request, including those without effect' }),
  ...noticeMembers,
  message: Message,
})
export type AliasNewReply = Static<typeof AliasNewReply>

export const AliasUpdateBody = Type.Object({
  alias_updates: Type.Array(
    Type.Object({ alias_label: Type.String(), old_alias_name: Type.String(), new_alias_name: Type.String() }),
    { minItems: 1, maxItems: itemsMax },
  ),
})

export const AliasUpdateReply = Type.Object({ ...noticeMembers, message: Message })
export type AliasUpdateReply = Static<typeof AliasUpdateReply>

const Rename = Type.Object({ current_external_id: Type.String(), new_external_id: Type.String() })

export const RenameBody = Type.Object({
  external_id_renames: Type.Array(Type.Object({ current_external_id: Id, new_external_id: Id }), {
    minItems: 1,
    maxItems: itemsMax,
  }),
})

export const NameError = Type.Object({
  type: Type.String({ description: 'Why the item was refused' }),
  input_array: Type.Enum(['external_id_renames', 'external_ids']),
  index: Type.Integer({ minimum: 0, description: 'Index in that array, from 0' }),
})
export type NameError = Static<typeof NameError>

export const RenameReply = Type.Object({
  rename_errors: Type.Array(NameError),
  external_ids: Type.Array(Rename, { description: 'External ids that were renamed' }),
  message: Message,
})
export type RenameReply = Static<typeof RenameReply>

export const RemoveBody = Type.Object({
  external_ids: Type.Array(Id, {
    minItems: 1,
    maxItems: itemsMax,
    description: 'Former external ids of renamed users',
  }),
})

export const RemoveReply = Type.Object({
  removed_ids: Type.Array(Type.String()),
  removal_errors: Type.Array(NameError),
  message: Message,
})
export type RemoveReply = Static<typeof RemoveReply>
