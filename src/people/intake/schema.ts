import Type, { type Static, type TObject, type TSchema } from 'typebox'
import { noticeMembers } from '../../base/http/notices.ts'
import { UserAlias } from '../identity/identifier-schema.ts'

// Limits and texts of the track endpoints. `splitTrack` decides which of them refuse the request.
export const bulkItemsMax = 1000
export const bulkItemsPerPersonMax = 100
export const bulkBytesMax = 2 * 1024 * 1024
export const quantityMax = 100
/** Bytes of the properties of an event or a purchase as JSON. */
export const propertiesBytesMax = 100 * 1024

export const noValidItems = "Valid data must be provided in the 'attributes', 'events', or 'purchases' fields."
export const tooManyItems = 'Max Input Length Exceeded'
export const tooManyForOne = `A single request may not contain more than ${bulkItemsPerPersonMax} objects for one user`
export const bulkTooLarge = 'A bulk request may not be larger than 2 MB'
export const nameRequired = "'name' is required"
export const timeRequired = "'time' is required"
export const productRequired = "'product_id' is required"
export const currencyRequired = "'currency' is required"
export const priceRequired = "'price' is required"
export const badCurrency = "'currency' must be an ISO 4217 currency"
export const badProperties = "Invalid 'properties' field"

// Reasons of notices.
export const futureTime = 'is in the future: the time of the request was stored'
export const pastRetention = 'is before the retention of events and purchases: what is as old is deleted soon'
export const knownToken = 'has a token that is known already: it was left as it is'
export const matchesNobody = {
  alias: 'matches nobody, and _update_existing_only is not false: nothing was stored',
  other: 'matches nobody: nothing was stored',
} as const
export const longPrice = 'has more digits than a price: the nearest double was stored'
export const notAMember = {
  events: 'is not a member of events: it was not stored',
  purchases: 'is not a member of purchases: it was not stored',
} as const
export const notTheIdentifier = 'was not stored: another member identifies the person of this object'

// Shapes for `/openapi.json`. They only describe requests, which `splitTrack` checks.

const Id = Type.Union([Type.String(), Type.Integer()])
const Time = Type.String({ format: 'date-time' })
const Message = Type.String({ description: '`success`, or what was wrong with the request' })

/** The members that identify a user (specification 2.1), and `_update_existing_only`. */
function identifierMembers(serviceName: string): Record<string, TSchema> {
  return {
    external_id: Type.Optional(Type.Union([Type.String(), Type.Integer()], { description: 'At most 987 bytes' })),
    user_alias: Type.Optional(UserAlias),
    [`${serviceName}_id`]: Type.Optional(
      Type.String({ description: '24 hexadecimal digits, assigned by the service' }),
    ),
    email: Type.Optional(Type.String({ description: 'Identifies the person if none of the three above is given' })),
    phone: Type.Optional(Type.String({ description: 'E.164; identifies the person if nothing above is given' })),
    _update_existing_only: Type.Optional(
      Type.Boolean({ description: 'true: no person is created. false: an alias creates an alias-only profile' }),
    ),
  }
}

const SubscribeState = Type.Enum(['opted_in', 'subscribed', 'unsubscribed'])

const GroupItem = Type.Object({
  subscription_group_id: Type.String(),
  subscription_state: Type.Enum(['subscribed', 'unsubscribed']),
})

const TokenItem = Type.Object({
  app_id: Type.String(),
  token: Type.String(),
  device_id: Type.Optional(Type.String({ description: '8 to 255 bytes; generated when absent' })),
  notifications_enabled: Type.Optional(Type.Boolean({ default: true })),
})

function attributesObject(serviceName: string): TObject {
  const nullableText = Type.Optional(Type.Union([Type.String(), Type.Null()]))
  return Type.Object(
    {
      ...identifierMembers(serviceName),
      _merge_objects: Type.Optional(Type.Boolean({ description: 'Merge objects into the stored ones' })),
      first_name: nullableText,
      last_name: nullableText,
      gender: Type.Optional(Type.Union([Type.Enum(['M', 'F', 'O', 'N', 'P']), Type.Null()])),
      dob: Type.Optional(Type.Union([Type.String({ format: 'date' }), Type.Null()])),
      country: nullableText,
      home_city: nullableText,
      language: nullableText,
      time_zone: nullableText,
      image_url: nullableText,
      current_location: Type.Optional(Type.Object({ longitude: Type.Number(), latitude: Type.Number() })),
      email_subscribe: Type.Optional(SubscribeState),
      push_subscribe: Type.Optional(SubscribeState),
      email_open_tracking_disabled: Type.Optional(Type.Boolean()),
      email_click_tracking_disabled: Type.Optional(Type.Boolean()),
      date_of_first_session: Type.Optional(Time),
      date_of_last_session: Type.Optional(Time),
      marked_email_as_spam_at: Type.Optional(Time),
      subscription_groups: Type.Optional(Type.Array(GroupItem)),
      push_tokens: Type.Optional(Type.Array(TokenItem)),
      push_token_import: Type.Optional(Type.Boolean({ description: 'Each token creates an anonymous profile' })),
      facebook: Type.Optional(Type.Object({}, { additionalProperties: true })),
      twitter: Type.Optional(Type.Object({}, { additionalProperties: true })),
    },
    {
      additionalProperties: true,
      description: 'Any other member is a custom attribute; null removes it',
    },
  )
}

function occurrenceMembers(serviceName: string): Record<string, TSchema> {
  return {
    ...identifierMembers(serviceName),
    app_id: Type.Optional(Type.String()),
    time: Type.String({ format: 'date-time', description: 'ISO 8601; a time in the future counts as now' }),
    properties: Type.Optional(Type.Object({}, { additionalProperties: true })),
  }
}

function eventObject(serviceName: string): TObject {
  return Type.Object({ ...occurrenceMembers(serviceName), name: Type.String({ minLength: 1, maxLength: 255 }) })
}

function purchaseObject(serviceName: string): TObject {
  return Type.Object({
    ...occurrenceMembers(serviceName),
    product_id: Id,
    currency: Type.String({ description: 'ISO 4217' }),
    price: Type.Number({ description: 'In the base unit; negative for a refund' }),
    quantity: Type.Optional(Type.Integer({ minimum: 1, maximum: quantityMax, default: 1 })),
  })
}

/** The body of `POST /users/track` and those like it. */
export function trackBody(serviceName: string, description = 'At least one object in one of the arrays'): TObject {
  return Type.Object(
    {
      attributes: Type.Optional(Type.Array(attributesObject(serviceName))),
      events: Type.Optional(Type.Array(eventObject(serviceName))),
      purchases: Type.Optional(Type.Array(purchaseObject(serviceName))),
    },
    { description },
  )
}

export type InputArray = 'attributes' | 'events' | 'purchases'

export const TrackError = Type.Object({
  index: Type.Integer({ description: 'Position of the refused object in its array, from 0' }),
  input_array: Type.Enum(['attributes', 'events', 'purchases']),
  type: Type.String({ description: 'Why it was refused' }),
})
export type TrackError = Static<typeof TrackError>

const Processed = Type.Optional(
  Type.Integer({ description: 'Accepted objects; present when the array was sent and not empty' }),
)

export const TrackReply = Type.Object({
  attributes_processed: Processed,
  events_processed: Processed,
  purchases_processed: Processed,
  errors: Type.Optional(Type.Array(TrackError, { description: 'Refused objects; absent when there are none' })),
  ...noticeMembers,
  message: Message,
})
export type TrackReply = Static<typeof TrackReply>
