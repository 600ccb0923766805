import type { EventType } from '../../people/feed/event-types.ts'
import type { Reason } from './reasons.ts'

/** States that a message never leaves. */
export const endStates = [
  'accepted',
  'suppressed',
  'aborted',
  'cancelled',
  'missed',
  'bounced',
  'failed',
  'uncertain',
] as const
export type EndState = (typeof endStates)[number]

const endOfReason: Readonly<Record<Reason, EndState>> = {
  sent: 'accepted',
  no_such_user: 'suppressed',
  no_address: 'suppressed',
  not_in_segment: 'suppressed',
  not_in_audience: 'suppressed',
  unsubscribed: 'suppressed',
  group_unsubscribed: 'suppressed',
  not_confirmed: 'suppressed',
  suppressed: 'suppressed',
  frequency_capped: 'suppressed',
  quiet_hours: 'suppressed',
  control_group: 'suppressed',
  global_control_group: 'suppressed',
  already_entered: 'suppressed',
  local_time_passed: 'missed',
  missed: 'missed',
  cancelled: 'cancelled',
  canvas_paused: 'cancelled',
  aborted_by_template: 'aborted',
  template_error: 'failed',
  attachment_failed: 'failed',
  set_aside: 'failed',
  refused_by_server: 'failed',
  expired: 'failed',
  uncertain: 'uncertain',
  exited: 'cancelled',
  merged: 'cancelled',
  deleted: 'cancelled',
}

/** Returns the state of a message that ended for a reason. A refusal because the mailbox does not exist is `bounced` instead. */
export function endStateOf(reason: Reason): EndState {
  return endOfReason[reason]
}

/** Returns the type of the event of a message that ended for a reason. */
export function eventTypeOf(reason: Reason): EventType {
  const state = endOfReason[reason]
  return state === 'accepted' ? 'message.sent' : `message.${state}`
}
