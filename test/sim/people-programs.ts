import fc from 'fast-check'
import { apps, groups } from '../support/people.ts'
import type { Body } from './people-model.ts'

/**
 * One request. Placeholders in its texts have a value in each world: `~` is its number, `@` and a number is a time that many days
 * ago, `#` and a number is one of its service ids.
 */
export type Call = { readonly path: string; readonly body: Body }

export type World = { readonly number: number; readonly service_ids: readonly string[]; readonly startMs: number }

/** The workspace of these people. */
export const workspace = {
  settings: { rate_limits: { export_ids: 'unlimited' } },
  apps: Object.values(apps),
  subscription_groups: Object.values(groups),
}

const peopleMax = 16
const weights = { track: 6, updateAlias: 2, rename: 2, remove: 2, identify: 2, merge: 5, delete: 2, sdk: 3, email: 2 }
const dayMs = 24 * 3600 * 1000
const unknownServiceId = '0'.repeat(24)

/** All identifiers that people may have. */
export const names = {
  external_ids: numbered(8, (n) => `person-${n}~`),
  aliases: ['shop', 'web'].flatMap((alias_label) =>
    numbered(3, (n) => ({ alias_name: `alias-${n}~`, alias_label: alias_label })),
  ),
  emails: numbered(4, (n) => `mail-${n}~@example.com`),
  phones: numbered(3, (n) => `+1555~00${n}`),
  devices: numbered(3, (n) => `device-${n}~`),
}

/** Replaces the placeholders of a call or a name by the values of a world. */
export function inWorld<T>(value: T, { number, service_ids, startMs }: World): T {
  return JSON.parse(JSON.stringify(value), (_, text) => {
    if (typeof text !== 'string') return text
    if (text.startsWith('@')) return new Date(startMs - Number(text.slice(1)) * dayMs).toISOString()
    if (text.startsWith('#')) return service_ids[Number(text.slice(1)) % service_ids.length] ?? unknownServiceId
    return text.replace('~', String(number).padStart(4, '0'))
  })
}

const external_id = skewed(names.external_ids)
const user_alias = skewed(names.aliases)
const email = skewed(names.emails)
const phone = skewed(names.phones)
const service_id = fc.nat(9).map((n) => `#${n}`)
const updates = fc.constantFrom({}, { _update_existing_only: false }, { _update_existing_only: true })

const hardName = fc.oneof(
  { weight: 4, arbitrary: record({ external_id }) },
  { weight: 2, arbitrary: record({ user_alias }) },
  { weight: 1, arbitrary: record({ service_id }) },
)
const address = fc.oneof(record({ email }), record({ phone }))

const number = fc.integer({ min: -3, max: 3 })
const numbers = fc.uniqueArray(number, { maxLength: 2 })
const someNumbers = fc.uniqueArray(number, { minLength: 1, maxLength: 2 })
const custom = fc.oneof(
  number,
  fc.constantFrom('text', null, true),
  numbers,
  record({ inc: number }),
  record({ add: someNumbers }),
  record({ remove: someNumbers }),
)
const consent = fc.constantFrom('subscribed', 'unsubscribed', 'opted_in')
const subscription_state = fc.constantFrom('subscribed', 'unsubscribed')
const subscription_group_id = fc.constantFrom(groups.news.id, groups.offers.id, groups.alerts.id)
const push_token = record({
  app_id: fc.constantFrom(apps.phone.id, apps.tablet.id),
  token: fc.constantFrom('token-1~', 'token-2~'),
  device_id: fc.constantFrom('gadget-1~', 'gadget-2~'),
})
const plainField: fc.Arbitrary<object> = fc.oneof(
  record({ first_name: fc.constantFrom('Ann', 'Ben', null) }),
  record({ last_name: fc.constantFrom('Ames', null) }),
  record({ gender: fc.constantFrom('F', 'M', null) }),
  record({ dob: fc.constantFrom('1990-01-02', null) }),
  record({ country: fc.constantFrom('DE', 'FR') }),
  record({ home_city: fc.constantFrom('Bonn', 'Lyon') }),
  record({ language: fc.constantFrom('de', 'fr') }),
  record({ time_zone: fc.constantFrom('Europe/Berlin', 'Europe/Paris') }),
  record({ current_location: fc.constantFrom({ longitude: 7, latitude: 50 }, { longitude: 2, latitude: 48 }) }),
  record({ a: custom }),
  record({ b: custom }),
  record({ c: custom }),
  record({ push_tokens: fc.array(push_token, { minLength: 1, maxLength: 1 }) }),
)
const state: fc.Arbitrary<object> = fc.oneof(
  record({ email_subscribe: consent }),
  record({ email_subscribe: consent }),
  record({ push_subscribe: consent }),
  record({
    subscription_groups: fc.uniqueArray(record({ subscription_group_id, subscription_state }), {
      selector: (one) => one.subscription_group_id,
      minLength: 1,
      maxLength: 2,
    }),
  }),
  record({
    subscription_groups: fc.uniqueArray(record({ subscription_group_id, subscription_state }), {
      selector: (one) => one.subscription_group_id,
      minLength: 1,
      maxLength: 2,
    }),
  }),
)
const field = fc.oneof({ weight: 2, arbitrary: plainField }, { weight: 1, arbitrary: state })
const move = fc.oneof(
  record({ email: fc.oneof(email, fc.constant(null)) }),
  record({ phone: fc.oneof(phone, fc.constant(null)) }),
)

