import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { seed, sizes } from '../sizes.ts'
import { newDevice, ownerOf, reportOf, session, tell } from '../support/devices.ts'
import { drawDatabases } from '../support/harness.ts'
import {
  apps,
  type Item,
  many,
  newAlias,
  newEmail,
  newId,
  only,
  peopleOf,
  reservedIds,
  texts,
} from '../support/people.ts'

const listMax = 100
const textMax = 255
const astral = '\u{1f600}'

const deviceTexts = ['model', 'os', 'carrier', 'idfv', 'idfa', 'google_ad_id', 'roku_ad_id']
const attributionTexts = ['campaign', 'source', 'adgroup', 'ad']

/** Values that are not text, time or list. */
const wrong = [5, 0, true, false, {}, { a: 1 }]

for (const database of drawDatabases('sdk-data-input')) {
  describe(`POST /sdk/data (${database})`, () => {
    const people = peopleOf(database)

    const refusal = async (body: unknown) => {
      const answer = await people.send('/sdk/data', body)
      assert.equal(answer.status, 400, `${answer.text} for ${JSON.stringify(body)?.slice(0, 300)}`)
      return answer.body.message
    }

    /** Asserts that a body is refused with an error that names the member. */
    const refusesMember = async (name: string, more: Item) => {
      assert.equal(await refusal(reportOf(newDevice(), more)), `'${name}' is not valid`)
    }

    test('a call must be an object with a device and an app of the workspace', async () => {
      const notAnObject = 'The request body must be an object'
      for (const body of ['[]', '5', '"text"', 'null']) assert.equal(await refusal(body), notAnObject, body)
      for (const device of [undefined, null, 'device-0001', 5, []]) await refusesMember('device', { device })
      const unknownApp = "'app_id' must be the id of an app of the workspace"
      for (const app_id of [undefined, null, '', 'no-such-app', 5, {}, 'constructor']) {
        assert.equal(await refusal(reportOf(newDevice(), { app_id })), unknownApp)
      }
    })

    test('a device_id has 8 to 255 bytes', async () => {
      for (const bytes of [8, 9, 254, 255]) await tell(people, newDevice().padEnd(bytes, 'd').slice(0, bytes))
      await tell(people, '€€€')
      const bad = [
        undefined,
        null,
        '',
        'd'.repeat(7),
        '€€',
        'd'.repeat(256),
        '€'.repeat(86),
        12_345_678,
        {},
        ['device-0001'],
      ]
      for (const device_id of [...bad, 'device-\u0000', 'device-\ud800']) {
        await refusesMember('device.device_id', { device: { device_id } })
      }
    })

    test('texts have at most 255 characters, counted by code points', async () => {
      const places: readonly [name: string, more: (text: unknown) => Item][] = [
        ['app_version', (app_version) => ({ app_version })],
        ['card_clicks[0]', (card) => ({ card_clicks: [card] })],
        ['card_clicks[0].name', (name) => ({ card_clicks: [{ name }] })],
        ...attributionTexts.map((member): [string, (text: unknown) => Item] => [
          `attribution.${member}`,
          (text) => ({ attribution: { [member]: text } }),
        ]),
        ...deviceTexts.map((member): [string, (text: unknown) => Item] => [
          `device.${member}`,
          (text) => ({ device: { device_id: newDevice(), [member]: text } }),
        ]),
      ]
      for (const [name, more] of places) {
        for (const length of [textMax - 1, textMax]) {
          await tell(people, newDevice(), more('x'.repeat(length)))
          await tell(people, newDevice(), more(astral.repeat(length)))
        }
        for (const text of ['x'.repeat(textMax + 1), astral.repeat(textMax + 1), 'a\u0000b', '\ud800', 5, true, []]) {
          await refusesMember(name, more(text))
        }
      }
      for (const card of [null, '']) await refusesMember('card_clicks[0]', { card_clicks: [card] })
      for (const name of [undefined, null, '']) await refusesMember('card_clicks[0].name', { card_clicks: [{ name }] })
    })

    test('a call has at most 100 sessions and 100 cards', async () => {
      const sessions = many(listMax + 1, (i) => session(0, i)).map(({ ended_at }, i) => ({
        started_at: session(i - listMax).started_at,
        ended_at,
      }))
      const cards = many(listMax + 1, (i) => `card ${i}`)
      for (const length of [listMax - 1, listMax]) {
        const device_id = newDevice()
        await tell(people, device_id, { sessions: sessions.slice(0, length), card_clicks: cards.slice(0, length) })
        const { apps: used, cards_clicked } = await ownerOf(people, device_id)
        assert.equal(only(used as Item[]).sessions, length)
        assert.equal((cards_clicked as Item[]).length, length)
      }
      assert.equal(await refusal(reportOf(newDevice(), { sessions })), "'sessions' may not hold more than 100 sessions")
      assert.equal(
        await refusal(reportOf(newDevice(), { card_clicks: cards })),
        "'card_clicks' may not hold more than 100 cards",
      )
    })

    test('a push token has at most 1,024 bytes', async () => {
      for (const bytes of [1, 1023, 1024]) {
        await tell(people, newDevice(), { push_token: newId('t').padEnd(bytes, 't').slice(0, bytes) })
      }
      for (const push_token of ['', 't'.repeat(1025), '€'.repeat(342), 'a\u0000b', '\udc00', ...wrong, []]) {
        await refusesMember('push_token', { push_token })
      }
    })

    test('times are dates, and a session does not end before it starts', async () => {
      const { started_at, ended_at } = session(8)
      await tell(people, newDevice(), { sessions: [{ started_at, ended_at: started_at }] })
      await tell(people, newDevice(), { sessions: [{ started_at: '2026-01-15', ended_at: '01/16/2026' }] })
      await tell(people, newDevice(), { sessions: [{ started_at: '0000-01-01', ended_at: '9999-12-31' }] })
      const early = { started_at: ended_at, ended_at: started_at }
      assert.equal(
        await refusal(reportOf(newDevice(), { sessions: [session(7), early] })),
        "'sessions[1].ended_at' must not be before 'sessions[1].started_at'",
      )
      for (const time of ['', 'soon', '2026-02-30', '2026-13-01', ...wrong, []]) {
        await refusesMember('sessions[0].started_at', { sessions: [{ started_at: time, ended_at }] })
        await refusesMember('sessions[0].ended_at', { sessions: [{ started_at, ended_at: time }] })
        await refusesMember('card_clicks[0].time', { card_clicks: [{ name: 'Welcome', time }] })
        await refusesMember('uninstalled_at', { uninstalled_at: time })
      }
      for (const time of [undefined, null]) {
        await refusesMember('sessions[0].started_at', { sessions: [{ started_at: time, ended_at }] })
        await refusesMember('sessions[0].ended_at', { sessions: [{ started_at, ended_at: time }] })
        await tell(people, newDevice(), { card_clicks: [{ name: 'Welcome', time }], uninstalled_at: time })
      }
    })

    test('members of a wrong type are refused with their names', async () => {
      for (const value of [...wrong, 'text']) {
        await refusesMember('sessions', { sessions: value })
        await refusesMember('card_clicks', { card_clicks: value })
      }
      for (const value of [5, true, 'text', []]) {
        await refusesMember('attribution', { attribution: value })
        await refusesMember('identifier', { identifier: value })
        await refusesMember('sessions[0]', { sessions: [value] })
      }
      for (const ad_tracking_enabled of [1, 'true', {}, []]) {
        await refusesMember('device.ad_tracking_enabled', { device: { device_id: newDevice(), ad_tracking_enabled } })
      }
    })

    test('an identifier has exactly one name, parsed as a track request does', async () => {
      const one = "'identifier' must hold exactly one of 'external_id', 'user_alias', 'service_id', 'email' or 'phone'"
      const [external_id, email] = [newId(), newEmail()]
      const nothing = { external_id: '', user_alias: null, email: '' }
      for (const identifier of [
        {},
        nothing,
        { name: 'x' },
        { external_id, email },
        { user_alias: newAlias(), external_id },
      ]) {
        assert.equal(await refusal(reportOf(newDevice(), { identifier })), one)
      }
      await tell(people, newDevice(), { identifier: { ...nothing, external_id, phone: null, other: 1 } })
      const rules: readonly [identifier: Item, text: string][] = [
        [{ external_id: {} }, "'external_id' is not valid"],
        [{ external_id: 1.5 }, "'external_id' is not valid"],
        [{ external_id: 'a\u0000b' }, "'external_id' is not valid"],
        [{ external_id: 'x'.repeat(988) }, texts.tooLong],
        [{ user_alias: 'x' }, "'user_alias' is not valid"],
        [{ user_alias: { alias_name: 'x' } }, "'user_alias' is not valid"],
        [{ user_alias: { alias_name: '\ud800', alias_label: 'x' } }, "'user_alias' is not valid"],
        [{ service_id: {} }, "'service_id' is not valid"],
        [{ email: 'no e-mail' }, texts.badEmail],
        [{ email: 5 }, texts.badEmail],
        [{ phone: 'call me' }, "'phone' is not valid"],
        [{ external_id: reservedIds[0] }, texts.reserved],
        [{ external_id: Number(reservedIds[1]) }, texts.reserved],
      ]
      for (const [identifier, text] of rules) {
        assert.equal(await refusal(reportOf(newDevice(), { identifier })), text, JSON.stringify(identifier))
      }
    })

    test('a refused call changes nothing', async () => {
      const [device_id, external_id] = [newDevice(), newId()]
      const good = {
        identifier: { external_id },
        device: { device_id, model: 'Phone 7' },
        app_version: '1',
        sessions: [session(8)],
        push_token: newId('token'),
        attribution: { campaign: 'spring' },
        card_clicks: ['Welcome'],
      }
      for (const bad of [{ uninstalled_at: 'soon' }, { card_clicks: ['Welcome', 5] }, { app_id: 'no-such-app' }]) {
        await refusal(reportOf(device_id, { ...good, ...bad }))
      }
      assert.deepEqual(await people.find({ device_id }), [])
      assert.deepEqual(await people.find({ external_ids: [external_id] }), [])
    })

    test('unknown members are ignored, and null counts as absent', async () => {
      const device_id = newDevice()
      const absent = {
        identifier: null,
        app_version: null,
        sessions: null,
        push_token: null,
        attribution: null,
        card_clicks: null,
        uninstalled_at: null,
      }
      await tell(people, device_id, { ...absent, api_key: 'x', device: { device_id, colour: 'red' } })
      assert.deepEqual(await ownerOf(people, device_id, ['devices', 'apps']), { devices: [{ device_id }] })
    })

    test('a value nested at any depth is a 400, whatever the member', async () => {
      const depth = 10_000
      const deep = ['['.repeat(depth) + ']'.repeat(depth), `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`]
      const device = `"device":{"device_id":"device-0001"},"app_id":"${apps.phone.id}"`
      const places: ((value: string) => string)[] = [
        (value) => value,
        (value) => `{"app_id":"${apps.phone.id}","device":${value}}`,
        (value) => `{"app_id":"${apps.phone.id}","device":{"device_id":"device-0001","model":${value}}}`,
        ...['app_version', 'push_token', 'uninstalled_at'].map(
          (name) => (value: string) => `{${device},"${name}":${value}}`,
        ),
        ...['sessions', 'card_clicks'].map((name) => (value: string) => `{${device},"${name}":[${value}]}`),
        (value) => `{${device},"attribution":{"campaign":${value}}}`,
        (value) => `{${device},"identifier":{"external_id":${value}}}`,
        (value) => `{${device},"identifier":{"user_alias":${value}}}`,
      ]
      for (const around of places) for (const value of deep) await refusal(around(value))
    })

    test(`random bodies are a 400 and never a 5xx (seed ${seed})`, async () => {
      const plausible = fc.constantFrom<unknown>(
        'device-0001',
        apps.phone.id,
        session(8),
        [session(8)],
        session(8).started_at,
        { external_id: 'ann' },
        { user_alias: { alias_name: 'ann', alias_label: 'shop' } },
        { email: 'ann@example.com' },
        { campaign: 'spring', ad: null },
        ['Welcome', { name: 'Offer' }],
        'a\u0000b',
        '\ud800',
        true,
        null,
      )
      const value = fc.oneof(plausible, fc.jsonValue({ maxDepth: 4 }))
      const names = ['device_id', ...deviceTexts, 'ad_tracking_enabled', '__proto__', 'constructor']
      const device = fc.oneof(
        value,
        fc.dictionary(fc.constantFrom(...names), value).map((more) => ({ device_id: 'device-0001', ...more })),
      )
      const members = ['identifier', 'app_id', 'app_version', 'sessions', 'push_token', 'attribution', 'card_clicks']
      const body = fc
        .tuple(device, fc.dictionary(fc.constantFrom(...members, 'uninstalled_at', 'other'), value, { maxKeys: 5 }))
        .map(([device, more]) => ({ app_id: apps.phone.id, device, ...more }))
      const property = fc.asyncProperty(fc.array(body, { minLength: 5, maxLength: 5 }), async (bodies) => {
        const answers = await Promise.all(bodies.map((each) => people.send('/sdk/data', each)))
        for (const { status, text } of answers) assert.ok(status === 201 || status === 400, `${status} ${text}`)
      })
      await fc.assert(property, { seed, numRuns: 2 * sizes.databasePropertyRuns })
      await tell(people, newDevice(), { sessions: [session(8)] })
    })
  })
}
