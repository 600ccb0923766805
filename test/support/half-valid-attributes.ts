import type { Random } from '../../bench/random.ts'
import {
  exportedNames,
  instructions,
  large,
  long,
  names,
  nested,
  oddNumbers,
  scalars,
  standardValues,
} from './half-valid-values.ts'
import { apps, groups, type Item } from './people.ts'

const attributesMax = 3
/** One of so many nested values is large: it costs as much as fifty others. */
const largeOneIn = 500

/** Returns attributes of an object that identifies a person as `who`. `unique` is in no other object. */
export function attributes(random: Random, who: Item, unique: string): Item {
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
  if (draw < 4) {
    const value = random.below(largeOneIn) === 0 ? large : random.pick<unknown>(nested)
    return [random.pick(['plan', 'score', 'tags', 'nested']), value]
  }
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

/** Returns an e-mail address or a phone number that no other person has, for a person that another member identifies. */
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

export function groupStates(random: Random): unknown {
  const { news, offers, alerts, bygone } = groups
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
    [state(news), state(bygone, 'subscribed')],
    [{ ...state(alerts), since: '2024-01-01' }],
    [{ ...state(alerts), use_double_opt_in_logic: random.pick<unknown>([true, false, 'maybe']) }],
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
    [{ ...token, notifications_enabled: random.pick<unknown>([true, null, 'false', 0, {}]) }],
    [{ ...token, os: 'ios' }],
    [{ ...token, device_id: 'short' }],
    [{ ...token, app_id: 'unknown' }],
    [token, { ...token, token: long(1025) }],
    [],
    null,
    'token',
  ])
}
