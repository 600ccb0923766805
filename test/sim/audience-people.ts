import fc from 'fast-check'
import type { Db } from '../../src/base/db/db.ts'
import { type Person, person } from '../../src/people/identity/person.ts'
import { formatMoment } from '../../src/people/values/moments.ts'
import type { Json } from '../../src/people/values/values.ts'
import { insertInstallation } from '../../src/workspace/settings/installation-store.ts'
import { addGroups, at, hidden, insert, type Row, workspace_id } from '../storage/crowd.ts'

/** The time of the query, and the instants around which events have their times. */
export const nowMs = Date.UTC(2026, 4, 20, 12)
export const dayMs = 86_400_000

/** All facts of a person that a tree can test, in the simplest form. Times are epoch microseconds. */
export type TestPerson = {
  who: Person
  profile: Row & { email: string | null; phone: string | null }
  custom: Record<string, Json>
  happened: Happening[]
  /** The same, still under the id of a profile that was merged into this person. */
  inherited: Happening[]
  memberships: State[]
  /** Numbers of cohorts: those of `acme` from 1, those of `other` from 11, in the order of `cohorts`. */
  cohorts: number[]
  devices: { model: string | null; os: string | null; carrier: string | null }[]
  uses: { app_id: string; first_used: number | null; last_used: number | null }[]
  received: { channel: string; at: number }[]
}

export type Happening = {
  of: 'event' | 'purchase'
  name: string
  time: number
  quantity: number
  properties: Record<string, Json> | null
}
export type State = { group: number; state: 'subscribed' | 'unsubscribed'; stamp: number }

/** Texts that differ in case, in letters outside A to Z or in invisible characters, and texts that are dates. */
export const texts = [
  ...[
    'gold',
    'Gold',
    'GOLD',
    'goldfish',
    '',
    ' gold',
    'É',
    'é',
    'k',
    'K',
    '\u212a',
    '😀 gold',
    'a"b\\c',
    "it's",
    '5',
    'true',
    '$1',
  ],
  ...[
    '2026-05-20T12:00:00Z',
    '2026-05-19T12:00:00.001Z',
    '2026-05-19',
    '2026-05-25T00:00:00+02:00',
    '2999-12-31',
    '0001-01-01',
  ],
]
export const numbers = [0, 1, -1, 5, 5.5, 0.1, 5e-324, 2 ** 53 - 1, 1e-7]
export const names = ['plan', 'Plan', 'a.b', '$', '😀', 'constructor']
export const keys = ['plan', 'x y', 'size']
export const eventNames = ['opened', 'closed', 'never']
export const products = ['tea', 'mug']
export const groups = ['g1', 'g2', 'g4', 'unknown']
/** The ids of cohorts, which two partners have. */
export const cohorts = ['c1', 'c2']
export const apps = ['web', 'ios']
const emails = ['a@example.com', 'b@example.com', 'É@example.com']
const phones = ['+15550000001', '+15550000002', 'call me']

const scalar = fc.oneof(fc.constantFrom<Json>(...texts), fc.constantFrom<Json>(...numbers), fc.boolean())
const list = fc.array(
  fc.oneof({ weight: 6, arbitrary: scalar }, fc.constant(null), fc.array(scalar, { maxLength: 2 })),
  {
    maxLength: 3,
  },
)
const object = (inner: fc.Arbitrary<Json>) =>
  fc.dictionary(fc.constantFrom(...keys), inner, { maxKeys: 3 }).map((made) => ({ ...made }) as Json)
const flat = fc.oneof({ weight: 3, arbitrary: scalar }, list as fc.Arbitrary<Json>, fc.constant(null))
const inner = fc.oneof(flat, object(flat), fc.array(object(flat), { maxLength: 2 }) as fc.Arbitrary<Json>)
const nested = fc.oneof(
  object(inner),
  fc.array(fc.oneof(object(inner), scalar, fc.array(object(flat), { maxLength: 1 }) as fc.Arbitrary<Json>), {
    maxLength: 3,
  }) as fc.Arbitrary<Json>,
)
const value = fc.oneof({ weight: 5, arbitrary: scalar }, list as fc.Arbitrary<Json>, { weight: 3, arbitrary: nested })

/** Days from now, and a small offset before or after. */
const offsets = [0, 0, -1, -2, -7, -30, 1, 7]
const bits = [0, 0, -1_000, -1, 1, 999, 1_000]
export const instantUs = fc
  .tuple(fc.constantFrom(...offsets), fc.constantFrom(...bits))
  .map(([days, bit]) => (nowMs + days * dayMs) * 1000 + bit)
