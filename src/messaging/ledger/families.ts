import type { Reason } from './reasons.ts'

/**
 * The families of outcomes, as lists, charts and bars show them. `waiting`: it has no reason yet. `held`: a rule or the person did not
 * allow it.
 */
export const families = ['sent', 'waiting', 'held', 'control', 'failed', 'uncertain'] as const
export type Family = (typeof families)[number]

const special: { readonly [reason in Reason]?: Family } = {
  sent: 'sent',
  control_group: 'control',
  global_control_group: 'control',
  uncertain: 'uncertain',
  no_such_user: 'failed',
  no_address: 'failed',
  template_error: 'failed',
  attachment_failed: 'failed',
  set_aside: 'failed',
  refused_by_server: 'failed',
  expired: 'failed',
  missed: 'failed',
}

/** Returns the family of a reason. */
export function familyOf(reason: Reason): Family {
  return special[reason] ?? 'held'
}

/** Whether a rule, the person or a control group kept a message back: nothing was tried. */
export function isHeld(reason: Reason): boolean {
  return familyOf(reason) === 'held' || familyOf(reason) === 'control'
}
