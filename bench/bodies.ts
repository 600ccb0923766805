import { Chance } from './chance.ts'
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
} from './drawn.ts'

export const updatesPerBody = 50
/** What a mixed body holds, as the measurements of the design were taken. */
export const mix = { attributes: 25, events: 20, purchases: 5, newcomers: 5, byEmail: 5, operators: 5 } as const

const counterDigits = 12
const newcomerStart = 'new-'
const newcomerMark = `"${newcomerStart}${'0'.repeat(counterDigits)}"`
const millisMark = '.000Z"'
const roundsBeforeMillisRepeat = 1000

/** `rare`: events, of which one in a hundred has the name `rareName`. */
export type BodyKind = 'events' | 'mixed' | 'rare'

export const rareName = 'cart_left'
const rareOneIn = 100

export type BodyOrder = {
  kind: BodyKind
  /** How many people the server knows; bodies name them all with the same chance. */
  people: number
  count: number
  seed: number
  nowMs: number
  apiKey: string
}

/** A complete HTTP request, and where in it each use writes what must never repeat. */
export type TrackRequest = {
  readonly bytes: Buffer
  readonly bodyAt: number
  readonly newcomersAt: readonly number[]
  readonly millisAt: readonly number[]
}

type Who = { external_id: string } | { email: string }

export function makeTrackRequests(order: BodyOrder): TrackRequest[] {
  const chance = new Chance(order.seed)
  const make = { events: eventsBody, rare: rareBody, mixed: mixedBody }[order.kind]
  return Array.from({ length: order.count }, () => {
    const bytes = httpRequest('/users/track', order.apiKey, JSON.stringify(make(chance, order)))
    return {
      bytes,
      bodyAt: bytes.indexOf('\r\n\r\n') + 4,
      newcomersAt: placesOf(bytes, newcomerMark, newcomerStart.length + 1),
      millisAt: placesOf(bytes, millisMark, 1),
    }
  })
}

/** Requests that export 50 of the first `people`, each drawn with the same chance. */
export function makeExportRequests(order: Omit<BodyOrder, 'kind'>): Buffer[] {
  const chance = new Chance(order.seed)
  return Array.from({ length: order.count }, () =>
    httpRequest('/users/export/ids', order.apiKey, JSON.stringify(exportBody(chance, order.people))),
  )
}

/** Requests that set one group for 50 of the e-mails of `people`, each drawn with the same chance. */
export function makeSubscriptionRequests(order: Omit<BodyOrder, 'kind'>): Buffer[] {
  const chance = new Chance(order.seed)
  return Array.from({ length: order.count }, (_, i) => {
    const subscription_state = i % 2 === 0 ? 'subscribed' : 'unsubscribed'
    const emails = drawEmails(chance, order.people)
    const body = { subscription_groups: [{ subscription_group_id: groupId, subscription_state, emails }] }
    return httpRequest('/v2/subscription/status/set', order.apiKey, JSON.stringify(body))
  })
}

/** The group that the service of a run declares. */
export const groupId = '7d0c9a1e-5b3f-4a62-8e17-2f94c6d8b015'
export const subscriptionSize = 50

export function drawEmails(chance: Chance, people: number): string[] {
  return Array.from({ length: subscriptionSize }, () => emailOf(chance.below(people)))
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

export function exportBody(chance: Chance, people: number): { external_ids: string[]; fields_to_export: string[] } {
  const numbers = new Set<number>()
  while (numbers.size < Math.min(exportSize, people)) numbers.add(chance.below(people))
  return { external_ids: [...numbers].map(externalIdOf), fields_to_export: [...exportedFields] }
}

/**
 * Requests used round and round. Each use names newcomers nobody has named before and moves its times by a millisecond a
 * round, so that no row is ever sent twice. The bytes belong to the list: they are the caller's until the list comes round.
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
    for (const place of request.newcomersAt) writeDigits(request.bytes, place, counterDigits, this.#newcomer++)
    const millis = (at * 7 + round) % roundsBeforeMillisRepeat
    for (const place of request.millisAt) writeDigits(request.bytes, place, 3, millis)
    return request.bytes
  }
}

function eventsBody(chance: Chance, order: BodyOrder): object {
  return { events: Array.from({ length: updatesPerBody }, () => eventOf(chance, order, known(chance, order))) }
}

function rareBody(chance: Chance, order: BodyOrder): object {
  const event = () => {
    const drawn = eventOf(chance, order, known(chance, order))
    return chance.below(rareOneIn) === 0 ? { ...drawn, name: rareName } : drawn
  }
  return { events: Array.from({ length: updatesPerBody }, event) }
}

function mixedBody(chance: Chance, order: BodyOrder): object {
  const special = chance.chosen(updatesPerBody, mix.newcomers + mix.byEmail)
  const whos: Who[] = special.map(() => known(chance, order))
  for (const [nth, at] of special.flatMap((is, i) => (is ? [i] : [])).entries()) {
    whos[at] =
      nth % 2 === 0
        ? { external_id: `${newcomerStart}${'0'.repeat(counterDigits)}` }
        : { email: emailOf(chance.below(order.people)) }
  }
  const operators = chance.chosen(mix.attributes, mix.operators)
  const at = { events: mix.attributes, purchases: mix.attributes + mix.events }
  return {
    attributes: whos
      .slice(0, at.events)
      .map((who, i) => (operators[i] ? operatorsOf(chance, who) : attributesOf(chance, order, who))),
    events: whos.slice(at.events, at.purchases).map((who) => eventOf(chance, order, who)),
    purchases: whos.slice(at.purchases).map((who) => purchaseOf(chance, order, who)),
  }
}

function known(chance: Chance, order: BodyOrder): Who {
  return { external_id: externalIdOf(chance.below(order.people)) }
}

function attributesOf(chance: Chance, order: BodyOrder, who: Who): object {
  return {
    ...who,
    plan: chance.pick(plans),
    score: chance.below(1000),
    last_order: toSeconds(drawTime(chance, order.nowMs)),
    city: chance.pick(cities),
    active: chance.below(2) === 1,
  }
}

function operatorsOf(chance: Chance, who: Who): object {
  const score = chance.below(1000)
  switch (chance.below(3)) {
    case 0:
      return { ...who, score, visits: { inc: 1 + chance.below(3) } }
    case 1:
      return { ...who, score, tags: { add: [chance.pick(tags)] } }
    default:
      return { ...who, score, tags: { remove: [chance.pick(tags)] } }
  }
}

function eventOf(chance: Chance, order: BodyOrder, who: Who): object {
  const { name, timeMs, properties } = drawEvent(chance, order.nowMs)
  return { ...who, name, time: toMillis(timeMs), properties }
}

function purchaseOf(chance: Chance, order: BodyOrder, who: Who): object {
  return {
    ...who,
    product_id: productOf(chance.below(productCount)),
    currency: 'EUR',
    price: chance.below(20_000) / 100,
    quantity: 1 + chance.below(3),
    time: toMillis(drawTime(chance, order.nowMs)),
  }
}

/** Every event name and product a run uses, in bodies of the allowed size: a server that took them knows them all. */
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

function placesOf(bytes: Buffer, mark: string, offset: number): number[] {
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
