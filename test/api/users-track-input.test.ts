import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import {
  type ArrayName,
  ago,
  event,
  hourMs,
  many,
  type NoticeEntry,
  newId,
  only,
  peopleOf,
  purchase,
  texts,
} from '../support/people.ts'

const bodyBytesMax = 4 * 1024 * 1024
const depthMax = 50
const keysMax = 1000

/** Returns nested lists as JSON text. */
const lists = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
const objects = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
const manyKeys = (count: number): string => `{${many(count, (i) => `"k${i}":1`).join(',')}}`

const broken = {
  'a depth of 51 objects': objects(depthMax + 1),
  'a depth of 51 lists': lists(depthMax + 1),
  'a depth of 3,000': lists(3000),
  '1,001 keys in one object': manyKeys(keysMax + 1),
  '1,001 keys in a nested object': `{"in":[${manyKeys(keysMax + 1)}]}`,
  'a NUL in a text': '"a\\u0000b"',
  'a NUL in a key': '{"a\\u0000b":1}',
  'the first half of a surrogate pair': '"\\ud800"',
  'the second half': '["a\\udc00"]',
  'half a pair in a key': '{"\\ud800x":1}',
  'an integer of 1,001 digits': '7'.repeat(1001),
  'a fraction of 1,001 characters': `[-1.${'7'.repeat(998)}]`,
  'a number above the range': '1e999',
  'a number below the range': '{"a":-1e999}',
}

