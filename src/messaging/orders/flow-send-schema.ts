import Type from 'typebox'
import { noticeMembers } from '../../base/http/notices.ts'
import { AudienceTree, DispatchId, Notice, recipientsMax } from './order-schema.ts'
import { NewScheduleId, ScheduleShape } from './schedule-schema.ts'
import { properties, Recipient } from './trigger-schema.ts'

/** Members of a recipient that change people. An administrator who sends does not change them on the way. */
export const writingMembers = ['attributes', 'send_to_existing_only'] as const

export const oneOfThem = "at most one of 'recipients', 'audience' and 'segment_id' may be given"

export function unknownMember(name: string): string {
  return `'${name}' is not known here, and nothing was sent`
}

export function notWithSend(path: string): string {
  return `'${path}' is not accepted here: a send of an administrator changes no people`
}

const exact = { additionalProperties: false }

/** The order of an administrator: as the calls that trigger a flow have it, without the id of the flow. */
export const FlowSendBody = Type.Object(
  {
    recipients: Type.Optional(
      Type.Array(Recipient, { minItems: 1, maxItems: recipientsMax, description: 'Only these people.' }),
    ),
    audience: AudienceTree,
    segment_id: Type.Optional(
      Type.String({ description: 'The id or name of a segment: only its people, instead of an `audience`.' }),
    ),
    trigger_properties: properties('Properties of everybody. Those of a recipient go before them.'),
    canvas_entry_properties: properties('The same.'),
    context: properties('The same.'),
    schedule: Type.Optional(ScheduleShape),
  },
  {
    ...exact,
    description:
      'Who gets it, and when; now without a schedule. Without recipients, audience and segment: everybody in the audience of the flow.',
  },
)

export const FlowSendReply = Type.Object({
  dispatch_id: DispatchId,
  schedule_id: Type.Optional(NewScheduleId),
  notice: Notice,
  ...noticeMembers,
})
