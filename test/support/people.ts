import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { type Database, type Service, type ServiceOptions, startService } from './harness.ts'

export type ArrayName = 'attributes' | 'events' | 'purchases'

export type ErrorEntry = { readonly type: string; readonly input_array?: ArrayName; readonly index?: number }

export type NoticeEntry = {
  readonly index?: number
  readonly input_array?: string
  readonly member: string
  readonly reason: string
}

/** One object of a track request, with any members. */
export type Item = Readonly<Record<string, unknown>>

export type TrackBody = { readonly [array in ArrayName]?: readonly unknown[] }

/** An exported record: any of its fields may be absent. */
export type Exported = {
  readonly external_id?: string
  readonly service_id?: string
  readonly email?: string
  readonly phone?: string
  readonly random_bucket?: number
  readonly created_at?: string
  readonly custom_attributes?: Readonly<Record<string, unknown>>
  readonly custom_events?: readonly Summary[]
  readonly purchases?: readonly Summary[]
  readonly user_aliases?: readonly Alias[]
  readonly push_tokens?: readonly Readonly<Record<string, unknown>>[]
  readonly [field: string]: unknown
}

export type Summary = { readonly name: string; readonly first: string; readonly last: string; readonly count: number }

export type Alias = { readonly alias_name: string; readonly alias_label: string }

type Received = Awaited<ReturnType<Service['post']>>

/** An answer of the service: JSON with a message for every status. */
export type Answer = Omit<Received, 'body'> & { readonly body: AnswerBody }

export type AnswerBody = {
  readonly message: string
  readonly attributes_processed?: number
  readonly events_processed?: number
  readonly purchases_processed?: number
  readonly errors?: readonly ErrorEntry[]
  readonly details?: readonly unknown[]
  readonly notices?: readonly NoticeEntry[]
  readonly further_notices?: number
  readonly error?: unknown
  readonly users?: readonly Exported[]
  readonly invalid_user_ids?: readonly unknown[]
  readonly total_count?: number
  readonly deleted?: number
  readonly aliases_processed?: number
  readonly emails_processed?: number
  readonly phone_numbers_processed?: number
  readonly rename_errors?: readonly NameError[]
  readonly external_ids?: readonly Item[]
  readonly removed_ids?: readonly string[]
  readonly removal_errors?: readonly NameError[]
}

export type NameError = { readonly type: string; readonly input_array: string; readonly index: number }

/** A work item in the form of `GET /admin/work`. */
export type WorkEntry = {
  readonly request_id: string
  readonly position: number
  readonly kind: string
  readonly state: string
  readonly outcome: string | null
  readonly asked: Item | null
  readonly kept: string | null
  readonly merged: string | null
  readonly accepted_at: string
  readonly finished_at: string | null
  readonly sentence: string
  readonly family: string
  readonly actions: readonly string[]
}

export type WorkPage = {
  readonly work: readonly WorkEntry[]
  readonly counts: Readonly<Record<string, number>>
  readonly cursor?: string
}

export const texts = {
  nothingValid: "Valid data must be provided in the 'attributes', 'events', or 'purchases' fields.",
  tooMany: 'Max Input Length Exceeded',
  reserved: 'provided external_id is blacklisted and disallowed',
  required: "'external_id', 'service_id', 'user_alias', 'email' or 'phone' is required",
  onlyOne: "You must specify only one of 'external_id', 'user_alias' or 'service_id'",
  tooLong: "'external_id' must be fewer than 988 bytes",
  badEmail: "The value provided for the 'email' field is not a valid email.",
  emailSubscribe: "'email_subscribe' must be 'subscribed', 'unsubscribed', or 'opted_in'",
  pushSubscribe: "'push_subscribe' must be 'subscribed', 'unsubscribed', or 'opted_in'",
  currency: "'currency' must be an ISO 4217 currency",
  quantity: "'quantity' is not valid",
  deviceId: "token import with 'device_id' must have a device_id less than 255 bytes and at least 8 bytes",
  properties: "Invalid 'properties' field",
  notAnObject: 'Each item must be an object',
  tooManyIds: 'The max number of ids per request was exceeded',
}

export const groups = {
  news: { id: '0b6e0a1c-4d5e-4c2f-9a51-1f2d3c4b5a69', name: 'News', channel: 'email' },
  offers: { id: '1c7f1b2d-5e6f-4d30-8b62-2a3e4d5c6b7a', name: 'Offers', channel: 'email' },
  alerts: { id: '2d802c3e-6f70-4e41-9c73-3b4f5e6d7c8b', name: 'Alerts', channel: 'sms' },
  bygone: { id: '3e913d4f-7081-4f52-8d84-4c506f7e8d9c', name: 'Bygone', channel: 'email', archived: true },
} as const

