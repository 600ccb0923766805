import Type, { type Static, type TObject } from 'typebox'
import { type NoticeMembers, noticeMembers } from '../../base/http/notices.ts'
import { UserAlias } from '../identity/identifier-schema.ts'
import { Summary as SummaryShape } from './schema.ts'

export type Summary = Static<typeof SummaryShape>

export type TrackSyncReply = NoticeMembers & { users: Record<string, unknown>[]; message: 'success' }

/** The answer of `POST /users/track/sync` (contract 10.1). */
export function trackSyncReply(serviceName: string): TObject {
  const text = Type.Optional(Type.String())
  const summaries = (description: string) => Type.Optional(Type.Array(SummaryShape, { description }))
  const user = Type.Object(
    {
      external_id: text,
      user_alias: Type.Optional(UserAlias),
      [`${serviceName}_id`]: text,
      email: text,
      phone: text,
      custom_attributes: Type.Optional(
        Type.Object(
          {},
          {
            additionalProperties: true,
            description: 'The custom attributes that the object names; one that was removed is absent',
          },
        ),
      ),
      custom_events: summaries('The event that the object names, of the last 90 days'),
      purchase_events: summaries('The product that the object names, of the last 90 days'),
    },
    { description: 'The identifier that the object has, and what the object changed' },
  )
  return Type.Object({
    users: Type.Array(user, { maxItems: 1, description: 'Empty when the object is about nobody' }),
    ...noticeMembers,
    message: Type.Literal('success'),
  })
}
