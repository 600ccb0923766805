import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawDatabases, startService } from '../support/harness.ts'
import { ago, hourMs, many } from '../support/people.ts'
import { linesOf, peopleIn, restore, workspace } from '../support/people-lines.ts'

/** History that is older than its retention is deleted soon. */
const at = ago(hourMs).replace('.000Z', '.678901Z')

/** A person in the form of a line. */
function line(person: string, profile: object = {}, more: object = {}): object {
  return { person, profile: { random_bucket: 1, created_at: at, updated_at: at, ...profile }, ...more }
}

function idOf(n: number): string {
  return n.toString(16).padStart(16, '0')
}

const profile = { random_bucket: 1, created_at: at, updated_at: at }
const person = idOf(3)
const lone = JSON.parse('"\\ud800"')
let deep: unknown = 1
for (let depth = 0; depth < 51; depth++) deep = [deep]

/** Invalid lines, each with its error. */
const wrongLines: readonly [object, string][] = [
  [Object(7), 'is not an object'],
  [[], 'is not an object'],
  [{}, 'is neither a person nor states of addresses'],
  [{ easel: 'people', version: 2 }, 'is of another version'],
  [{ person: 'x', profile }, 'person is not valid'],
  [{ person: 'ffffffffffffffff', profile }, 'person is not valid'],
  [{ person: idOf(0), profile }, 'person is not valid'],
  [{ person: 7, profile }, 'person is not valid'],
  [{ person, profile, part: 0 }, 'part is not valid'],
  [{ person, profile, part: 1.5 }, 'part is not valid'],
  [{ person, profile, more: 1 }, 'more is not valid'],
  [{ profile, more: true }, 'person is missing: only a person with an id can have several parts'],
  [{ person }, 'profile must be in the first part and in no other'],
  [{ person, profile, part: 2 }, 'profile must be in the first part and in no other'],
  [{ person, profile: 7 }, 'profile is not an object'],
  [{ person, profile: {} }, 'profile.random_bucket is missing'],
  [{ person, profile: { ...profile, random_bucket: 10_000 } }, 'profile.random_bucket is not valid'],
  [{ person, profile: { ...profile, created_at: 'yesterday' } }, 'profile.created_at is not valid'],
  [{ person, profile: { ...profile, updated_at: '+010000-01-01T00:00:00.000Z' } }, 'profile.updated_at is not valid'],
  [{ person, profile: { ...profile, external_id: '' } }, 'profile.external_id is not valid'],
  [{ person, profile: { ...profile, external_id: 'x'.repeat(988) } }, 'profile.external_id is not valid'],
  [{ person, profile: { ...profile, external_id: 'a\u0000b' } }, 'profile.external_id is not valid'],
  [{ person, profile: { ...profile, external_id: lone } }, 'profile.external_id is not valid'],
  [{ person, profile: { ...profile, email: 'Ann@Example.com' } }, 'profile.email is not valid'],
  [{ person, profile: { ...profile, first_name: 'x'.repeat(256) } }, 'profile.first_name is not valid'],
  [{ person, profile: { ...profile, country: 'France' } }, 'profile.country is not valid'],
  [{ person, profile: { ...profile, time_zone: 'Mars/Base' } }, 'profile.time_zone is not valid'],
  [{ person, profile: { ...profile, email_subscribe: 'maybe' } }, 'profile.email_subscribe is not valid'],
  [{ person, profile: { ...profile, longitude: 181 } }, 'profile.longitude is not valid'],
  [{ person, profile: { ...profile, facebook: { a: 1 } } }, 'profile.facebook is not valid'],
  [{ person, profile: { ...profile, session_count: 2 ** 31 } }, 'profile.session_count is not valid'],
  [{ person, profile: { ...profile, total_revenue: '1' } }, 'profile.total_revenue is not valid'],
  [{ person, profile, custom_attributes: [] }, 'custom_attributes is not an object'],
  [{ person, profile, custom_attributes: { a: null } }, 'custom_attributes.a is not valid'],
  [{ person, profile, custom_attributes: { a: JSON.rawJSON('7'.repeat(1001)) } }, 'custom_attributes.a is not valid'],
  [{ person, profile, custom_attributes: { a: deep } }, 'custom_attributes.a is not valid'],
  [{ person, profile, custom_attributes: { a: { 'b\u0000': 1 } } }, 'custom_attributes.a is not valid'],
  [{ person, profile, custom_attributes: { '': 1 } }, 'custom_attributes. is not valid'],
  [{ person, profile, aliases: {} }, 'aliases is not a list'],
  [{ person, profile, aliases: [7] }, 'aliases[0] is not an object'],
  [{ person, profile, aliases: [{ alias_label: 'a' }] }, 'aliases[0].alias_name is missing'],
  [{ person, profile, aliases: [{ alias_label: 'a\u001f', alias_name: 'b' }] }, 'aliases[0].alias_label is not valid'],
  [
    { person, profile, aliases: many(2, (n) => ({ alias_label: 'a', alias_name: String(n) })) },
    'aliases[1] occurs twice',
  ],
  [{ person, part: 2, aliases: [] }, 'aliases must be in the first part'],
  [{ person, part: 2, address_states: [{}] }, 'address_states[0].kind is missing'],
  [{ person, profile, groups: [{ group_id: 7, state: 'subscribed', stamp: at }] }, 'groups[0].group_id is not valid'],
  [{ person, profile, groups: [{ group_id: 'g', state: 'opted_in', stamp: at }] }, 'groups[0].state is not valid'],
  [{ person, profile, card_clicks: [{ card: 'x'.repeat(256), at }] }, 'card_clicks[0].card is not valid'],
  [{ person, profile, app_uses: [{ app_id: 'a', sessions: -1 }] }, 'app_uses[0].sessions is not valid'],
  [{ person, profile, events: [{ name: '', time: at }] }, 'events[0].name is not valid'],
  [{ person, profile, events: [{ name: 'e', time: 7 }] }, 'events[0].time is not valid'],
  [{ person, profile, events: [{ name: 'e', time: at, properties: [] }] }, 'events[0].properties is not valid'],
  [{ person, profile, purchases: [{ product_id: 'p', time: at, price: '1' }] }, 'purchases[0].price is not valid'],
  [
    { person, profile, purchases: [{ product_id: 'p', time: at, price: 1, currency: 'eur', quantity: 1 }] },
    'purchases[0].currency is not valid',
  ],
  [{ address_states: [] }, 'key is not valid'],
  [{ address_states: [{ kind: 'email' }], key: 'k' }, 'address_states[0].state is missing'],
  [
    { address_states: [{ kind: 'email', state: 'subscribed', stamp: at, bucket: 4096, hash: '' }], key: 'k' },
    'address_states[0].bucket is not valid',
  ],
  [{ profile: {} }, 'has no identifier'],
]

