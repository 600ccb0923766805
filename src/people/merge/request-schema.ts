import Type, { type Static, type TObject } from 'typebox'
import { noticeMembers } from '../../base/http/notices.ts'
import { priorities } from '../identity/prioritization.ts'
import { behaviors, type WorkOutcome } from './work-schema.ts'

// Limits and texts of merge, delete and identify.
export const mergesMax = 50
export const deletionsMax = 50
/** The limit for the three lists together. */
export const identificationsMax = 50

export const badMerges = "'merge_updates' must be an array of objects"
export const tooManyMerges = `a single request may not contain more than ${mergesMax} merge updates`
export const badMergeMembers = "'merge_updates' must only have 'identifier_to_merge' and 'identifier_to_keep'"
export const badMergeIdentifier =
  "identifiers must be objects with an 'external_id' property that is a string, 'user_alias' property that is an object, " +
  "or 'email' property that is a string"
/** `path` is prefixed to the name. */
export const badPrioritization = (path: string) =>
  `'${path}prioritization' must be an array containing ${priorities.map((priority) => `'${priority}'`).join(', ')}, each at most once ` +
  "and only one of 'identified' and 'unidentified'"

export const badAddresses = "'email_addresses' must be an array of objects with 'email' and 'prioritization'"
export const badNumbers = "'phone_numbers' must be an array of objects with 'phone' and 'prioritization'"

export function deletionRequired(serviceName: string): string {
  return `'external_ids', 'user_aliases', '${serviceName}_ids', 'email_addresses' or 'phone_numbers' is required`
}

export function oneKindOnly(serviceName: string): string {
  return `Only one of external_ids, user_aliases, ${serviceName}_ids, or email_addresses may be specified`
}

export const identificationRequired =
  "'aliases_to_identify', 'emails_to_identify' or 'phone_numbers_to_identify' is required"
export const tooManyIdentifications = `a single request may not contain more than ${identificationsMax} people to identify`
export const badBehavior = "'merge_behavior' must be 'merge' or 'none'"

// Shapes for `/openapi.json`. They only describe requests. The files that read requests check them.

const Id = Type.Union([Type.String(), Type.Integer()])
const Alias = Type.Object({ alias_name: Type.String(), alias_label: Type.String() })
const Prioritization = Type.Array(Type.Enum([...priorities]), {
  minItems: 1,
  description:
    'Each priority filters the people that remain after the one before it. When several people remain, nothing happens',
})
const Message = Type.String({ description: '`success`, or what was wrong with the request' })

const Identifier = Type.Object(
  {
    external_id: Type.Optional(Type.String()),
    user_alias: Type.Optional(Alias),
    email: Type.Optional(Type.String()),
    phone: Type.Optional(Type.String({ description: 'E.164' })),
    prioritization: Type.Optional(Prioritization),
  },
  { description: 'Exactly one of the four; `email` and `phone` with `prioritization`' },
)

/** The body of `POST /users/merge`. */
export const MergeBody = Type.Object({
  merge_updates: Type.Array(Type.Object({ identifier_to_merge: Identifier, identifier_to_keep: Identifier }), {
    maxItems: mergesMax,
  }),
})

export const MergeReply = Type.Object(
  { message: Message },
  { description: 'Accepted; `GET /admin/work` lists the outcome' },
)
export type MergeReply = Static<typeof MergeReply>

// Reasons of notices about identifications that changed nothing, by their outcome. A person who had the external_id already has it as sent.
export const notIdentified: Readonly<Partial<Record<WorkOutcome, string>>> = {
  nobody_matched: 'matches nobody: nothing was changed',
  several_matched: 'matches several people: nothing was changed',
  already_identified: 'names a person who has another external_id: nothing was changed',
  label_taken: 'has the label of another alias of the person with this external_id: nothing was changed',
  failed: 'could not be identified: nothing was changed',
}
export const notDone = 'is not identified yet: GET /admin/work will have the outcome'

const Address = Type.Object({ email: Type.String(), prioritization: Prioritization })
const Phone = Type.Object({ phone: Type.String({ description: 'E.164' }), prioritization: Prioritization })

/** The body of `POST /users/delete`. */
export function deleteBody(serviceName: string): TObject {
  return Type.Object(
    {
      external_ids: Type.Optional(Type.Array(Id, { maxItems: deletionsMax })),
      user_aliases: Type.Optional(Type.Array(Alias, { maxItems: deletionsMax })),
      [`${serviceName}_ids`]: Type.Optional(Type.Array(Type.String(), { maxItems: deletionsMax })),
      email_addresses: Type.Optional(Type.Array(Address, { maxItems: deletionsMax })),
      phone_numbers: Type.Optional(Type.Array(Phone, { maxItems: deletionsMax })),
    },
    { description: 'One of the lists' },
  )
}

export const DeleteReply = Type.Object({
  deleted: Type.Integer({ description: 'Identifiers in the request, including unknown ones' }),
  message: Message,
})
export type DeleteReply = Static<typeof DeleteReply>

const external_id = Id

/** The body of `POST /users/identify`. */
export const IdentifyBody = Type.Object(
  {
    aliases_to_identify: Type.Optional(Type.Array(Type.Object({ external_id, user_alias: Alias }))),
    emails_to_identify: Type.Optional(Type.Array(Type.Object({ external_id, ...Address.properties }))),
    phone_numbers_to_identify: Type.Optional(Type.Array(Type.Object({ external_id, ...Phone.properties }))),
    merge_behavior: Type.Optional(
      Type.Enum([...behaviors], {
        default: 'merge',
        description: 'none: only the alias moves to the person who has the external_id',
      }),
    ),
  },
  { description: `At least one non-empty list, with at most ${identificationsMax} items together` },
)

const Processed = Type.Optional(Type.Integer({ description: 'Items in the list; absent when the list was empty' }))

export const IdentifyReply = Type.Object({
  aliases_processed: Processed,
  emails_processed: Processed,
  phone_numbers_processed: Processed,
  ...noticeMembers,
  message: Message,
})
export type IdentifyReply = Static<typeof IdentifyReply>