export const apps = {
  phone: { id: 'app-phone', name: 'Phone app', platform: 'ios' },
  tablet: { id: 'app-tablet', name: 'Tablet app', platform: 'android' },
} as const

export const reservedIds = ['dummy-user', '424242'] as const

export const workspace = {
  // Another test covers the limit of 250 exports a minute.
  settings: { rate_limits: { export_ids: 'unlimited' }, reserved_external_ids: reservedIds },
  apps: Object.values(apps),
  subscription_groups: Object.values(groups),
}

let made = 0

/** Returns a word that is unique in this run. */
export function newId(word = 'person'): string {
  made += 1
  return `${word}-${made}`
}

export function newEmail(): string {
  return `${newId('mail')}@example.com`
}

export function newPhone(): string {
  made += 1
  return `+1555${String(made).padStart(7, '0')}`
}

export function newAlias(label = 'shop'): Alias {
  return { alias_name: newId('alias'), alias_label: label }
}
const secondMs = 1000
/** Accepted work is done within a second on an idle machine. A busy machine gets more time. */
const settledMsMax = 60 * secondMs
/** A poll costs as much as the work itself. */
const settledPauseMsMax = 80
export const hourMs = 3600 * secondMs
export const dayMs = 24 * hourMs

/** Returns the time this many milliseconds ago, in whole seconds, in the form of an export. */
export function ago(ms: number): string {
  return new Date(Math.floor((Date.now() - ms) / secondMs) * secondMs).toISOString()
}

export function event(who: Item, more: Item = {}): Item {
  return { ...who, name: 'visited', time: ago(hourMs), ...more }
}

export function purchase(who: Item, more: Item = {}): Item {
  return { ...who, product_id: 'tea', currency: 'EUR', price: 4.5, time: ago(hourMs), ...more }
}

/** Returns whether a time is now, within the difference between the clocks of this machine and the database server. */
export function isNow(time: string): boolean {
  return Math.abs(Date.parse(time) - Date.now()) < 5 * secondMs
}

/** Returns `count` values, each made from its index. */
export function many<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

/** A client of a service, over HTTP only. */
export class People {
  #service: Service | undefined

  get service(): Service {
    assert.ok(this.#service, 'the service runs')
    return this.#service
  }

  async start(options: ServiceOptions): Promise<void> {
    this.#service = await startService({ workspace, ...options })
  }

  async stop(): Promise<void> {
    await this.#service?.[Symbol.asyncDispose]()
  }

  /** Sends a body: text unchanged, anything else as JSON. */
  async send(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return withMessage(await this.service.post(path, body, { headers }))
  }

  /** Sends a request that must be refused with this text. `detail` is the only entry of `details`. */
  async refused(path: string, body: unknown, message: string, detail?: string): Promise<void> {
    const { status, body: answer } = await this.send(path, body)
    const refusal = { message, ...(detail !== undefined && { details: [detail] }) }
    assert.deepEqual([status, answer], [400, refusal], JSON.stringify(body))
  }

  /** Sends a request that must be refused because of these items of a list. The message is the reason of the first. */
  async refusedItems(path: string, body: unknown, type: string, input_array: string, indexes: number[]): Promise<void> {
    const answer = await this.send(path, body)
    assert.equal(answer.status, 400, `${JSON.stringify(body).slice(0, 200)}: ${answer.text}`)
    assert.deepEqual(answer.body, { message: type, details: indexes.map((index) => ({ type, input_array, index })) })
  }

  async get(path: string): Promise<Answer> {
    return withMessage(await this.service.get(path))
  }

  track(body: TrackBody | string): Promise<Answer> {
    return this.send('/users/track', body)
  }

  /** Sends a track request that must be accepted completely. */
  async accept(body: TrackBody): Promise<void> {
    const answer = await this.track(body)
    assert.equal(answer.status, 201, answer.text)
    assert.equal(answer.body.errors, undefined, answer.text)
  }

  set(...attributes: Item[]): Promise<void> {
    return this.accept({ attributes })
  }

  happen(...events: Item[]): Promise<void> {
    return this.accept({ events })
  }

  buy(...purchases: Item[]): Promise<void> {
    return this.accept({ purchases })
  }

  /** Sends one object, which must be refused. Returns the text of the refusal. */
  async refusal(array: ArrayName, item: unknown): Promise<string> {
    return this.#refused(array, await this.track({ [array]: [item] }))
  }

  /** Does the same for JSON text that no JavaScript value produces. */
  async refusalOfText(array: ArrayName, text: string): Promise<string> {
    return this.#refused(array, await this.track(`{"${array}":[${text}]}`))
  }

  #refused(array: ArrayName, { status, text, body }: Answer): string {
    assert.deepEqual([status, body.message], [400, texts.nothingValid], text)
    const [entry] = body.errors ?? []
    assert.deepEqual(body.errors, [{ type: entry?.type, input_array: array, index: 0 }])
    assert.equal(typeof entry?.type, 'string')
    return entry?.type ?? ''
  }

