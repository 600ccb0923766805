import { type Person, person } from '../../people/identity/person.ts'
import type { Reason } from '../ledger/reasons.ts'

/**
 * The states of an entry. `arriving`: its step is run when it is due. `waiting`: it leaves its step when it is due. `listening`: the same,
 * or earlier by a signal. `sending`: its message, or its webhook, has not ended. `ended`.
 */
export const entryStates = ['arriving', 'waiting', 'listening', 'sending', 'ended'] as const
export type EntryState = (typeof entryStates)[number]

/**
 * How an entry ended. `completed`: there was no next step. `exited`: by an exit criterion or too many visits. `control_group`: it never
 * began. Otherwise the reason of the ledger for which the person did not enter or had to leave.
 */
export type EntryEnd =
  | 'completed'
  | Extract<
      Reason,
      | 'exited'
      | 'control_group'
      | 'global_control_group'
      | 'already_entered'
      | 'not_in_segment'
      | 'not_in_audience'
      | 'canvas_paused'
      | 'cancelled'
      | 'merged'
      | 'local_time_passed'
      | 'missed'
    >

/** The part of an entry that moves. */
export type EntryPosition = {
  readonly state: EntryState
  readonly ended?: EntryEnd
  readonly step: string
  /** How often it arrived at the step, this time included; 0 before the first step. */
  readonly visit: number
  /** How often it arrived at each step so far. A step may have any name: read own properties only. */
  readonly visits: Readonly<Record<string, number>>
  /** Epoch milliseconds of business time. Undefined where something else than time moves the entry. */
  readonly dueMs: number | undefined
}

/** What a person has entered with, and the position. */
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
  /** Signals from before this time take no path. If an earlier event began the entry, its time. */
  readonly enteredMs: number
}

/** The channel of decisions about an entry rather than a message. */
export const entryChannel = ''

export function entryPerson({ bucket, profile_id }: Pick<Entry, 'bucket' | 'profile_id'>): Person {
  return person(bucket, profile_id)
}

export type EntryKey = { readonly bucket: number; readonly entry_id: string }
