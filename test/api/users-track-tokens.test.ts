import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { databases } from '../harness.ts'
import { apps, newAlias, newId, only, peopleOf, texts } from '../people.ts'

const { phone, tablet } = apps

for (const database of databases) {
  describe(`push tokens in attributes (${database})`, () => {
    const people = peopleOf(database)

    const tokensOf = async (external_id: string) =>
      (await people.person(external_id, ['push_tokens'])).push_tokens ?? []

    test('a token is exported with the app, its platform and its device', async () => {
      const external_id = newId()
      const [token, device_id] = [newId('token'), newId('device')]
      await people.set({ external_id, push_tokens: [{ app_id: phone.id, token, device_id }] })
      assert.deepEqual(await tokensOf(external_id), [
        { app: phone.name, platform: phone.platform, token, device_id, notifications_enabled: true },
      ])
      assert.deepEqual(await people.custom(external_id), {})
    })

    test('a device_id is made when none is given, and stays', async () => {
      const external_id = newId()
      const push_tokens = [{ app_id: phone.id, token: newId('token') }]
      await people.set({ external_id, push_tokens })
      const { device_id } = only(await tokensOf(external_id))
      assert.equal(typeof device_id, 'string')
      assert.ok(String(device_id).length >= 8)
      await people.set({ external_id, push_tokens })
      assert.equal(only(await tokensOf(external_id)).device_id, device_id)
    })

    test('notifications_enabled is exported as it was given last', async () => {
      const external_id = newId()
      const token = { app_id: tablet.id, token: newId('token'), device_id: newId('device') }
      for (const notifications_enabled of [false, true, false]) {
        await people.set({ external_id, push_tokens: [{ ...token, notifications_enabled }] })
        assert.equal(only(await tokensOf(external_id)).notifications_enabled, notifications_enabled)
      }
    })

    test('tokens of several apps and devices stand side by side', async () => {
      const external_id = newId()
      const [one, two, three] = [newId('token'), newId('token'), newId('token')]
      await people.set({
        external_id,
        push_tokens: [
          { app_id: phone.id, token: one },
          { app_id: tablet.id, token: one },
        ],
      })
      await people.set({
        external_id,
        push_tokens: [
          { app_id: phone.id, token: two },
          { app_id: phone.id, token: three },
        ],
      })
      const listed = (await tokensOf(external_id)).map(({ app, token }) => `${app} ${token}`)
      const expected = [
        `${phone.name} ${one}`,
        `${tablet.name} ${one}`,
        `${phone.name} ${two}`,
        `${phone.name} ${three}`,
      ]
      assert.deepEqual(listed.toSorted(), expected.toSorted())
    })

    test('opting in to push stamps when', async () => {
      const external_id = newId()
      await people.set({
        external_id,
        push_subscribe: 'opted_in',
        push_tokens: [{ app_id: phone.id, token: newId('token') }],
      })
      const { push_subscribe, push_opted_in_at } = await people.person(external_id, ['push_subscribe'])
      assert.equal(push_subscribe, 'opted_in')
      assert.match(String(push_opted_in_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    })

    test('a device_id has 8 to 254 bytes', async () => {
      const external_id = newId()
      const item = (device_id: unknown) => ({
        external_id,
        push_tokens: [{ app_id: phone.id, token: newId('token'), device_id }],
      })
      for (const bytes of [8, 9, 253, 254]) await people.set(item('d'.repeat(bytes)))
      await people.set(item('€€€'))
      for (const device_id of ['', 'd'.repeat(7), '€€', 'd'.repeat(256), '€'.repeat(86)]) {
        assert.equal(await people.refusal('attributes', item(device_id)), texts.deviceId, device_id)
      }
    })

    test('what is no list, no token or no app refuses the object, which changes nothing', async () => {
      const external_id = newId()
      const good = { app_id: phone.id, token: newId('token') }
      const rules: readonly [push_tokens: unknown, refusal: string][] = [
        ['text', 'BAD_PUSH_TOKEN_VALUE'],
        [good, 'BAD_PUSH_TOKEN_VALUE'],
        [['text'], 'BAD_PUSH_TOKEN_VALUE'],
        [[good, null], 'BAD_PUSH_TOKEN_VALUE'],
        [[{ ...good, token: 5 }], 'BAD_PUSH_TOKEN_STRING'],
        [[{ ...good, token: {} }], 'BAD_PUSH_TOKEN_STRING'],
        [[{ app_id: phone.id }], 'BAD_PUSH_TOKEN_STRING'],
        [[{ ...good, app_id: 'no-such-app' }], 'BAD_PUSH_TOKEN_APP_ID'],
        [[good, { token: 'x' }], 'BAD_PUSH_TOKEN_APP_ID'],
      ]
      for (const [push_tokens, refusal] of rules) {
        const item = { external_id, plan: 'free', push_tokens }
        assert.equal(await people.refusal('attributes', item), refusal, JSON.stringify(push_tokens))
      }
      assert.deepEqual(await people.find({ external_ids: [external_id] }), [])
    })

    test('an import is processed, and leaves a token that is known where it is', async () => {
      const owner = newId()
      const known = { app_id: phone.id, token: newId('token'), device_id: newId('device') }
      const push_tokens = [known, { app_id: phone.id, token: newId('token') }]
      await people.set({ external_id: owner, push_tokens: [known] })
      for (const body of [
        { push_token_import: true, push_tokens },
        { push_token_import: true, push_tokens: [known] },
      ]) {
        assert.deepEqual((await people.track({ attributes: [body] })).body, {
          attributes_processed: 1,
          message: 'success',
        })
      }
      assert.deepEqual(
        (await tokensOf(owner)).map(({ token }) => token),
        [known.token],
      )
    })

    test('an import needs tokens, and has neither external_id nor service_id', async () => {
      const push_tokens = [{ app_id: phone.id, token: newId('token') }]
      const external_id = newId()
      await people.set({ external_id })
      const { service_id } = await people.person(external_id)
      const wrong = [
        { push_token_import: true },
        { push_token_import: true, push_tokens, external_id },
        { push_token_import: true, push_tokens, service_id },
      ]
      for (const item of wrong) assert.equal(await people.refusal('attributes', item), 'BAD_PUSH_TOKEN_IMPORT')
      assert.deepEqual(await tokensOf(external_id), [])
    })

    test('an alias-only person may have tokens', async () => {
      const user_alias = newAlias()
      const token = newId('token')
      await people.set({ user_alias, _update_existing_only: false, push_tokens: [{ app_id: phone.id, token }] })
      const person = only(await people.find({ user_aliases: [user_alias] }))
      assert.equal(only(person.push_tokens ?? []).token, token)
    })
  })
}