for (const database of drawDatabases('admin-people-lines')) {
  describe(`Lines of /admin/people (${database})`, () => {
    test('an invalid line is listed with its error, and the other lines of the request are imported', async () => {
      await using service = await startService({ database, workspace })
      const lines = wrongLines.map(([bad]) => bad)
      const { left_out, imported } = await restore(service, [line(idOf(1)), ...lines, line(idOf(2))])
      assert.deepEqual(
        left_out.map(({ reason }: { reason: string }) => reason),
        wrongLines.map(([, reason]) => reason),
      )
      assert.equal(imported, 2)
      assert.equal(peopleIn(await linesOf(service)).length, 2)
      for (const body of [{}, { lines: {} }, { lines: null }, [], 7, { lines: many(1_001, () => ({})) }]) {
        const answer = await service.send('POST', '/admin/people', body, { key: service.adminToken })
        assert.equal(answer.status, 400, JSON.stringify(body).slice(0, 50))
      }
      assert.equal(
        (
          await restore(
            service,
            many(1_000, (n) => line(idOf(n + 10))),
          )
        ).imported,
        1_000,
      )
      for (const query of [
        'after=x',
        'after=people.99999999999999999999.1',
        'after=history.1.1.x.0.0.',
        'plan=maybe',
        'workspace=x',
      ]) {
        const method = query.startsWith('plan') ? 'POST' : 'GET'
        const answer = await service.send(
          method,
          `/admin/people?${query}`,
          method === 'POST' ? { lines: [] } : undefined,
          {
            key: service.adminToken,
          },
        )
        assert.equal(answer.status, query.startsWith('workspace') ? 404 : 400, query)
      }
      for (const after of [
        'people.9223372036854775807.7',
        'history.9.1.event.0.0.',
        'states.9999..0.0',
        'states.4095.phone.ff.1',
      ]) {
        assert.equal((await service.admin('GET', `/admin/people?after=${after}`)).body.message, 'success')
      }
    })

    test('repeated states of addresses and numbers that are out of range never cause a 5xx', async () => {
      await using service = await startService({ database, workspace })
      const { key, subscription_groups } = (await linesOf(service))[0]
      const state = { bucket: 7, hash: 'ab'.repeat(32), kind: 'email', state: 'unsubscribed', stamp: at }
      const grouped = { ...state, group_id: subscription_groups[0].id }
      const lines = many(2, () => ({ key, address_states: [state, state, grouped] }))
      assert.equal((await restore(service, lines)).states_left_out, 0)
      assert.equal((await restore(service, [{ ...lines[0], key: 'another' }])).states_left_out, 3)
      const read = (await linesOf(service)).at(-1)
      assert.deepEqual(read.address_states, [state, grouped])
      const body = JSON.stringify({
        lines: [line(idOf(1), { total_revenue: 0.5 }), line(idOf(2), { created_at: '0000-01-01T00:00:00Z' })],
      })
      const endless = await service.send('POST', '/admin/people', body.replace('0.5', '1e999'), {
        key: service.adminToken,
      })
      assert.deepEqual(endless.body.left_out, [{ index: 0, reason: 'profile.total_revenue is not valid' }])
      assert.equal(endless.body.imported, 1)
    })

    test('a request can have four megabytes', async () => {
      await using service = await startService({ database })
      const bytesMax = 4_194_304
      const body = (bytes: number) => {
        const text = JSON.stringify({ lines: [line(idOf(1), {}, { custom_attributes: { a: '' } })] })
        return text.replace('"a":""', `"a":"${'x'.repeat(bytes - text.length)}"`)
      }
      const post = (bytes: number) => service.send('POST', '/admin/people', body(bytes), { key: service.adminToken })
      assert.equal((await post(bytesMax + 1)).status, 413)
      assert.equal((await post(bytesMax)).body.imported, 1)
      const [read] = peopleIn(await linesOf(service))
      assert.ok(read.custom_attributes.a.length > 4_000_000)
    })

    test('a thousand people are exported in the order of their ids, each once, whatever data they have', async () => {
      await using service = await startService({ database })
      const events = (count: number) => many(count, (n) => ({ name: `e${n % 7}`, time: at }))
      const ids = many(1_000, (n) => (BigInt(n * 7919) << 40n) + BigInt(n + 1)).map((id) =>
        id.toString(16).padStart(16, '0'),
      )
      const all = ids.map((id, n) => line(id, { external_id: id }, n % 50 === 0 ? { events: events(n) } : {}))
      for (let at = 0; at < all.length; at += 100) {
        const { imported, left_out } = await restore(service, all.slice(at, at + 100))
        assert.deepEqual([imported, left_out], [100, []])
      }
      const read = peopleIn(await linesOf(service)).filter(({ profile }) => profile)
      assert.deepEqual(
        read.map(({ person }) => person),
        ids.toSorted(),
      )
      assert.equal(
        read.reduce((sum, { events: own = [] }) => sum + own.length, 0),
        many(20, (n) => n * 50).reduce((a, b) => a + b),
      )
    })
  })
}
