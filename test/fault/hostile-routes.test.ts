import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import test, { after, before } from 'node:test'
import { Random } from '../../bench/random.ts'
import { bodyBytesMax } from '../../src/base/http/body.ts'
import { seed, sizes } from '../sizes.ts'
import { type Attacked, startAttacked } from '../support/attacked.ts'
import { requestOrigin, scimToken } from '../support/harness.ts'
import type { Answer, RequestOptions } from '../support/http-requests.ts'
import { many } from '../support/people.ts'
import { assertServed, assertSoon, patienceTimes } from '../support/waits.ts'

/** The answer of what the contract does not offer: bulk requests of SCIM. */
const notOffered = 501
/** How long a body may take, instead of 30 s. */
const bodyMs = 1_000
const answerMsMax = 1_000 * patienceTimes
const nestedLevels = 1_000_000
/** Of one request; Node takes 16 KB of headers. */
const floodBytes = 15_000

type Endpoint = { readonly method: string; readonly path: string; readonly options: RequestOptions }
type Send = (endpoint: Endpoint, service: Attacked) => Promise<Answer>
type Form = {
  readonly send: Send
  readonly suits?: (endpoint: Endpoint) => boolean
  /** Requests that wait for their time limit are sent at the same time. */
  readonly atOnce?: number
  /** How many of the endpoints get it, drawn anew in each run. */
  readonly endpointsMax?: number
}

const hasBody = ({ method }: Endpoint) => method !== 'GET'
const filled = (path: string, value = 'nobody') => path.replaceAll(/\{\w+\}/g, value)
const withBody = (text: string): Send => {
  const bytes = Buffer.from(text)
  return ({ method, path, options }, service) => service.send(method, filled(path), bytes, options)
}

const forms: Readonly<Record<string, Form>> = {
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
    endpointsMax: sizes.endpointsOfLargeBodies,
    send: withBody('['.repeat(nestedLevels) + ']'.repeat(nestedLevels)),
  },
  'a body of 4 MB - 1': {
    suits: hasBody,
    endpointsMax: sizes.endpointsOfLargeBodies,
    send: withBody(`{}${' '.repeat(bodyBytesMax - 3)}`),
  },
  'a body that does not end': {
    suits: hasBody,
    atOnce: 40,
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

let service: Attacked
let endpoints: Endpoint[]
before(async () => {
  service = await startAttacked({ timeouts: { bodyMs, slowMs: bodyMs } })
  // With it, the route that makes a demo is refused at once.
  await service.admin('POST', '/admin/workspace', { id: 'demo', name: 'Demo' })
  endpoints = await listEndpoints()
})
after(() => service[Symbol.asyncDispose]())

/** Lists what the service offers: its interface, and pages for browsers, mails and machines. */
async function listEndpoints(): Promise<Endpoint[]> {
  const { endpoints } = await service.facts()
  const { body } = await service.get('/openapi.json', { key: null })
  const described = Object.values(body.paths as object).flatMap((operations) => Object.keys(operations)).length
  assert.ok(endpoints.length > described && described > 100, `${endpoints.length} endpoints, ${described} described`)
  return endpoints.map(({ method, path, permission }) => ({ method, path, options: optionsFor(permission) }))
}

function optionsFor(permission: string): RequestOptions {
  if (permission === 'scim') return { key: scimToken, headers: { 'x-request-origin': requestOrigin } }
  // Pages take forms; webhooks take any type.
  if (permission === 'public') return { key: null, headers: { 'content-type': 'application/x-www-form-urlencoded' } }
  return { key: permission === 'admin' ? service.adminToken : service.apiKey }
}

/** Asserts that a request is refused or answered, and not for a defect. */
async function assertAnswered(send: () => Promise<Answer>, what: string, maxMs: number): Promise<void> {
  await assertSoon(maxMs, what, async () => {
    const { status, text } = await send()
    assert.ok(status < 500 || status === notOffered, `${what}: ${status} ${text.slice(0, 200)}`)
  })
}

for (const [name, form] of Object.entries(forms)) {
  const { send, suits = () => true, atOnce = 1, endpointsMax = Number.POSITIVE_INFINITY } = form
  test(`every endpoint answers ${name} soon and without a defect, and others are served`, async (t) => {
    const suitable = endpoints.filter(suits)
    const chosen = new Random(seed).chosen(suitable.length, endpointsMax)
    const attacked = suitable.filter((_, i) => chosen[i])
    const maxMs = atOnce === 1 ? answerMsMax : bodyMs + answerMsMax
    t.diagnostic(`${attacked.length} endpoints`)
    await assertServed(t, service, async () => {
      const left = [...attacked]
      const attack = async () => {
        while (left.length > 0) {
          const endpoint = left.shift()!
          await assertAnswered(() => send(endpoint, service), `${endpoint.method} ${endpoint.path} with ${name}`, maxMs)
        }
      }
      const attackers = many(atOnce, () =>
        attack().catch((error: unknown) => {
          // The others end too: no request of this test may still run when the next one begins, or when the service is closed.
          left.length = 0
          throw error
        }),
      )
      for (const outcome of await Promise.allSettled(attackers)) if (outcome.status === 'rejected') throw outcome.reason
    })
  })
}
