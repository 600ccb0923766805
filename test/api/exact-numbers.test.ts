import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawDatabases, startService } from '../support/harness.ts'
import { ago, hourMs, newId, peopleOf } from '../support/people.ts'
import { workspace } from '../support/people-lines.ts'

const integer = '12345678901234567890'
const next = '12345678901234567891'
const negative = '-9007199254740993'
const fraction = '0.1234567890123456789012'
const newEvent = 'scanned'
const both = '98765432109876543210.0123456789'
/** Attributes with numbers that no double has, at every place. */
const attributes = `"whole":${integer},"minus":${negative},"part":${fraction},"list":[${integer},1,${both}],"in":{"deep":[{"n":${both}}]}`

for (const database of drawDatabases('exact-numbers')) {
  describe(`numbers with many digits (${database})`, () => {
    const people = peopleOf(database)

    const track = async (text: string) => {
      const answer = await people.track(text)
      assert.equal(answer.status, 201, answer.text)
      assert.equal(answer.body.notices, undefined, answer.text)
      assert.equal(answer.body.errors, undefined, answer.text)
    }
    const exported = async (external_id: string) => {
      const body = { external_ids: [external_id], fields_to_export: ['custom_attributes'] }
      const { text } = await people.export(body)
      return /"custom_attributes":(.*)\}\],"message"/.exec(text)?.[1]
    }
    /** Returns whether a segment with this condition has each of these people: as the database and as JavaScript decide. */
    const holds = async (audience: string, ids: readonly string[]): Promise<boolean[]> => {
      const given = `{"name":"${newId('Segment')}","audience":${audience}}`
      const key = people.service.adminToken
      const { status, text, body } = await people.service.send('POST', '/admin/segments', given, { key })
      assert.equal(status, 201, text)
      const path = `/admin/segments/${body.segment.id}`
      const listed = (await people.service.admin('GET', `${path}/people`)).body.people
      return Promise.all(
        ids.map(async (external_id) => {
          const why = (await people.service.admin('GET', `${path}/why?external_id=${external_id}`)).body
          const isListed = listed.some((each: { external_id: string }) => each.external_id === external_id)
          assert.equal(why.in, isListed, `${audience} ${external_id}`)
          return isListed
        }),
      )
    }
    const line = (external_id: string) =>
      people.service.admin('GET', '/admin/people').then(({ text }) =>
        text
          .split('{"person"')
          .filter((each) => each.includes(`"${external_id}"`))
          .join(''),
      )

    test('are exported as they were sent', async () => {
      const external_id = newId()
      await track(`{"attributes":[{"external_id":"${external_id}",${attributes}}]}`)
      const sorted = JSON.stringify(attributesOf(await exported(external_id)))
      assert.equal(sorted, JSON.stringify(attributesOf(`{${attributes}}`)))
      // A change that reads the profile and writes it again.
      await track(`{"attributes":[{"external_id":"${external_id}","other":{"inc":1},"first_name":"Ann"}]}`)
      assert.match((await exported(external_id))!, new RegExp(`"n": ?${both}`.replace('.', '\\.')))
    })

    test('are added, merged and compared with all their digits', async () => {
      const external_id = newId()
      await track(`{"attributes":[{"external_id":"${external_id}","count":${integer},"list":[${integer},${next},1]}]}`)
      await track(`{"attributes":[{"external_id":"${external_id}","count":{"inc":1},"list":{"add":[${integer}]}}]}`)
      assert.equal(await exported(external_id), `{"list":[${next},1,${integer}],"count":${next}}`)
      await track(
        `{"attributes":[{"external_id":"${external_id}","count":{"inc":-${next}},"list":{"remove":[${next}]}}]}`,
      )
      assert.equal(await exported(external_id), `{"list":[1,${integer}],"count":0}`)
    })

    test('are kept in the properties of events and purchases', async () => {
      const external_id = newId()
      const item = `"external_id":"${external_id}","time":"${ago(hourMs)}","properties":{${attributes}}`
      await track(
        `{"events":[{"name":"scanned",${item}}],"purchases":[{"product_id":"tea","currency":"EUR","price":1,${item}}]}`,
      )
      assert.equal((await line(external_id)).split(`"properties":{${attributes}}`).length, 3)
    })

    test('are ids as text', async () => {
      await track(`{"attributes":[{"external_id":${integer},"plan":"free"}]}`)
      assert.equal(await exported(integer), '{"plan":"free"}')
      const { text } = await people.service.post(
        '/users/export/ids',
        `{"external_ids":[${integer}],"fields_to_export":["external_id"]}`,
      )
      assert.match(text, new RegExp(`"external_id":"${integer}"`))
    })

    test('are compared as numbers by segments, in attributes and properties', async () => {
      const ids = [newId('low'), newId('high')]
      for (const [i, id] of ids.entries()) {
        const number = [integer, next][i]
        const item = `"name":"${newEvent}","time":"${ago(hourMs)}","properties":{"code":${number}}`
        await track(
          `{"attributes":[{"external_id":"${id}","serial":${number},"serials":[${number}],"in":{"n":${number}}}],` +
            `"events":[{"external_id":"${id}",${item}}]}`,
        )
      }
      const attribute = (name: string, comparison: string, value: string) =>
        `{"custom_attribute":{"custom_attribute_name":"${name}","comparison":"${comparison}","value":${value}}}`
      const nested = `{"custom_attribute":{"custom_attribute_name":"in","path":["n"],"comparison":"equals","value":${next}}}`
      const property = (comparison: string, value: string) =>
        `{"custom_event":{"name":"${newEvent}","comparison":"greater_than_or_equal_to","value":1,` +
        `"properties":[{"name":"code","comparison":"${comparison}","value":${value}}]}}`
      for (const [audience, isIn] of [
        [attribute('serial', 'equals', integer), [true, false]],
        [attribute('serial', 'equals', next), [false, true]],
        [attribute('serial', 'greater_than', integer), [false, true]],
        [attribute('serial', 'less_than', next), [true, false]],
        [attribute('serial', 'greater_than', '12345678901234567889.5'), [true, true]],
        [attribute('serials', 'includes_value', next), [false, true]],
        [nested, [false, true]],
        [property('equals', integer), [true, false]],
        [property('greater_than', integer), [false, true]],
      ] as const) {
        assert.deepEqual(await holds(audience, ids), isIn, audience)
      }
    })

    test('are kept by catalogs, in every type that has numbers', async () => {
      const name = newId('catalog')
      const send = (method: string, path: string, text?: string) => people.service.send(method, path, text)
      const types = ['string', 'number', 'object', 'array', 'geo']
      const fields = ['{"name":"id","type":"string"}', ...types.map((type) => `{"name":"${type}","type":"${type}"}`)]
      const catalog = `{"catalogs":[{"name":"${name}","description":"","fields":[${fields}]}]}`
      assert.equal((await send('POST', '/catalogs', catalog)).status, 201)
      const path = `/catalogs/${name}/items/one`
      const kept = `"object":{"n":[${both}]},"array":["${integer}"],"geo":[${fraction},-${fraction}]`
      const given = `{"items":[{"string":${integer},"number":"+${both}0",${kept}}]}`
      const made = await send('POST', path, given)
      assert.equal(made.status, 201, made.text)
      const { text } = await send('GET', path)
      const item = `{"items":[{"id":"one","string":"${integer}","number":${both},${kept}}]`
      assert.ok(text.replaceAll(' ', '').startsWith(item), text)
    })

    test('are printed by templates with all their digits', async () => {
      const text = '{{custom_attribute.${n}}} {{event_properties.${list}}}'
      const personal = `{"custom":{"n":${both}},"event_properties":{"list":[1,${integer}]}}`
      const body = `{"texts":{"text":${JSON.stringify(text)}},"personal":${personal}}`
      const { service } = people
      const answer = await service.send('POST', '/admin/render', body, { key: service.adminToken })
      assert.deepEqual(answer.body.texts, { text: `${both} 1${integer}` })
    })

    test('are refused when they are too small for a double, short ones too', async () => {
      const external_id = newId()
      for (const number of ['1e-400', '-2.5E-0400', '[{"a":1e-324}]', '1e400']) {
        const { status, body } = await people.track(`{"attributes":[{"external_id":"${external_id}","n":${number}}]}`)
        assert.deepEqual([status, body.errors![0]!.type], [400, "'n' is not valid"], number)
      }
      await track(`{"attributes":[{"external_id":"${external_id}","n":1e-307,"zero":0e-400}]}`)
      assert.equal(await exported(external_id), `{"n":1e-307,"zero":0}`)
    })

    test('of more than 1,000 characters are refused', async () => {
      const external_id = newId()
      const digits = '7'.repeat(300)
      for (const [length, accepted] of [
        [999, true],
        [1000, true],
        [1001, false],
      ] as const) {
        const number = `${digits}.${'7'.repeat(length - digits.length - 1)}`
        const { status, body } = await people.track(`{"attributes":[{"external_id":"${external_id}","n":${number}}]}`)
        assert.equal(status, accepted ? 201 : 400)
        if (accepted) assert.equal(await exported(external_id), `{"n":${number}}`)
        else assert.equal(body.errors![0]!.type, "'n' is not valid")
      }
    })
  })

  test(`numbers with many digits survive an export and an import of people (${database})`, async () => {
    await using service = await startService({ database, workspace })
    await using other = await startService({ database, workspace })
    const item = `"external_id":"ann","time":"${ago(hourMs)}","properties":{${attributes}}`
    const body = `{"attributes":[{"external_id":"ann",${attributes}}],"events":[{"name":"scanned",${item}}]}`
    assert.equal((await service.post('/users/track', body)).status, 201)
    const { text } = await service.admin('GET', '/admin/people')
    const lines = /"lines":(\[.*\]),"next"/.exec(text)![1]!
    const restored = await other.send('POST', '/admin/people', `{"lines":${lines}}`, { key: other.adminToken })
    assert.equal(restored.status, 200, restored.text)
    const again = await other.admin('GET', '/admin/people')
    const customOf = (each: string) => /"custom_attributes":(.*?),"events"/.exec(each)?.[1]
    assert.equal(customOf(again.text), customOf(text))
    assert.ok(again.text.includes(`"properties":{${attributes}}`))
  })
}

/** Returns the members of an object as texts, sorted by name: the database does not keep their order. */
function attributesOf(text = ''): string[] {
  const members = text.replaceAll(' ', '').replace(/^\{(.*)\}$/, '$1')
  return members.split(/,(?=")/).toSorted()
}
