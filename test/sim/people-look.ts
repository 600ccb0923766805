import assert from 'node:assert/strict'
import { inspect, isDeepStrictEqual } from 'node:util'
import type { Service } from '../support/harness.ts'
import { apps, type Exported, everyField, groups } from '../support/people.ts'
import type { AppUse } from './people-apps.ts'
import type { Body, Consent, Model, Occurrence, Person, Who } from './people-model.ts'
import { inWorld, names, type World } from './people-programs.ts'

const dayMs = 24 * 3600 * 1000
/** Fields that never change, also not in a merge. The model learns them from the first export. */
const lasting = ['service_id', 'created_at', 'random_bucket'] as const

/** Compares all answers of the service about a world with the model; at the end also by service ids. */
export async function look(service: Service, model: Model, world: World, isLast: boolean): Promise<void> {
  const { external_ids, aliases, emails, phones, devices } = inWorld(names, world)
  const exclusive = [
    ...external_ids.map((external_id) => ({ external_id })),
    ...aliases.map((user_alias) => ({ user_alias })),
  ]
  // One after the other: requests of many worlds at once would wait for a session of the database longer than the service lets them.
  await lookAt(service, model, exclusive, { external_ids, user_aliases: aliases })
  for (const email of emails) await lookAt(service, model, [{ email }], { email_address: email })
  for (const phone of phones) await lookAt(service, model, [{ phone }], { phone })
  for (const device_id of devices) await lookAt(service, model, [{ device_id }], { device_id })
  await lookAtGroups(service, model, { external_id: external_ids, email: emails, phone: phones })
  for (const [group, channel] of Object.entries(model.channels)) {
    await lookAtGroup(service, model, group, external_ids, channel === 'email' ? { email: emails } : { phone: phones })
  }
  if (!isLast) return
  for (const service_id of model.service_ids) await lookAt(service, model, [{ service_id }], { service_id })
}

/** Compares the export of the people with these names, in the order of the names, the most recently updated first. */
async function lookAt(service: Service, model: Model, names: readonly Who[], body: Body): Promise<void> {
  const answer = await service.post('/users/export/ids', { ...body, fields_to_export: everyField })
  assert.equal(answer.status, 201, answer.text)
  const expected = [...new Set(names.flatMap((who) => model.named(who)))]
  const users = inOrderOfModel(answer.body.users, expected)
  const request = JSON.stringify(body)
  assert.deepEqual(
    users.map(plain),
    expected.map(shown),
    `the export of the service, then of the model, for ${request}`,
  )
  const unknown = names.filter((who) => model.named(who).length === 0).map(textOf)
  assert.deepEqual(answer.body.invalid_user_ids ?? [], unknown, `the unknown ids of ${request}`)
  for (const [i, person] of expected.entries()) remember(model, person, users[i]!, request)
}

function textOf({ user_alias, ...name }: Who): string {
  return user_alias?.alias_name ?? String(Object.values(name)[0])
}

/** Sorts people with the same time of the last update as the model has them, because their order is undefined. */
function inOrderOfModel(users: readonly Exported[], expected: readonly Person[]): Exported[] {
  const isAt = (i: number, person: Person) => isDeepStrictEqual(plain(users[i]!), shown(person))
  for (const [i, person] of expected.entries()) {
    const next = expected[i + 1]
    if (next?.updated !== person.updated || users.length !== expected.length || isAt(i, person)) continue
    if (isAt(i + 1, person)) return users.with(i, users[i + 1]!).with(i + 1, users[i]!)
  }
  return [...users]
}

function remember(model: Model, person: Person, user: Exported, request: string): void {
  const now = Object.fromEntries(lasting.map((field) => [field, user[field]]))
  person.lasting ??= now
  assert.deepEqual(now, person.lasting, `the lasting fields for ${request}`)
  if (!model.service_ids.includes(user.service_id!)) model.service_ids.push(user.service_id!)
}

/** Returns an exported record without lasting fields, with `true` for times of consent, and with sorted lists. */
export function plain(user: Exported): Body {
  const fields = Object.entries(user).filter(([field]) => !lasting.includes(field as (typeof lasting)[number]))
  return Object.fromEntries(
    fields.map(([field, value]) => {
      if (field.endsWith('ed_in_at') || field.endsWith('ubscribed_at')) return [field, true]
      return [field, Array.isArray(value) && field !== 'last_coordinates' ? sorted(value) : value]
    }),
  )
}

