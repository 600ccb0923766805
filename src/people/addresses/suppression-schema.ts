import Type, { type Static } from 'typebox'
import { paging, workspace } from '../../workspace/settings/query-schema.ts'
import { emailsMax } from './schema.ts'

export const suppressionPageMax = 500
export const suppressionPageDefault = 100

const reasons = ['hard_bounce', 'spam', 'soft_bounces', 'blocklist'] as const
const Reason = Type.Enum([...reasons])
const Addresses = Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: emailsMax })])

export const SuppressionsQuery = Type.Object({
  workspace,
  address: Type.Optional(Type.String()),
  reason: Type.Optional(Reason),
  ...paging(suppressionPageDefault, suppressionPageMax),
})

export const SuppressionsReply = Type.Object({
  suppressions: Type.Array(
    Type.Object({
      address: Type.Union([Type.String(), Type.Null()], {
        description: 'null after the person with the address was deleted: only a keyed hash is stored',
      }),
      reason: Reason,
      told: Type.Union([Type.String(), Type.Null()], { description: 'What the server, provider or operator said' }),
      at: Type.String({ format: 'date-time' }),
    }),
    { description: 'Newest first' },
  ),
  cursor: Type.Optional(Type.String({ description: 'For the next page; absent on the last page' })),
})
export type SuppressionsReply = Static<typeof SuppressionsReply>

export const SuppressBody = Type.Object({
  email: Addresses,
  reason: Type.Optional(Type.Enum([...reasons], { default: 'blocklist' })),
  told: Type.Optional(Type.String({ maxLength: 500 })),
})

export const UnsuppressBody = Type.Object({
  email: Addresses,
  reason: Type.Optional(Type.Enum([...reasons], { description: 'Every reason when absent' })),
})

export const SuppressReply = Type.Object({ message: Type.Literal('success') })
