import { Type } from 'typebox'

const Identifiers = Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: 50 })])

/** Query of `GET /subscription/user/status` (specification 4.4); lists are sent as `external_id[]=...`. */
export const StatusQuery = Type.Object({
  external_id: Type.Optional(Identifiers),
  email: Type.Optional(Identifiers),
  phone: Type.Optional(Identifiers),
  limit: Type.Optional(Type.Integer({ minimum: 0, maximum: 100, default: 100 })),
  offset: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
})

const Nullable = Type.Union([Type.String(), Type.Null()])

export const StatusReply = Type.Object({
  users: Type.Array(
    Type.Object({
      email: Nullable,
      phone: Nullable,
      external_id: Nullable,
      subscription_groups: Type.Array(
        Type.Object({
          id: Type.String(),
          name: Type.String(),
          channel: Type.String({ description: '`email` or `sms`' }),
          status: Type.String({ description: '`Subscribed` or `Unsubscribed`' }),
        }),
      ),
    }),
  ),
  total_count: Type.Integer({ description: 'People matched before paging' }),
  message: Type.Literal('success'),
})
