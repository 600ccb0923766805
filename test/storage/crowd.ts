import { virtualClock } from '../../src/base/clock.ts'
import type { Db } from '../../src/base/db/db.ts'
import { raw, sql } from '../../src/base/db/sql.ts'
import { addressOf } from '../../src/people/identity/identifier.ts'
import { addressHasher, bucketsOf, type Person, person } from '../../src/people/identity/person.ts'
import { applyActions } from '../../src/people/merge/apply-actions.ts'
import type { ItemAction } from '../../src/people/merge/decide-item.ts'
import { ownedRules } from '../../src/services.ts'

export const workspace_id = 1
export const hashAddress = addressHasher(Buffer.from('a secret of the tests'))

/** A row, by column. */
export type Row = Readonly<Record<string, unknown>>

/** Rows of one person, by table and without `bucket, profile_id`. Identifiers and contacts are added. */
export type Rows = { readonly profile?: Row } & { readonly [table: string]: readonly Row[] | Row | undefined }

export const at = (second: number) => new Date(Date.UTC(2026, 4, 1, 0, 0, second)).toISOString()

/** The required columns of a profile. */
export const blank = {
  workspace_id,
  random_bucket: 7,
  email_subscribe: 'subscribed',
  push_subscribe: 'subscribed',
  email_open_tracking_disabled: false,
  email_click_tracking_disabled: false,
  total_revenue: 0,
  session_count: 0,
  custom: {},
  typed: {},
  created_at: at(0),
  updated_at: at(0),
}

/** Returns a person whose bucket and id are derived from a number. */
export function personOf(n: number): Person {
  const bucket = (n * 37) % 4096
  return person(bucket, String((BigInt(bucket) << 51n) + 1_000_000_000_000n + BigInt(n)))
}

export async function insert(db: Db, table: string, rows: readonly Row[]): Promise<void> {
  await db.query(
    sql`insert into ${raw(table)} select * from jsonb_populate_recordset(null::${raw(table)}, ${JSON.stringify(rows)}::jsonb)`,
  )
}

/** Inserts a person with all their rows. */
export async function add(db: Db, who: Person, { profile = {}, ...others }: Rows): Promise<void> {
  const { bucket, profile_id } = who
  const whole = { ...blank, ...profile } as Row & { external_id?: string; email?: string | null; phone?: string | null }
  await insert(db, 'profile', [{ ...whole, bucket, profile_id }])
  const names: [string, unknown][] = [['external_id', whole.external_id]]
  for (const [table, rows] of Object.entries(others) as [string, readonly Row[]][]) {
    await insert(
      db,
      table,
      rows.map((row) => ({ ...row, bucket, profile_id })),
    )
    const nameOf = named[table]
    if (nameOf) names.push(...rows.map((row): [string, unknown] => nameOf(row)))
  }
  const given = names.filter((name): name is [string, string] => typeof name[1] === 'string')
  await insert(
    db,
    'identifier',
    given.map(([kind, value]) => ({ ...located(kind, value), owner_bucket: bucket, owner_id: profile_id })),
  )
  const { email = null, phone = null } = whole
  for (const kind of ['email', 'phone'] as const) {
    const value = addressOf({ email, phone }, kind)
    if (value === null) continue
    await insert(db, 'contact', [{ ...located(kind, value), owner_bucket: bucket, owner_id: profile_id }])
  }
}

const named: Readonly<Record<string, (row: Row) => [kind: string, value: unknown]>> = {
  profile_alias: ({ alias_label, alias_name }) => ['alias', `${alias_label}\u001f${alias_name}`],
  former_id: ({ external_id }) => ['external_id', external_id],
  device: ({ device_id }) => ['device', device_id],
  push_token: ({ app_id, token }) => ['push_token', `${app_id}\u001f${token}`],
}

export function located(
  kind: string,
  value: string,
): { bucket: number; workspace_id: number; kind: string; value: string } {
  return { bucket: bucketsOf(workspace_id, kind, value).bucket, workspace_id, kind, value }
}

