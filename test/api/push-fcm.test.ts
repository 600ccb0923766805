import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { type FakeFcm, fcmError, startFakeFcm } from '../support/fake-fcm.ts'
import { drawDatabases, type Service } from '../support/harness.ts'
import { newId } from '../support/people.ts'
import { phone, pushActions, robot, startPushing } from '../support/pushes.ts'

for (const database of drawDatabases('push-fcm')) {
  describe(`pushes to Apple and Android devices (${database})`, () => {
    let fcm: FakeFcm
    let service: Service
    const { person, send, trigger, reasons, tokensOf } = pushActions(() => service)
    before(async () => {
      fcm = await startFakeFcm()
      service = await startPushing(database, fcm.env)
    })
    after(async () => {
      await service?.[Symbol.asyncDispose]()
      await fcm?.close()
    })
    beforeEach(() => {
      for (const list of [fcm.taken, fcm.next, fcm.complaints]) list.length = 0
    })

    test('what FCM passes on has at most 4,096 bytes after it is rendered', async () => {
      const around = JSON.stringify({ notification: { body: '' } }).length
      for (const [bytes, reason] of [
        [4_095, 'sent'],
        [4_096, 'sent'],
        [4_097, 'template_error'],
      ] as const) {
        const id = await person([{ app_id: robot.id, token: newId() }], { first_name: 'b'.repeat(200) })
        const alert = `{{\${first_name}}}${'a'.repeat(bytes - around - 200)}`
        await send([id], { android_push: { alert } })
        assert.deepEqual(await reasons(id), [reason])
      }
      assert.deepEqual(fcm.complaints, [])
    })

    test('Apple and Android devices get a push by FCM, with one bearer token', async () => {
      const [apple, android] = [newId(), newId()]
      const id = await person([
        { app_id: phone.id, token: apple },
        { app_id: robot.id, token: android },
      ])
      const common = { custom_uri: 'shop://offers', extra: { n: 1, who: '{{${user_id}}}' } }
      await send([id], {
        apple_push: { alert: { title: 'Shop', body: 'Hi' }, badge: 3, sound: 'default', category: 'c', ...common },
        android_push: { alert: 'Hi', title: 'Shop', notification_channel_id: 'news', time_to_live: 60, ...common },
      })
      assert.deepEqual([await reasons(id), fcm.complaints], [['sent', 'sent'], []])
      const got = new Map(fcm.taken.map((one) => [one.token, one]))
      const data = { n: '1', who: id, custom_uri: 'shop://offers' }
      for (const token of [apple, android]) {
        assert.deepEqual([got.get(token)?.notification, got.get(token)?.data], [{ title: 'Shop', body: 'Hi' }, data])
      }
      const { notification, ...rest } = got.get(android)!.android!
      assert.match(String(notification.tag), /^[\w-]{32}$/)
      assert.deepEqual([notification.channel_id, rest], ['news', { priority: 'normal', ttl: '60s' }])
      assert.deepEqual(got.get(apple)!.apns!.payload, { aps: { badge: 3, sound: 'default', category: 'c' } })
      assert.equal(got.get(apple)!.apns!.headers['apns-priority'], '5')
      // Each of the two channels has its own.
      assert.ok(fcm.tokensGiven() <= 2)
    })

    test('a token that FCM no longer knows is removed, and a bearer token that it refuses is replaced', async () => {
      const [gone, known] = [newId(), newId()]
      const first = await person([{ app_id: robot.id, token: gone }])
      const other = await person([{ app_id: robot.id, token: known }])
      fcm.unregistered.add(gone)
      await trigger('campaigns', 'code', first)
      assert.deepEqual([await reasons(first), await tokensOf(first)], [['refused_by_server'], []])
      fcm.revoke()
      await trigger('campaigns', 'code', other)
      assert.deepEqual([await reasons(other), await tokensOf(other)], [['queued'], [known]])
      await service.advance('PT5M')
      assert.deepEqual(await reasons(other), ['sent'])
    })

    test('an answer of FCM decides: later, never, or perhaps', async () => {
      const one = () => person([{ app_id: robot.id, token: newId() }])
      const [busy, away, sender, cut] = [await one(), await one(), await one(), await one()]
      fcm.next.push({
        status: 429,
        headers: { 'retry-after': '3600' },
        body: fcmError(429, 'QUOTA_EXCEEDED', 'slower'),
      })
      await trigger('campaigns', 'code', busy)
      fcm.next.push({ status: 503, body: fcmError(503, 'UNAVAILABLE', 'later') })
      await trigger('campaigns', 'code', away)
      assert.deepEqual([await reasons(busy), await reasons(away)], [['queued'], ['queued']])
      fcm.next.push({ status: 403, body: fcmError(403, 'SENDER_ID_MISMATCH', 'another project') })
      await trigger('campaigns', 'code', sender)
      assert.deepEqual([await reasons(sender), (await tokensOf(sender)).length], [['refused_by_server'], 1])
      fcm.next.push('cut after')
      await trigger('campaigns', 'code', cut)
      await service.advance('PT2H')
      assert.deepEqual([await reasons(busy), await reasons(away), await reasons(cut)], [['sent'], ['sent'], ['sent']])
      const [token] = await tokensOf(cut)
      const twice = fcm.taken.filter((push) => push.token === token)
      assert.deepEqual([twice.length, new Set(twice.map(({ android }) => android?.notification.tag)).size], [2, 1])
    })
  })
}
