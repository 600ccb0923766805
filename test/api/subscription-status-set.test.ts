import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import { groups, type Item, many, newEmail, newId, newPhone, peopleOf, texts } from '../support/people.ts'
import { bulkPath, join, leave, sendItem, singlePath, statesOf } from '../support/subscriptions.ts'

const { news, alerts, bygone } = groups
const usersMax = 50
const paths = [singlePath, bulkPath]

const either = 'Either an email address or a phone number should be provided, but not both.'
const unknownGroup = 'Invalid subscription group ID'
const badState = "subscription_state must be 'subscribed' or 'unsubscribed'"
const nobody = 'matches nobody: no state changed'
const nobodyNamed = 'Either external_id, email or phone must be provided'

for (const database of drawDatabases('subscription-status-set')) {
  for (const path of paths) {
    describe(`POST ${path} (${database})`, () => {
      const people = peopleOf(database)
      const send = (item: unknown) => sendItem(people, path, item)

      const refuses = async (item: unknown, message?: string) => {
        const { status, text, body } = await send(item)
        assert.equal(status, 400, `${JSON.stringify(item).slice(0, 200)}: ${text}`)
        assert.deepEqual(body, { message: message ?? body.message })
        assert.notEqual(body.message, 'success')
      }

      /** Sends an item of which these values are refused. */
      const refusesItems = async (
        item: unknown,
        type: string,
        list: string,
        values: Readonly<Record<number, string>>,
      ) => {
        const { status, text, body } = await send(item)
        assert.equal(status, 400, `${JSON.stringify(item).slice(0, 200)}: ${text}`)
        const input_array = path === bulkPath ? `subscription_groups[0].${list}` : list
        const places = Object.entries(values).map(([index, value]) => `${input_array}[${index}]: ${value}`)
        const details = Object.keys(values).map((index) => ({ type, input_array, index: Number(index) }))
        assert.deepEqual(body, { message: `${type} (${places.join(', ')})`, details })
      }

      const accepts = async (item: unknown) => {
        const { status, text } = await send(item)
        assert.deepEqual([status, text], [201, '{"message":"success"}'], JSON.stringify(item).slice(0, 200))
      }

      /** Sends an item that is accepted, whether or not it names people who exist. */
      const takes = async (item: unknown) => assert.equal((await send(item)).status, 201)

      const ofItem = path === bulkPath ? { index: 0, input_array: 'subscription_groups' } : {}
      const placeOf = (list: string, index: number) => ({
        index,
        input_array: path === bulkPath ? `subscription_groups[0].${list}` : list,
      })

      /** Sends an item that is accepted, and not all of which has an effect. A strict key gets a 400, and no state is set. */
      const acceptsInPart = async (item: Item, notices: readonly object[]) => {
        const { status, body } = await send(item)
        assert.deepEqual([status, body], [201, { notices, message: 'success' }])
      }

      const refusesStrictly = async (item: Item, message: string, details?: readonly object[]) => {
        const given = { name: newId('key'), permissions: ['subscription.status.set'], strict: true }
        const { key } = (await people.service.admin('POST', '/admin/keys', given)).body.key
        const body = path === bulkPath ? { subscription_groups: [item] } : item
        const answer = await people.service.post(path, body, { key })
        assert.deepEqual([answer.status, answer.body], [400, { message, ...(details && { details }) }])
      }

      test('a list has a plural and a singular name, and one value can replace a list', async () => {
        for (const key of ['external_id', 'external_ids']) {
          for (const wrap of [(id: string) => id, (id: string) => [id]]) {
            const external_id = newId()
            await people.set({ external_id })
            await accepts(join(news, { [key]: wrap(external_id) }))
            assert.deepEqual(await statesOf(people, external_id), ['News: Subscribed'])
          }
        }
        for (const [kind, group, make] of [
          ['email', news, newEmail],
          ['phone', alerts, newPhone],
        ] as const) {
          for (const key of [kind, `${kind}s`]) {
            for (const wrap of [(address: string) => address, (address: string) => [address]]) {
              const [external_id, address] = [newId(), make()]
              await people.set({ external_id, [kind]: address })
              await accepts(leave(group, { [key]: wrap(address) }))
              assert.deepEqual(await statesOf(people, external_id), [`${group.name}: Unsubscribed`], key)
            }
          }
        }
      })

      test('the two names of a list mean one list', async () => {
        const ids = many(3, () => newId())
        await people.set(...ids.map((external_id) => ({ external_id })))
        await accepts(join(news, { external_id: ids[0], external_ids: ids.slice(1) }))
        for (const id of ids) assert.deepEqual(await statesOf(people, id), ['News: Subscribed'])
      })

      test('integers are external ids', async () => {
        const number = path === bulkPath ? 7_100_001 : 7_100_002
        await people.set({ external_id: number })
        await accepts(join(news, { external_ids: [number] }))
        assert.deepEqual(await statesOf(people, String(number)), ['News: Subscribed'])
      })

      test('an e-mail address changes everybody who has it, and everybody who gets it later', async () => {
        const [email, ids, late] = [newEmail(), many(3, () => newId()), newId()]
        await people.set(...ids.map((external_id) => ({ external_id, email })))
        await accepts(leave(news, { email: email.toUpperCase() }))
        await people.set({ external_id: late, email })
        for (const id of [...ids, late]) assert.deepEqual(await statesOf(people, id), ['News: Unsubscribed'])
      })

      test('a phone number changes everybody who has it, and everybody who gets it later', async () => {
        const [phone, ids, late] = [newPhone(), many(3, () => newId()), newId()]
        await people.set(...ids.map((external_id) => ({ external_id, phone })))
        await accepts(join(alerts, { phone: `${phone.slice(0, 5)} (${phone.slice(5, 8)}) ${phone.slice(8)}` }))
        await people.set({ external_id: late, phone })
        for (const id of [...ids, late]) assert.deepEqual(await statesOf(people, id), ['Alerts: Subscribed'])
      })

      test('the state of an address without a person is stored, and no person is created', async () => {
        const [email, phone, external_id] = [newEmail(), newPhone(), newId()]
        await accepts(leave(news, { email }))
        await accepts(join(alerts, { phone }))
        assert.deepEqual(await people.find({ email_address: email }), [])
        assert.deepEqual(await people.find({ phone }), [])
        await people.set({ external_id, email, phone })
        assert.deepEqual(await statesOf(people, external_id), ['Alerts: Subscribed', 'News: Unsubscribed'])
      })

      test('an external_id changes the person and everybody who shares the address', async () => {
        const [email, id, other] = [newEmail(), newId(), newId()]
        await people.set({ external_id: id, email }, { external_id: other, email })
        await accepts(leave(news, { external_id: id }))
        assert.deepEqual(await statesOf(people, other), ['News: Unsubscribed'])
      })

      test('an unknown external_id is accepted without effect, and a notice names it', async () => {
        const [external_id, known] = [newId(), newId()]
        await people.set({ external_id: known })
        await acceptsInPart(join(news, { external_ids: [known, external_id] }), [
          { ...placeOf('external_ids', 1), member: 'external_id', reason: nobody },
        ])
        assert.deepEqual(await people.find({ external_ids: [external_id] }), [])
        assert.deepEqual(await statesOf(people, known), ['News: Subscribed'])
        await people.set({ external_id })
        assert.deepEqual(await statesOf(people, external_id), [])
      })

      test('external ids can be given together with e-mails or phones', async () => {
        const [id, other] = [newId(), newId()]
        const [email, phone] = [newEmail(), newPhone()]
        await people.set({ external_id: id }, { external_id: other, email, phone })
        await accepts(join(news, { external_id: [id], email: [email] }))
        await accepts(leave(alerts, { external_id: [id], phone: [phone] }))
        for (const each of [id, other]) {
          assert.deepEqual(await statesOf(people, each), ['Alerts: Unsubscribed', 'News: Subscribed'])
        }
      })

      test('an e-mail and a phone together are a 400 with its own text, whatever other errors there are', async () => {
        const both = { emails: [newEmail()], phones: [newPhone()] }
        await refuses(join(news, both), either)
        await refuses(join(alerts, { email: newEmail(), phone: newPhone(), external_id: newId() }), either)
        await refuses(join({ id: 'nothing' }, both), either)
        await refuses({ ...both, subscription_state: 'maybe' }, either)
        await refuses(join(news, { email: newEmail(), phones: [newPhone()] }), either)
      })

      test('absent lists can be null or empty when another one is given', async () => {
        const external_id = newId()
        await people.set({ external_id })
        await accepts(join(news, { external_id, email: null, emails: [], phone: '', phones: null }))
        assert.deepEqual(await statesOf(people, external_id), ['News: Subscribed'])
        for (const nobody of [{}, { email: null }, { emails: [] }, { phone: '' }, { external_ids: [] }]) {
          await refuses(join(news, nobody), nobodyNamed)
        }
      })

      test('a group takes addresses of its own channel only', async () => {
        await refuses(
          join(alerts, { emails: [newEmail()] }),
          'An SMS subscription group takes external_id or phone only',
        )
        await refuses(
          join(news, { phones: [newPhone()] }),
          'An email subscription group takes external_id or email only',
        )
        await refuses(join(bygone, { phones: [newPhone()] }))
      })

      test('an unknown group is a 400', async () => {
        for (const id of ['nothing', '', null, undefined, 7, {}, [news.id], 'x'.repeat(100_000), '__proto__']) {
          await refuses({ ...join(news, { external_id: newId() }), subscription_group_id: id }, unknownGroup)
        }
        await accepts(join({ id: news.id.toUpperCase() }, { email: newEmail() }))
      })

      test('an invalid state is a 400', async () => {
        for (const subscription_state of ['opted_in', 'Subscribed', '', null, undefined, true, 1, [], {}]) {
          await refuses({ ...join(news, { external_id: newId() }), subscription_state }, badState)
        }
      })

      test('use_double_opt_in_logic is accepted and has no effect; anything but a boolean is a 400', async () => {
        const external_id = newId()
        await people.set({ external_id })
        for (const use_double_opt_in_logic of [true, false, 'true', null]) {
          const item = join(alerts, { external_id, use_double_opt_in_logic })
          if (String(use_double_opt_in_logic) !== 'true') await accepts(item)
          else {
            const reason = 'has no effect: there is no double opt-in'
            await acceptsInPart(item, [{ ...ofItem, member: 'use_double_opt_in_logic', reason }])
          }
          assert.deepEqual(await statesOf(people, external_id), ['Alerts: Subscribed'])
        }
        for (const use_double_opt_in_logic of ['yes', 1, {}, []]) {
          await refuses(
            join(alerts, { external_id, use_double_opt_in_logic }),
            "'use_double_opt_in_logic' is not valid",
          )
        }
      })

      test('an invalid identifier is a 400', async () => {
        const notValid = "'external_id' is not valid"
        for (const [external_id, shown] of [
          [true, 'true'],
          [[{}], 'an object'],
          [[[]], 'an array'],
          [[null], 'null'],
          [[''], '""'],
          [['a\u0000b'], '"a\\u0000b"'],
          [['\ud800'], '"\\ud800"'],
          [1.5, '1.5'],
        ] as const) {
          await refusesItems(join(news, { external_id }), notValid, 'external_id', { 0: shown })
        }
        await refuses(join(news, { external_id: { a: 1 } }), notValid)
        await refuses(join(news, { external_ids: 5 }), "'external_ids' is not valid")
        const long = 'x'.repeat(988)
        await refusesItems(join(news, { external_id: long }), texts.tooLong, 'external_id', {
          0: `"${long.slice(0, 100)}"`,
        })
        await takes(join(news, { external_id: 'x'.repeat(987) }))
        for (const [email, shown] of [
          ['no e-mail', { 0: '"no e-mail"' }],
          [['a@b.c', 'x', 'b@b.c', 'y'], { 1: '"x"', 3: '"y"' }],
          [7, { 0: '7' }],
          [[true, null, ''], { 0: 'true', 1: 'null', 2: '""' }],
          ['a@b\u0000.c', { 0: '"a@b\\u0000.c"' }],
        ] as const) {
          await refusesItems(join(news, { email }), texts.badEmail, 'email', shown)
        }
        for (const [phone, shown] of [
          ['call me', { 0: '"call me"' }],
          [['+15550001111', '5550001111'], { 1: '"5550001111"' }],
          [7, { 0: '7' }],
          [[[]], { 0: 'an array' }],
        ] as const) {
          await refusesItems(join(alerts, { phone }), "'phone' is not valid", 'phone', shown)
        }
        for (const emails of [{ a: 'a@b.c' }, 5, true]) {
          await refuses(join(news, { emails }), "'emails' is not valid")
        }
      })

      test('every invalid identifier is named, whichever list it is in', async () => {
        const [external_id, email] = [newId(), newEmail()]
        await people.set({ external_id, email })
        const { status, body } = await send(join(news, { external_ids: [external_id, true], emails: ['x', email] }))
        const at = path === bulkPath ? 'subscription_groups[0].' : ''
        const details = [
          { type: "'external_id' is not valid", input_array: `${at}external_ids`, index: 1 },
          { type: texts.badEmail, input_array: `${at}emails`, index: 0 },
        ]
        const [id, address] = details.map((detail) => detail.type)
        const message = `${id} (${at}external_ids[1]: true); ${address} (${at}emails[0]: "x")`
        assert.deepEqual([status, body], [400, { message, details }])
        assert.deepEqual(await statesOf(people, external_id), [])
      })

      test('49 and 50 users are accepted, 51 are a 400', async () => {
        const lists = [
          ['external_ids', news, newId],
          ['emails', news, newEmail],
          ['phones', alerts, newPhone],
        ] as const
        for (const [name, group, make] of lists) {
          const users = many(usersMax + 1, () => make())
          await takes(join(group, { [name]: users.slice(0, usersMax - 1) }))
          await takes(join(group, { [name]: users.slice(0, usersMax) }))
          await refuses(join(group, { [name]: users }), texts.tooManyIds)
        }
        const [ids, emails] = [many(26, () => newId()), many(25, () => newEmail())]
        await takes(join(news, { external_ids: ids.slice(0, 25), emails }))
        await refuses(join(news, { external_ids: ids, emails }), texts.tooManyIds)
        await refuses(join(news, { external_ids: many(100_000, () => 'same') }), texts.tooManyIds)
      })

      test('an invalid identifier leaves the valid ones unchanged', async () => {
        const [external_id, email] = [newId(), newEmail()]
        await people.set({ external_id, email })
        const mixed = join(news, { external_ids: [external_id], emails: [email, 'no e-mail'] })
        await refusesItems(mixed, texts.badEmail, 'emails', { 1: '"no e-mail"' })
        assert.equal((await send(join(news, { external_ids: [external_id, 'a\u0000'] }))).status, 400)
        assert.deepEqual(await statesOf(people, external_id), [])
      })

      test('a strict key sets no state when one is about nobody', async () => {
        const [external_id, email, known] = [newId(), newEmail(), newId()]
        await people.set({ external_id: known, email })
        const item = join(news, { external_id: [known, external_id], email })
        const type = `'external_id' ${nobody}`
        const place = placeOf('external_id', 1)
        await refusesStrictly(item, `${place.input_array}[1]: ${type}`, [{ type, ...place }])
        assert.deepEqual(await statesOf(people, known), [])
        await people.set({ external_id })
        await accepts(item)
      })

      test('a state for an archived group is ignored, without an error, and a notice names it', async () => {
        const [external_id, email] = [newId(), newEmail()]
        await people.set({ external_id, email })
        const item = join(bygone, { external_ids: [external_id], emails: [email] })
        const reason = 'is an archived group: no state changed'
        await acceptsInPart(item, [{ ...ofItem, member: 'subscription_group_id', reason }])
        const type = `'subscription_group_id' ${reason}`
        if (path === bulkPath) await refusesStrictly(item, `subscription_groups[0]: ${type}`, [{ type, ...ofItem }])
        else await refusesStrictly(item, type)
        assert.deepEqual(await statesOf(people, external_id), [])
        await refusesItems(join(bygone, { emails: ['no e-mail'] }), texts.badEmail, 'emails', { 0: '"no e-mail"' })
      })

      test('of a set state and a tracked state the later one holds', async () => {
        const [external_id, email] = [newId(), newEmail()]
        const track = (subscription_state: string, who: Item = { external_id }) =>
          people.set({
            ...who,
            subscription_groups: [{ subscription_group_id: news.id, subscription_state }],
          })
        await track('subscribed', { external_id, email })
        await accepts(leave(news, { email }))
        assert.deepEqual(await statesOf(people, external_id), ['News: Unsubscribed'])
        await track('subscribed')
        assert.deepEqual(await statesOf(people, external_id), ['News: Subscribed'])
        await accepts(leave(news, { external_id }))
        assert.deepEqual(await statesOf(people, external_id), ['News: Unsubscribed'])
        await track('subscribed', { email })
        assert.deepEqual(await statesOf(people, external_id), ['News: Subscribed'])
      })

      test('a state for a person makes them the most recently updated, a state for an address nobody', async () => {
        const [email, older, newer] = [newEmail(), newId(), newId()]
        await people.set({ external_id: older, email })
        await people.set({ external_id: newer, email })
        await accepts(join(news, { email }))
        await people.set({ email, mark: 1 })
        assert.deepEqual(await people.custom(newer), { mark: 1 })
        await accepts(join(news, { external_id: older }))
        await people.set({ email, mark: 2 })
        assert.deepEqual(await people.custom(older), { mark: 2 })
      })

      test('only the state of the group changes', async () => {
        const [external_id, email] = [newId(), newEmail()]
        await people.set({ external_id, email, first_name: 'Ann', plan: 'free' })
        const before = await people.person(external_id)
        await takes({
          ...join(news, { external_ids: [external_id], emails: [email] }),
          first_name: 'Eve',
          plan: 'pro',
        })
        assert.deepEqual(await people.person(external_id), before)
      })
    })
  }
}
