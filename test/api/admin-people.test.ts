import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sizes } from '../sizes.ts'
import { databases, drawDatabases, startService } from '../support/harness.ts'
import { ago, hourMs, many } from '../support/people.ts'
import {
  linesOf,
  peopleIn,
  populate,
  recordOf,
  restore,
  send,
  settled,
  textOf,
  workspace,
} from '../support/people-lines.ts'

/** History that is older than its retention is deleted soon. */
const at = ago(hourMs).replace('.000Z', '.678901Z')
/** A line holds a thousand events. */
const happened = sizes.eventsOfSomebody
/** So many events of one name at one moment that they fill more than one line. */
const atOnce = Math.max(2_500, happened / 5)

/** A person in the form of a line. */
function line(person: string, profile: object = {}, more: object = {}): object {
  return { person, profile: { random_bucket: 1, created_at: at, updated_at: at, ...profile }, ...more }
}

function idOf(n: number): string {
  return n.toString(16).padStart(16, '0')
}

for (const database of drawDatabases('admin-people')) {
  // Each database is the source of an import into the other one.
  const elsewhere = databases.find((each) => each !== database) ?? database
  describe(`/admin/people (${database})`, () => {
    test('an export that is imported into another installation is exported from there unchanged, byte by byte', async () => {
      await using service = await startService({ database, workspace })
      await using other = await startService({ database: elsewhere, workspace })
      await populate(service)
      const lines = await linesOf(service)
      assert.equal(peopleIn(lines).length, 7)
      const first = await restore(other, lines)
      assert.deepEqual({ ...first, states_left_out: 0 }, restored({ imported: 7 }))
      assert.equal(first.states_left_out, 5)
      assert.equal(textOf(peopleIn(await linesOf(other))), textOf(peopleIn(lines)))
      const again = await restore(other, lines)
      assert.deepEqual({ ...again, states_left_out: 0 }, restored({ known: 7 }))
      assert.equal(textOf(peopleIn(await linesOf(other))), textOf(peopleIn(lines)))
      for (const who of looked) {
        const [mine, theirs] = await Promise.all([service, other].map((one) => recordOf(one, who)))
        assert.deepEqual(theirs, mine, JSON.stringify(who))
      }
      const status = `/subscription/user/status?external_id=ann&external_id=bob`
      assert.deepEqual((await other.get(status)).body, (await service.get(status)).body)
    })

    test('people who are imported after their deletion get back what they had, and keep newer states of their addresses', async () => {
      await using service = await startService({ database, workspace })
      await populate(service)
      const lines = await linesOf(service)
      await send(service, '/users/delete', { external_ids: ['ann', 'gone', 'bob'] })
      await settled(service)
      await send(service, '/email/status', { email: 'ann@example.com', subscription_state: 'unsubscribed' })
      assert.deepEqual(await restore(service, lines), restored({ imported: 3, known: 4 }))
      const { email_subscribe, ...ann } = await recordOf(service, { external_ids: ['ann'] })
      assert.equal(email_subscribe, 'unsubscribed')
      assert.equal(ann.first_name, lines.find((each) => each.profile?.external_id === 'ann').profile.first_name)
      assert.equal((await recordOf(service, { external_ids: ['gone'] })).email_subscribe, 'unsubscribed')
    })

    test('a person who exists, or whose identifier another person has, is listed and left out', async () => {
      await using service = await startService({ database, workspace })
      await send(service, '/users/track', {
        attributes: [
          { external_id: 'a', push_tokens: [{ app_id: 'app-phone', token: 't' }] },
          { user_alias: { alias_label: 'l', alias_name: 'n' }, _update_existing_only: false },
        ],
      })
      const { body: made } = await service.admin('POST', '/admin/workspace', { id: 'second' })
      assert.equal(made.workspace.id, 'second')
      const token = { app_id: 'app-phone', token: 't', notifications_enabled: true, created_at: at }
      const lines = [
        line(idOf(1), { external_id: 'a' }),
        line(idOf(2), {}, { aliases: [{ alias_label: 'l', alias_name: 'n' }] }),
        line(
          idOf(3),
          { external_id: 'b' },
          { devices: [{ device_id: 'device-1', created_at: at }], push_tokens: [token] },
        ),
        line(idOf(4), {}, { devices: [{ device_id: 'device-1', created_at: at }] }),
        line(idOf(5), {}, { former_ids: [{ external_id: 'b', at }] }),
        line(idOf(3), { external_id: 'c' }),
        { person: idOf(6), part: 2, events: [] },
      ]
      const reasons = [
        [0, 'its external_id "a" belongs to another person'],
        [1, 'its alias "l n" belongs to another person'],
        [3, 'its device "device-1" belongs to another person'],
        [4, 'its external_id "b" belongs to another person'],
        [5, 'occurs twice'],
        [6, 'its first part is missing: continue at an earlier line'],
      ]
      const left_out = reasons.map(([index, reason]) => ({ index, reason }))
      assert.deepEqual(await restore(service, lines, '?plan=true'), restored({ imported: 1, left_out }))
      assert.deepEqual(await restore(service, lines), restored({ imported: 1, left_out, tokens_left_out: 1 }))
      const elsewhere = await restore(service, [lines[2]!], '?workspace=second')
      assert.deepEqual(elsewhere.left_out, [{ index: 0, reason: 'its id belongs to a person of another workspace' }])
      await send(service, '/users/merge', {
        merge_updates: [{ identifier_to_merge: { external_id: 'b' }, identifier_to_keep: { external_id: 'a' } }],
      })
      await settled(service)
      const merged = await restore(service, [lines[2]!])
      assert.deepEqual(merged.left_out, [{ index: 0, reason: 'it was merged into another person here' }])
      assert.equal((await recordOf(service, { external_ids: ['a'] })).push_tokens.length, 1)
    })

    test('states of unknown groups are left out, and the groups are listed', async () => {
      await using service = await startService({ database })
      const states = [{ kind: 'email', group_id: 'g2', state: 'subscribed', stamp: at }]
      const own = { groups: [{ group_id: 'g1', state: 'subscribed', stamp: at }], address_states: states }
      const answer = await restore(service, [line(idOf(1), { email: 'a@example.com' }, own)])
      assert.deepEqual(answer, restored({ imported: 1, unknown_groups: ['g1', 'g2'] }))
      assert.deepEqual(peopleIn(await linesOf(service)), [line(idOf(1), { email: 'a@example.com' })])
    })

    test(`a person with ${happened} events and a megabyte of attributes is imported in parts, also repeated ones`, async () => {
      await using service = await startService({ database })
      const long = (n: number) => ({ note: String(n).padEnd(100, 'x') })
      const events = many(happened, (n) => ({
        name: n < happened * 0.8 ? 'often' : `name ${String(n % 130).padStart(3, '0')}`,
        // Thousands of events have the same time, so the time alone does not say where a line begins.
        time: n < atOnce ? at : new Date(Date.UTC(2024, 5, 1) + (n % 700) * 1000).toISOString(),
        ...(n % 3 === 0 && { properties: long(n) }),
      }))
      const custom = Object.fromEntries(many(12, (n) => [`key ${n}`, 'y'.repeat(100_000)]))
      const keys = Object.keys(custom)
      const half = (from: number) => Object.fromEntries(keys.slice(from, from + 6).map((key) => [key, custom[key]]))
      const parts = [
        { ...line(idOf(9), { external_id: 'big' }), part: 1, more: true, custom_attributes: half(0) },
        { person: idOf(9), part: 2, more: true, custom_attributes: half(6) },
        ...many(happened / 1000, (n) => {
          const from = n * 1000
          const more = from + 1000 < happened
          return { person: idOf(9), part: n + 3, ...(more && { more }), events: events.slice(from, from + 1000) }
        }),
      ]
      assert.equal((await restore(service, [parts[2]!])).left_out.length, 1)
      for (const [i, part] of parts.entries()) {
        for (let time = 0; time < 2; time++) assert.deepEqual((await restore(service, [part])).left_out, [], String(i))
        if (i !== 4) continue
        const [{ reason }] = (await restore(service, [parts[7]!])).left_out
        assert.equal(reason, 'part 6 is missing: continue at an earlier line')
      }
      assert.deepEqual(await restore(service, [...parts, line(idOf(1))]), restored({ imported: 1, known: 1 }))
      const read = await linesOf(service)
      const big = peopleIn(read).filter(({ person }) => person === idOf(9))
      assert.ok(big.length >= 2 + happened / 1000)
      for (const each of big) assert.ok(JSON.stringify(each).length < 1_200_000)
      assert.deepEqual(
        big.map(({ part, more }) => [part, more ?? false]),
        big.map((_, i) => [i + 1, i < big.length - 1]),
      )
      assert.deepEqual(Object.assign({}, ...big.map((each) => each.custom_attributes)), custom)
      const sorted = (list: readonly object[]) => list.map((each) => JSON.stringify(Object.entries(each).sort())).sort()
      assert.deepEqual(sorted(big.flatMap((each) => each.events ?? [])), sorted(events))
      await using other = await startService({ database: elsewhere })
      for (const each of read) assert.deepEqual((await restore(other, [each])).left_out, [])
      assert.equal(textOf(peopleIn(await linesOf(other))), textOf(peopleIn(read)))
    })

    test('concurrent imports of one person, also of one that is half imported, import them once', async () => {
      await using service = await startService({ database, workspace })
      await using source = await startService({ database: elsewhere, workspace })
      await populate(source)
      const lines = await linesOf(source)
      const answers = await Promise.all(many(4, () => restore(service, lines)))
      assert.equal(
        answers.reduce((sum, { imported }) => sum + imported, 0),
        7,
      )
      assert.equal(
        answers.reduce((sum, { known }) => sum + known, 0),
        21,
      )
      assert.equal(textOf(peopleIn(await linesOf(service))), textOf(peopleIn(lines)))
      const event = { name: 'e', time: at }
      const first = { ...line(idOf(1), { external_id: 'x' }), part: 1, more: true, custom_attributes: { a: 1 } }
      await restore(service, [first])
      await send(service, '/users/track', { attributes: [{ external_id: 'x', b: 'theirs', day: 'no day' }] })
      const second = {
        person: idOf(1),
        part: 2,
        custom_attributes: { b: 'ours', day: '2024-01-01', c: 3 },
        events: [event],
      }
      await Promise.all(many(4, () => restore(service, [second])))
      const record = await recordOf(service, { external_ids: ['x'] })
      assert.deepEqual(record.custom_attributes, { a: 1, b: 'theirs', c: 3, day: 'no day' })
      const [, ...parts] = peopleIn(await linesOf(service)).filter(({ person }) => person === idOf(1))
      assert.deepEqual(parts, [])
      assert.equal(peopleIn(await linesOf(service)).find(({ person }) => person === idOf(1)).events.length, 1)
    })
  })
}

function restored(but: object): object {
  const nothing = { imported: 0, known: 0, left_out: [], tokens_left_out: 0, states_left_out: 0 }
  return { ...nothing, unknown_groups: [], unknown_flows: [], cohorts_left_out: [], ...but, message: 'success' }
}

const looked = [
  { external_ids: ['ann'] },
  { external_ids: ['robert'] },
  { external_ids: ['bob', 'gone', 'former'] },
  { user_aliases: [{ alias_label: 'crm', alias_name: 'A-1' }] },
  { user_aliases: [{ alias_label: 'shop', alias_name: 'only an alias' }] },
  { email_address: 'shared@example.com' },
  { email_address: 'lone@example.com' },
  { phone: '+15550002222' },
  { device_id: 'device-of-nobody' },
]
