import assert from 'node:assert/strict'
import test from 'node:test'
import { Random } from '../../bench/random.ts'
import { long, seed, sizes } from '../sizes.ts'
import { attackedService } from '../support/attacked.ts'
import type { Client } from '../support/client.ts'
import { drawDatabases, startService } from '../support/harness.ts'
import { apps, type Exported, type Item, many, type TrackBody } from '../support/people.ts'
import { assertServed } from '../support/waits.ts'

const crowdEmail = 'everybody@example.com'
const news = { id: '0b6e0a1c-4d5e-4c2f-9a51-1f2d3c4b5a69', name: 'News', channel: 'email' }
const bulkMax = 1_000
const statusIdsMax = 50
const sampleSize = long ? 200 : 50
/** More people than the service loads for one address. */
const smallCrowd = 80
const leavers = 3

type Change = { act(service: Client): Promise<void>; show(service: Client, ids: readonly string[]): Promise<void> }

const changes: { [what: string]: Change } = {
  'the group of a person who is named by external_id': {
    act: (service) => setGroup(service, { external_id: 'sharer-7' }, 'unsubscribed'),
    show: (service, ids) => showGroup(service, ids, 'Unsubscribed'),
  },
  'the group of a person who is named by the shared address': {
    act: (service) => setGroup(service, { email: crowdEmail }, 'subscribed'),
    show: (service, ids) => showGroup(service, ids, 'Subscribed'),
  },
  'the e-mail state of the shared address': {
    act: (service) => post(service, '/email/status', { email: crowdEmail, subscription_state: 'unsubscribed' }),
    show: showUnsubscribed,
  },
}

const crowdSize = sizes.peopleOnOneAddress

for (const database of drawDatabases('a crowded address')) {
  test(`a change for ${crowdSize} people with one address takes effect for all and delays no other request (${database})`, async (t) => {
    t.diagnostic(`seed ${seed}`)
    const chance = new Random(seed)
    const service = await attackedService(database)
    await service.admin('POST', '/admin/apply', { apps: Object.values(apps), subscription_groups: [news] })
    await crowd(service)
    for (const [what, { act, show }] of Object.entries(changes)) {
      t.diagnostic(what)
      // It is carried out once in each round: a repetition changes nothing.
      await assertServed(t, service, async (measured) => {
        await act(service)
        await measured
      })
      for (let asked = 0; asked < sampleSize; asked += statusIdsMax) {
        await show(service, [...new Set(many(statusIdsMax, () => `sharer-${chance.below(crowdSize)}`))])
      }
    }
  })
}

for (const database of drawDatabases('crowded-address')) {
  test(`a request that removes the latest people from a crowded address finds the next person (${database})`, async () => {
    await using service = await startService({ database })
    const people = many(smallCrowd, (i) => ({ external_id: `sharer-${i}`, email: crowdEmail }))
    for (const attributes of [people.slice(0, 50), people.slice(50)]) await taken(service, { attributes })
    const leaving = many(leavers, (i) => ({
      external_id: `sharer-${smallCrowd - 1 - i}`,
      email: `own-${i}@example.com`,
    }))
    await taken(service, { attributes: [...leaving, { email: crowdEmail, chosen: true }] })

    const fields_to_export = ['external_id', 'custom_attributes']
    const { body } = await service.post('/users/export/ids', { email_address: crowdEmail, fields_to_export })
    assert.equal(body.users.length, smallCrowd - leavers)
    const chosen = body.users.filter((user: Exported) => user.custom_attributes?.chosen === true)
    assert.deepEqual(
      chosen.map((user: Exported) => user.external_id),
      [`sharer-${smallCrowd - 1 - leavers}`],
    )
  })
}

async function taken(service: Client, body: TrackBody): Promise<void> {
  const { status, text, body: answer } = await service.post('/users/track', body)
  assert.equal(status, 201, text)
  assert.equal(answer.errors, undefined, text)
}

async function crowd(service: Client): Promise<void> {
  for (let from = 0; from < crowdSize; from += bulkMax) {
    const attributes = many(bulkMax, (i) => ({ external_id: `sharer-${from + i}`, email: crowdEmail }))
    const { status, text } = await service.post('/users/track/bulk', { attributes })
    assert.equal(status, 201, text)
  }
}

async function setGroup(service: Client, who: Item, subscription_state: string): Promise<void> {
  await taken(service, {
    attributes: [{ ...who, subscription_groups: [{ subscription_group_id: news.id, subscription_state }] }],
  })
}

async function showGroup(service: Client, ids: readonly string[], status: string): Promise<void> {
  const { body } = await service.get(`/subscription/user/status?${ids.map((id) => `external_id=${id}`).join('&')}`)
  assert.equal(body.users.length, ids.length)
  for (const user of body.users) assert.deepEqual(user.subscription_groups, [{ ...news, status }], user.external_id)
}

async function showUnsubscribed(service: Client, external_ids: readonly string[]): Promise<void> {
  const { body } = await service.post('/users/export/ids', { external_ids, fields_to_export: ['email_subscribe'] })
  assert.equal(body.users.length, external_ids.length)
  for (const { email_subscribe } of body.users) assert.equal(email_subscribe, 'unsubscribed')
}

async function post(service: Client, path: string, body: object): Promise<void> {
  const { status, text } = await service.post(path, body)
  assert.equal(status, 201, text)
}