const maybe = <V>(arbitrary: fc.Arbitrary<V>) => fc.option(arbitrary, { freq: 3 })
const text = maybe(fc.constantFrom(...texts))
const state = fc.constantFrom('opted_in', 'subscribed', 'unsubscribed')

export const properties = fc.dictionary(fc.constantFrom(...keys), fc.oneof(scalar, flat), { maxKeys: 3 })
const happening: fc.Arbitrary<Happening> = fc
  .record({
    of: fc.constantFrom('event' as const, 'purchase' as const),
    name: fc.nat(1),
    time: instantUs,
    quantity: fc.integer({ min: 1, max: 3 }),
    properties: fc.option(properties.map((made) => ({ ...made }))),
  })
  .map(({ name, ...rest }) => ({ ...rest, name: (rest.of === 'event' ? eventNames : products)[name]! }))

const states = fc.uniqueArray(
  fc.record({
    group: fc.constantFrom(1, 2, 4),
    state: fc.constantFrom('subscribed' as const, 'unsubscribed' as const),
    stamp: fc.nat(3).map((n) => nowMs * 1000 + n),
  }),
  { selector: ({ group }) => group, maxLength: 3 },
)

const profile = fc.record({
  random_bucket: fc.constantFrom(0, 5, 9999),
  external_id: text,
  email: maybe(fc.constantFrom(...emails)),
  phone: maybe(fc.constantFrom(...phones)),
  ...{ first_name: text, last_name: text, gender: text, dob: text, country: text },
  ...{ home_city: text, language: text, time_zone: text },
  ...{ email_subscribe: state, push_subscribe: state },
  created_at: instantUs,
  marked_email_as_spam_at: maybe(instantUs),
  date_of_first_session: maybe(instantUs),
  date_of_last_session: maybe(instantUs),
  total_revenue: fc.constantFrom(0, 0.1, 5, 5.5, -1),
  session_count: fc.constantFrom(0, 0, 1, 5),
})

const anyPerson = fc.record({
  profile,
  custom: fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 4 }).map((made) => ({ ...made })),
  happened: fc.array(happening, { maxLength: 5 }),
  inherited: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(happening, { maxLength: 3 })),
  memberships: states,
  cohorts: fc.subarray([1, 2, 11, 12]),
  devices: fc.array(fc.record({ model: text, os: text, carrier: text }), { maxLength: 2 }),
  uses: fc
    .subarray(apps)
    .chain((some) =>
      fc.tuple(
        ...some.map((app_id) =>
          fc.record({ app_id: fc.constant(app_id), first_used: maybe(instantUs), last_used: maybe(instantUs) }),
        ),
      ),
    ),
  received: fc
    .subarray(['email', 'webhook'])
    .chain((some) => fc.tuple(...some.map((channel) => fc.record({ channel: fc.constant(channel), at: instantUs })))),
})

/** People, and the states of the addresses that they share. */
export type Crowd = { people: TestPerson[]; addresses: { kind: 'email' | 'phone'; value: string; states: State[] }[] }

export function crowdOf(count: number): fc.Arbitrary<Crowd> {
  const addresses = [...emails, ...phones.slice(0, 2)].map((value) => ({
    kind: value.includes('@') ? ('email' as const) : ('phone' as const),
    value,
  }))
  return fc.record({
    people: fc
      .array(anyPerson, { minLength: count, maxLength: count })
      .map((made) => made.map((one, n) => ({ ...one, who: personOf(n) }) as TestPerson)),
    addresses: fc
      .tuple(...addresses.map(() => states))
      .map((said) => addresses.map((address, i) => ({ ...address, states: said[i]! }))),
  })
}

/** Several people in some buckets, and the first and the last bucket in use. */
function personOf(n: number): Person {
  const bucket = n % 3 === 0 ? [0, 1, 4095][(n / 3) % 3]! : (n * 37) % 4096
  return person(bucket, String((BigInt(bucket) << 51n) + 1_000_000_000_000n + BigInt(n)))
}

/** Names of events and products, in the order of their numbers. */
const named = [
  ...eventNames.slice(0, 2).map((name) => ({ name, kind: 'event' })),
  ...products.map((name) => ({ name, kind: 'product' })),
]

