/** The columns besides `bucket, profile_id`. A test compares them with the table, so that a new column is not forgotten. */
type Columns = { readonly columns: readonly string[] }

/**
 * How a column of two rows with the same key is combined. `united`: lists of texts are united. `where`: the kept row's value if this
 * condition holds, else the other one. Other columns keep the value of the kept row.
 */
export type Combining = 'greatest' | 'least' | 'sum' | 'united' | { readonly where: string }

/**
 * What happens to the rows of the merged profile. `owned-store.ts` makes the statements for the first four rules from this list. The others
 * are done by the named file, or by an `OwnedRule` of a higher wing.
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
  /** What happens to the rows of a deleted person. Rows that are `left` are deleted by age. */
  readonly delete: 'removed' | 'by move-history.ts' | 'by a rule' | 'left'
  /** Activity that an SDK recorded: dropped when an anonymous person is identified by an SDK (specification 4.1 rule 8). */
  readonly sdkActivity?: true
  /** A transaction that began before a merge or deletion may still write rows under the removed id. They are moved or deleted later. */
  readonly writtenLate?: true
}

/** A row with an entry or a message takes precedence over a row that only has a refusal. */
const hadFlow = { where: 'k.entries > 0 or k.last_received_at is not null' }

/** What a person was asked to confirm stays whole: the one that was given, or else the one that can be given for longer. */
const ownQuestion = {
  where: 'k.confirmed_at is not null or (excluded.confirmed_at is null and k.expires_at >= excluded.expires_at)',
}
const askedColumns = [
  ...['confirmation_id', 'address', 'keyword', 'source', 'form_id', 'language', 'requested_at', 'requested_from'],
  ...['dispatch_id', 'sent_at', 'sent_count', 'expires_at', 'confirmed_at', 'confirmed_from', 'link_hashes'],
]

/**
 * Every table with rows of people, and what merges and deletions do with them. A table with a plain rule needs only an entry here. The
 * structure test fails when a table with `bucket, profile_id` is missing.
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
  {
    table: 'confirmation',
    merge: 'moved and combined',
    columns: ['group_id', 'workspace_id', ...askedColumns],
    key: ['group_id'],
    combined: Object.fromEntries(askedColumns.map((column) => [column, ownQuestion])),
    delete: 'removed',
  },
  {
    table: 'cohort_member',
    merge: 'moved unless the kept profile has that key',
    columns: ['cohort_id', 'added_at'],
    delete: 'removed',
  },
  { table: 'import_part', merge: 'removed', delete: 'removed' },
  { table: 'merged_profile', merge: 'moved', columns: ['from_bucket', 'from_id', 'moved', 'at'], delete: 'removed' },
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
    columns: ['mail_id', 'workspace_id', 'message_id', 'channel', 'address', 'subject', 'at', 'source'],
    delete: 'removed',
    writtenLate: true,
  },
  {
    table: 'feed_event',
    merge: 'moved',
    columns: [
      ...['event_id', 'workspace_id', 'subject_id', 'type', 'time', 'rank', 'position', 'merged_id', 'external_id'],
      ...['message_id', 'flow_id', 'address', 'details'],
    ],
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
      ...['refused', 'refused_at', 'previous_received_at', 'send_id', 'previous_send_id', 'counted_conversions'],
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
      previous_received_at: 'greatest',
      send_id: hadFlow,
      previous_send_id: hadFlow,
      counted_conversions: 'united',
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
  // The worker of signals looks up the kept person.
  { table: 'signal', merge: 'left', delete: 'removed', writtenLate: true },
  // The changes of the kept person stay; `inherited-changes.ts` adds those of attributes that the merge takes over.
  { table: 'attribute_change', merge: 'removed', delete: 'removed', writtenLate: true },
]
