import type { Person } from '../identity/person.ts'

/** Whose row it is. */
export type Whose = Pick<Person, 'bucket' | 'profile_id'>

/** A person and a canvas or campaign: what a row of `received` is about. */
export type Received = { readonly person: Whose; readonly flow_id: number; readonly workspace_id: number }

/** What somebody had of a canvas or campaign, as the row has it; re-entry is judged by it under its lock. */
export type ReceivedRow = {
  bucket: number
  profile_id: string
  flow_id: number
  /** How often the person entered, the control group included. */
  entries: number
  last_entered_at: Date | null
  last_entered_control_at: Date | null
  last_exited_at: Date | null
  last_received_at: Date | null
  /** Of the entry, or the message, that was the last. */
  variant: string | null
  in_control: boolean
  /** When a message of it was first opened, or a link in one clicked; machines are left out. */
  opened_at: Date | null
  clicked_at: Date | null
  /** Until when something that happens may be a conversion; the names of those that were made. */
  converting_until: Date | null
  converted: string[]
  /** Why the person did not enter last time; null once they did. */
  refused: string | null
  refused_at: Date | null
}

/** A step of a canvas whose message somebody had. */
export type ReceivedStep = { profile_id: string; flow_id: number; step: string; last_received_at: Date }

export type Entered = Received & { readonly variant: string | null; readonly inControl: boolean; readonly atUs: number }

/** A message that a server took. `step` is '' for a campaign; `convertingUntilUs` null where nothing is a conversion. */
export type Got = {
  readonly bucket: number
  readonly profile_id: string
  readonly workspace_id: number
  readonly flow_id: number
  readonly step: string
  readonly variant: string | null
  readonly atUs: number
  readonly convertingUntilUs: number | null
}

/** The key of a row among those of other people and flows. */
export function receivedKey(profile_id: string, flow_id: number): string {
  return `${profile_id}/${flow_id}`
}
