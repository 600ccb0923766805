import Type, { type TObject } from 'typebox'
import { paging, workspace } from '../../workspace/settings/query-schema.ts'
import { messageClasses } from '../messages/message.ts'

export const uncertainPageMax = 100
export const uncertainPageDefault = 20

/** Messages that an administrator may send again: `set_aside` is a reason. */
export const resendableStates = ['uncertain', 'set_aside'] as const
export type ResendableState = (typeof resendableStates)[number]

export const UncertainQuery = Type.Object({
  workspace,
  ...paging(uncertainPageDefault, uncertainPageMax),
  state: Type.Enum([...resendableStates]),
})

const Time = Type.String({ format: 'date-time' })
const TextOrNull = Type.Union([Type.String(), Type.Null()])

/** Returns the schema of a page of uncertain messages. The member with the id of the person is named after the service. */
export function uncertainReply(serviceName: string): TObject {
  const Entry = Type.Object({
    message_id: Type.String(),
    dispatch_id: Type.String(),
    [`${serviceName}_id`]: Type.String(),
    external_id: TextOrNull,
    channel: Type.String(),
    class: Type.Enum([...messageClasses]),
    address: TextOrNull,
    subject: TextOrNull,
    response: TextOrNull,
    planned_at: Time,
    ended_at: Time,
  })
  return Type.Object({ messages: Type.Array(Entry), cursor: Type.Optional(Type.String()) })
}
export type UncertainReply = { messages: Record<string, string | null>[]; cursor?: string }

export const ResendQuery = Type.Object({ workspace })

export const ResentReply = Type.Object({
  message_id: Type.String({ description: 'The id of the new message' }),
})
