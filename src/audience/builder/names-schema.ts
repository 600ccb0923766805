import Type, { type Static } from 'typebox'
import { workspace } from '../../workspace/settings/query-schema.ts'

/** Names of one answer. */
export const namesMax = 100
/** Example values of one name. */
export const examplesMax = 3

/** `purchase` and `product` are both ids of products. */
export const nameKinds = ['attribute', 'event', 'purchase', 'property', 'product'] as const
export type NameKind = (typeof nameKinds)[number]

export const NamesQuery = Type.Object({
  workspace,
  kind: Type.Enum([...nameKinds], {
    description:
      '`attribute`: custom attributes. `purchase` and `product`: ids of products. `property`: properties of an event.',
  }),
  of: Type.Optional(Type.String({ description: 'The name of the event; required for `property`, and only for it.' })),
  prefix: Type.Optional(Type.String({ description: 'How the names begin; the case of letters does not matter.' })),
})

const ListedName = Type.Object({
  name: Type.String(),
  types: Type.Array(Type.String(), {
    description:
      'Types of the values: `boolean`, `number`, `string`, `time`, `array`, `object`. Empty for events and products.',
  }),
  share: Type.Number({ minimum: 0, maximum: 1, description: 'About this share of all people has it.' }),
  examples: Type.Array(Type.Union([Type.String(), Type.Number(), Type.Boolean()]), {
    maxItems: examplesMax,
    description: 'Frequent values. Empty for accounts without `people.read`.',
  }),
})
export type ListedName = Static<typeof ListedName>

export const NamesReply = Type.Object({
  names: Type.Array(ListedName, { maxItems: namesMax, description: 'The most frequent names come first.' }),
  at: Type.String({ format: 'date-time', description: 'The answer is at most a minute old.' }),
})
export type NamesReply = Static<typeof NamesReply>
