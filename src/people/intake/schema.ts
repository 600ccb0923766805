import Type, { type Static, type TObject, type TSchema } from 'typebox'

// Limits and texts of the track endpoints. Which of them is fatal for the request is said in `splitTrack`.
export const bulkItemsMax = 1000
export const bulkItemsPerPersonMax = 100
export const bulkBytesMax = 2 * 1024 * 1024
export const quantityMax = 100
/** Bytes of an event's properties as JSON. */
export const eventPropertiesBytesMax = 100 * 1024
export const purchasePropertiesBytesMax = 50 * 1024
/** Names among the properties of one event that are kept; those that come later are left out. */
export const propertyNamesMax = 256

export const noValidItems = "Valid data must be provided in the 'attributes', 'events', or 'purchases' fields."
export const tooManyItems = 'Max Input Length Exceeded'
export const tooManyForOne = `A single request may not contain more than ${bulkItemsPerPersonMax} objects for one user`
export const bulkTooLarge = 'A bulk request may not be larger than 2 MB'
export const notAnObject = 'Each item must be an object'
export const nameRequired = "'name' is required"
export const timeRequired = "'time' is required"
export const productRequired = "'product_id' is required"
export const currencyRequired = "'currency' is required"
export const priceRequired = "'price' is required"
export const badCurrency = "'currency' must be an ISO 4217 currency"
export const badProperties = "Invalid 'properties' field"

// Limits and texts of the export.
/** `external_ids` and `user_aliases` together. */
export const exportIdsMax = 50
export const fieldsRequired = "'fields_to_export' is required and must be an array of strings"
export const oneAddressOnly = "Only one of 'device_id', 'email_address' or 'phone' may be provided"

export function exportIdRequired(serviceName: string): string {
  return `'external_ids', 'user_aliases', 'device_id', '${serviceName}_id', 'email_address' or 'phone' is required`
}

/** Every value that `fields_to_export` may hold (specification 2.3). */
export function exportFields(serviceName: string): readonly string[] {
  return [...fixedExportFields, `${serviceName}_id`]
}

const fixedExportFields = [
  'apps',
  'attributed_ad',
  'attributed_adgroup',
  'attributed_campaign',
  'attributed_source',
  'campaigns_received',
  'canvases_received',
  'cards_clicked',
  'country',
  'created_at',
  'custom_attributes',
  'custom_events',
  'devices',
  'dob',
  'email',
  'email_subscribe',
  'external_id',
  'first_name',
  'gender',
  'home_city',
  'language',
  'last_coordinates',
  'last_name',
  'phone',
  'purchases',
  'push_subscribe',
  'push_tokens',
  'random_bucket',
  'time_zone',
  'total_revenue',
  'uninstalled_at',
  'user_aliases',
]

// Shapes for `/openapi.json`. They describe; `splitTrack` and the export judge what arrives.

const Id = Type.Union([Type.String(), Type.Integer()])
const Time = Type.String({ format: 'date-time' })
const Message = Type.String({ description: '`success`, or what was wrong with the request' })

const Alias = Type.Object(
  { alias_name: Type.String(), alias_label: Type.String() },
  { description: 'A name that is unique under its label' },
)

