import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import test, { after, before } from 'node:test'
import { bodyBytesMax } from '../../src/base/http/body.ts'
import { long } from '../sizes.ts'
import {
  type Answer,
  type RequestOptions,
  requestOrigin,
  type Service,
  scimToken,
  startService,
} from '../support/harness.ts'
import { assertServed } from '../support/waits.ts'

/** The answer of what the contract does not offer: bulk requests of SCIM. */
const notOffered = 501
const answerMsMax = 1_000
/** A busy machine delays some answers, a slow route all of them. */
const triesMax = 5
const nestedLevels = 1_000_000
/** Of one request; Node takes 16 KB of headers. */
const floodBytes = 15_000

type Endpoint = { readonly method: string; readonly path: string; readonly options: RequestOptions }
type Form = (endpoint: Endpoint, service: Service) => Promise<Answer>

const hasBody = ({ method }: Endpoint) => method !== 'GET'
const filled = (path: string, value = 'nobody') => path.replaceAll(/\{\w+\}/g, value)
const withBody = (text: string): Form => {
  return ({ method, path, options }, service) => service.send(method, filled(path), text, options)
}

const forms: Readonly<Record<string, { readonly send: Form; readonly suits?: (endpoint: Endpoint) => boolean }>> = {
  'no credential': {
    send: ({ method, path }, service) =>
      service.send(method, filled(path), hasBody({ method } as Endpoint) ? {} : undefined, { key: null }),
  },
  'a foreign workspace': {
    send: ({ method, path, options }, service) =>
      service.send(method, `${filled(path)}?workspace=nobody`, undefined, options),
  },
  'NUL in the path': {
    suits: ({ path }) => path.includes('{'),
    send: ({ method, path, options }, service) => service.send(method, filled(path, 'a%00b'), undefined, options),
  },
  'a body with a million levels': {
    suits: hasBody,
    send: withBody('['.repeat(nestedLevels) + ']'.repeat(nestedLevels)),
  },
  'a body of 4 MB - 1': { suits: hasBody, send: withBody(`{}${' '.repeat(bodyBytesMax - 3)}`) },
  'a body that does not end': {
    suits: hasBody,
    send: ({ method, path, options }, service) =>
      service.send(method, filled(path), '{', {
        ...options,
        agent: new Agent(),
        headers: { ...options.headers, 'content-length': '1000' },
      }),
  },
  'a flood of headers': {
    send: ({ method, path, options }, service) => {
      const flood = Object.fromEntries(Array.from({ length: floodBytes / 15 }, (_, i) => [`x-${i}`, 'flood']))
      return service.send(method, filled(path), undefined, { ...options, headers: { ...options.headers, ...flood } })
    },
  },
}

let service: Service
let endpoints: Endpoint[]
before(async () => {
  service = await startService({ timeouts: { bodyMs: 100, slowMs: 100 } })
  endpoints = await listEndpoints()
})
after(() => service[Symbol.asyncDispose]())

/** Lists the route table from the description of the interface. */
async function listEndpoints(): Promise<Endpoint[]> {
  const { body } = await service.get('/openapi.json', { key: null })
  const paths: Record<string, Record<string, { security: Record<string, unknown>[] }>> = body.paths
  const all = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { security }]) => {
      const options = optionsFor(Object.keys(security[0] ?? {})[0])
      return { method: method.toUpperCase(), path, options }
    }),
  )
  assert.ok(all.length > 100, String(all.length))
  return all
}

function optionsFor(credential: string | undefined): RequestOptions {
  if (credential === 'scim_token') return { key: scimToken, headers: { 'x-request-origin': requestOrigin } }
  return { key: credential === 'admin_token' ? service.adminToken : credential === undefined ? null : service.apiKey }
}

async function track(): Promise<void> {
  const { status, text } = await service.post('/users/track', { attributes: [{ external_id: 'neighbour' }] })
  assert.equal(status, 201, text)
}

/** Asserts that a request is refused or answered, and not for a defect. */
async function assertAnswered(send: () => Promise<Answer>, what: string): Promise<void> {
  const took: number[] = []
  while (took.length < triesMax && !took.some((ms) => ms < answerMsMax)) {
    const startMs = performance.now()
    const { status, text } = await send()
    took.push(performance.now() - startMs)
    assert.ok(status < 500 || status === notOffered, `${what}: ${status} ${text.slice(0, 200)}`)
  }
  assert.ok(took.at(-1)! < answerMsMax, `${what} took ${took.map(Math.round).join(', ')} ms`)
}

for (const [name, { send, suits = () => true }] of Object.entries(forms)) {
  test(`every endpoint answers ${name} soon and without a defect, and others are served`, async (t) => {
    const attacked = endpoints.filter(suits)
    const attack = async () => {
      for (const endpoint of attacked) {
        await assertAnswered(() => send(endpoint, service), `${endpoint.method} ${endpoint.path} with ${name}`)
      }
    }
    // Comparing waits needs several rounds and a machine that does nothing else.
    const served = long ? await assertServed(track, attack) : await attack()
    await track()
    t.diagnostic(`${attacked.length} endpoints${served ? `, ${served}` : ''}`)
  })
}
