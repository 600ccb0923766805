import type { Reason } from '../ledger/reasons.ts'

/** States that a message never leaves. */
export const ends = [
  'accepted',
  'suppressed',
  'aborted',
  'cancelled',
  'missed',
  'bounced',
  'failed',
  'uncertain',
] as const
export type End = (typeof ends)[number]

/**
 * Where a message stands. `held`: its dispatch is paused. `leased`: somebody prepares it. `handed_over`: a server may have it by now.
 * The others are ends.
 */
export const states = ['queued', 'held', 'leased', 'handed_over', ...ends] as const
export type State = (typeof states)[number]

/** What may happen to a message. */
export const events = [
  /** A worker took it. */
  'claimed',
  /** Given back without having been handed over: no room, a stop, a worker that died. */
  'released',
  /** Written down before a server gets it. */
  'handed_over',
  /** The server has not taken it, or it may be sent again: later. */
  'deferred',
  'paused',
  'resumed',
  'accepted',
  /** The person may not get it. */
  'suppressed',
  'aborted',
  'cancelled',
  'missed',
  'bounced',
  'failed',
  /** Nobody knows whether a server has it, now or from an earlier time, and it is not sent again. */
  'doubted',
] as const
export type Event = (typeof events)[number]

/** Every state and what may happen in it; what is not here may not happen. */
const transitions: Readonly<Record<State, Readonly<Partial<Record<Event, State>>>>> = {
  queued: {
    claimed: 'leased',
    paused: 'held',
    suppressed: 'suppressed',
    cancelled: 'cancelled',
    missed: 'missed',
    failed: 'failed',
    doubted: 'uncertain',
  },
  held: { resumed: 'queued', cancelled: 'cancelled', missed: 'missed', doubted: 'uncertain' },
  leased: {
    released: 'queued',
    handed_over: 'handed_over',
    paused: 'held',
    // The inbox is in the same database: there is no moment in between.
    accepted: 'accepted',
    suppressed: 'suppressed',
    aborted: 'aborted',
    cancelled: 'cancelled',
    missed: 'missed',
    failed: 'failed',
    doubted: 'uncertain',
  },
  handed_over: {
    deferred: 'queued',
    accepted: 'accepted',
    bounced: 'bounced',
    failed: 'failed',
    doubted: 'uncertain',
  },
  accepted: {},
  suppressed: {},
  aborted: {},
  cancelled: {},
  missed: {},
  bounced: {},
  failed: {},
  uncertain: {},
}

/** Where an event leads from a state; undefined when it may not happen there. */
export function next(state: State, event: Event): State | undefined {
  return transitions[state][event]
}

/** The states in which an event may happen. */
export function statesBefore(event: Event): readonly State[] {
  return states.filter((state) => next(state, event) !== undefined)
}

export function isEnd(state: State): state is End {
  return (ends as readonly State[]).includes(state)
}

const endOfReason: Readonly<Record<Reason, End>> = {
  sent: 'accepted',
  no_such_user: 'suppressed',
  no_address: 'suppressed',
  not_in_segment: 'suppressed',
  not_in_audience: 'suppressed',
  unsubscribed: 'suppressed',
  group_unsubscribed: 'suppressed',
  suppressed: 'suppressed',
  frequency_capped: 'suppressed',
  quiet_hours: 'suppressed',
  control_group: 'suppressed',
  already_entered: 'suppressed',
  local_time_passed: 'missed',
  missed: 'missed',
  cancelled: 'cancelled',
  canvas_paused: 'cancelled',
  aborted_by_template: 'aborted',
  template_error: 'failed',
  attachment_failed: 'failed',
  refused_by_server: 'failed',
  expired: 'failed',
  uncertain: 'uncertain',
  exited: 'cancelled',
  merged: 'cancelled',
  deleted: 'cancelled',
}

/** The state of a message that ended for a reason. A refusal that says that there is no such mailbox is `bounced` instead. */
export function endedWith(reason: Reason): End {
  return endOfReason[reason]
}
