import { ago, hourMs, type Item } from '../support/people.ts'

export type Value = string | number | boolean | readonly Value[] | { readonly [key: string]: Value }

/** The identifier of an item: the external_id, or one of two addresses that no other person uses. */
export type Name = 'external_id' | 'first' | 'second'

export type Act =
  | { readonly kind: 'set'; readonly key: string; readonly value: Value | null }
  | { readonly kind: 'increase'; readonly key: string; readonly by: number }
  | {
      readonly kind: 'rearrange'
      readonly key: string
      readonly add: readonly number[]
      readonly remove: readonly number[]
    }
  | { readonly kind: 'merge'; readonly key: string; readonly value: { readonly [key: string]: Value } }
  | { readonly kind: 'name'; readonly first_name: string }
  | { readonly kind: 'move'; readonly to: 'first' | 'second' | null }
  | { readonly kind: 'event'; readonly event: string }
  | { readonly kind: 'purchase'; readonly product: string; readonly quantity: number }

export type Step = { readonly by: Name; readonly act: Act }

/** A profile as an export shows it. */
export type Shown = {
  external_id: string | null
  email: string | null
  first_name: string | null
  custom: { [key: string]: Value }
  events: { [name: string]: number }
  purchases: { [product: string]: number }
}

/** A simple model of one person and of all profiles that requests about this person create. */
export class Model {
  readonly external_id: string
  readonly profiles: Shown[] = []

  constructor(external_id: string) {
    this.external_id = external_id
  }

  email(which: 'first' | 'second'): string {
    return `${which}-${this.external_id}@example.com`
  }

  /** Returns the object of a track request for a step. */
  item({ by, act }: Step): Item {
    const who = by === 'external_id' ? { external_id: this.external_id } : { email: this.email(by) }
    switch (act.kind) {
      case 'set':
        return { ...who, [act.key]: act.value }
      case 'increase':
        return { ...who, [act.key]: { inc: act.by } }
      case 'rearrange':
        return { ...who, [act.key]: { add: act.add, remove: act.remove } }
      case 'merge':
        return { ...who, _merge_objects: true, [act.key]: act.value }
      case 'name':
        return { ...who, first_name: act.first_name }
      case 'move':
        return { ...who, email: act.to === null ? null : this.email(act.to) }
      case 'event':
        return { ...who, name: act.event, time: ago(hourMs) }
      case 'purchase':
        return {
          ...who,
          product_id: act.product,
          quantity: act.quantity,
          currency: 'EUR',
          price: 1,
          time: ago(hourMs),
        }
    }
  }

  apply({ by, act }: Step): void {
    const profile = this.#named(by)
    const { custom } = profile
    const current = 'key' in act ? custom[act.key] : undefined
    switch (act.kind) {
      case 'set':
        if (act.value === null) delete custom[act.key]
        else custom[act.key] = act.value
        break
      case 'increase':
        if (current === undefined || typeof current === 'number') custom[act.key] = (current ?? 0) + act.by
        break
      case 'rearrange':
        this.#rearrange(custom, act.key, act.add, act.remove)
        break
      case 'merge':
        custom[act.key] = isObject(current) ? merged(current, act.value) : act.value
        break
      case 'name':
        profile.first_name = act.first_name
        break
      case 'move':
        profile.email = act.to === null ? null : this.email(act.to)
        break
      case 'event':
        profile.events[act.event] = (profile.events[act.event] ?? 0) + 1
        break
      case 'purchase':
        profile.purchases[act.product] = (profile.purchases[act.product] ?? 0) + act.quantity
    }
  }

  /** Returns the profile with an external_id before the one without. An address has at most one of each. */
  #named(by: Name): Shown {
    const email = by === 'external_id' ? null : this.email(by)
    const candidates = this.profiles.filter((one) => (email === null ? one.external_id !== null : one.email === email))
    const known = candidates.find((one) => one.external_id !== null) ?? candidates[0]
    if (known) return known
    const made = {
      external_id: email === null ? this.external_id : null,
      email,
      first_name: null,
      custom: {},
      events: {},
      purchases: {},
    }
    this.profiles.push(made)
    return made
  }

  #rearrange(custom: Shown['custom'], key: string, add: readonly number[], remove: readonly number[]): void {
    const current = custom[key] ?? (add.length > 0 ? [] : undefined)
    if (!Array.isArray(current)) return
    const items = [...current.filter((item) => !add.includes(item as number)), ...add]
    custom[key] = items.filter((item) => !remove.includes(item as number))
  }
}

function isObject(value: Value | undefined): value is { readonly [key: string]: Value } {
  return typeof value === 'object' && !Array.isArray(value)
}

function merged(current: { readonly [key: string]: Value }, change: { readonly [key: string]: Value }): Value {
  const result: { [key: string]: Value } = { ...current }
  for (const [key, value] of Object.entries(change)) {
    const before = result[key]
    result[key] = isObject(before) && isObject(value) ? merged(before, value) : value
  }
  return result
}
