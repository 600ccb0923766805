import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newDevice, ownerOf, sdkFields, session, sessionsOf, tell } from '../support/devices.ts'
import { drawDatabases } from '../support/harness.ts'
import { ago, apps, hourMs, type Item, newAlias, newEmail, newId, only, peopleOf } from '../support/people.ts'

const { phone, tablet } = apps

for (const database of drawDatabases('merge-devices')) {
  describe(`a merge of people with devices (${database})`, () => {
    const people = peopleOf(database)

    /** Sends SDK data for two people, each with their own device, then merges the second into the first. */
    const merged = async (kept: Item, gone: Item) => {
      const [keptId, goneId] = [newId('kept'), newId('gone')]
      const [keptDevice, goneDevice] = [newDevice(), newDevice()]
      await tell(people, keptDevice, { ...kept, identifier: { external_id: keptId } })
      await tell(people, goneDevice, { ...gone, identifier: { external_id: goneId } })
      await mergeInto(goneId, keptId)
      return { keptId, goneId, keptDevice, goneDevice, person: await people.person(keptId, sdkFields) }
    }

    const mergeInto = async (goneId: string, keptId: string) => {
      const { outcome } = await people.merge({ external_id: goneId }, { external_id: keptId })
      assert.equal(outcome, 'done')
    }

    test('for an app that both used, sessions are summed, and the first and last use are the earliest and latest', async () => {
      const early = { app_version: '1', sessions: [session(3), session(5)] }
      const late = { app_version: '2', sessions: [session(4), session(9, 90), session(10)] }
      for (const [kept, gone] of [
        [early, late],
        [late, early],
      ] as const) {
        const { keptId, person } = await merged(kept, gone)
        assert.deepEqual(person.apps, [
          {
            name: phone.name,
            platform: phone.platform,
            version: '2',
            sessions: 5,
            first_used: session(3).started_at,
            last_used: session(10).ended_at,
          },
        ])
        assert.deepEqual(await sessionsOf(people, keptId), {
          session_count: 5,
          date_of_first_session: session(3).started_at,
          date_of_last_session: session(10).started_at,
        })
      }
    })

    test('an app that only the merged person used is listed without its sessions, which still count', async () => {
      const { keptId, person } = await merged(
        { sessions: [session(8)] },
        { app_id: tablet.id, app_version: '7', sessions: [session(3), session(4)] },
      )
      assert.deepEqual(person.apps, [
        {
          name: tablet.name,
          platform: tablet.platform,
          version: '7',
          sessions: 0,
          first_used: session(3).started_at,
          last_used: session(4).ended_at,
        },
        {
          name: phone.name,
          platform: phone.platform,
          sessions: 1,
          first_used: session(8).started_at,
          last_used: session(8).ended_at,
        },
      ])
      assert.deepEqual(await sessionsOf(people, keptId), {
        session_count: 3,
        date_of_first_session: session(3).started_at,
        date_of_last_session: session(8).started_at,
      })
    })

    test('a kept person without sessions takes the dates of the merged person', async () => {
      const [keptId, goneId] = [newId('kept'), newId('gone')]
      await people.set({ external_id: keptId })
      await tell(people, newDevice(), { identifier: { external_id: goneId }, sessions: [session(3), session(6)] })
      await mergeInto(goneId, keptId)
      assert.deepEqual(await sessionsOf(people, keptId), {
        session_count: 2,
        date_of_first_session: session(3).started_at,
        date_of_last_session: session(6).started_at,
      })
    })

    test('a session that the merged person has sent does not count again', async () => {
      const { keptId, goneDevice } = await merged({ sessions: [session(3)] }, { sessions: [session(4)] })
      await tell(people, goneDevice, { sessions: [session(4), session(5)] })
      assert.equal(only((await people.person(keptId)).apps as Item[]).sessions, 3)
    })

    test('devices and push tokens move, and their devices find the kept person', async () => {
      const [mine, theirs] = [newId('token'), newId('token')]
      const { keptId, keptDevice, goneDevice, person } = await merged({ push_token: mine }, { push_token: theirs })
      const devices = (person.devices as Item[]).map(({ device_id }) => device_id)
      assert.deepEqual(devices.toSorted(), [keptDevice, goneDevice].toSorted())
      const tokens = person.push_tokens!.map(({ token, device_id }) => [token, device_id])
      assert.deepEqual(
        tokens.toSorted(),
        [
          [mine, keptDevice],
          [theirs, goneDevice],
        ].toSorted(),
      )
      for (const device_id of [keptDevice, goneDevice]) {
        assert.equal((await ownerOf(people, device_id)).external_id, keptId)
        const service_id = await tell(people, device_id, { sessions: [session(1)] })
        assert.equal((await people.person(keptId)).service_id, service_id)
      }
    })

    test('the properties of a device that moves stay', async () => {
      const [keptId, goneId, device_id] = [newId(), newId(), newDevice()]
      const device = {
        device_id,
        model: 'Phone 7',
        os: '18',
        carrier: 'Carrier',
        idfv: 'a',
        idfa: 'b',
        google_ad_id: 'c',
        roku_ad_id: 'd',
        ad_tracking_enabled: false,
      }
      await people.set({ external_id: keptId })
      await tell(people, device_id, { identifier: { external_id: goneId }, device })
      await mergeInto(goneId, keptId)
      assert.deepEqual((await people.person(keptId)).devices, [device])
    })

    test('cards of both are kept, each with its later click', async () => {
      const at = (hours: number) => ago(hours * hourMs)
      const { person } = await merged(
        {
          card_clicks: [
            { name: 'a', time: at(9) },
            { name: 'b', time: at(7) },
            { name: 'c', time: at(5) },
          ],
        },
        {
          card_clicks: [
            { name: 'a', time: at(6) },
            { name: 'c', time: at(8) },
            { name: 'd', time: at(4) },
          ],
        },
      )
      assert.deepEqual(person.cards_clicked, [{ name: 'b' }, { name: 'a' }, { name: 'c' }, { name: 'd' }])
    })

    test('an app is uninstalled when the person who used it later has uninstalled it', async () => {
      const gone = { sessions: [session(3)], uninstalled_at: session(5).started_at }
      const used = { sessions: [session(4)] }
      const usedLater = { sessions: [session(8)] }
      assert.equal((await merged(usedLater, gone)).person.uninstalled_at, undefined)
      assert.equal((await merged(gone, usedLater)).person.uninstalled_at, undefined)
      const goneLater = { sessions: [session(6)], uninstalled_at: session(7).started_at }
      for (const [kept, other] of [
        [used, goneLater],
        [goneLater, used],
        [goneLater, gone],
        [gone, goneLater],
      ] as const) {
        assert.equal((await merged(kept, other)).person.uninstalled_at, session(7).started_at)
      }
      const other = { app_id: tablet.id, ...goneLater }
      assert.equal((await merged(gone, other)).person.uninstalled_at, session(7).started_at)
    })

    test('an attribution is taken as a whole, and only by a person without one', async () => {
      const attributionOf = ({ attributed_campaign, attributed_source, attributed_adgroup, attributed_ad }: Item) => [
        attributed_campaign,
        attributed_source,
        attributed_adgroup,
        attributed_ad,
      ]
      const attribution = { campaign: 'spring', source: 'network', adgroup: 'g', ad: 'a' }
      const taken = await merged({}, { attribution })
      assert.deepEqual(attributionOf(taken.person), ['spring', 'network', 'g', 'a'])
      const stayed = await merged({ attribution: { campaign: 'summer' } }, { attribution })
      assert.deepEqual(attributionOf(stayed.person), ['summer', undefined, undefined, undefined])
      const alone = await merged({ attribution }, {})
      assert.deepEqual(attributionOf(alone.person), ['spring', 'network', 'g', 'a'])
    })

    test('an identification keeps SDK data as a merge does', async () => {
      const [external_id, device_id, user_alias] = [newId(), newDevice(), newAlias()]
      await tell(people, newDevice(), { identifier: { external_id }, sessions: [session(3)] })
      await tell(people, device_id, { identifier: { user_alias }, sessions: [session(4)], card_clicks: ['Welcome'] })
      const { status, text } = await people.send('/users/identify', {
        aliases_to_identify: [{ external_id, user_alias }],
      })
      assert.equal(status, 201, text)
      const { apps: used, devices, cards_clicked } = await people.person(external_id)
      assert.deepEqual([only(used as Item[]).sessions, (devices as Item[]).length], [2, 2])
      assert.deepEqual(cards_clicked, [{ name: 'Welcome' }])
    })

    test('a deletion deletes the device too, and its next call creates a new person', async () => {
      const [external_id, device_id] = [newId(), newDevice()]
      const everything = {
        app_version: '1',
        sessions: [session(3)],
        push_token: newId('token'),
        attribution: { campaign: 'spring' },
        card_clicks: ['Welcome'],
      }
      const before = await tell(people, device_id, { identifier: { external_id }, ...everything })
      await people.delete({ external_ids: [external_id] })
      assert.deepEqual(await people.find({ device_id }), [])
      const after = await tell(people, device_id, { sessions: [session(3)] })
      assert.notEqual(after, before)
      const { apps: used, push_tokens, attributed_campaign, cards_clicked } = await ownerOf(people, device_id)
      assert.equal(only(used as Item[]).sessions, 1)
      assert.deepEqual([push_tokens, attributed_campaign, cards_clicked], [undefined, undefined, undefined])
    })

    test('SDK data that arrives during a merge is not lost', async () => {
      const email = newEmail()
      const ids = Array.from({ length: 8 }, () => newId())
      const devices = ids.map(() => newDevice())
      await people.set(...ids.map((external_id) => ({ external_id, email })))
      for (const [i, external_id] of ids.entries()) await tell(people, devices[i]!, { identifier: { external_id } })
      const hours = [1, 2, 3, 4, 5, 6]
      await Promise.all([
        ...hours.flatMap((hour) => devices.map((device_id) => tell(people, device_id, { sessions: [session(hour)] }))),
        ...ids.slice(1).map((external_id) => mergeInto(external_id, ids[0]!)),
      ])
      const { session_count } = await sessionsOf(people, ids[0]!)
      assert.equal(session_count, hours.length * devices.length)
      const { devices: known } = await people.person(ids[0]!)
      assert.deepEqual((known as Item[]).map(({ device_id }) => device_id).toSorted(), devices.toSorted())
    })
  })
}