/** One of the members that name a user (specification 2.1), and `_update_existing_only`. */
function identifierMembers(serviceName: string): Record<string, TSchema> {
  return {
    external_id: Type.Optional(Type.Union([Type.String(), Type.Integer()], { description: 'At most 987 bytes' })),
    user_alias: Type.Optional(Alias),
    [`${serviceName}_id`]: Type.Optional(
      Type.String({ description: '24 hexadecimal digits, assigned by the service' }),
    ),
    email: Type.Optional(Type.String({ description: 'Identifies when none of the three above is given' })),
    phone: Type.Optional(Type.String({ description: 'E.164; identifies when nothing above is given' })),
    _update_existing_only: Type.Optional(
      Type.Boolean({ description: 'true: nobody is created. false: an alias creates an alias-only profile' }),
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
      _merge_objects: Type.Optional(Type.Boolean({ description: 'Merge objects into those there are' })),
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
      push_token_import: Type.Optional(Type.Boolean({ description: 'Each token makes an anonymous profile' })),
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

/** The body of `POST /users/track` and `/users/track/bulk`. */
export function trackBody(serviceName: string): TObject {
  return Type.Object(
    {
      attributes: Type.Optional(Type.Array(attributesObject(serviceName))),
      events: Type.Optional(Type.Array(eventObject(serviceName))),
      purchases: Type.Optional(Type.Array(purchaseObject(serviceName))),
    },
    { description: 'At least one object in one of the arrays' },
  )
}

export type InputArray = 'attributes' | 'events' | 'purchases'

export const TrackError = Type.Object({
  index: Type.Integer({ description: 'Place of the refused object in its array, from 0' }),
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
  message: Message,
})
export type TrackReply = Static<typeof TrackReply>

/** The body of `POST /users/export/ids`. */
export function exportBody(serviceName: string): TObject {
  return Type.Object(
    {
      external_ids: Type.Optional(Type.Array(Id, { maxItems: exportIdsMax })),
      user_aliases: Type.Optional(Type.Array(Alias, { maxItems: exportIdsMax })),
      device_id: Type.Optional(Type.String()),
      [`${serviceName}_id`]: Type.Optional(Type.String()),
      email_address: Type.Optional(Type.String()),
      phone: Type.Optional(Type.String({ description: 'E.164' })),
      fields_to_export: Type.Array(Type.Enum([...exportFields(serviceName)])),
    },
    { description: 'At most one of device_id, email_address and phone' },
  )
}

const Summary = Type.Object({ name: Type.String(), first: Time, last: Time, count: Type.Integer() })
const State = Type.Enum(['opted_in', 'subscribed', 'unsubscribed'])

const ExportedToken = Type.Object({
  app: Type.String(),
  platform: Type.String(),
  token: Type.String(),
  device_id: Type.String(),
  notifications_enabled: Type.Boolean(),
})

const text = Type.Optional(Type.String())

const ExportedApp = Type.Object(
  {
    name: Type.String(),
    platform: text,
    version: text,
    sessions: Type.Integer(),
    first_used: Type.Optional(Time),
    last_used: Type.Optional(Time),
  },
  { description: 'Named by its id when the workspace has no such app any more' },
)

const ExportedDevice = Type.Object({
  device_id: Type.String(),
  model: text,
  os: text,
  carrier: text,
  idfv: text,
  idfa: text,
  google_ad_id: text,
  roku_ad_id: text,
  ad_tracking_enabled: Type.Optional(Type.Boolean()),
})

const when = Type.Optional(Time)

const ReceivedCampaign = Type.Object({
  name: Type.String(),
  api_campaign_id: Type.String(),
  last_received: when,
  engaged: Type.Optional(
    Type.Record(Type.Enum(['opened_email', 'clicked_email']), Type.Boolean(), { description: 'What is true' }),
  ),
  converted: Type.Optional(Type.Boolean()),
  multiple_converted: Type.Optional(Type.Record(Type.String(), Type.Boolean())),
  variation_name: text,
  variation_api_id: text,
  in_control: Type.Optional(Type.Boolean({ description: 'Of campaigns with variations' })),
})

const ReceivedCanvas = Type.Object({
  name: Type.String(),
  api_canvas_id: Type.String(),
  last_received_message: when,
  last_entered: when,
  last_entered_control_at: Type.Union([Time, Type.Null()]),
  variation_name: text,
  in_control: Type.Boolean(),
  last_exited: when,
  steps_received: Type.Optional(
    Type.Array(Type.Object({ name: Type.String(), api_canvas_step_id: Type.String(), last_received: Time })),
  ),
})

/** One exported user. A member that is null, false or empty is absent. */
function exportedUser(serviceName: string): TObject {
  return Type.Object(
    {
      created_at: Type.Optional(Time),
      external_id: text,
      user_aliases: Type.Optional(Type.Array(Alias)),
      [`${serviceName}_id`]: text,
      first_name: text,
      last_name: text,
      random_bucket: Type.Optional(Type.Integer({ minimum: 0, maximum: 9999 })),
      email: text,
      phone: text,
      dob: Type.Optional(Type.String({ format: 'date' })),
      gender: text,
      country: text,
      home_city: text,
      language: text,
      time_zone: text,
      last_coordinates: Type.Optional(Type.Array(Type.Number(), { description: '[longitude, latitude]' })),
      custom_attributes: Type.Optional(Type.Object({}, { additionalProperties: true })),
      custom_events: Type.Optional(Type.Array(Summary, { description: 'Of the last 90 days' })),
      purchases: Type.Optional(Type.Array(Summary, { description: 'Of the last 90 days; the name is the product_id' })),
      total_revenue: Type.Optional(Type.Number()),
      push_subscribe: Type.Optional(State),
      push_opted_in_at: Type.Optional(Time),
      push_unsubscribed_at: Type.Optional(Time),
      email_subscribe: Type.Optional(State),
      email_opted_in_at: Type.Optional(Time),
      email_unsubscribed_at: Type.Optional(Time),
      push_tokens: Type.Optional(Type.Array(ExportedToken)),
      apps: Type.Optional(Type.Array(ExportedApp)),
      devices: Type.Optional(Type.Array(ExportedDevice)),
      attributed_campaign: text,
      attributed_source: text,
      attributed_adgroup: text,
      attributed_ad: text,
      campaigns_received: Type.Optional(Type.Array(ReceivedCampaign)),
      canvases_received: Type.Optional(Type.Array(ReceivedCanvas)),
      cards_clicked: Type.Optional(Type.Array(Type.Object({ name: Type.String() }))),
      uninstalled_at: Type.Optional(Type.String({ format: 'date-time', description: 'Of the app that went last' })),
    },
    { additionalProperties: true, description: 'The asked fields; one that is null, false or empty is absent' },
  )
}

/** The answer of `POST /users/export/ids`. */
export function exportReply(serviceName: string): TObject {
  return Type.Object({
    users: Type.Array(exportedUser(serviceName)),
    invalid_user_ids: Type.Optional(Type.Array(Type.String(), { description: 'Identifiers that match nobody' })),
    message: Message,
  })
}
