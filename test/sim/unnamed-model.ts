import { isDeepStrictEqual } from 'node:util'
import { moments, standardValues } from '../support/half-valid-values.ts'
import type { ArrayName, Item } from '../support/people.ts'

/** A person in the lines of a backup. */
export type Shown = {
  readonly profile: Item
  readonly custom: Item
  readonly groups: readonly Item[]
  readonly push_tokens: readonly Item[]
  readonly events: readonly Item[]
  readonly purchases: readonly Item[]
}

/** Returns whether an answer names a member of the object, or a part of the member. */
export type Named = (member: string) => boolean

/** The value of a member that an answer has named: it may be anything. */
const anything = Symbol('anything')

const notKept = new Set(['external_id', 'user_alias', '_update_existing_only', '_merge_objects'])
const occurrenceMembers = { events: ['name'], purchases: ['product_id', 'currency', 'price', 'quantity'] } as const
const sharedMembers = [
  'external_id',
  'user_alias',
  'email',
  'phone',
  '_update_existing_only',
  'time',
  'app_id',
  'properties',
]
const arrayItemsMax = 500
/** Values that a backup leaves out. */
const blanks: readonly unknown[] = [undefined, null, false, 'subscribed']

/**
 * What must be found of a person: every member of every object that an answer counted, unless the answer named the member. A member that
 * was sent several times has its last value.
 *
 * Two losses need no notice, because they depend on what is stored and are known only after the answer was prepared: an instruction that
 * does not fit the stored value or would leave the safe integers, and what `add` moves out of an array of 500 items.
 */
export class Expected {
  /** The members by which the person is identified. */
  readonly #who: Item
  readonly #custom = new Map<string, unknown>()
  readonly #standard = new Map<string, unknown>()
  readonly #groups = new Map<string, unknown>()
  readonly #tokens = new Map<string, Item>()
  readonly #history: Record<'events' | 'purchases', Item[]> = { events: [], purchases: [] }
  readonly #unnamed: string[] = []
  #isCreated = false

  constructor(who: Item) {
    this.#who = who
  }

  get isCreated(): boolean {
    return this.#isCreated
  }

  /** Takes an object that an answer counts as processed. */
  take(array: ArrayName, item: Item, named: Named): void {
    this.#isCreated = true
    if (array === 'attributes') this.#takeAttributes(item, named)
    else this.#takeOccurrence(array, item, named)
  }

  /** Returns what is missing without having been named, as sentences. */
  missingIn(shown: Shown): string[] {
    return [
      ...this.#unnamed,
      ...this.#missingAttributes(shown),
      ...this.#missingRows(shown),
      ...(['events', 'purchases'] as const).flatMap((array) => this.#missingHistory(array, shown)),
    ]
  }

  #takeAttributes(item: Item, named: Named): void {
    for (const [key, value] of Object.entries(item)) {
      if (notKept.has(key) || (key in this.#who && (key === 'email' || key === 'phone'))) continue
      const isNamed = named(key)
      if (key === 'subscription_groups' || key === 'push_tokens') {
        // A value that is no list must be named as a whole.
        this.#takeRows(key, (Array.isArray(value) ? value : []) as readonly Item[], isNamed)
      } else if (key === 'email' || key === 'phone' || Object.hasOwn(standardValues, key)) {
        if (isNamed) this.#standard.set(key, anything)
        else this.#takeStandard(key, value)
      } else if (isNamed) this.#custom.set(key, anything)
      else this.#takeCustom(key, value, item._merge_objects === true)
    }
  }

  #takeRows(key: 'subscription_groups' | 'push_tokens', rows: readonly Item[], isNamed: boolean): void {
    for (const row of rows) {
      if (key === 'push_tokens') this.#tokens.set(String(row.token), isNamed ? { token: row.token } : row)
      else {
        const state = isNamed ? anything : row.subscription_state
        this.#groups.set(String(row.subscription_group_id).toLowerCase(), state)
      }
    }
  }

  #takeStandard(key: string, value: unknown): void {
    if (key === 'email') this.#standard.set(key, (value as string | null)?.toLowerCase())
    else if (key === 'phone') this.#standard.set(key, numberOf(value))
    else {
      const [, kept] = standardValues[key]!.find(([sent]) => isDeepStrictEqual(wire(sent), value)) ?? []
      if (kept === undefined) this.#unnamed.push(`the answer names ${key}, which cannot be kept as ${textOf(value)}`)
      this.#standard.set(key, kept === undefined ? anything : wire(kept))
    }
  }

