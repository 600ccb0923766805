import Type from 'typebox'

/** The most addresses in one request. */
export const emailsMax = 50
export const listedAddressesMax = 500
export const listedDefault = 100

export const emailRequired = "'email' is required"
export const badState = "subscription_state must be 'subscribed', 'unsubscribed', or 'opted_in'"
export const endRequired = "'end_date' is required"
export const startRequired = "Either 'start_date' or 'email' must be provided"
export const phonesMax = 50
export const phonesRequired = "'phone_numbers' is required"
export const tooManyPhones = `'phone_numbers' must have at most ${phonesMax} items`
export const phoneRangeRequired = "Either 'start_date' or 'phone_numbers' must be provided"
export const invalidPhoneReasons = ['provider_error', 'deactivated'] as const
export const badReason = "'reason' must be 'provider_error' or 'deactivated'"
export const endsBeforeStart = "'end_date' must be after 'start_date'"

// Shapes for `/openapi.json`. They only describe requests, which the functions behind the routes check.

/** Body of `POST /email/status` (contract 10.2). */
export const EmailBody = Type.Object({
  email: Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: emailsMax })]),
  subscription_state: Type.Union([Type.Literal('subscribed'), Type.Literal('unsubscribed'), Type.Literal('opted_in')]),
})

export const EmailReply = Type.Object({ message: Type.Literal('success') })

const Day = Type.String({ format: 'date', description: 'Midnight UTC. A time is read as its date.' })

/** Body of `POST /email/bounce/remove`, `/email/spam/remove` and `/email/blocklist` (contract 10.2). */
export const EmailsBody = Type.Object({
  email: Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: emailsMax })]),
})

/** Query of `GET /email/unsubscribes` (contract 10.2). */
export const UnsubscribesQuery = Type.Object({
  end_date: Day,
  start_date: Type.Optional(Day),
  email: Type.Optional(Type.String({ description: 'Replaces the dates' })),
  limit: Type.Optional(Type.Integer({ minimum: 0, maximum: listedAddressesMax, default: listedDefault })),
  offset: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
  sort_direction: Type.Optional(Type.Union([Type.Literal('asc'), Type.Literal('desc')], { default: 'desc' })),
})

/** Query of `GET /email/hard_bounces` (contract 10.2). */
export const HardBouncesQuery = Type.Omit(UnsubscribesQuery, ['sort_direction'])

export const HardBouncesReply = Type.Object({
  emails: Type.Array(
    Type.Object({
      email: Type.String(),
      hard_bounced_at: Type.String({ description: '`2020-06-17 19:27:44 +0000`' }),
    }),
  ),
  message: Type.Literal('success'),
})

export const UnsubscribesReply = Type.Object({
  emails: Type.Array(
    Type.Object({
      email: Type.String(),
      unsubscribed_at: Type.String({ description: '`2020-06-17 19:27:44 +0000`' }),
    }),
  ),
  message: Type.Literal('success'),
})

const Phones = Type.Array(Type.String({ description: 'E.164' }), { maxItems: phonesMax })

/** Query of `GET /sms/invalid_phone_numbers` (contract 10.2). */
export const InvalidPhonesQuery = Type.Object({
  start_date: Type.Optional(Day),
  end_date: Type.Optional(Day),
  limit: UnsubscribesQuery.properties.limit,
  offset: UnsubscribesQuery.properties.offset,
  phone_numbers: Type.Optional(Phones),
  reason: Type.Optional(Type.Enum([...invalidPhoneReasons])),
})

export const InvalidPhonesReply = Type.Object({
  sms: Type.Array(
    Type.Object({
      phone: Type.String(),
      invalid_detected_at: Type.String(),
      reason: Type.Enum([...invalidPhoneReasons]),
    }),
    { description: 'The newest first' },
  ),
  message: Type.Literal('success'),
})

/** Body of `POST /sms/invalid_phone_numbers/remove` (contract 10.2). */
export const PhonesBody = Type.Object({ phone_numbers: Phones })

export const PhonesReply = EmailReply
