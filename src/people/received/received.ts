import type { Person } from '../identity/person.ts'

/** The person that a row belongs to. */
export type PersonKey = Pick<Person, 'bucket' | 'profile_id'>

/** The person and the canvas or campaign of a row of `received`. */
export type ReceivedKey = { readonly person: PersonKey; readonly flow_id: number; readonly workspace_id: number }

/** The state of a person in a canvas or campaign. Entry rules are checked while this row is locked. */
export type ReceivedRow = {
  bucket: number
  profile_id: string
  flow_id: number
  /** How often the person entered, also in the control group. */
  entries: number
  last_entered_at: Date | null
  last_entered_control_at: Date | null
  last_exited_at: Date | null
  last_received_at: Date | null
  /** The variant of the last entry or message. */
  variant: string | null
  in_control: boolean
  /** When a message of the flow was first opened or clicked, not by a machine. */
  opened_at: Date | null
  clicked_at: Date | null
  /** The end of the time for conversions, and the names of the conversions that were made. */
  converting_until: Date | null
  converted: string[]
  /** The conversions that were counted since the last entry, or since the last message of a campaign. */
  counted_conversions: string[]
  /** The send of the last message. */
  send_id: string | null
  /** Why the person did not enter the last time; null after an entry. */
  refused: string | null
  refused_at: Date | null
}

/** A step of a canvas whose message a person received. */
export type ReceivedStep = { profile_id: string; flow_id: number; step: string; last_received_at: Date }

export type EnteredFlow = ReceivedKey & {
  readonly variant: string | null
  readonly inControl: boolean
  readonly atUs: number
}

/** A message that a mail server accepted. `step` is '' for a campaign. `convertingUntilUs` is null for a flow without conversions. */
export type ReceivedMessage = {
  readonly bucket: number
  readonly profile_id: string
  readonly workspace_id: number
  readonly flow_id: number
  readonly step: string
  readonly variant: string | null
  readonly send_id: string | null
  readonly atUs: number
  readonly convertingUntilUs: number | null
}

/** The message of a flow that a person received before the last one. Times are epoch milliseconds. */
export type PreviousMessage = { readonly atMs: number | null; readonly send_id: string | null }

/** The key of a row in a map. */
export function receivedKey(profile_id: string, flow_id: number): string {
  return `${profile_id}/${flow_id}`
}
