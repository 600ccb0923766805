import assert from 'node:assert/strict'
import type { Service } from './harness.ts'
import type { Answer } from './http-requests.ts'
import type { Item } from './people.ts'

/** A field of every type. */
export const everyType = [
  { name: 'id', type: 'string' },
  { name: 'Name', type: 'string' },
  { name: 'Rating', type: 'number' },
  { name: 'Open', type: 'boolean' },
  { name: 'Created_At', type: 'time' },
  { name: 'Location', type: 'object' },
  { name: 'Tags', type: 'array' },
  { name: 'Place', type: 'geo' },
] as const

/** An item with a value in each field, as the API returns it. */
export const fullItem = {
  Name: 'Café',
  Rating: 4.5,
  Open: true,
  Created_At: '2022-11-01T09:03:19.967Z',
  Location: { Latitude: 33.6112, Longitude: -117.8711, deep: { er: [1, null, 'x'] } },
  Tags: ['a', 'b'],
  Place: [-117.8711, 33.6112],
} as const

export type RefusalEntry = {
  readonly id: string
  readonly message: string
  readonly parameters: readonly string[]
  readonly parameter_values: readonly unknown[]
}

let made = 0

export function newCatalog(): string {
  made += 1
  return `catalog-${made}`
}

/** A client for `/catalogs` of a service. */
export class Catalogs {
  readonly #serviceOf: () => Service

  constructor(serviceOf: () => Service) {
    this.#serviceOf = serviceOf
  }

  send(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.#serviceOf().send(method, `/catalogs${path}`, body)
  }

  /** Sends a request that must succeed. The answer is `success` and nothing else. */
  async done(status: number, method: string, path: string, body?: unknown): Promise<void> {
    const answer = await this.send(method, path, body)
    assert.deepEqual([answer.status, answer.text], [status, '{"message":"success"}'], `${method} ${path}`)
  }

  /** Sends a request that must be refused. Returns the entries of `errors`. */
  async refusals(method: string, path: string, body?: unknown, status = 400): Promise<readonly RefusalEntry[]> {
    const answer = await this.send(method, path, body)
    assert.equal(answer.status, status, `${method} ${path} ${JSON.stringify(body)?.slice(0, 200)}: ${answer.text}`)
    const { errors, ...rest } = answer.body
    assert.deepEqual(rest, { message: 'Invalid Request' }, answer.text)
    for (const entry of errors as RefusalEntry[]) {
      assert.deepEqual(Object.keys(entry), ['id', 'message', 'parameters', 'parameter_values'])
      assert.equal(typeof entry.message, 'string')
      assert.equal(entry.parameters.length, entry.parameter_values.length)
    }
    return errors
  }

  /** Returns the ids of the errors. */
  async problems(method: string, path: string, body?: unknown, status = 400): Promise<string[]> {
    return (await this.refusals(method, path, body, status)).map(({ id }) => id)
  }

  /** Creates a catalog. Returns its name. */
  async create(fields: readonly Item[] = everyType, name = newCatalog()): Promise<string> {
    const answer = await this.send('POST', '', { catalogs: [{ name, description: 'Of a test', fields }] })
    assert.equal(answer.status, 201, answer.text)
    return name
  }

  /** Returns a catalog as `GET /catalogs` has it. */
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects by asserting it.
  async shown(name: string): Promise<any> {
    const { body } = await this.send('GET', '')
    return body.catalogs.find((catalog: { name: string }) => catalog.name === name)
  }

  async item(name: string, id: string): Promise<Item | undefined> {
    const { status, body, text } = await this.send('GET', `/${name}/items/${id}`)
    if (status === 404) return undefined
    assert.equal(status, 200, text)
    assert.deepEqual([Object.keys(body), body.items.length], [['items', 'message'], 1])
    return body.items[0]
  }

  /** Reads all items, page by page. */
  async items(name: string): Promise<Item[]> {
    const items: Item[] = []
    for (let path: string | undefined = `/catalogs/${name}/items`; path !== undefined; ) {
      const answer: Answer = await this.#serviceOf().get(path)
      assert.equal(answer.status, 200, answer.text)
      items.push(...answer.body.items)
      path = /<([^>]+)>; rel="next"/.exec(String(answer.headers.link ?? ''))?.[1]
    }
    return items
  }
}