/** Returns an address as in `address_state`. */
export function hidden(kind: 'email' | 'phone', value: string): Row {
  return { ...located(kind, value), value: hashAddress(workspace_id, kind, value) }
}

/** Returns every row of every table, sorted, with each value as text. */
export async function everything(db: Db): Promise<Map<string, Row[]>> {
  const tables = await db.query<{ name: string }>(sql`
    select c.relname::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
    where c.relkind in ('r', 'p') and not c.relispartition order by 1`)
  const found = new Map<string, Row[]>()
  for (const { name } of tables) found.set(name, await rowsOf(db, name))
  return found
}

/** Returns the rows of a table, or those of one person without `bucket, profile_id`. */
export async function rowsOf(db: Db, table: string, who?: Person): Promise<Row[]> {
  const rows = await db.query<{ row: Record<string, unknown> }>(sql`
    select (select jsonb_object_agg(key, value #>> '{}') from jsonb_each(to_jsonb(t))) as row from ${raw(table)} t
    order by t::text`)
  const all = rows.map(({ row }) => row)
  if (!who) return all
  return all
    .filter((row) => row.profile_id === who.profile_id)
    .map((row) =>
      Object.fromEntries(Object.entries(row).filter(([name]) => name !== 'bucket' && name !== 'profile_id')),
    )
}

/** Returns the profile id of the owner of an identifier. */
export async function ownerOf(db: Db, kind: string, value: string): Promise<string | null | undefined> {
  const { bucket } = located(kind, value)
  const [row] = await db.query<{ owner_id: string | null }>(sql`
    select owner_id from identifier
    where bucket = ${bucket} and workspace_id = ${workspace_id} and kind = ${kind} and value = ${value}`)
  return row?.owner_id
}

/** Returns the profile ids of the people with an address, in order. */
export async function holdersOf(db: Db, kind: string, value: string): Promise<string[]> {
  const { bucket } = located(kind, value)
  const rows = await db.query<{ owner_id: string }>(sql`
    select owner_id from contact
    where bucket = ${bucket} and workspace_id = ${workspace_id} and kind = ${kind} and value = ${value} order by owner_id`)
  return rows.map((row) => row.owner_id)
}

/** Inserts groups: 1 to 3 for e-mail, 4 for SMS. */
export async function addGroups(db: Db): Promise<void> {
  const group = (group_id: number, channel: string) => {
    return {
      group_id,
      workspace_id,
      id: `g${group_id}`,
      name: `g${group_id}`,
      channel,
      archived: false,
      created_at: at(0),
    }
  }
  await insert(db, 'subscription_group', [group(1, 'email'), group(2, 'email'), group(3, 'email'), group(4, 'sms')])
}

export function dispatchId(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
}

/** Returns the rows of a person about flows. */
function ofFlows(n: number) {
  return {
    received: [
      {
        ...{ flow_id: 7, workspace_id, entries: n, last_entered_at: at(n), variant: `own-${n}`, in_control: n === 1 },
        ...{ opened_at: at(n), converting_until: at(n), converted: ['Both', `Own ${n}`] },
        ...{ previous_received_at: at(n), send_id: `send-${n}`, previous_send_id: null, counted_conversions: ['Both'] },
      },
      {
        flow_id: 70 + n,
        workspace_id,
        entries: 0,
        refused: 'not_in_segment',
        refused_at: at(n),
        in_control: false,
        converted: [],
        counted_conversions: [],
      },
    ],
    received_step: [
      { flow_id: 7, step: 'both', last_received_at: at(n) },
      { flow_id: 7, step: `own${n}`, last_received_at: at(n) },
    ],
    signal: [
      {
        ...{ signal_id: n, workspace_id, lane: 0, kind: 'event', name: 'ordered' },
        ...{ time: at(n), at: at(n), failed: false },
        properties: `{"own":"own-${n}"}`,
      },
    ],
    attribute_change: [{ time: at(n), workspace_id, name: 'plan', value: `own-${n}` }],
  }
}

