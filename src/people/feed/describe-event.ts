import type { EventRow } from './read-store.ts'

/** An event as programs read it, in the shape of Standard Webhooks. */
export type FeedEvent = {
  readonly id: string
  readonly type: string
  /** When it happened, business time. */
  readonly timestamp: string
  readonly data: {
    readonly person: PersonIds
    readonly [member: string]: unknown
  }
}

/** What names a person. */
export type PersonIds = { readonly service_id: string; readonly external_id: string | null }

/** The member that has the address of a message, by its channel. Other channels have no address that programs know. */
const addressMembers: Readonly<Record<string, string>> = { email: 'email', sms: 'phone' }

/** Describes an event. `formatServiceId` makes the public id of a profile. Pure. */
export function describeEvent(row: EventRow, formatServiceId: (profile_id: string) => string): FeedEvent {
  const {
    event_id,
    type,
    time,
    subject_id,
    external_id,
    merged_id,
    message_id,
    address,
    flow_kind,
    flow_id,
    flow_name,
  } = row
  const { merged_external_id, ...details } = detailsOf(row)
  const addressMember = addressMembers[String(details.channel)]
  return {
    id: event_id,
    type,
    timestamp: time.toISOString(),
    data: {
      person: { service_id: formatServiceId(subject_id), external_id },
      ...(merged_id !== null && {
        merged_person: { service_id: formatServiceId(merged_id), external_id: merged_external_id ?? null },
      }),
      ...(message_id !== null && { message_id }),
      ...(address !== null && addressMember !== undefined && { [addressMember]: address }),
      ...(flow_kind !== null && { [`${flow_kind}_id`]: flow_id, [`${flow_kind}_name`]: flow_name }),
      ...details,
    },
  }
}

/** Reads the details, which Easel has written itself. */
function detailsOf({ details }: EventRow): Readonly<Record<string, unknown>> {
  return details === null ? {} : (JSON.parse(details) as Record<string, unknown>)
}