for (const database of drawDatabases('users-track-input')) {
  describe(`invalid input (${database})`, () => {
    const people = peopleOf(database)
    const paths = ['/users/track', '/users/track/bulk', '/users/export/ids']

    test('a body that is not JSON is a 400 with message and error, except an empty body', async () => {
      for (const path of paths) {
        for (const text of [
          '',
          ' ',
          '{',
          '{"attributes":[}',
          'attributes=1',
          "{'a':1}",
          '{"a":1}}',
          '{"a":1,}',
          'NaN',
          '\u0000',
        ]) {
          const { status, body } = await people.send(path, text)
          assert.equal(status, 400, `${path} ${text}`)
          assert.notEqual(body.message, '')
          assert.equal(typeof body.error, text === '' ? 'undefined' : 'string', text)
        }
      }
    })

    test('JSON that is no object is a 400', async () => {
      const who = { external_id: newId() }
      const list = JSON.stringify([{ attributes: [who], external_ids: [who.external_id], fields_to_export: ['email'] }])
      for (const path of paths) {
        for (const text of [list, '[]', '"text"', '5', 'true', 'null']) {
          const { status, body } = await people.send(path, text)
          assert.equal(status, 400, `${path} ${text}`)
          assert.notEqual(body.message, '')
        }
      }
      assert.deepEqual(await people.find({ external_ids: [who.external_id] }), [])
    })

    test('another content type is a 415', async () => {
      const external_id = newId()
      const body = JSON.stringify({ attributes: [{ external_id }] })
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'application/xml',
        'multipart/form-data',
      ]) {
        assert.equal((await people.send('/users/track', body, { 'content-type': type })).status, 415, type)
      }
      assert.deepEqual(await people.find({ external_ids: [external_id] }), [])
      const withCharset = { 'content-type': 'application/json; charset=utf-8' }
      assert.equal((await people.send('/users/track', body, withCharset)).status, 201)
    })

    test('4 MB are accepted, one byte more is a 413', async () => {
      const body = (bytes: number, external_id: string): string => {
        const text = JSON.stringify({ attributes: [{ external_id, plan: 'free' }] })
        return text.replace(/\}$/, `${' '.repeat(bytes - Buffer.byteLength(text))}}`)
      }
      const [taken, refused] = [newId(), newId()]
      assert.equal((await people.track(body(bodyBytesMax, taken))).status, 201)
      assert.deepEqual(await people.custom(taken), { plan: 'free' })
      assert.equal((await people.track(body(bodyBytesMax + 1, refused))).status, 413)
      assert.deepEqual(await people.find({ external_ids: [refused] }), [])
    })

    for (const [what, value] of Object.entries(broken)) {
      test(`${what} refuses the object and nothing else`, async () => {
        const [id, other] = [newId(), newId()]
        const item = (more: object, member: string) =>
          JSON.stringify({ ...more, X: 0 }).replace('"X":0', `"${member}":${value}`)
        const who = { external_id: id }
        const refused: [ArrayName, string, string][] = [
          ['attributes', item({ ...who, first_name: 'Ann' }, 'gift'), "'gift' is not valid"],
          ['events', item(event(who), 'properties'), "'properties' is not valid"],
          ['purchases', item(purchase(who), 'properties'), "'properties' is not valid"],
        ]
        // Properties have as many keys as their bytes allow.
        if (what.includes('keys')) refused.splice(1)
        const inside = (text: string) => text.replace(`"properties":${value}`, `"properties":{"in":${value}}`)
        for (const [array, text, refusal] of refused) {
          const given = await people.refusalOfText(array, inside(text))
          assert.match(given, new RegExp(`^(${refusal}|Invalid 'properties' field)$`), array)
        }
        const [first] = refused
        const answer = await people.track(`{"attributes":[${first![1]},{"external_id":"${other}","plan":"free"}]}`)
        assert.equal(answer.status, 201)
        assert.deepEqual(answer.body.errors, [{ type: "'gift' is not valid", input_array: 'attributes', index: 0 }])
        assert.deepEqual(await people.find({ external_ids: [id] }), [])
        assert.deepEqual(await people.custom(other), { plan: 'free' })
      })
    }

    test('a depth of 50, 1,000 keys and 2^53 - 1 are accepted', async () => {
      const external_id = newId()
      const values = {
        deep: objects(depthMax),
        lists: lists(depthMax - 1),
        wide: manyKeys(keysMax),
        whole: '9007199254740991',
      }
      const members = Object.entries(values).map(([name, text]) => `"${name}":${text}`)
      await people.track(`{"attributes":[{"external_id":"${external_id}",${members.join(',')}}]}`)
      const custom = await people.custom(external_id)
      for (const [name, text] of Object.entries(values)) assert.deepEqual(custom[name], JSON.parse(text), name)
    })

    test('more than 1,000 keys in the object itself refuse it', async () => {
      const external_id = newId()
      const keys = (count: number) => manyKeys(count).replace('{', `{"external_id":"${external_id}",`)
      assert.match(await people.refusalOfText('attributes', keys(keysMax + 1)), / is not valid$/)
      assert.deepEqual(await people.find({ external_ids: [external_id] }), [])
      const answer = await people.track(`{"attributes":[${keys(keysMax - 1)}]}`)
      assert.equal(answer.body.attributes_processed, 1, answer.text)
    })

    test('a NUL or a lone surrogate refuses the object in every text', async () => {
      const who = { external_id: newId() }
      for (const bad of ['a\u0000b', '\ud800', 'x\udfff']) {
        const attributes = [
          'first_name',
          'last_name',
          'home_city',
          'country',
          'phone',
          'language',
          'time_zone',
          'gender',
          'dob',
        ]
        for (const field of attributes) {
          const refusal = await people.refusal('attributes', { ...who, [field]: bad })
          assert.equal(refusal, `'${field}' is not valid`)
        }
        assert.equal(await people.refusal('attributes', { external_id: bad }), "'external_id' is not valid")
        const user_alias = { alias_name: bad, alias_label: 'shop' }
        assert.equal(await people.refusal('events', event({ user_alias })), "'user_alias' is not valid")
        assert.equal(await people.refusal('events', event(who, { name: bad })), "'name' is not valid")
        assert.equal(await people.refusal('events', event(who, { app_id: bad })), "'app_id' is not valid")
        const sold = purchase(who, { product_id: bad })
        assert.equal(await people.refusal('purchases', sold), "'product_id' is not valid")
        assert.equal(await people.refusal('attributes', { email: `${bad}@example.com` }), texts.badEmail)
        assert.match(await people.refusal('attributes', { ...who, [bad]: 1 }), /^'.+' is not valid$/)
      }
      assert.deepEqual(await people.find({ external_ids: [who.external_id] }), [])
    })

    test('a number that is out of range refuses the object at every place for a number', async () => {
      const external_id = newId()
      const time = ago(hourMs)
      const sold = `{"external_id":"${external_id}","product_id":"tea","currency":"EUR","time":"${time}"`
      for (const number of ['1e999', '7'.repeat(1001)]) {
        assert.equal(
          await people.refusalOfText('attributes', `{"external_id":${number}}`),
          "'external_id' is not valid",
        )
        assert.equal(await people.refusalOfText('purchases', `${sold},"price":${number}}`), "'price' is not valid")
        assert.equal(await people.refusalOfText('purchases', `${sold},"price":1,"quantity":${number}}`), texts.quantity)
        const inc = `{"external_id":"${external_id}","n":{"inc":${number}}}`
        assert.equal(await people.refusalOfText('attributes', inc), "'n' is not valid")
      }
      assert.deepEqual(await people.find({ external_ids: [external_id] }), [])
    })

    test('__proto__ and constructor are removed at every place with a notice, the rest stays', async () => {
      const external_id = newId()
      const evil = '"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}'
      const { status, text } = await people.track(
        `{"attributes":[{"external_id":"${external_id}",${evil},"plan":"free","shop":{"a":1,${evil}},"list":[{"b":2,${evil}}]}],` +
          `"events":[{"external_id":"${external_id}","name":"visited","time":"${ago(hourMs)}","properties":{"a":1,${evil}}}],${evil}}`,
      )
      assert.equal(status, 201, text)
      const { notices, ...counts } = JSON.parse(text)
      assert.deepEqual(counts, { attributes_processed: 1, events_processed: 1, message: 'success' })
      const members = notices.map(({ member }: NoticeEntry) => member)
      assert.deepEqual(members, ['__proto__', 'constructor', 'shop', 'list', 'properties'])
      assert.deepEqual(await people.custom(external_id), { plan: 'free', shop: { a: 1 }, list: [{ b: 2 }] })
      assert.equal(only(await people.eventsOf(external_id)).count, 1)
      assert.equal((await people.find({ external_ids: ['__proto__', 'constructor'] })).length, 0)
    })

    test('names of built-in members of objects are ordinary names', async () => {
      const external_id = newId('toString')
      const names = { prototype: 1, toString: 'a', hasOwnProperty: true, valueOf: { x: 1 }, length: 0 }
      await people.set({ external_id, ...names }, { external_id: 'hasOwnProperty', plan: 'free' })
      assert.deepEqual(await people.custom(external_id), names)
      await people.happen(
        event({ external_id }, { name: '__proto__' }),
        event({ external_id }, { name: 'constructor' }),
      )
      const heard = (await people.eventsOf(external_id)).map(({ name }) => name)
      assert.deepEqual(heard.toSorted(), ['__proto__', 'constructor'])
      assert.deepEqual(await people.custom('hasOwnProperty'), { plan: 'free' })
    })

    test('of a repeated member the last value counts', async () => {
      const external_id = newId()
      await people.track(`{"attributes":[{"external_id":"${external_id}","plan":"free","plan":"paid"}]}`)
      assert.deepEqual(await people.custom(external_id), { plan: 'paid' })
    })
  })
}
