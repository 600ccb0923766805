import Type, { type TObject } from 'typebox'

// Limits and texts of reports of SDKs.
/** Sessions of one report. An SDK that was offline for longer sends several reports. */
export const sessionsMax = 100
/** The most cards of one report. */
export const cardsMax = 100

export const tooManySessions = `'sessions' may not hold more than ${sessionsMax} sessions`
export const tooManyCards = `'card_clicks' may not hold more than ${cardsMax} cards`
export const unknownApp = "'app_id' must be the id of an app of the workspace"

export function oneIdentifier(serviceIdKey: string): string {
  return `'identifier' must hold exactly one of 'external_id', 'user_alias', '${serviceIdKey}', 'email' or 'phone'`
}

export function endsTooEarly(place: string): string {
  return `'${place}.ended_at' must not be before '${place}.started_at'`
}

const Text = Type.String({ maxLength: 255 })
const Time = Type.String({ format: 'date-time', description: 'ISO 8601; one in the future counts as now' })
const Clearable = Type.Optional(Type.Union([Text, Type.Null()], { description: 'null clears it' }))

const Device = Type.Object(
  {
    device_id: Type.String({ description: '8 to 255 bytes' }),
    model: Clearable,
    os: Clearable,
    carrier: Clearable,
    idfv: Clearable,
    idfa: Clearable,
    google_ad_id: Clearable,
    roku_ad_id: Clearable,
    ad_tracking_enabled: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
  },
  { description: 'A member that is omitted does not change' },
)

const Attribution = Type.Object(
  {
    campaign: Type.Optional(Text),
    source: Type.Optional(Text),
    adgroup: Type.Optional(Text),
    ad: Type.Optional(Text),
  },
  { description: 'Replaces the whole earlier attribution' },
)

const Session = Type.Object({ started_at: Time, ended_at: Time })
const Card = Type.Union([Type.String(), Type.Object({ name: Type.String(), time: Type.Optional(Time) })])

/** The body of `POST /sdk/data`. */
export function reportBody(serviceName: string): TObject {
  return Type.Object({
    identifier: Type.Optional(
      Type.Object(
        {
          external_id: Type.Optional(Type.Union([Type.String(), Type.Integer()])),
          user_alias: Type.Optional(Type.Object({ alias_name: Type.String(), alias_label: Type.String() })),
          [`${serviceName}_id`]: Type.Optional(Type.String()),
          email: Type.Optional(Type.String()),
          phone: Type.Optional(Type.String({ description: 'E.164' })),
        },
        { description: 'Exactly one of the members. Without `identifier` the report is about the owner of the device' },
      ),
    ),
    device: Device,
    app_id: Type.String({ description: 'An app of the workspace' }),
    app_version: Type.Optional(Text),
    sessions: Type.Optional(Type.Array(Session, { maxItems: sessionsMax })),
    push_token: Type.Optional(Type.String({ description: 'The push token of this app on this device' })),
    attribution: Type.Optional(Attribution),
    card_clicks: Type.Optional(Type.Array(Card, { maxItems: cardsMax })),
    uninstalled_at: Type.Optional(Time),
  })
}

/** The answer of `POST /sdk/data`. */
export function reportReply(serviceName: string): TObject {
  return Type.Object({
    [`${serviceName}_id`]: Type.String({ description: 'The person that the report is about' }),
    message: Type.Literal('success'),
  })
}
