import { type Person, person } from '../../people/identity/person.ts'
import type { Reason } from '../ledger/reasons.ts'

/** Where an entry stands: columns of `entry` in 0027. */
export const entryStates = ['arriving', 'waiting', 'listening', 'sending', 'calling', 'ended'] as const
export type EntryState = (typeof entryStates)[number]

/**
 * How an entry ended: `completed` there was no next step; `exited` by an exit criterion or too many visits; `control_group` it never
 * began; otherwise a reason of the ledger because of which the person did not enter or had to leave.
 */
export type EntryEnd =
  | 'completed'
  | Extract<
      Reason,
      | 'exited'
      | 'control_group'
      | 'already_entered'
      | 'not_in_segment'
      | 'not_in_audience'
      | 'canvas_paused'
      | 'cancelled'
      | 'merged'
      | 'local_time_passed'
      | 'missed'
    >

/** The part of an entry that moves; the rest of its row stays as it was made. */
export type EntryPosition = {
  readonly state: EntryState
  readonly ended?: EntryEnd
  readonly step: string
  /** How often the step was come to, this time included; 0 before the first step. */
  readonly visit: number
  /** The same of every step so far; a step may be called anything, so ask for own members only. */
  readonly visits: Readonly<Record<string, number>>
  /** Epoch milliseconds of business time; undefined where only something else moves it. */
  readonly dueMs: number | undefined
}

/** What a person has entered with and where they stand. */
export type Entry = EntryPosition & {
  readonly bucket: number
  readonly profile_id: string
  readonly entry_id: string
  readonly workspace_id: number
  readonly flow_id: number
  readonly version: number
  readonly class: 'marketing' | 'transactional'
  readonly dispatch_id: string | null
  readonly held: boolean
  readonly variant: string | null
  readonly properties: Readonly<Record<string, unknown>> | null
  readonly event: Readonly<Record<string, unknown>> | null
  /** What happened earlier takes no path: of an entry that something began, the time of that when it is the earlier one. */
  readonly enteredMs: number
}

/** The channel of decisions about an entry, which concern no message. */
export const entryChannel = ''

export function entryPerson({ bucket, profile_id }: Pick<Entry, 'bucket' | 'profile_id'>): Person {
  return person(bucket, profile_id)
}

export type EntryKey = { readonly bucket: number; readonly entry_id: string }
