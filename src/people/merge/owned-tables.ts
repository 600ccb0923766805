/** Columns beside `bucket, profile_id`; a test compares them with the table, so that a new column is not left behind. */
type Columns = { readonly columns: readonly string[] }

/**
 * How a column of two rows with one key becomes one; `united`: a list of texts; `where`: that of the kept row where it says so, else
 * that of the other. A column of which nothing is said stays as the kept row has it.
 */
export type Combining = 'greatest' | 'least' | 'sum' | 'united' | { readonly where: string }

/**
 * What happens to the rows of the profile that is merged away. The first four are carried out by statements made of this list
 * (`owned-store.ts`); for the others the code that is named does it, or an `OwnedRule` of a higher wing.
 */
export type OnMerge =
  | (Columns & { readonly merge: 'moved' | 'moved unless the kept profile has that key' })
  | (Columns & {
      readonly merge: 'moved and combined'
      readonly key: readonly string[]
      readonly combined: Readonly<Record<string, Combining>>
    })
  | { readonly merge: 'removed' }
  | { readonly merge: 'by merge-profiles.ts' | 'by move-history.ts' | 'by a rule' | 'left' }

export type OwnedTable = OnMerge & {
  readonly table: string
  /** What happens to the rows of a deleted person. Those that are left go by their own age. */
  readonly delete: 'removed' | 'by move-history.ts' | 'by a rule' | 'left'
  /** What an SDK recorded of somebody anonymous: lost when an identification says so (specification 4.1 rule 8). */
  readonly sdkActivity?: true
  /** A transaction that began before a merge or deletion may still write rows under the removed id: they follow afterwards. */
  readonly writtenLate?: true
}

/** Of a flow that somebody had and of which nothing but a refusal is known of the other one, the former is told. */
const hadFlow = { where: 'k.entries > 0 or k.last_received_at is not null' }

/**
 * Every table that holds something of a person, and what a merge and a deletion do with it. A table with a plain rule needs a
 * line here and nothing else; the structure test fails when a table with `bucket, profile_id` is missing.
 */
export const ownedTables: readonly OwnedTable[] = [
  { table: 'profile', merge: 'by merge-profiles.ts', delete: 'removed' },
  {
    table: 'profile_alias',
    merge: 'moved unless the kept profile has that key',
    columns: ['alias_label', 'alias_name'],
    delete: 'removed',
  },
  { table: 'former_id', merge: 'removed', delete: 'removed' },
  {
    table: 'device',
    merge: 'moved',
    columns: [
      ...['device_id', 'model', 'os', 'carrier', 'idfv', 'idfa', 'google_ad_id', 'roku_ad_id'],
      ...['ad_tracking_enabled', 'created_at'],
    ],
    delete: 'removed',
  },
  {
    table: 'push_token',
    merge: 'moved',
    columns: ['app_id', 'token', 'device_id', 'notifications_enabled', 'created_at'],
    delete: 'removed',
  },
  { table: 'app_use', merge: 'by merge-profiles.ts', delete: 'removed', sdkActivity: true },
  {
    table: 'app_session',
    merge: 'moved unless the kept profile has that key',
    columns: ['device_id', 'app_id', 'started_at', 'recorded_at'],
    delete: 'removed',
  },
  {
    table: 'card_click',
    merge: 'moved and combined',
    columns: ['card', 'at'],
    key: ['card'],
    combined: { at: 'greatest' },
    delete: 'removed',
    sdkActivity: true,
  },
  {
    table: 'last_received',
    merge: 'moved and combined',
    columns: ['channel', 'at'],
    key: ['channel'],
    combined: { at: 'greatest' },
    delete: 'removed',
    writtenLate: true,
  },
  {
    table: 'membership',
    merge: 'moved unless the kept profile has that key',
    columns: ['group_id', 'state', 'stamp'],
    delete: 'removed',
  },
  { table: 'import_part', merge: 'removed', delete: 'removed' },
  { table: 'absorbed', merge: 'moved', columns: ['from_bucket', 'from_id', 'moved', 'at'], delete: 'removed' },
  { table: 'identity_change', merge: 'left', delete: 'left' },
  { table: 'event', merge: 'by move-history.ts', delete: 'by move-history.ts' },
  { table: 'purchase', merge: 'by move-history.ts', delete: 'by move-history.ts' },
  { table: 'message', merge: 'by a rule', delete: 'by a rule' },
  {
    table: 'decision',
    merge: 'moved',
    columns: [
      ...['time', 'workspace_id', 'cause', 'step', 'visit', 'channel'],
      ...['message_id', 'reason', 'asked', 'rule', 'inputs', 'flow_id'],
    ],
    delete: 'removed',
    writtenLate: true,
  },
  {
    table: 'engagement',
    merge: 'moved and combined',
    columns: ['message_id', 'kind', 'link', 'first_at', 'last_at', 'count'],
    key: ['message_id', 'kind', 'link'],
    combined: { first_at: 'least', last_at: 'greatest', count: 'sum' },
    delete: 'removed',
    writtenLate: true,
  },
  {
    table: 'last_engaged',
    merge: 'moved and combined',
    columns: ['channel', 'kind', 'at'],
    key: ['channel', 'kind'],
    combined: { at: 'greatest' },
    delete: 'removed',
    writtenLate: true,
  },
  {
    table: 'inbox',
    merge: 'moved',
    columns: ['mail_id', 'workspace_id', 'message_id', 'address', 'subject', 'at', 'source'],
    delete: 'removed',
    writtenLate: true,
  },
  { table: 'entry', merge: 'by a rule', delete: 'by a rule' },
  {
    table: 'received',
    merge: 'moved and combined',
    columns: [
      ...['flow_id', 'workspace_id', 'entries', 'last_entered_at', 'last_entered_control_at', 'last_exited_at'],
      ...['last_received_at', 'variant', 'in_control', 'opened_at', 'clicked_at', 'converting_until', 'converted'],
      ...['refused', 'refused_at'],
    ],
    key: ['flow_id'],
    combined: {
      entries: 'sum',
      last_entered_at: 'greatest',
      last_entered_control_at: 'greatest',
      last_exited_at: 'greatest',
      last_received_at: 'greatest',
      variant: hadFlow,
      in_control: hadFlow,
      opened_at: 'least',
      clicked_at: 'least',
      converting_until: 'greatest',
      converted: 'united',
    },
    delete: 'removed',
    writtenLate: true,
  },
  {
    table: 'received_step',
    merge: 'moved and combined',
    columns: ['flow_id', 'step', 'last_received_at'],
    key: ['flow_id', 'step'],
    combined: { last_received_at: 'greatest' },
    delete: 'removed',
    writtenLate: true,
  },
  // Whoever acts upon it looks up who it is about by then (entries/signals.ts).
  { table: 'signal', merge: 'left', delete: 'removed', writtenLate: true },
  // What the kept person had when is told by their own changes; what they take over is one of these, by inherited-changes.ts.
  { table: 'attribute_change', merge: 'removed', delete: 'removed', writtenLate: true },
]
