import type { Ask } from './admin.ts'
import type { Inbox } from './inbox.ts'
import type { WholeMail } from './types.ts'

/** What most tests ask of a profile. */
const usualFields = [
  'external_id',
  'email',
  'first_name',
  'last_name',
  'custom_attributes',
  'custom_events',
  'purchases',
]

/** A person by an external id. */
export class Person {
  readonly external_id: string
  readonly #ask: Ask
  readonly #inbox: Inbox

  constructor(external_id: string, ask: Ask, inbox: Inbox) {
    this.external_id = external_id
    this.#ask = ask
    this.#inbox = inbox
  }

  /** Sets fields and attributes, and creates the person if need be. */
  async set(attributes: Readonly<Record<string, unknown>>): Promise<this> {
    await this.#ask('POST', '/users/track', { attributes: [{ ...attributes, external_id: this.external_id }] })
    return this
  }

  /** Records an event, at the time of the emulator's clock unless `time` is given. */
  async event(name: string, properties?: object, time?: string): Promise<this> {
    const event = {
      external_id: this.external_id,
      name,
      time: time ?? (await this.#now()),
      ...(properties && { properties }),
    }
    await this.#ask('POST', '/users/track', { events: [event] })
    return this
  }

  /** Records a purchase, at the time of the emulator's clock unless `time` is given. */
  async purchase(product_id: string, price: number, more: Readonly<Record<string, unknown>> = {}): Promise<this> {
    const purchase = {
      product_id,
      price,
      currency: 'USD',
      time: await this.#now(),
      ...more,
      external_id: this.external_id,
    }
    await this.#ask('POST', '/users/track', { purchases: [purchase] })
    return this
  }

  /** Reads the profile; undefined when there is no such person. */
  async profile(fields: readonly string[] = usualFields): Promise<Readonly<Record<string, unknown>> | undefined> {
    const body = { external_ids: [this.external_id], fields_to_export: fields }
    return (await this.#ask<{ users: Record<string, unknown>[] }>('POST', '/users/export/ids', body)).users[0]
  }

  /** Returns the next mail to this person. */
  nextMail(options?: { readonly withinMs?: number }): Promise<WholeMail> {
    return this.#inbox.next({ external_id: this.external_id }, options)
  }

  async #now(): Promise<string> {
    return this.#inbox.now()
  }
}
