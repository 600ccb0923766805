/**
 * How the decision about a person and a message came out: the closed list of the ledger. A message that was accepted to be sent ends
 * in exactly one of these.
 */
export const reasons = {
  sent: 'the mail server took it',
  no_such_user: 'nobody has the identifier',
  no_address: 'the person has no address for the channel',
  not_in_segment: 'the person is not in the segment',
  not_in_audience: 'the person is not in the audience',
  unsubscribed: 'the state of the person does not allow it',
  group_unsubscribed: 'the person is not in the subscription group',
  suppressed: 'the address bounced, complained or was blocked',
  frequency_capped: 'the person had enough messages in that time',
  quiet_hours: 'the hour is quiet where the person lives',
  control_group: 'the person is in the control group',
  already_entered: 'the person had entered before',
  local_time_passed: 'where the person lives the time had passed when the schedule was made',
  missed: 'the service was away for too long after it was due',
  cancelled: 'somebody cancelled it',
  canvas_paused: 'the canvas was paused',
  aborted_by_template: 'the template said so',
  template_error: 'the template could not be rendered, or no mail could be made for another reason',
  attachment_failed: 'an attachment could not be fetched',
  refused_by_server: 'the mail server refused it',
  expired: 'the mail server deferred it until it was too old',
  uncertain: 'the connection or the process ended in the moment of sending',
  exited: 'the person left the canvas',
  merged: 'the person became somebody who had one as well',
  deleted: 'the person was deleted',
} as const

export type Reason = keyof typeof reasons

/** A reason, the rule that decided in words, and what the rule read. */
export type DecisionReason = { readonly reason: Reason; readonly rule?: string; readonly inputs?: unknown }

const ofWebhooks: { readonly [reason in Reason]?: string } = {
  sent: 'the webhook was called',
  refused_by_server: 'the webhook was refused, or could not be called',
  expired: 'the webhook was called too often without a good answer',
  template_error: 'the webhook could not be rendered',
}

/** A reason as a sentence; what is said of mails would mislead where a webhook was called. */
export function reasonWords(reason: Reason, channel: string): string {
  return (channel === 'webhook' ? ofWebhooks[reason] : undefined) ?? reasons[reason]
}
