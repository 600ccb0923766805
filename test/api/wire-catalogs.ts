import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { Catalogs } from '../support/catalogs.ts'
import type { Database } from '../support/harness.ts'
import { type Item, peopleOf } from '../support/people.ts'

type Sent = { readonly method: string; readonly path: string; readonly body: Item | null }
type Recorded = {
  readonly method: string
  readonly path: string
  readonly request: Item | null
  readonly status: number
  readonly response: Item
}

const read = (file: string): unknown => JSON.parse(readFileSync(join(import.meta.dirname, '../wire', file), 'utf8'))
const isOurs = ({ path }: { path: string }) => path.startsWith('/catalogs')
const sent = [...(read('requests.json') as Sent[]).entries()].filter(([, each]) => isOurs(each))
const recorded = [...(read('recorded-responses.json') as Recorded[]).entries()].filter(([, each]) => isOurs(each))

const id = { name: 'id', type: 'string' }
const sampleFields = [
  id,
  ...['Name', 'City', 'Cuisine'].map((name) => ({ name, type: 'string' })),
  { name: 'Rating', type: 'number' },
  { name: 'Loyalty_Program', type: 'boolean' },
  { name: 'Location', type: 'object' },
  { name: 'Created_At', type: 'time' },
  { name: 'Open_Time', type: 'time' },
]

/** Status and error id of the answers to the requests of existing clients, by their index in the file. */
const expectedOfSent: Readonly<Record<number, readonly [status: number, problem?: string]>> = {
  33: [202],
  34: [404, 'item-not-found'],
  35: [404, 'item-not-found'],
  36: [201],
  37: [200],
  38: [400, 'item-array-invalid'], // printed without its body
  39: [200],
  40: [202],
  41: [202],
  42: [400, 'items-missing-ids'], // printed without ids
  43: [200],
  44: [400, 'invalid-cursor'], // base64 of okip:100
  45: [200],
  46: [200],
  47: [200],
  48: [202],
  49: [202], // an item that does not exist
  50: [202],
  51: [202],
  52: [200],
  53: [201],
  54: [400, 'catalog-name-already-exists'],
}

/** Members whose values only the recorded service can know: its time and its storage size. */
const own = { updated_at: '', storage_size: 0 }

function comparable({ catalogs, ...rest }: Item): Item {
  if (!Array.isArray(catalogs)) return rest
  return { ...rest, catalogs: catalogs.map((catalog: Item) => ({ ...catalog, ...own })) }
}

export function replayCatalogs(database: Database): void {
  describe(`requests about catalogs (${database})`, () => {
    const people = peopleOf(database)
    const catalogs = new Catalogs(() => people.service)
    const send = (method: string, path: string, body: Item | null) =>
      people.service.send(method, path, body ?? undefined)

    test('of existing clients are answered as the contract says', async () => {
      for (const name of ['samples', 'CATALOG_NAME', 'r', 'restaurants']) await catalogs.create(sampleFields, name)
      for (const path of ['samples/items/restaurant1', 'r/items/i1']) {
        await catalogs.done(201, 'POST', `/${path}`, { items: [{}] })
      }
      assert.deepEqual(
        Object.keys(expectedOfSent).map(Number),
        sent.map(([index]) => index),
      )
      for (const [index, { method, path, body }] of sent) {
        const [status, problem] = expectedOfSent[index]!
        const real = path.replace('{catalog_name}', 'samples').replace('{item_id}', 'restaurant1')
        const answer = await send(method, real, body)
        assert.deepEqual([answer.status, answer.body.errors?.[0].id], [status, problem], `${index}: ${answer.text}`)
        assert.equal(answer.body.message, problem === undefined ? 'success' : 'Invalid Request')
      }
    })

    test('with recorded answers are answered in the same words', async () => {
      const [, { request: definition }] = recorded.find(
        ([, { method, path }]) => `${method}${path}` === 'POST/catalogs',
      )!
      for (const { name } of (await catalogs.send('GET', '')).body.catalogs)
        await catalogs.done(200, 'DELETE', `/${name}`)
      for (const [index, { method, path, request, status, response }] of recorded) {
        await send('DELETE', '/catalogs/restaurants', null)
        if (`${method}${path}${status}` !== 'POST/catalogs201') await send('POST', '/catalogs', definition)
        const answer = await send(method, path, request)
        const message = `${index}: ${answer.text}`
        assert.deepEqual([answer.status, comparable(answer.body)], [status, comparable(response)], message)
        assert.equal(answer.headers['content-type'], 'application/json')
      }
    })
  })
}
