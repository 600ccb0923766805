import Type from 'typebox'
import { workspace } from '../../workspace/settings/query-schema.ts'

export const DecideQuery = Type.Object({ workspace })

export const ResentReply = Type.Object({
  message_id: Type.String({ description: 'The id of the new message' }),
})

export const LeftReply = Type.Object({
  message_id: Type.String(),
  left_at: Type.String({ format: 'date-time' }),
})