/** Returns rows of a person in every table. `n` makes people different, and is the second of all times. */
export function full(n: number) {
  const about = { workspace_id, cause: dispatchId(n), channel: 'email', message_id: n }
  return {
    profile: {
      external_id: `person-${n}`,
      email: `person-${n}@example.com`,
      phone: `+1555000000${n}`,
      ...{ first_name: `First ${n}`, last_name: `Last ${n}`, gender: 'F', dob: `200${n}-01-02`, country: 'DE' },
      ...{ home_city: `City ${n}`, language: 'de', time_zone: 'Europe/Berlin', image_url: `https://a.example/${n}` },
      ...{ longitude: n, latitude: n, facebook: { id: `fb${n}` }, twitter: { id: `tw${n}` } },
      ...{ email_subscribe: 'unsubscribed', email_subscribe_at: at(n), email_unsubscribed_at: at(n) },
      ...{ push_subscribe: 'opted_in', push_subscribe_at: at(n), push_opted_in_at: at(n) },
      ...{ date_of_first_session: at(n), date_of_last_session: at(n + 1), marked_email_as_spam_at: at(n) },
      ...{ total_revenue: n + 0.1, session_count: n, attributed_campaign: `c${n}`, attributed_ad: `ad${n}` },
      custom: { both: n, [`only${n}`]: '2024-01-01' },
      typed: { [`only${n}`]: 1_704_067_200_000 },
    },
    profile_alias: [
      { alias_label: 'both', alias_name: `both-${n}` },
      { alias_label: `own${n}`, alias_name: `own-${n}` },
    ],
    former_id: [{ external_id: `former-${n}`, at: at(n) }],
    device: [{ device_id: `device-${n}`, model: `model-${n}`, ad_tracking_enabled: true, created_at: at(n) }],
    push_token: [
      { app_id: 'app', token: `token-${n}`, device_id: `device-${n}`, notifications_enabled: true, created_at: at(n) },
    ],
    app_use: [
      {
        app_id: 'both',
        version: `${n}.0`,
        sessions: n,
        first_used: at(n),
        last_used: at(n + 1),
        uninstalled_at: at(n),
      },
      { app_id: `own${n}`, version: `${n}.1`, sessions: n, first_used: at(n), last_used: at(n + 1) },
    ],
    app_session: [{ device_id: `device-${n}`, app_id: 'both', started_at: at(n), recorded_at: at(n) }],
    card_click: [
      { card: 'both', at: at(n) },
      { card: `own${n}`, at: at(n) },
    ],
    last_received: [
      { channel: 'both', at: at(n) },
      { channel: `own${n}`, at: at(n) },
    ],
    membership: [
      { group_id: 1, state: n % 2 ? 'subscribed' : 'unsubscribed', stamp: at(n) },
      { group_id: n === 1 ? 2 : 3, state: 'subscribed', stamp: at(n) },
    ],
    ...ofFlows(n),
    event: [{ time: at(n), name_id: n, properties: `{"n":${n}}` }],
    purchase: [{ time: at(n), price: n, name_id: n, quantity: n, currency: 'EUR', properties: null }],
    decision: [
      { ...about, time: at(n), step: '', visit: 0, reason: 'sent', inputs: { address: `person-${n}@example.com` } },
    ],
    engagement: [{ message_id: n, kind: 'opened', link: -1, first_at: at(n), last_at: at(n), count: n }],
    last_engaged: [
      { channel: 'email', kind: `own${n}`, at: at(n) },
      { channel: `own${n}`, kind: 'opened', at: at(n) },
    ],
    inbox: [
      {
        ...{ mail_id: n, workspace_id, message_id: n, address: `person-${n}@example.com`, subject: `First ${n}` },
        ...{ at: at(n), source: `\\x0${n}`, channel: 'email' },
      },
    ],
  }
}

export const parts = { clock: virtualClock(Date.parse(at(30))), hashAddress, ownedRules }

/** Merges and deletes people as the worker does. */
export async function act(db: Db, ...acts: ItemAction[]): Promise<void> {
  const items = acts.map((each) => ({ workspace_id, action: each }))
  await db.transaction((tx) => applyActions(tx, items, parts))
}