  #takeCustom(key: string, value: unknown, merging: boolean): void {
    const current = this.#custom.get(key)
    const stored = withTimes(value)
    if (value === null) this.#custom.delete(key)
    else if (isInstruction(value)) {
      if (current !== anything) this.#set(key, instructed(current, value, merging))
    } else if (merging && isObject(stored) && current === anything) return
    else this.#set(key, merging && isObject(stored) && isObject(current) ? merged(current, stored) : stored)
  }

  #set(key: string, value: unknown): void {
    if (value !== undefined) this.#custom.set(key, value)
  }

  #takeOccurrence(array: 'events' | 'purchases', item: Item, named: Named): void {
    const { time, properties, app_id = null } = item
    const known: readonly string[] = [...sharedMembers, ...occurrenceMembers[array]]
    for (const [key, value] of Object.entries(item)) {
      if (known.includes(key) || value === null || named(key)) continue
      this.#unnamed.push(`the answer names ${key}, which ${array} do not have`)
    }
    const [, moment] = moments.find(([sent]) => isDeepStrictEqual(sent, time)) ?? []
    const isEmpty = !isObject(properties) || Object.keys(properties).length === 0
    const shared = {
      time: named('time') ? anything : moment,
      properties: named('properties') ? anything : isEmpty ? null : properties,
      app_id: app_id === null ? null : String(app_id),
    }
    if (array === 'events') this.#history.events.push({ name: item.name, ...shared })
    else {
      const { product_id, currency, price, quantity } = item
      const code = String(currency).toUpperCase()
      const product = String(product_id)
      const amount = named('price') ? anything : price
      this.#history.purchases.push({
        product_id: product,
        currency: code,
        price: amount,
        quantity: quantity ?? 1,
        ...shared,
      })
    }
  }

  #missingAttributes({ profile, custom }: Shown): string[] {
    const standard = [...this.#standard].filter(([key, value]) => value !== anything && !isShown(profile, key, value))
    const own = [...this.#custom].filter(([key, value]) => value !== anything && !isDeepStrictEqual(custom[key], value))
    const more = Object.keys(custom).filter((key) => !this.#custom.has(key))
    return [
      ...standard.map(([key, value]) => `${key} is ${textOf(profile[key])}, not ${textOf(value)}`),
      ...own.map(([key, value]) => `${key} is ${textOf(custom[key])}, not ${textOf(value)}`),
      ...more.map((key) => `${key} is ${textOf(custom[key])}, which was not sent or was removed`),
    ]
  }

  #missingRows({ groups, push_tokens }: Shown): string[] {
    const states = new Map(groups.map(({ group_id, state }) => [group_id, state]))
    const tokens = new Map(push_tokens.map((row) => [row.token, row]))
    return [
      ...[...this.#groups].flatMap(([id, state]) =>
        state === anything || states.get(id) === state
          ? []
          : [`group ${id} is ${textOf(states.get(id))}, not ${textOf(state)}`],
      ),
      ...[...this.#tokens].flatMap(([token, sent]) =>
        hasToken(tokens.get(token), sent) ? [] : [`token ${token} is ${textOf(tokens.get(token))}`],
      ),
    ]
  }

  #missingHistory(array: 'events' | 'purchases', shown: Shown): string[] {
    const left = [...shown[array]]
    // What must be equal finds its row first.
    const missing = this.#history[array].toSorted(byFreedom).filter((sent) => {
      const at = left.findIndex((row) => Object.entries(sent).every(([key, value]) => isSame(row[key] ?? null, value)))
      if (at >= 0) left.splice(at, 1)
      return at < 0
    })
    return [
      ...missing.map((row) => `${array} have no ${textOf(row)}`),
      ...left.map((row) => `${array} have ${textOf(row)}, which was not sent so`),
    ]
  }
}

function byFreedom(a: Item, b: Item): number {
  const freedom = (one: Item) => Object.values(one).filter((value) => value === anything).length
  return freedom(a) - freedom(b)
}

function isSame(found: unknown, expected: unknown): boolean {
  return expected === anything || isDeepStrictEqual(found, expected)
}

/** Returns whether a profile has a standard field. A place is kept in two columns. */
function isShown(profile: Item, key: string, value: unknown): boolean {
  const { longitude, latitude } = profile
  const found = key !== 'current_location' ? profile[key] : longitude === undefined ? null : { longitude, latitude }
  return blanks.includes(value) ? blanks.includes(found) : isDeepStrictEqual(found, value)
}

