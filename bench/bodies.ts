import { Random } from './random.ts'
import {
  cities,
  drawEvent,
  drawTime,
  emailOf,
  eventNames,
  externalIdOf,
  plans,
  productCount,
  productOf,
  tags,
  toSeconds,
} from './samples.ts'

export const updatesPerBody = 50
/** The contents of a mixed body, as in the measurements of the design. */
export const mix = { attributes: 25, events: 20, purchases: 5, newcomers: 5, byEmail: 5, operators: 5 } as const

const counterDigits = 12
const newcomerPrefix = 'new-'
const newcomerId = `${newcomerPrefix}${'0'.repeat(counterDigits)}`
const newcomerMark = `"${newcomerId}"`
const newcomerEmail = `${newcomerId}@example.com`
const millisMark = '.000Z"'
const roundsBeforeMillisRepeat = 1000

/** `rare`: events, of which one in 100 has the name `rareName` · `newcomers`: attributes and an address of new people. */
export type BodyKind = 'events' | 'mixed' | 'rare' | 'newcomers'

export const rareName = 'cart_left'
const rareOneIn = 100

export type BodyOptions = {
  kind: BodyKind
  /** The number of people on the server. Bodies name each with the same probability. */
  people: number
  count: number
  seed: number
  nowMs: number
  apiKey: string
}

/** A complete HTTP request, and the positions of the values that are different at each use. */
export type TrackRequest = {
  readonly bytes: Buffer
  readonly bodyAt: number
  readonly newcomersAt: readonly number[]
  /** Those of the addresses of the newcomers, when they have one: as many, in the same order. */
  readonly addressesAt: readonly number[]
  readonly millisAt: readonly number[]
}

type Who = { external_id: string } | { email: string }

export function makeTrackRequests(options: BodyOptions): TrackRequest[] {
  const random = new Random(options.seed)
  const make = { events: eventsBody, rare: rareBody, mixed: mixedBody, newcomers: newcomersBody }[options.kind]
  return Array.from({ length: options.count }, () => {
    const bytes = httpRequest('/users/track', options.apiKey, JSON.stringify(make(random, options)))
    return {
      bytes,
      bodyAt: bytes.indexOf('\r\n\r\n') + 4,
      newcomersAt: positionsOf(bytes, newcomerMark, newcomerPrefix.length + 1),
      addressesAt: positionsOf(bytes, newcomerEmail, newcomerPrefix.length),
      millisAt: positionsOf(bytes, millisMark, 1),
    }
  })
}

/** Returns requests that export 50 of the first `people`, each drawn with the same probability. */
export function makeExportRequests(options: Omit<BodyOptions, 'kind'>): Buffer[] {
  const random = new Random(options.seed)
  return Array.from({ length: options.count }, () =>
    httpRequest('/users/export/ids', options.apiKey, JSON.stringify(exportBody(random, options.people))),
  )
}

/** Returns requests that set one group for 50 of the e-mails of `people`, each drawn with the same probability. */
export function makeSubscriptionRequests(options: Omit<BodyOptions, 'kind'>): Buffer[] {
  const random = new Random(options.seed)
  return Array.from({ length: options.count }, (_, i) => {
    const subscription_state = i % 2 === 0 ? 'subscribed' : 'unsubscribed'
    const emails = drawEmails(random, options.people)
    const body = { subscription_groups: [{ subscription_group_id: groupId, subscription_state, emails }] }
    return httpRequest('/v2/subscription/status/set', options.apiKey, JSON.stringify(body))
  })
}

/** The group in the workspace file of the service. */
export const groupId = '7d0c9a1e-5b3f-4a62-8e17-2f94c6d8b015'
export const subscriptionSize = 50

export function drawEmails(random: Random, people: number): string[] {
  return Array.from({ length: subscriptionSize }, () => emailOf(random.below(people)))
}

export const exportSize = 50
export const exportedFields = [
  'external_id',
  'email',
  'first_name',
  'country',
  'language',
  'time_zone',
  'created_at',
  'random_bucket',
  'email_subscribe',
  'push_subscribe',
  'user_aliases',
  'custom_attributes',
  'custom_events',
  'purchases',
] as const

export function exportBody(random: Random, people: number): { external_ids: string[]; fields_to_export: string[] } {
  const numbers = new Set<number>()
  while (numbers.size < Math.min(exportSize, people)) numbers.add(random.below(people))
  return { external_ids: [...numbers].map(externalIdOf), fields_to_export: [...exportedFields] }
}

/**
 * Returns the requests again and again. Each use names new people, and each round moves the times by a millisecond, so that no row is
 * sent twice. The returned bytes are valid until the same request is used again.
 */
export class RequestCycle {
  readonly #requests: readonly TrackRequest[]
  #used = 0
  #newcomer: number

  constructor(requests: readonly TrackRequest[], firstNewcomer: number) {
    this.#requests = requests
    this.#newcomer = firstNewcomer
  }

