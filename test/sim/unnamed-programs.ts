import type { Random } from '../../bench/random.ts'
import { attributes } from '../support/half-valid-attributes.ts'
import { long, moments, oddNumbers, raw } from '../support/half-valid-values.ts'
import { type ArrayName, apps, type Item } from '../support/people.ts'

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
