/** The closed list of reasons of the ledger, each with its sentence. Every message that was accepted ends with exactly one of them. */
export const reasons = {
  sent: 'the mail server took it',
  no_such_user: 'nobody has the identifier',
  no_address: 'the person has no address for the channel',
  not_in_segment: 'the person is not in the segment',
  not_in_audience: 'the person is not in the audience',
  unsubscribed: 'the subscription state of the person does not allow it',
  group_unsubscribed: 'the person is not in the subscription group',
  not_confirmed: 'the person has not confirmed the subscription yet',
  suppressed: 'the address bounced, complained or was blocked',
  frequency_capped: 'the person has reached the frequency cap',
  quiet_hours: 'it is within the quiet hours of the person',
  control_group: 'the person is in the control group',
  global_control_group: 'the person is in the global control group',
  already_entered: 'the person had entered before',
  local_time_passed: 'the local time of the person had passed when the schedule was made',
  missed: 'the service was down for too long after it was due',
  cancelled: 'it was cancelled',
  canvas_paused: 'the canvas was paused',
  aborted_by_template: 'the template aborted the message',
  template_error: 'the template could not be rendered, or no mail could be made for another reason',
  attachment_failed: 'an attachment could not be fetched',
  set_aside: 'the process ended several times while it prepared the message',
  refused_by_server: 'the mail server refused it',
  expired: 'the mail server deferred it until it was too old',
  uncertain: 'the connection or the process ended while the message was sent',
  exited: 'the person left the canvas',
  merged: 'the person was merged with a person who had one as well',
  deleted: 'the person was deleted',
} as const

export type Reason = keyof typeof reasons

/** A reason, the rule that decided in words, and what the rule read. */
export type DecisionReason = { readonly reason: Reason; readonly rule?: string; readonly inputs?: unknown }
