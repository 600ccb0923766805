import Type, { type TObject } from 'typebox'
import { UserAlias } from '../identity/identifier-schema.ts'

// Limits and texts of the export.
/** `external_ids` and `user_aliases` together. */
export const exportIdsMax = 50
/** Bytes of an answer. */
export const exportBytesMax = 33_554_432
export const exportTooLarge = `The answer would be larger than ${exportBytesMax} bytes: export fewer people or fewer fields`
export const fieldsRequired = "'fields_to_export' is required and must be an array of strings"
/** Entries of `errors` for unknown fields. */
export const fieldErrorsMax = 50
const fieldCharactersMax = 100

/** `nearest` is the known field that is spelled most like it. */
export function unknownField(field: string, nearest: string): string {
  return `'fields_to_export' has the unknown field ${JSON.stringify(field.slice(0, fieldCharactersMax))}: the nearest field is '${nearest}'`
}

export const oneAddressOnly = "Only one of 'device_id', 'email_address' or 'phone' may be provided"

export function exportIdRequired(serviceName: string): string {
  return `'external_ids', 'user_aliases', 'device_id', '${serviceName}_id', 'email_address' or 'phone' is required`
}

/** Every value that is allowed in `fields_to_export` (specification 2.3). */
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
  'email_opted_in_at',
  'email_subscribe',
  'email_unsubscribed_at',
  'external_id',
  'first_name',
  'gender',
  'home_city',
  'language',
  'last_coordinates',
  'last_name',
  'phone',
  'purchases',
  'push_opted_in_at',
  'push_subscribe',
  'push_tokens',
  'push_unsubscribed_at',
  'random_bucket',
  'time_zone',
  'total_revenue',
  'uninstalled_at',
  'user_aliases',
]

// Shapes for `/openapi.json`. They only describe requests: `readExport` checks them.

const Id = Type.Union([Type.String(), Type.Integer()])
const Time = Type.String({ format: 'date-time' })
const Message = Type.String({ description: '`success`, or what was wrong with the request' })

/** The body of `POST /users/export/ids`. */
export function exportBody(serviceName: string): TObject {
  return Type.Object(
    {
      external_ids: Type.Optional(Type.Array(Id, { maxItems: exportIdsMax })),
      user_aliases: Type.Optional(Type.Array(UserAlias, { maxItems: exportIdsMax })),
      device_id: Type.Optional(Type.String()),
      [`${serviceName}_id`]: Type.Optional(Type.String()),
      email_address: Type.Optional(Type.String()),
      phone: Type.Optional(Type.String({ description: 'E.164' })),
      fields_to_export: Type.Array(Type.Enum([...exportFields(serviceName)])),
    },
    { description: 'At most one of device_id, email_address and phone' },
  )
}

export const Summary = Type.Object({ name: Type.String(), first: Time, last: Time, count: Type.Integer() })
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
  { description: 'The id of the app instead, when the workspace no longer has the app' },
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
    Type.Record(Type.Enum(['opened_email', 'clicked_email']), Type.Boolean(), { description: 'Members that are true' }),
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
export function exportedUser(serviceName: string): TObject {
  return Type.Object(
    {
      created_at: Type.Optional(Time),
      external_id: text,
      user_aliases: Type.Optional(Type.Array(UserAlias)),
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
      uninstalled_at: Type.Optional(
        Type.String({ format: 'date-time', description: 'When an app was last uninstalled' }),
      ),
    },
    { additionalProperties: true, description: 'The requested fields; one that is null, false or empty is absent' },
  )
}

/** The answer of `POST /users/export/ids`. */
export function exportReply(serviceName: string): TObject {
  return Type.Object({
    users: Type.Array(exportedUser(serviceName)),
    invalid_user_ids: Type.Optional(Type.Array(Type.String(), { description: 'Identifiers that match no person' })),
    message: Message,
  })
}