const anyPerson = together(
  fc.oneof(
    { weight: 4, arbitrary: record({ external_id }) },
    { weight: 2, arbitrary: record({ user_alias }) },
    { weight: 1, arbitrary: address },
  ),
  fc.constant({ _update_existing_only: false }),
  fc.oneof(record({ email }), record({ phone }), record({ email, phone })),
  field,
  state,
)

const days = fc.constantFrom('@1', '@2', '@40', '@100')
const who = fc.oneof({ weight: 3, arbitrary: hardName }, { weight: 1, arbitrary: address })
const attributes = fc.oneof(
  together(hardName, updates, move),
  together(hardName, updates, move, field),
  together(who, updates, field),
  together(record({ email, phone }), updates, field),
  together(who, updates, field, field, field),
)
const happening = record({ name: fc.constantFrom('opened', 'closed'), time: days })
const buying = record({
  product_id: fc.constantFrom('tea', 'mug'),
  quantity: fc.integer({ min: 1, max: 3 }),
  currency: fc.constant('EUR'),
  price: fc.constant(4.5),
  time: days,
})

const device = record({
  device_id: skewed(names.devices),
  model: fc.constantFrom('Fold', 'Flip'),
  os: fc.constantFrom('7', '8'),
  ad_tracking_enabled: fc.boolean(),
})
const session = fc
  .tuple(fc.constantFrom(2, 3, 20, 50), fc.integer({ min: 0, max: 1 }))
  .map(([day, length]) => ({ started_at: `@${day}`, ended_at: `@${day - length}` }))
const sdk = together(
  record({ device, app_id: fc.constantFrom(apps.phone.id, apps.tablet.id) }),
  fc.oneof(
    { weight: 1, arbitrary: fc.constant({}) },
    { weight: 2, arbitrary: record({ identifier: fc.oneof(hardName, address) }) },
  ),
  record(
    {
      app_version: fc.constantFrom('1', '2'),
      sessions: fc.array(session, { minLength: 1, maxLength: 2 }),
      push_token: fc.constantFrom('token-1~', 'token-2~'),
      attribution: record(
        { campaign: fc.constantFrom('spring', 'autumn'), ad: fc.constant('big') },
        { requiredKeys: ['campaign'] },
      ),
      card_clicks: fc.constantFrom([{ name: 'hello' }], [{ name: 'bye' }]),
      uninstalled_at: fc.constantFrom('@10', '@30'),
    },
    { requiredKeys: [] },
  ),
)

const prioritization = fc.constantFrom(
  ['most_recently_updated'],
  ['most_recently_updated'],
  ['identified'],
  ['unidentified'],
  ['most_recently_updated'],
  ['least_recently_updated'],
  ['identified', 'most_recently_updated'],
  ['unidentified', 'least_recently_updated'],
  ['most_recently_updated', 'identified'],
)
const emailChoice = record({ email, prioritization })
const phoneChoice = record({ phone, prioritization })
const choice = fc.oneof(
  { weight: 3, arbitrary: record({ external_id }) },
  { weight: 1, arbitrary: record({ user_alias }) },
  { weight: 1, arbitrary: emailChoice },
  { weight: 1, arbitrary: phoneChoice },
)

