import Type, { type Static } from 'typebox'
import { sendIdCharactersMax } from './order-schema.ts'

/** Send ids that a workspace may create within a day of business time (contract 10.3). */
export const sendIdsPerDayMax = 100

export const tooManySendIds = `At most ${sendIdsPerDayMax} send ids may be created within 24 hours`

export const SendIdBody = Type.Object({
  campaign_id: Type.String({ description: 'The id of a campaign.' }),
  send_id: Type.Optional(
    Type.String({ minLength: 1, maxLength: sendIdCharactersMax, description: 'Generated when it is absent.' }),
  ),
})
export const SendIdReply = Type.Object({ send_id: Type.String() })
export type SendIdReply = Static<typeof SendIdReply>
