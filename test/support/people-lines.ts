import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Service } from './harness.ts'
import { apps, everyField, groups } from './people.ts'

/** A workspace with the apps and groups that `populate` mentions. It keeps history of any age, which a job deletes otherwise. */
export const workspace = {
  settings: { event_retention: 'P99Y' },
  apps: Object.values(apps),
  subscription_groups: Object.values(groups),
}

type Body = Readonly<Record<string, unknown>>

// biome-ignore lint/suspicious/noExplicitAny: tests read single members of a line.
export type Line = any

/** Reads every line of an export of a workspace. */
export async function linesOf(service: Service): Promise<Line[]> {
  const lines: Line[] = []
  for (let after = ''; ; ) {
    const { body } = await service.admin('GET', `/admin/people?after=${after}`)
    lines.push(...body.lines)
    assert.ok(body.share >= 0 && body.share <= 1)
    if (body.next === null) return lines
    after = body.next
  }
}

/** Returns the lines about people. The head and the hashed addresses differ between installations. */
export function peopleIn(lines: readonly Line[]): Line[] {
  return lines.filter(({ person }) => person !== undefined)
}

/** Returns the events and purchases of a person as an export of the workspace has them. */
export async function historyOf(service: Service, external_id: string): Promise<Line[]> {
  const lines = peopleIn(await linesOf(service))
  const { person } = lines.find((line) => JSON.stringify(line).includes(JSON.stringify(external_id)))
  return lines
    .filter((line) => line.person === person)
    .flatMap(({ events = [], purchases = [] }) => [...events, ...purchases])
}