  next(): Buffer {
    const at = this.#used % this.#requests.length
    const round = (this.#used - at) / this.#requests.length
    this.#used++
    const request = this.#requests[at]!
    const first = this.#newcomer
    for (const place of request.newcomersAt) writeDigits(request.bytes, place, counterDigits, this.#newcomer++)
    for (const [i, place] of request.addressesAt.entries()) writeDigits(request.bytes, place, counterDigits, first + i)
    const millis = (at * 7 + round) % roundsBeforeMillisRepeat
    for (const place of request.millisAt) writeDigits(request.bytes, place, 3, millis)
    return request.bytes
  }
}

function eventsBody(random: Random, options: BodyOptions): object {
  return { events: Array.from({ length: updatesPerBody }, () => eventOf(random, options, known(random, options))) }
}

function rareBody(random: Random, options: BodyOptions): object {
  const event = () => {
    const drawn = eventOf(random, options, known(random, options))
    return random.below(rareOneIn) === 0 ? { ...drawn, name: rareName } : drawn
  }
  return { events: Array.from({ length: updatesPerBody }, event) }
}

function newcomersBody(random: Random, options: BodyOptions): object {
  const who = { external_id: newcomerId, email: newcomerEmail }
  return { attributes: Array.from({ length: updatesPerBody }, () => attributesOf(random, options, who)) }
}

function mixedBody(random: Random, options: BodyOptions): object {
  const special = random.chosen(updatesPerBody, mix.newcomers + mix.byEmail)
  const whos: Who[] = special.map(() => known(random, options))
  for (const [nth, at] of special.flatMap((is, i) => (is ? [i] : [])).entries()) {
    whos[at] = nth % 2 === 0 ? { external_id: newcomerId } : { email: emailOf(random.below(options.people)) }
  }
  const operators = random.chosen(mix.attributes, mix.operators)
  const at = { events: mix.attributes, purchases: mix.attributes + mix.events }
  return {
    attributes: whos
      .slice(0, at.events)
      .map((who, i) => (operators[i] ? operatorsOf(random, who) : attributesOf(random, options, who))),
    events: whos.slice(at.events, at.purchases).map((who) => eventOf(random, options, who)),
    purchases: whos.slice(at.purchases).map((who) => purchaseOf(random, options, who)),
  }
}

function known(random: Random, options: BodyOptions): Who {
  return { external_id: externalIdOf(random.below(options.people)) }
}

function attributesOf(random: Random, options: BodyOptions, who: Who): object {
  return {
    ...who,
    plan: random.pick(plans),
    score: random.below(1000),
    last_order: toSeconds(drawTime(random, options.nowMs)),
    city: random.pick(cities),
    active: random.below(2) === 1,
  }
}

function operatorsOf(random: Random, who: Who): object {
  const score = random.below(1000)
  switch (random.below(3)) {
    case 0:
      return { ...who, score, visits: { inc: 1 + random.below(3) } }
    case 1:
      return { ...who, score, tags: { add: [random.pick(tags)] } }
    default:
      return { ...who, score, tags: { remove: [random.pick(tags)] } }
  }
}

function eventOf(random: Random, options: BodyOptions, who: Who): object {
  const { name, timeMs, properties } = drawEvent(random, options.nowMs)
  return { ...who, name, time: toMillis(timeMs), properties }
}

function purchaseOf(random: Random, options: BodyOptions, who: Who): object {
  return {
    ...who,
    product_id: productOf(random.below(productCount)),
    currency: 'EUR',
    price: random.below(20_000) / 100,
    quantity: 1 + random.below(3),
    time: toMillis(drawTime(random, options.nowMs)),
  }
}

/** Returns bodies with all event names and products of a run, so that the server knows them. */
export function makeDictionaryBodies(nowMs: number, external_id: string): object[] {
  const time = toMillis(nowMs)
  const products = Array.from({ length: productCount }, (_, i) => productOf(i))
  const bodies: object[] = [{ events: eventNames.map((name) => ({ external_id, name, time })) }]
  for (let i = 0; i < productCount; i += updatesPerBody) {
    const some = products.slice(i, i + updatesPerBody)
    bodies.push({ purchases: some.map((product_id) => ({ external_id, product_id, currency: 'EUR', price: 1, time })) })
  }
  return bodies
}

function toMillis(timeMs: number): string {
  return toSeconds(timeMs).replace('Z', '.000Z')
}

function httpRequest(path: string, apiKey: string, body: string): Buffer {
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Bearer ${apiKey}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
}

function positionsOf(bytes: Buffer, mark: string, offset: number): number[] {
  const places: number[] = []
  for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + mark.length)) places.push(at + offset)
  return places
}

const zero = 48

function writeDigits(bytes: Buffer, at: number, width: number, value: number): void {
  let rest = value
  for (let i = at + width - 1; i >= at; i--) {
    bytes[i] = zero + (rest % 10)
    rest = Math.floor(rest / 10)
  }
}