/** A token that an answer has named may have lost its members, but it is there. */
function hasToken(found: Item | undefined, { app_id, device_id, notifications_enabled }: Item): boolean {
  if (app_id === undefined) return found !== undefined
  if (found?.app_id !== app_id || found?.notifications_enabled !== (notifications_enabled ?? true)) return false
  return device_id === undefined || found?.device_id === device_id
}

/** A text that is a phone number is kept without what people write between digits, any other text as it is. */
function numberOf(value: unknown): unknown {
  const bare = String(value).replaceAll(/[ ()-]/g, '')
  return value !== null && /^\+\d+$/.test(bare) ? bare : value
}

function isObject(value: unknown): value is Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isDecimal(value)
}

function isDecimal(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'decimal' in value
}

const arrayWords = ['add', 'remove', '$add', '$remove', '$update']

function isInstruction(value: unknown): value is Item {
  if (!isObject(value)) return false
  const entries = Object.entries(value)
  if (entries.length === 1 && 'inc' in value) return typeof value.inc !== 'object'
  return entries.length > 0 && entries.every(([key, list]) => arrayWords.includes(key) && Array.isArray(list))
}

/** Returns the value after an instruction that no answer has named; undefined when there is none. A value of another kind stays. */
function instructed(current: unknown, { inc, ...lists }: Item, merging: boolean): unknown {
  if (inc !== undefined) {
    if (current !== undefined && typeof current !== 'number') return isDecimal(current) ? anything : current
    const sum = (current ?? 0) + (inc as number)
    return Number.isSafeInteger(Math.trunc(sum)) ? sum : anything
  }
  const [add, remove] = [
    ['add', '$add'],
    ['remove', '$remove'],
  ].map((words) => words.flatMap((word) => (lists[word] ?? []) as unknown[])) as [unknown[], unknown[]]
  const before = current ?? (add.length > 0 ? [] : undefined)
  if (!Array.isArray(before)) return current
  const isRemoved = (item: unknown) => remove.some((one) => (isObject(one) ? isSelected(item, one) : one === item))
  const left = [...before.filter((item) => !add.includes(item)), ...add].filter((item) => !isRemoved(item))
  const updates = (lists.$update ?? []) as Item[]
  const items = updates.reduce<unknown[]>((list, update) => list.map((item) => updated(item, update, merging)), left)
  return items.length > arrayItemsMax && !items.some((item) => typeof item === 'object')
    ? items.slice(-arrayItemsMax)
    : items
}

function isSelected(item: unknown, { $identifier_key: key, $identifier_value: value }: Item): boolean {
  return isObject(item) && Object.hasOwn(item, String(key)) && item[String(key)] === value
}

function updated(item: unknown, update: Item, merging: boolean): unknown {
  if (!isSelected(item, update)) return item
  const { $new_object } = update
  return merging ? merged(item as Item, $new_object as Item) : $new_object
}

function merged(current: Item, change: Item): Item {
  const result: Record<string, unknown> = { ...current }
  for (const [key, value] of Object.entries(change)) {
    const before = result[key]
    result[key] = isObject(before) && isObject(value) ? merged(before, value) : value
  }
  return result
}

/** Replaces `{"$time": "<date>"}` by the date, as it is documented. */
function withTimes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withTimes)
  if (!isObject(value)) return value
  if (Object.keys(value).length === 1 && typeof value.$time === 'string') return value.$time
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withTimes(inner)]))
}

/** Returns a value as it is read from JSON. */
function wire(value: unknown): unknown {
  return value === undefined ? undefined : parse(JSON.stringify(value))
}

/** Parses JSON. A number that is no double becomes its digits with an exponent; zero has no sign. */
export function parse(text: string): unknown {
  return JSON.parse(text, exact as Parameters<typeof JSON.parse>[1])
}

function exact(_key: string, value: unknown, { source = '' }: { source?: string } = {}): unknown {
  if (typeof value !== 'number') return value
  const sent = decimalOf(source)
  return sent === decimalOf(String(value)) ? value + 0 : { decimal: sent }
}

const decimal = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i

/** Returns the digits of a number without zeros at either end, and its exponent. */
function decimalOf(source: string): string {
  const [, sign, whole = '', fraction = '', exponent = '0'] = decimal.exec(source) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  const bare = digits.replace(/0+$/, '')
  return bare === '' ? '0' : `${sign}${bare}e${Number(exponent) - fraction.length + digits.length - bare.length}`
}

export function textOf(value: unknown): string {
  const text = JSON.stringify(value) ?? 'absent'
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}