/** Returns the same record of a person of the model. */
function shown(person: Person): Body {
  const { external_id, email, phone, plain, custom } = person
  const uninstalled = Object.values(person.apps).map((one) => one.uninstalled ?? '')
  return {
    ...withoutEmpty({ external_id, email, phone, uninstalled_at: uninstalled.toSorted().at(-1) }),
    ...plain,
    ...consentShown('email', person.email_subscribe),
    ...consentShown('push', person.push_subscribe),
    ...withoutEmpty({
      custom_events: sorted(summaries(person.events)),
      purchases: sorted(summaries(person.purchases)),
      push_tokens: sorted(person.tokens.map(tokenShown)),
      apps: sorted(Object.entries(person.apps).map(([app_id, use]) => appShown(app_id, use))),
      devices: sorted(
        Object.entries(person.devices).map(([device_id, members]) => withoutEmpty({ device_id, ...members })),
      ),
      cards_clicked: sorted([...person.cards].map((name) => ({ name }))),
    }),
    user_aliases: sorted(
      Object.entries(person.aliases).map(([alias_label, alias_name]) => ({ alias_name, alias_label })),
    ),
    custom_attributes: custom,
    total_revenue: 0,
  }
}

function consentShown(kind: 'email' | 'push', consent: Consent | undefined): Body {
  return {
    [`${kind}_subscribe`]: consent?.state ?? 'subscribed',
    ...(consent?.opted_in && { [`${kind}_opted_in_at`]: true }),
    ...(consent?.unsubscribed && { [`${kind}_unsubscribed_at`]: true }),
  }
}

function tokenShown({ app_id, token, device_id }: Body): Body {
  const { name, platform } = appOf(app_id)
  return { app: name, platform, token, device_id, notifications_enabled: true }
}

function appShown(app_id: string, { version, sessions, first, last }: AppUse): Body {
  const { name, platform } = appOf(app_id)
  return withoutEmpty({ name, platform, version, sessions, first_used: first, last_used: last })
}

function appOf(app_id: string): { name: string; platform: string } {
  return Object.values(apps).find(({ id }) => id === app_id)!
}

/** Returns count, first and last time of each name in the last 90 days. */
function summaries(occurrences: readonly Occurrence[]): Body[] {
  const recent = occurrences.filter(({ time }) => Date.now() - Date.parse(time) < 90 * dayMs)
  return Object.entries(Object.groupBy(recent, ({ name }) => name)).map(([name, all = []]) => {
    const times = all.map(({ time }) => time).sort()
    return { name, first: times[0], last: times.at(-1), count: all.reduce((sum, { count }) => sum + count, 0) }
  })
}

/** Compares the groups of all people with an external_id or an address. */
async function lookAtGroups(service: Service, model: Model, everybody: Lists): Promise<void> {
  const { users } = await answerOf(service, `/subscription/user/status?${queryOf(everybody)}`)
  const known = model.people.filter((one) => one.external_id ?? one.email ?? one.phone)
  const expected = known.map((person) => {
    const states = Object.values(groups).flatMap(({ id, name, channel }) => {
      const state = model.groupState(person, id)
      return state ? [{ id, name, channel, status: spelled(state) }] : []
    })
    const { external_id, email, phone } = person
    return { email, phone, external_id, subscription_groups: sorted(states) }
  })
  const actual = users.map((one: Body) => ({ ...one, subscription_groups: sorted(one.subscription_groups) }))
  assert.deepEqual(sorted(actual), sorted(expected), 'the groups of the service, then those of the model')
}

/** Compares the state of one group for people by external_id, and for addresses. */
async function lookAtGroup(
  service: Service,
  model: Model,
  group: string,
  external_id: readonly string[],
  addresses: Lists,
): Promise<void> {
  const ask = (who: Lists) =>
    answerOf(service, `/subscription/status/get?${queryOf({ ...who, subscription_group_id: [group] })}`)
  const [ofPeople, ofAddresses] = await Promise.all([ask({ external_id }), ask(addresses)])
  const people = external_id.map((external_id) => {
    const [person] = model.named({ external_id })
    return [external_id, spelled(person && model.groupState(person, group))]
  })
  assert.deepEqual(ofPeople.status, Object.fromEntries(people), 'a group of people: the service, then the model')
  const states = Object.values(addresses)
    .flat()
    .map((one) => [one, spelled(model.groupStateOf(one, group))])
  assert.deepEqual(ofAddresses.status, Object.fromEntries(states), 'a group of addresses: the service, then the model')
}

function spelled(state: string | undefined): string {
  if (state === undefined) return 'unknown'
  return state === 'subscribed' ? 'Subscribed' : 'Unsubscribed'
}

type Lists = Readonly<Record<string, readonly string[]>>

function queryOf(lists: Lists): URLSearchParams {
  return new URLSearchParams(
    Object.entries(lists).flatMap(([name, values]) => values.map((value) => [listName(name), value])),
  )
}

function listName(name: string): string {
  return name === 'subscription_group_id' ? name : `${name}[]`
}

async function answerOf(service: Service, path: string): Promise<Body> {
  const { status, text, body } = await service.get(path)
  assert.equal(status, 200, text)
  return body
}

/** Returns the fields that are neither null nor empty. */
function withoutEmpty(fields: Body): Body {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value?.length !== 0 && (value ?? null) !== null),
  )
}

function sorted<T>(list: readonly T[]): T[] {
  const text = (value: T) => inspect(value, { depth: null, sorted: true })
  return list.toSorted((a, b) => (text(a) < text(b) ? -1 : 1))
}