  export(body: Item): Promise<Answer> {
    return this.send('/users/export/ids', body)
  }

  /** Returns the people that an export finds. */
  async find(who: Item, fields: readonly string[] = everyField): Promise<readonly Exported[]> {
    const { status, text, body } = await this.export({ ...who, fields_to_export: fields })
    assert.equal(status, 201, text)
    assert.ok(body.users, text)
    return body.users
  }

  /** Exports the person with this external_id; there must be exactly one. */
  async person(external_id: string, fields: readonly string[] = everyField): Promise<Exported> {
    return only(await this.find({ external_ids: [external_id] }, fields))
  }

  async custom(external_id: string): Promise<Readonly<Record<string, unknown>>> {
    const { custom_attributes } = await this.person(external_id, ['custom_attributes'])
    assert.ok(custom_attributes)
    return custom_attributes
  }

  /** Merges one person into another. Returns the finished work item. */
  async merge(identifier_to_merge: Item, identifier_to_keep: Item): Promise<WorkEntry> {
    const answer = await this.send('/users/merge', { merge_updates: [{ identifier_to_merge, identifier_to_keep }] })
    assert.equal(answer.status, 202, answer.text)
    return only(await this.done(answer))
  }

  /** Deletes a person. Returns the finished work items. */
  async delete(asked: Item): Promise<readonly WorkEntry[]> {
    const answer = await this.send('/users/delete', asked)
    assert.equal(answer.status, 201, answer.text)
    return this.done(answer)
  }

  /** Waits for the results of an accepted request. Returns them in the order of its items. */
  async done({ headers }: Answer): Promise<readonly WorkEntry[]> {
    let found: readonly WorkEntry[] = []
    await inTime(async () => {
      found = (await this.work(`request_id=${headers['x-request-id']}&limit=100`)).work
      return found.filter(({ state }) => state !== 'done')
    })
    return found.toSorted((a, b) => a.position - b.position)
  }

  async work(query = ''): Promise<WorkPage> {
    return (await this.service.admin('GET', `/admin/work?${query}`)).body
  }

  /** Waits until all accepted work is done, in the default workspace unless another is named. */
  async settled(workspace?: string): Promise<void> {
    const where = workspace === undefined ? '' : `&workspace=${workspace}`
    await inTime(async () => {
      // The order matters: work that is no longer counted as waiting is either being processed or done.
      const waiting = await this.work(`state=waiting&limit=1${where}`)
      const moving = await this.work(`state=moving&limit=1${where}`)
      return [...waiting.work, ...moving.work]
    })
  }

  async eventsOf(external_id: string): Promise<readonly Summary[]> {
    return (await this.person(external_id, ['custom_events'])).custom_events ?? []
  }

  async purchasesOf(external_id: string): Promise<readonly Summary[]> {
    return (await this.person(external_id, ['purchases'])).purchases ?? []
  }
}

/** Starts a service for the tests of one suite, in a workspace with a few apps and groups. */
export function peopleOf(database: Database, options: Omit<ServiceOptions, 'database'> = {}): People {
  const people = new People()
  before(() => people.start({ ...options, database }))
  after(() => people.stop())
  return people
}

export function only<T>(list: readonly T[]): T {
  assert.equal(list.length, 1, `one expected: ${JSON.stringify(list)}`)
  return list[0]!
}

/** Every field that an export can return. */
export const everyField = [
  'apps',
  'attributed_campaign',
  'attributed_source',
  'attributed_adgroup',
  'attributed_ad',
  'service_id',
  'campaigns_received',
  'canvases_received',
  'cards_clicked',
  'country',
  'created_at',
  'custom_attributes',
  'custom_events',
  'devices',
  'dob',
  'email',
  'email_subscribe',
  'external_id',
  'first_name',
  'gender',
  'home_city',
  'language',
  'last_coordinates',
  'last_name',
  'phone',
  'purchases',
  'push_subscribe',
  'push_tokens',
  'random_bucket',
  'time_zone',
  'total_revenue',
  'uninstalled_at',
  'user_aliases',
] as const

/** Polls until no accepted work is left. */
async function inTime(listLeft: () => Promise<readonly WorkEntry[]>): Promise<void> {
  const givenUpAt = performance.now() + settledMsMax
  for (let pauseMs = 5; ; pauseMs = Math.min(2 * pauseMs, settledPauseMsMax)) {
    const left = await listLeft()
    if (left.length === 0) return
    assert.ok(performance.now() < givenUpAt, `accepted work is done in time: ${JSON.stringify(left)}`)
    await new Promise((resume) => setTimeout(resume, pauseMs))
  }
}

function withMessage(answer: Received): Answer {
  assert.equal(typeof answer.body?.message, 'string', `${answer.status} ${answer.text}`)
  return answer
}
