import type { Random } from '../../bench/random.ts'
import { apps, groups } from '../support/people.ts'
import {
  exportedNames,
  instructions,
  long,
  moments,
  names,
  nested,
  oddNumbers,
  raw,
  scalars,
  standardValues,
} from './unnamed-values.ts'

export type Item = Readonly<Record<string, unknown>>
export type ArrayName = 'attributes' | 'events' | 'purchases'
export type Step = { readonly array: ArrayName; readonly item: unknown }

/** Requests about one person, each a list of objects. */
export type Program = {
  readonly index: number
  /** The members that identify the person. */
  readonly who: Item
  readonly requests: readonly (readonly Step[])[]
}

const stepsMax = 4
const requestsMax = 3
const attributesMax = 3
const identifierWords = ['external_id', 'user_alias', 'email', 'phone'] as const

/** Returns the program of this index: a few requests about a person who is in no other program. */
export function programOf(random: Random, index: number): Program {
  const who = person(random, index)
  const requests = Array.from({ length: 1 + random.below(requestsMax) }, (_, request) =>
    Array.from({ length: 1 + random.below(stepsMax) }, (_, step) => stepOf(random, who, `${index}-${request}-${step}`)),
  )
  return { index, who, requests }
}

function person(random: Random, index: number): Item {
  switch (random.pick(['external_id', 'external_id', ...identifierWords])) {
    case 'external_id':
      return {
        external_id: random.pick([
          `u-${index}`,
          7_000_000 + index,
          `ü 🦊 ${index}`,
          `${long(900)}${index}`,
          ` u ${index} `,
        ]),
      }
    case 'user_alias':
      return { user_alias: { alias_label: 'shop', alias_name: `a-${index}` }, _update_existing_only: false }
    case 'email':
      return { email: random.pick([`U-${index}@Example.com`, `ü+${index}@exämple.com`, `o'x_${index}@a-b.example`]) }
    default:
      return { phone: random.pick([`+1555${digits(index)}`, `+1 (555) ${digits(index)}`]) }
  }
}

function digits(index: number): string {
  return String(index).padStart(8, '0')
}

function stepOf(random: Random, who: Item, unique: string): Step {
  const array = random.pick(['attributes', 'attributes', 'events', 'purchases'] as const)
  if (random.below(40) === 0) return { array, item: random.pick<unknown>([null, 7, 'text', [], {}]) }
  const named = random.below(25) === 0 ? twice(random, who) : who
  if (array === 'attributes') return { array, item: { ...named, ...attributes(random, named, unique) } }
  return { array, item: { ...named, ...(array === 'events' ? event(random) : purchase(random)) } }
}

/** Returns an identifier that no object may have, or with members that it does not have. */
function twice(random: Random, who: Item): Item {
  return random.pick([
    { external_id: 'one', user_alias: { alias_name: 'two', alias_label: 'shop' } },
    { external_id: {} },
    { external_id: long(988) },
    { external_id: 'a\u0000b' },
    { user_alias: { alias_name: 'two' } },
    { email: 'no address' },
    { phone: '110' },
    { ...who, _update_existing_only: 'maybe' },
  ])
}

function attributes(random: Random, who: Item, unique: string): Item {
  const own: Record<string, unknown> = random.below(6) === 0 ? { _merge_objects: true } : {}
  for (let i = 1 + random.below(attributesMax); i > 0; i--) {
    const [key, value] = attribute(random, who, unique)
    // A plain assignment would set the prototype.
    Object.defineProperty(own, key, { value, enumerable: true, configurable: true, writable: true })
  }
  return own
}

function attribute(random: Random, who: Item, unique: string): [string, unknown] {
  const draw = random.below(20)
  if (draw < 4) return [random.pick(['plan', 'score', 'tags', 'nested']), random.pick<unknown>(nested)]
  if (draw < 7) return [random.pick(['score', 'tags', 'plan']), random.pick<unknown>(instructions)]
  if (draw === 7) return [nameOf(random), random.pick<unknown>(oddNumbers)]
  if (draw === 8) return address(random, who, unique)
  if (draw === 9) return ['subscription_groups', groupStates(random)]
  if (draw === 10) return ['push_tokens', tokens(random, unique)]
  if (draw === 11) return [random.pick(exportedNames), random.pick<unknown>(scalars)]
  if (draw < 15) return standard(random)
  return [nameOf(random), random.pick<unknown>(scalars)]
}