export function textOf(lines: readonly Line[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}

/** Imports lines into a workspace. Returns the answer. */
export async function restore(service: Service, lines: readonly object[], query = ''): Promise<Line> {
  return (await service.admin('POST', `/admin/people${query}`, { lines })).body
}

/** Sends a request that must be accepted completely. */
export async function send(service: Service, path: string, body: Body): Promise<void> {
  const answer = await service.post(path, body)
  assert.ok(answer.status < 300 && answer.body.errors === undefined, `${path}: ${answer.text}`)
}

/** Exports the only person, without the service id, which differs between installations. */
export async function recordOf(service: Service, who: Body): Promise<Line> {
  const { body } = await service.post('/users/export/ids', { ...who, fields_to_export: everyField })
  const records = body.users.map(({ service_id: _, ...record }: Line) => record)
  return records.length === 1 ? records[0] : records
}

/** Creates people with data of every kind, through the interface only. */
export async function populate(service: Service): Promise<void> {
  await send(service, '/users/track', { attributes, events, purchases })
  await send(service, '/users/alias/new', {
    user_aliases: [{ external_id: 'ann', alias_label: 'crm', alias_name: 'A-1' }],
  })
  await send(service, '/users/external_ids/rename', {
    external_id_renames: [{ current_external_id: 'robert', new_external_id: 'bob' }],
  })
  await send(service, '/sdk/data', session('ann', 'device-of-ann'))
  await send(service, '/sdk/data', session(undefined, 'device-of-nobody'))
  await send(service, '/email/status', { email: 'gone@example.com', subscription_state: 'unsubscribed' })
  const email = ['nobody@example.com', 'shared@example.com']
  const state = { subscription_state: 'unsubscribed', email }
  await send(service, '/subscription/status/set', { subscription_group_id: groups.offers.id, ...state })
  await send(service, '/users/merge', {
    merge_updates: [{ identifier_to_merge: { external_id: 'former' }, identifier_to_keep: { external_id: 'bob' } }],
  })
  await settled(service)
}

/** Waits until all accepted work is done. */
export async function settled(service: Service): Promise<void> {
  const endMs = performance.now() + 60_000
  for (;;) {
    const { body } = await service.admin('GET', '/admin/work')
    if (body.work.every(({ state }: Line) => state === 'done')) return
    assert.ok(performance.now() < endMs, JSON.stringify(body))
    await sleep(50)
  }
}

const attributes: Body[] = [
  {
    external_id: 'ann',
    first_name: 'Ann "the \u2028 first"',
    last_name: 'Ünal',
    email: 'Ann@Example.com',
    phone: '+15550001111',
    gender: 'F',
    dob: '1980-02-29',
    country: 'FR',
    home_city: 'Paris',
    language: 'fr',
    time_zone: 'Europe/Paris',
    image_url: 'https://example.com/ann.png',
    current_location: { longitude: 2.5, latitude: 48.125 },
    facebook: { id: 'f1', likes: ['tea', 'rain'], num_friends: 12 },
    twitter: { id: 9, screen_name: 'ann', followers_count: 1 },
    email_subscribe: 'opted_in',
    push_subscribe: 'unsubscribed',
    email_open_tracking_disabled: true,
    date_of_first_session: '2020-01-02T03:04:05.678Z',
    marked_email_as_spam_at: '2021-01-01',
    plan: 'gold',
    signed_up: '2024-05-06T07:08:09Z',
    sizes: [1, 2.5, -3e-7],
    nested: { a: { b: [{ c: 'é', d: false }] } },
    '7': 'an integer as a key',
    subscription_groups: [
      { subscription_group_id: groups.news.id, subscription_state: 'unsubscribed' },
      { subscription_group_id: groups.alerts.id, subscription_state: 'subscribed' },
    ],
    push_tokens: [
      { app_id: apps.phone.id, token: 'token-1', device_id: 'device-of-token' },
      { app_id: apps.tablet.id, token: 'token-1', notifications_enabled: false },
    ],
  },
  { external_id: 'robert', email: 'shared@example.com', phone: 'no number' },
  { external_id: 'former', email: 'shared@example.com', push_subscribe: 'opted_in', shoe: 44 },
  { user_alias: { alias_label: 'shop', alias_name: 'only an alias' }, _update_existing_only: false },
  { email: 'lone@example.com', email_subscribe: 'unsubscribed' },
  { phone: '+15550002222' },
  { external_id: 'gone', email: 'gone@example.com' },
]

const events: Body[] = [
  {
    external_id: 'ann',
    name: 'visited',
    time: '2024-01-01T00:00:00.123Z',
    properties: { page: { depth: [1] }, '3': 'x' },
  },
  { external_id: 'ann', name: 'visited', time: '2024-01-01T00:00:00.123Z', properties: { page: 'b' } },
  { external_id: 'ann', name: 'visited', time: '2024-01-01T00:00:00.123Z', app_id: 'an app that nobody declared' },
  { external_id: 'ann', name: 'visited', time: '2024-01-01T00:00:00.123Z', app_id: 'an app that nobody declared' },
  { external_id: 'ann', name: 'Arrived', time: '1931-01-01T00:00:00Z' },
  { external_id: 'former', name: 'visited', time: '2023-01-01T00:00:00Z' },
  { phone: '+15550002222', name: 'visited', time: '2023-01-01T00:00:00Z', app_id: apps.phone.id },
]

const purchases: Body[] = [
  { external_id: 'ann', product_id: 'tea', currency: 'eur', price: 4.5, time: '2024-01-01T00:00:00Z', quantity: 3 },
  { external_id: 'ann', product_id: 'tea', currency: 'USD', price: -0.1, time: '2024-01-01T00:00:00Z' },
  {
    external_id: 'former',
    product_id: 'boots',
    currency: 'EUR',
    price: 1e-9,
    time: '2024-01-01T00:00:00Z',
    app_id: 'x',
  },
  {
    external_id: 'robert',
    product_id: '7',
    currency: 'EUR',
    price: 10,
    time: '2022-01-01T00:00:00Z',
    properties: { a: 1 },
  },
]

function session(external_id: string | undefined, device_id: string): Body {
  return {
    ...(external_id && { identifier: { external_id } }),
    device: { device_id, model: 'One', os: '17', carrier: 'C', idfa: 'i', ad_tracking_enabled: true },
    app_id: apps.phone.id,
    app_version: '1.2',
    sessions: [{ started_at: '2024-03-01T10:00:00Z', ended_at: '2024-03-01T10:05:00Z' }],
    push_token: `token of ${device_id}`,
    attribution: { campaign: 'spring', source: 'web', adgroup: 'g', ad: 'a' },
    card_clicks: ['welcome', { name: 'sale', time: '2024-03-01T10:01:00Z' }],
  }
}
