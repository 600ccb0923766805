import Type, { type Static } from 'typebox'
import { attributeBlocklistMax } from '../../workspace/settings/settings.ts'
import { arrayItemsMax, charactersMax } from '../values/values.ts'

/** Names on a page of `/events/list` and `/purchases/product_list`. */
export const namesPageMax = 250
/** Entries on a page of a list with a cursor. */
export const cursorPageMax = 50

const Message = Type.String()

export const NamesQuery = Type.Object({
  page: Type.Optional(Type.Integer({ minimum: 0, default: 0, description: `Pages have ${namesPageMax} names.` })),
  sort_direction: Type.Optional(Type.Enum(['asc', 'desc'], { default: 'asc', description: 'By name' })),
})

export const CursorQuery = Type.Object({
  cursor: Type.Optional(
    Type.String({ description: `From the header \`Link\` of another page; pages have ${cursorPageMax} entries` }),
  ),
})

export const EventNamesReply = Type.Object({
  events: Type.Array(Type.String({ description: 'The name of an event' })),
  message: Message,
})

export const ProductsReply = Type.Object({
  products: Type.Array(Type.String({ description: 'The id of a product' })),
  message: Message,
})

const description = Type.Union([Type.String(), Type.Null()], { description: 'null: names have no descriptions' })
const status = Type.Enum(['Active'])
const tag_names = Type.Array(Type.String(), { description: 'Empty: names have no tags' })

const ListedEvent = Type.Object({
  name: Type.String(),
  description,
  included_in_analytics_report: Type.Boolean({ description: 'false: there is no such report' }),
  status,
  tag_names,
})
export type ListedEvent = Static<typeof ListedEvent>

export const EventsReply = Type.Object({ events: Type.Array(ListedEvent), message: Message })

const ListedAttribute = Type.Object({
  array_length: Type.Union([Type.Integer(), Type.Null()], {
    description: `${arrayItemsMax} items for an array; null for everything else`,
  }),
  data_type: Type.String({
    description:
      'The types of the values so far, such as `String (Automatically Detected)`; several have commas between them',
  }),
  description,
  name: Type.String(),
  status: Type.Enum(['Active', 'Blocklisted'], { description: '`Blocklisted`: new values are not stored' }),
  tag_names,
})
export type ListedAttribute = Static<typeof ListedAttribute>

/** Body of `POST /custom_attributes/blocklist`. */
const BlockedNames = (description: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: charactersMax }), {
      minItems: 1,
      maxItems: attributeBlocklistMax,
      description,
    }),
  )

export const BlocklistBody = Type.Object({
  custom_attributes: BlockedNames('Names of custom attributes, also of those that no person has yet'),
  custom_attribute_names: BlockedNames('The same, as some clients call it. One of the two is required'),
  blocklisted: Type.Boolean({ description: 'true: new values are not stored any more. false: they are again' }),
})
export const BlocklistReply = Type.Object({ message: Message })

export const AttributesReply = Type.Object({ attributes: Type.Array(ListedAttribute), message: Message })

export const CardsQuery = Type.Object({
  page: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
  include_archived: Type.Optional(Type.Boolean({ default: false })),
  sort_direction: Type.Optional(Type.Enum(['asc', 'desc'], { default: 'asc' })),
})
export const CardQuery = Type.Object({ card_id: Type.String({ description: 'No card has any id' }) })
const nothing = (description: string) => Type.Array(Type.Never(), { maxItems: 0, description })
export const CardsReply = Type.Object({
  cards: nothing('Empty: Easel has no cards of a news feed'),
  message: Message,
})
export const CardReply = Type.Object({ message: Message }, { description: 'Never sent: there are no cards' })

export const SdkKeysQuery = Type.Object({ app_id: Type.String({ description: 'The id of an app' }) })
export const SdkKeysReply = Type.Object({
  keys: nothing('Empty: reports of apps are accepted with the key of the app'),
  message: Message,
})
