import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { byServiceId, newDevice, ownerOf, sdkFields, session, tell } from '../support/devices.ts'
import { drawDatabases } from '../support/harness.ts'
import { ago, apps, dayMs, hourMs, type Item, isNow, many, newId, only, peopleOf } from '../support/people.ts'

for (const database of drawDatabases('sdk-data')) {
  describe(`SDK data (${database})`, () => {
    const people = peopleOf(database)

    test('everything that a call sends is exported', async () => {
      const device_id = newDevice()
      const device = {
        device_id,
        model: 'Phone 7',
        os: '18.2',
        carrier: 'Carrier',
        idfv: 'A0B1',
        idfa: 'C2D3',
        google_ad_id: 'E4F5',
        roku_ad_id: 'G6H7',
        ad_tracking_enabled: true,
      }
      const token = newId('token')
      const uninstalled_at = '2026-01-16T00:00:00.000Z'
      const service_id = await tell(people, device_id, {
        device,
        app_version: '3.1',
        sessions: [session(8), session(10, 90)],
        push_token: token,
        attribution: { campaign: 'spring', source: 'network', adgroup: 'group 1', ad: 'ad 2' },
        card_clicks: ['Welcome', { name: 'Offer', time: '2026-01-15T08:30:00Z' }],
        uninstalled_at,
      })
      assert.deepEqual(await byServiceId(people, service_id, sdkFields), {
        apps: [
          {
            name: apps.phone.name,
            platform: apps.phone.platform,
            version: '3.1',
            sessions: 2,
            first_used: session(8).started_at,
            last_used: session(10, 90).ended_at,
          },
        ],
        devices: [device],
        push_tokens: [
          { app: apps.phone.name, platform: apps.phone.platform, token, device_id, notifications_enabled: true },
        ],
        cards_clicked: [{ name: 'Offer' }, { name: 'Welcome' }],
        attributed_campaign: 'spring',
        attributed_source: 'network',
        attributed_adgroup: 'group 1',
        attributed_ad: 'ad 2',
        uninstalled_at,
      })
    })

    test('a device alone is a person with nothing but the device', async () => {
      const device_id = newDevice()
      const service_id = await tell(people, device_id)
      assert.deepEqual(await byServiceId(people, service_id, [...sdkFields, 'external_id']), {
        devices: [{ device_id }],
      })
      const { created_at } = await byServiceId(people, service_id, ['created_at'])
      assert.ok(isNow(created_at!))
    })

    test('each field is exported alone, and only when it was requested', async () => {
      const device_id = newDevice()
      await tell(people, device_id, {
        sessions: [session(8)],
        push_token: newId('token'),
        attribution: { campaign: 'a', source: 'b', adgroup: 'c', ad: 'd' },
        card_clicks: ['Welcome'],
        uninstalled_at: ago(0),
      })
      for (const field of sdkFields) {
        assert.deepEqual(Object.keys(await ownerOf(people, device_id, [field])), [field])
      }
      assert.deepEqual(await ownerOf(people, device_id, ['first_name']), {})
    })

    test('device_id finds the person, and an unknown device_id is invalid', async () => {
      const device_id = newDevice()
      const service_id = await tell(people, device_id)
      assert.deepEqual(await people.find({ device_id }, ['service_id']), [{ service_id }])
      const unknown = newDevice()
      const { body } = await people.export({ device_id: unknown, fields_to_export: ['service_id'] })
      assert.deepEqual(body, { users: [], invalid_user_ids: [unknown], message: 'success' })
    })

    test('absent properties of a device stay, and null removes them', async () => {
      const device_id = newDevice()
      await tell(people, device_id, { device: { device_id, model: 'one', os: 'two', ad_tracking_enabled: false } })
      await tell(people, device_id, { device: { device_id, carrier: 'three' } })
      const exported = async () => only((await ownerOf(people, device_id, ['devices'])).devices as Item[])
      assert.deepEqual(await exported(), {
        device_id,
        model: 'one',
        os: 'two',
        carrier: 'three',
        ad_tracking_enabled: false,
      })
      await tell(people, device_id, { device: { device_id, model: null, os: '', ad_tracking_enabled: null } })
      assert.deepEqual(await exported(), { device_id, carrier: 'three' })
    })

    test('an attribution replaces the whole earlier one', async () => {
      const device_id = newDevice()
      await tell(people, device_id, { attribution: { campaign: 'spring', source: 'network', adgroup: 'g', ad: 'a' } })
      await tell(people, device_id, { attribution: null })
      assert.equal((await ownerOf(people, device_id)).attributed_campaign, 'spring')
      await tell(people, device_id, { attribution: { campaign: 'summer', ad: null } })
      const { attributed_campaign, attributed_source, attributed_adgroup, attributed_ad } = await ownerOf(
        people,
        device_id,
      )
      assert.deepEqual(
        [attributed_campaign, attributed_source, attributed_adgroup, attributed_ad],
        ['summer', undefined, undefined, undefined],
      )
    })

    const appsOf = async (device_id: string) => ((await ownerOf(people, device_id, ['apps'])).apps ?? []) as Item[]

    test('sessions are summed, the first use is the earliest and the last the latest, in any order', async () => {
      const device_id = newDevice()
      await tell(people, device_id, { app_version: '2', sessions: [session(12)] })
      await tell(people, device_id, { app_version: '1', sessions: [session(6), session(9, 30)] })
      const { version, sessions, first_used, last_used } = only(await appsOf(device_id))
      assert.deepEqual(
        { version, sessions, first_used, last_used },
        { version: '2', sessions: 3, first_used: session(6).started_at, last_used: session(12).ended_at },
      )
      await tell(people, device_id, { app_version: '3', sessions: [session(13)] })
      await tell(people, device_id, { sessions: [session(14)] })
      assert.deepEqual([only(await appsOf(device_id)).version, only(await appsOf(device_id)).sessions], ['3', 5])
    })

    test('a repeated session does not count again, for each device and app', async () => {
      const devices = [newDevice(), newDevice()]
      const external_id = newId()
      const twice = { sessions: [session(8), session(9), session(8)] }
      for (const device_id of [...devices, ...devices]) {
        await tell(people, device_id, { ...twice, identifier: { external_id } })
        await tell(people, device_id, { ...twice, app_id: apps.tablet.id })
      }
      const listed = (await people.person(external_id, ['apps'])).apps as Item[]
      assert.deepEqual(listed.map(({ name, sessions }) => [name, sessions]).toSorted(), [
        [apps.phone.name, 4],
        [apps.tablet.name, 4],
      ])
    })

    test('of a session that occurs twice in one call the longer one counts, in any order', async () => {
      for (const sessions of [
        [session(8, 30), session(8, 5)],
        [session(8, 5), session(8, 30)],
      ]) {
        const device_id = newDevice()
        await tell(people, device_id, { sessions })
        const app = only(await appsOf(device_id))
        assert.deepEqual([app.sessions, app.last_used], [1, session(8, 30).ended_at])
      }
    })

    test('an app is listed after its version or its removal was sent', async () => {
      const device_id = newDevice()
      await tell(people, device_id)
      assert.deepEqual(await appsOf(device_id), [])
      await tell(people, device_id, { app_version: '1' })
      const { name, platform } = apps.phone
      assert.deepEqual(await appsOf(device_id), [{ name, platform, version: '1', sessions: 0 }])
      await tell(people, device_id, { app_id: apps.tablet.id, uninstalled_at: ago(hourMs) })
      assert.equal((await appsOf(device_id)).length, 2)
    })

    test('an app that is no longer declared is exported by its id', async () => {
      const device_id = newDevice()
      const id = newId('app')
      await people.service.admin('POST', '/admin/apply', { apps: [{ id, name: `Named ${id}`, platform: 'web' }] })
      await tell(people, device_id, { app_id: id, app_version: '1' })
      await people.service.admin('DELETE', `/admin/apps/${id}`)
      assert.deepEqual(await appsOf(device_id), [{ name: id, version: '1', sessions: 0 }])
    })

    test('an app is uninstalled until it is used again, and of several apps the last one is exported', async () => {
      const device_id = newDevice()
      const goneAt = async () => (await ownerOf(people, device_id, ['uninstalled_at'])).uninstalled_at
      const at = (hour: number) => session(hour).started_at
      await tell(people, device_id, { sessions: [session(6)], uninstalled_at: at(8) })
      assert.equal(await goneAt(), at(8))
      await tell(people, device_id, { app_id: apps.tablet.id, uninstalled_at: at(10) })
      assert.equal(await goneAt(), at(10))
      await tell(people, device_id, { app_id: apps.tablet.id, sessions: [session(9)] })
      assert.equal(await goneAt(), at(10), 'an earlier session changes nothing')
      await tell(people, device_id, { app_id: apps.tablet.id, sessions: [session(11)] })
      assert.equal(await goneAt(), at(8))
      await tell(people, device_id, { app_id: apps.tablet.id, uninstalled_at: at(10) })
      assert.equal(await goneAt(), at(8), 'it was used later')
      await tell(people, device_id, { sessions: [session(7), session(13)], uninstalled_at: at(12) })
      assert.equal(await goneAt(), undefined)
      await tell(people, device_id, { uninstalled_at: '2999-01-01' })
      assert.ok(isNow(String(await goneAt())), 'a future time counts as now')
    })

    test('future times count as now', async () => {
      const device_id = newDevice()
      const future = { started_at: '2999-01-01T00:00:00Z', ended_at: '2999-01-02T00:00:00Z' }
      await tell(people, device_id, { sessions: [{ ...future, started_at: ago(hourMs) }, future] })
      await tell(people, device_id, { sessions: [future] })
      const { sessions, first_used, last_used } = only(await appsOf(device_id))
      assert.equal(sessions, 2)
      assert.ok(isNow(String(last_used)))
      assert.ok(!isNow(String(first_used)))
    })

    test('cards are listed once each, the latest click last', async () => {
      const device_id = newDevice()
      const clicks = async () => ((await ownerOf(people, device_id)).cards_clicked as Item[]).map(({ name }) => name)
      const at = (hours: number) => ago(hours * hourMs)
      await tell(people, device_id, {
        card_clicks: [
          { name: 'b', time: at(9) },
          { name: 'c', time: at(5) },
          { name: 'b', time: at(3) },
        ],
      })
      assert.deepEqual(await clicks(), ['c', 'b'])
      await tell(people, device_id, { card_clicks: [{ name: 'c', time: at(8) }, 'a', { name: 'd', time: null }] })
      assert.deepEqual((await clicks()).slice(0, 2), ['c', 'b'])
      await tell(people, device_id, { card_clicks: [{ name: 'c', time: at(1) }] })
      assert.deepEqual((await clicks()).slice(0, 2), ['b', 'c'])
      assert.deepEqual((await clicks()).toSorted(), ['a', 'b', 'c', 'd'])
    })

    test('a push token belongs to the app on the device, and moves to the last device that sends it', async () => {
      const [mine, other] = [newDevice(), newDevice()]
      const push_token = newId('token')
      await tell(people, mine, { push_token })
      await tell(people, mine, { push_token: null })
      const tokens = async (device_id: string) => (await ownerOf(people, device_id)).push_tokens
      const { name: app, platform } = apps.phone
      const shown = { app, platform, token: push_token, notifications_enabled: true }
      assert.deepEqual(await tokens(mine), [{ ...shown, device_id: mine }])
      await tell(people, other, { push_token })
      assert.deepEqual([await tokens(mine), await tokens(other)], [undefined, [{ ...shown, device_id: other }]])
    })

    test('a call changes updated_at: of people who share an address the last caller is found first', async () => {
      const email = `${newId('mail')}@example.com`
      const ids = [newId(), newId()]
      await people.set(...ids.map((external_id) => ({ external_id, email })))
      for (const external_id of [ids[0]!, ids[1]!, ids[0]!]) {
        await tell(people, newDevice(), { identifier: { external_id } })
        const found = await people.find({ email_address: email }, ['external_id'])
        assert.equal(found[0]!.external_id, external_id)
      }
    })

    test('20 concurrent calls of an unknown device create one person', async () => {
      const device_id = newDevice()
      const answers = await Promise.all(many(20, (i) => tell(people, device_id, { sessions: [session(1 + i)] })))
      assert.equal(new Set(answers).size, 1)
      assert.equal(only(await appsOf(device_id)).sessions, 20)
    })

    test('20 concurrent calls of different devices with one unknown identifier create one person', async () => {
      const external_id = newId()
      const devices = many(20, newDevice)
      const answers = await Promise.all(
        devices.map((device_id) => tell(people, device_id, { identifier: { external_id }, sessions: [session(5)] })),
      )
      assert.equal(new Set(answers).size, 1)
      const person = await people.person(external_id, ['apps', 'devices'])
      assert.equal(only(person.apps as Item[]).sessions, 20)
      assert.deepEqual((person.devices as Item[]).map(({ device_id }) => device_id).toSorted(), devices.toSorted())
    })

    test('a person can be tracked and sent SDK data concurrently', async () => {
      const external_id = newId()
      const device_id = newDevice()
      await Promise.all(
        many(20, (i) => [
          people.set({ external_id, count: { inc: 1 } }),
          tell(people, device_id, { identifier: { external_id }, sessions: [session(1 + i)] }),
        ]).flat(),
      )
      const { custom_attributes, devices, apps: used } = await people.person(external_id)
      assert.deepEqual(custom_attributes, { count: 20 })
      assert.deepEqual(devices, [{ device_id }])
      assert.equal(only(used as Item[]).sessions, 20)
    })
  })

  describe(`sessions by a virtual clock (${database})`, () => {
    const people = peopleOf(database, { env: { EASEL_CLOCK: 'virtual' } })

    test('are recognized again for 30 days', async () => {
      const device_id = newDevice()
      const sessions = [session(8)]
      const counted = async () => only((await ownerOf(people, device_id, ['apps'])).apps as Item[]).sessions
      await tell(people, device_id, { sessions })
      await people.service.advance('P30D')
      await tell(people, device_id, { sessions })
      assert.equal(await counted(), 1)
      await people.service.advance('PT1S')
      await tell(people, device_id, { sessions })
      assert.equal(await counted(), 2)
    })

    test('happen at the latest at the time of the clock', async () => {
      const device_id = newDevice()
      const { now } = (await people.service.admin('GET', '/admin/clock')).body as { now: string }
      const later = new Date(Date.parse(now) + dayMs).toISOString()
      await tell(people, device_id, { sessions: [{ started_at: later, ended_at: later }] })
      const { first_used, last_used } = only((await ownerOf(people, device_id, ['apps'])).apps as Item[])
      assert.deepEqual([first_used, last_used], [now, now])
    })
  })
}
