import Type from 'typebox'
import { noticeMembers } from '../../base/http/notices.ts'

/** The most users in all lists of a request together (specification 8), and the most values of one kind in a query. */
export const usersMax = 50

export const badItems = "'subscription_groups' must be an array of objects"
export const badState = "subscription_state must be 'subscribed' or 'unsubscribed'"
export const unknownGroup = 'Invalid subscription group ID'
export const nobodyNamed = 'Either external_id, email or phone must be provided'
export const emailAndPhone = 'Either an email address or a phone number should be provided, but not both.'
export const emailOfSms = 'An SMS subscription group takes external_id or phone only'
export const phoneOfEmail = 'An email subscription group takes external_id or email only'

// Reasons of notices. Each is the rest of a sentence that begins with the member.
export const archivedGroup = 'is an archived group: no state changed'
export const noDoubleOptIn = 'has no effect: there is no double opt-in'
export const notAMember = 'is not a member of subscription_groups: it was not stored'
export const nobodyToAsk = {
  email: 'matches nobody with an e-mail address: nobody was asked to confirm',
  sms: 'matches nobody with a phone number: nobody was asked to confirm',
} as const
export const matchesNobody = 'matches nobody: no state changed'

// Shapes for `/openapi.json`. They only describe requests, which the functions behind the routes check.

const Id = Type.Union([Type.String(), Type.Integer()])
const Ids = Type.Union([Type.String(), Type.Array(Id)])
const Texts = Type.Union([Type.String(), Type.Array(Type.String())])

const fixed = {
  subscription_group_id: Type.String(),
  subscription_state: Type.Union([Type.Literal('subscribed'), Type.Literal('unsubscribed')]),
  use_double_opt_in_logic: Type.Optional(
    Type.Boolean({
      description:
        'With `true` and `subscribed`, people get a mail with a link, and are subscribed when they confirm. ' +
        'It has an effect only for groups whose `double_opt_in` has `through_api`.',
    }),
  ),
}

/** One item of `POST /v2/subscription/status/set` (specification 4.2); at most 50 users over all items. */
const SetItem = Type.Object({
  ...fixed,
  external_ids: Type.Optional(Ids),
  emails: Type.Optional(Texts),
  phones: Type.Optional(Texts),
})

export const BulkSetBody = Type.Object({ subscription_groups: Type.Array(SetItem) })

/** Body of `POST /subscription/status/set` (specification 4.3). */
export const SetBody = Type.Object({
  ...fixed,
  external_id: Type.Optional(Type.Union([Id, Type.Array(Id)])),
  email: Type.Optional(Texts),
  phone: Type.Optional(Texts),
})

export const SetReply = Type.Object({ ...noticeMembers, message: Type.Literal('success') })

const Identifiers = Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: usersMax })])

const identifiers = {
  external_id: Type.Optional(Identifiers),
  email: Type.Optional(Identifiers),
  phone: Type.Optional(Identifiers),
}

/** Query of `GET /subscription/status/get`; lists are sent as `external_id[]=...`. */
export const GroupQuery = Type.Object({ subscription_group_id: Type.String(), ...identifiers })

export const GroupReply = Type.Object({
  status: Type.Record(Type.String(), Type.String(), {
    description: '`Subscribed`, `Unsubscribed` or `unknown`, by identifier as it was sent',
  }),
  message: Type.Literal('success'),
})

/** Query of `GET /subscription/user/status` (specification 4.4); lists are sent as `external_id[]=...`. */
export const StatusQuery = Type.Object({
  ...identifiers,
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