function nameOf(random: Random): string {
  return random.pick(names)
}

function standard(random: Random): [string, unknown] {
  const key = random.pick(Object.keys(standardValues))
  return [key, random.pick(standardValues[key]!)[0]]
}

/** Returns an e-mail address or a phone number that no other person has, for a person whom another member identifies. */
function address(random: Random, who: Item, unique: string): [string, unknown] {
  if ('email' in who || 'phone' in who) return ['plan', 'no address']
  return random.pick<[string, unknown]>([
    ['email', `M-${unique}@Example.com`],
    ['email', `ñ-${unique}@пример.com`],
    ['email', `m-${unique}@@example.com`],
    ['email', 7],
    ['email', null],
    ['phone', `+1 666 ${unique.replaceAll('-', '').padStart(8, '0')}`],
    ['phone', `ask ${unique}`],
    ['phone', null],
  ])
}

function groupStates(random: Random): unknown {
  const { news, offers, alerts } = groups
  const state = (group: { id: string }, subscription_state: unknown = 'unsubscribed') => ({
    subscription_group_id: group.id,
    subscription_state,
  })
  return random.pick<unknown>([
    [state(news), state(alerts, 'subscribed')],
    [state(offers, 'subscribed')],
    [state({ id: news.id.toUpperCase() }, 'subscribed')],
    [state(offers), state(offers, 'subscribed')],
    [state(news), state({ id: '00000000-0000-4000-8000-000000000000' })],
    [state(news, 'maybe')],
    [state(news, null)],
    [],
    {},
    null,
    'news',
  ])
}

function tokens(random: Random, unique: string): unknown {
  const token = { app_id: apps.phone.id, token: `token-${unique}` }
  return random.pick<unknown>([
    [token],
    [{ ...token, device_id: `device-${unique}`, notifications_enabled: false }],
    [{ ...token, device_id: 'short' }],
    [{ ...token, app_id: 'unknown' }],
    [token, { ...token, token: long(1025) }],
    [],
    null,
    'token',
  ])
}

const properties: readonly unknown[] = [
  undefined,
  null,
  {},
  { size: 3, 'a b': [null, { $x: long(300) }], at: '2024-02-29' },
  { size: oddNumbers },
  { time: 1 },
  raw('{"__proto__": 1, "size": 3}'),
  [],
  'text',
]
function event(random: Random): Item {
  return {
    name: random.pick<unknown>(['visited', 'visited', 'Viewed 🦊', ' spaced ', long(255), long(256), '', 7]),
    ...shared(random),
  }
}

function purchase(random: Random): Item {
  const quantity = random.pick<unknown>([undefined, undefined, 1, 3, 100, 101, 0, 1.5, '2'])
  return {
    product_id: random.pick<unknown>(['tea', 'tea', 42, long(255), long(256), oddNumbers[3], null]),
    currency: random.pick<unknown>(['EUR', 'eur', 'JPY', 'XYZ', 978]),
    price: random.pick<unknown>([
      4.5,
      0,
      -3,
      raw('1.50'),
      raw('1e2'),
      0.1,
      1e-7,
      ...oddNumbers,
      '4.5',
      null,
      raw('1e400'),
    ]),
    ...(quantity !== undefined && { quantity }),
    ...shared(random),
  }
}

function shared(random: Random): Item {
  const own: Record<string, unknown> = { time: random.pick(moments)[0] }
  if (random.below(2) === 0) own.properties = random.pick(properties)
  if (random.below(4) === 0) own.app_id = random.pick<unknown>([apps.phone.id, 'undeclared', null, 7, {}])
  if (random.below(6) === 0) own[random.pick(['size', 'price ', 'Name'])] = random.pick<unknown>([1, null, { a: 1 }])
  return own
}