/** Writes people, and others who must never be selected: people of another workspace and merged profiles. */
export async function writeCrowd(db: Db, { people, addresses }: Crowd): Promise<void> {
  await insertInstallation(db, Buffer.from('a secret of the tests'), new Date(nowMs))
  await addGroups(db)
  const partners = [
    ['acme', 1],
    ['other', 11],
  ] as const
  const made = partners.flatMap(([partner, first]) => cohorts.map((id, i) => ({ partner, id, cohort_id: first + i })))
  const times = { created_at: at(0), updated_at: at(0) }
  await insert(
    db,
    'cohort',
    made.map((cohort) => ({ ...cohort, ...times, name: cohort.id, workspace_id })),
  )
  const numbered = named.map((name, i) => ({ ...name, name_id: i + 1, workspace_id }))
  await insert(db, 'public.name', numbered)
  const rows: [table: string, row: Row][] = [
    ...people.flatMap((one, n) => rowsOf(one, n)),
    ...addresses.flatMap(({ kind, value, states }) =>
      states.map((each): [string, Row] => ['address_state', { ...hidden(kind, value), kind, ...stateRow(each) }]),
    ),
  ]
  for (const [table, list] of Map.groupBy(rows, ([table]) => table)) {
    await insert(
      db,
      table,
      list.map(([, row]) => row),
    )
  }
}

function rowsOf(one: TestPerson, n: number): [table: string, row: Row][] {
  const { bucket, profile_id } = one.who
  const key = { bucket, profile_id }
  const formerBucket = (n * 11) % 4096
  const former = { bucket: formerBucket, profile_id: String((BigInt(formerBucket) << 51n) + BigInt(n) + 5n ** 18n) }
  const profile = { ...rowOf(one), workspace_id }
  const follows = { from_bucket: former.bucket, from_id: former.profile_id, moved: one.inherited.length === 0 }
  return [
    ['profile', { ...profile, ...key }],
    ['profile', { ...profile, ...former, merged_bucket: bucket, merged_into: profile_id }],
    ['profile', { ...profile, ...key, profile_id: String(BigInt(profile_id) + 500_000n), workspace_id: 2 }],
    ['merged_profile', { ...key, ...follows, at: at(0) }],
    ...one.happened.map((each) => happenedRow(each, key)),
    ...one.inherited.map((each) => happenedRow(each, former)),
    ...one.memberships.map((each): [string, Row] => ['membership', { ...key, ...stateRow(each) }]),
    ...one.cohorts.map((cohort_id): [string, Row] => ['cohort_member', { ...key, cohort_id, added_at: at(0) }]),
    ...one.devices.map((device, i): [string, Row] => [
      'device',
      { ...key, device_id: `d${n}-${i}`, ...device, created_at: at(0) },
    ]),
    ...one.uses.map((use): [string, Row] => [
      'app_use',
      { ...key, ...use, sessions: 1, first_used: timeText(use.first_used), last_used: timeText(use.last_used) },
    ]),
    ...one.received.map((each): [string, Row] => ['last_received', { ...key, ...each, at: formatMoment(each.at) }]),
  ]
}

function happenedRow({ of, name, time, quantity, properties }: Happening, key: Row): [string, Row] {
  const name_id = named.findIndex((each) => each.name === name && (each.kind === 'event') === (of === 'event')) + 1
  const row = { ...key, name_id, time: formatMoment(time), properties: properties && JSON.stringify(properties) }
  return [of, of === 'event' ? row : { ...row, price: 1, currency: 'EUR', quantity }]
}

function stateRow({ group, state, stamp }: State): Row {
  return { group_id: group, state, stamp: formatMoment(stamp) }
}

/** `typed` is the stored form of a date attribute. Texts that are dates are recognised by their form alone. */
function rowOf({ profile, custom }: TestPerson): Row {
  const dates = Object.entries(custom).filter(([, each]) => typeof each === 'string' && /^\d{4}-\d\d-\d\d/.test(each))
  const moments = ['created_at', 'marked_email_as_spam_at', 'date_of_first_session', 'date_of_last_session']
  return {
    ...profile,
    ...Object.fromEntries(moments.map((name) => [name, timeText(profile[name] as number | null)])),
    custom,
    typed: Object.fromEntries(dates.map(([name, each]) => [name, Date.parse(each as string)])),
    updated_at: at(0),
    email_open_tracking_disabled: false,
    email_click_tracking_disabled: false,
  }
}

function timeText(us: number | null): string | null {
  return us === null ? null : formatMoment(us)
}
