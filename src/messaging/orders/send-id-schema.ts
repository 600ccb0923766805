import Type, { type Static } from 'typebox'

/** Identifiers of sends that a workspace may make within a day of business time (contract 10.3). */
export const sendsPerDayMax = 100

export const tooManySends = `At most ${sendsPerDayMax} send ids may be made within 24 hours`

export const SendIdBody = Type.Object({
  campaign_id: Type.String({ description: 'The id of a campaign' }),
  send_id: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: 'Made by the service when it is absent' }),
  ),
})
export const SendIdReply = Type.Object({ send_id: Type.String() })
export type SendIdReply = Static<typeof SendIdReply>