const calls = {
  track: call('/users/track', [
    { attributes: some(attributes) },
    { attributes: some(attributes), events: some(together(who, updates, happening)) },
    { attributes: some(attributes), purchases: some(together(who, updates, buying)) },
    { events: some(together(who, updates, happening)), purchases: some(together(who, updates, buying)) },
  ]),
  newAlias: call('/users/alias/new', [
    { user_aliases: some(fc.oneof(user_alias, together(user_alias, record({ external_id })))) },
  ]),
  updateAlias: call('/users/alias/update', [
    {
      alias_updates: some(
        fc.tuple(user_alias, user_alias).map(([{ alias_label, alias_name }, other]) => {
          return { alias_label, old_alias_name: alias_name, new_alias_name: other.alias_name }
        }),
      ),
    },
  ]),
  rename: call('/users/external_ids/rename', [
    { external_id_renames: some(record({ current_external_id: external_id, new_external_id: external_id })) },
  ]),
  remove: call('/users/external_ids/remove', [{ external_ids: some(external_id) }]),
  identify: call('/users/identify', [
    { aliases_to_identify: some(record({ external_id, user_alias })) },
    { emails_to_identify: some(together(record({ external_id }), emailChoice)) },
    { phone_numbers_to_identify: some(together(record({ external_id }), phoneChoice)) },
    {
      aliases_to_identify: some(record({ external_id, user_alias })),
      emails_to_identify: some(together(record({ external_id }), emailChoice)),
      merge_behavior: fc.constantFrom('merge', 'none'),
    },
  ]),
  merge: call('/users/merge', [
    { merge_updates: some(record({ identifier_to_merge: choice, identifier_to_keep: choice })) },
  ]),
  delete: call('/users/delete', [
    { external_ids: some(external_id) },
    { user_aliases: some(user_alias) },
    { service_ids: some(service_id) },
    { email_addresses: some(emailChoice) },
    { phone_numbers: some(phoneChoice) },
  ]),
  groupsOfMany: call('/v2/subscription/status/set', [{ subscription_groups: some(fc.oneof(...change('s'))) }]),
  email: call('/email/status', [
    { email: fc.oneof(email, fc.uniqueArray(email, { minLength: 1, maxLength: 2 })), subscription_state: consent },
  ]),
  sdk: sdk.map((body): Call => ({ path: '/sdk/data', body })),
  groups: fc.oneof(...change('')).map((body): Call => ({ path: '/subscription/status/set', body })),
}

/** Draws the requests of one world: some people, then any changes to them. */
export function programs(lengthMax: number): fc.Arbitrary<Call[]> {
  const weighted = Object.entries(calls).map(([name, arbitrary]) => {
    return { arbitrary, weight: weights[name as keyof typeof weights] ?? 1 }
  })
  const one = fc.oneof(...weighted)
  const people = fc.array(anyPerson, { maxLength: peopleMax, size: 'max' })
  const burst = fc.array(fc.oneof(calls.merge, calls.delete, calls.identify), { minLength: 2, maxLength: 4 })
  const some = fc.oneof({ weight: 9, arbitrary: one.map((each) => [each]) }, { weight: 1, arbitrary: burst })
  const rest = fc.array(some, { minLength: 1, maxLength: lengthMax, size: 'max' }).map((lists) => lists.flat())
  const devices = fc.array(calls.sdk, { maxLength: 2 })
  return fc.tuple(people, devices, rest).map(([attributes, devices, rest]) => {
    return [...(attributes.length > 0 ? [{ path: '/users/track', body: { attributes } }] : []), ...devices, ...rest]
  })
}

/** Draws the items of a subscription call; `plural` is the ending of the names of its lists. */
function change(plural: 's' | ''): fc.Arbitrary<Body>[] {
  const ids = list(external_id, `external_id${plural}`)
  const mails = record({
    subscription_group_id: fc.constantFrom(groups.news.id, groups.offers.id),
    subscription_state,
  })
  const texts = record({ subscription_group_id: fc.constant(groups.alerts.id), subscription_state })
  return [
    together(record({ subscription_group_id, subscription_state }), ids),
    together(mails, list(email, `email${plural}`)),
    together(mails, list(email, `email${plural}`), ids),
    together(texts, list(phone, `phone${plural}`)),
    together(texts, list(phone, `phone${plural}`), ids),
  ]
}

function list(item: fc.Arbitrary<string>, name: string): fc.Arbitrary<object> {
  return fc.uniqueArray(item, { minLength: 1, maxLength: 2 }).map((items) => ({ [name]: items }))
}

function call(path: string, bodies: readonly Readonly<Record<string, fc.Arbitrary<unknown>>>[]): fc.Arbitrary<Call> {
  return fc.oneof(...bodies.map((body) => record(body))).map((body) => ({ path, body }))
}

function some<T>(item: fc.Arbitrary<T>): fc.Arbitrary<T[]> {
  return fc.array(item, { minLength: 1, maxLength: 3 })
}

function record<T>(members: { [K in keyof T]: fc.Arbitrary<T[K]> }, options = {}): fc.Arbitrary<T> {
  return fc.record(members, { ...options, noNullPrototype: true }) as fc.Arbitrary<T>
}

function together(...parts: readonly fc.Arbitrary<object>[]): fc.Arbitrary<Body> {
  return fc.tuple(...parts).map((each) => Object.assign({}, ...each))
}

/** Draws the first names most often, so that requests are about the same people. */
function skewed<T>(all: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof(fc.constantFrom(...all.slice(0, 2)), fc.constantFrom(...all))
}

function numbered<T>(count: number, make: (n: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i + 1))
}
