import { type Country, countries, readName } from './countries.ts'
import { type Category, type Currency, categories, priceIn, products } from './products.ts'
import { Random } from './random.ts'

/** What is made is the same for this seed, relative to the clock. */
const seed = 2_026
export const peopleCount = 1_000
export const historyDays = 90
/** How long before the demo its first customers came. */
const firstDays = 700
/** Visits of a person in `historyDays`. */
const visitsMax = 14

const hourMs = 3_600_000
export const dayMs = 24 * hourMs

/** How busy the shop is in each local hour of a day. */
const hourWeights = [1, 0.4, 0.2, 0.1, 0.1, 0.3, 1, 2, 3, 3, 3, 4, 5, 4, 3, 3, 3, 4, 5, 7, 9, 9, 6, 3]

export const webApp = 'web'
export const phoneApp = 'app'
export const groupIds = {
  newsletter: '8f0d6a52-0d54-4f4c-9d0e-6a52de300001',
  workshops: '8f0d6a52-0d54-4f4c-9d0e-6a52de300002',
  deliveries: '8f0d6a52-0d54-4f4c-9d0e-6a52de300003',
} as const

type Occurrence = {
  readonly timeMs: number
  readonly name: string
  readonly properties?: Readonly<Record<string, unknown>>
}
type Purchase = { readonly timeMs: number; readonly product: string; readonly price: number; readonly quantity: number }

/** A person of the demo, and what they did. */
export type DemoPerson = {
  readonly external_id: string
  readonly first_name: string
  readonly email: string | undefined
  readonly createdMs: number
  readonly currency: Currency
  readonly readsNewsletter: boolean
  readonly events: readonly Occurrence[]
  readonly purchases: readonly Purchase[]
  /** The line with which `/admin/people` imports the person. */
  readonly line: object
}

/** Makes the people of the demo. Their history ends at `nowMs`. Pure. */
export function makePeople(nowMs: number): DemoPerson[] {
  const taken = new Set<string>()
  // Each person has numbers of their own: what one does changes nothing for the others.
  return Array.from({ length: peopleCount }, (_, i) => makePerson(i, nowMs, new Random(seed * (i + 1)), taken))
}

type Traits = {
  readonly country: Country
  readonly zone: string
  readonly city: string
  readonly favourite: Category
  readonly hasPhone: boolean
  readonly createdMs: number
}

function makePerson(i: number, nowMs: number, random: Random, taken: Set<string>): DemoPerson {
  const country = countries[random.weighted(countries.map(({ weight }) => weight))]!
  const isWoman = random.happens(0.55)
  const first = readName(random.pick(isWoman ? country.women : country.men))
  const family = readName(random.pick(country.families))
  const [city = '', zone = ''] = random.pick(country.cities).split('|')
  const isNew = random.happens(0.3)
  const days = isNew ? random.fraction() * historyDays : historyDays + random.fraction() * (firstDays - historyDays)
  const createdMs = Math.floor(nowMs - Math.max(days, 0.1) * dayMs)
  const favourite = random.pick(categories)
  const hasPhone = random.happens(0.35)
  const traits = { country, zone, city, favourite, hasPhone, createdMs }
  const email = random.happens(0.95) ? addressOf(first.latin, family.latin, random, taken) : undefined
  const visits = makeVisits(traits, nowMs, new Random(random.whole(1, 2 ** 31)))
  const external_id = `customer-${String(i + 1).padStart(4, '0')}`
  const named = { external_id, first_name: first.name, email, createdMs, currency: country.currency }
  const profile = {
    ...{ external_id, first_name: first.name, last_name: family.name, gender: isWoman ? 'F' : 'M' },
    ...(email !== undefined && { email }),
    ...{ country: country.code, home_city: city, language: country.language, time_zone: zone },
    ...subscription(createdMs, random),
    ...sessionsOf(visits),
    total_revenue: Math.round(100 * visits.purchases.reduce((sum, one) => sum + one.price * one.quantity, 0)) / 100,
    created_at: instant(createdMs),
    updated_at: instant(visits.events.at(-1)?.timeMs ?? createdMs),
  }
  const groups = groupsOf(createdMs, random)
  const line = {
    profile,
    custom_attributes: attributesOf(traits, visits, random),
    ...usesOf(traits, visits, i, random),
    groups,
    events: visits.events.map(({ timeMs, ...event }) => ({ ...event, time: instant(timeMs), app_id: appOf(traits) })),
    purchases: visits.purchases.map(({ timeMs, product, ...more }) => {
      const { currency } = country
      return { product_id: product, time: instant(timeMs), currency, app_id: appOf(traits), ...more }
    }),
  }
  const readsNewsletter = groups.some(
    ({ group_id, state }) => group_id === groupIds.newsletter && state === 'subscribed',
  )
  return { ...named, ...visits, readsNewsletter, line }
}

export function instant(ms: number): string {
  return new Date(ms).toISOString()
}

function appOf({ hasPhone }: Traits): string {
  return hasPhone ? phoneApp : webApp
}

/** Returns an address under a domain that is reserved for examples, so that no mail to it could arrive anywhere. */
function addressOf(first: string, family: string, random: Random, taken: Set<string>): string {
  const domain = random.pick(['example.com', 'example.com', 'example.org', 'example.net'])
  for (let n = 1; ; n++) {
    const address = `${first}.${family}${n > 1 ? n : ''}@${domain}`
    if (taken.has(address)) continue
    taken.add(address)
    return address
  }
}

type Visits = {
  readonly events: readonly Occurrence[]
  readonly purchases: readonly Purchase[]
  readonly starts: readonly number[]
}

/** Makes the visits of a person: each is a session in which they look at products, and may buy some. */
function makeVisits(traits: Traits, nowMs: number, random: Random): Visits {
  const { createdMs, zone } = traits
  const fromMs = Math.max(createdMs, nowMs - historyDays * dayMs)
  const wanted = Math.ceil(((nowMs - fromMs) / (historyDays * dayMs)) * visitsMax * random.fraction() ** 2)
  const starts = Array.from({ length: wanted }, () => startOf(fromMs, nowMs, zone, random))
  // A customer's first visit is when they came.
  if (createdMs === fromMs) starts.push(createdMs)
  const events: Occurrence[] = []
  const purchases: Purchase[] = []
  if (createdMs === fromMs) events.push({ timeMs: createdMs, name: 'signed_up', properties: { from: 'web shop' } })
  const kept = starts.filter((ms) => ms >= fromMs && ms < nowMs).sort((a, b) => a - b)
  for (const startMs of kept) visit(traits, startMs, nowMs, random, events, purchases)
  events.sort((a, b) => a.timeMs - b.timeMs)
  return { events, purchases, starts: kept }
}

/** Returns an instant at a local hour at which shops are busy. */
function startOf(fromMs: number, nowMs: number, zone: string, random: Random): number {
  const day = fromMs + random.fraction() * (nowMs - fromMs)
  const utcMs = Math.floor(day / dayMs) * dayMs
  const hour = random.weighted(hourWeights)
  return utcMs + hour * hourMs + random.whole(0, hourMs - 1) - offsetMs(zone, utcMs)
}

const offsets = new Map<string, number>()

/** Returns how far a zone is ahead of UTC on a day. */
function offsetMs(zone: string, dayStartMs: number): number {
  return offsets.getOrInsertComputed(`${zone} ${dayStartMs}`, () => {
    const zoned = Temporal.Instant.fromEpochMilliseconds(dayStartMs + dayMs / 2).toZonedDateTimeISO(zone)
    return zoned.offsetNanoseconds / 1e6
  })
}

function visit(
  { country, favourite, hasPhone }: Traits,
  startMs: number,
  nowMs: number,
  random: Random,
  events: Occurrence[],
  purchases: Purchase[],
): void {
  let timeMs = startMs
  const add = (name: string, properties: Occurrence['properties']) => {
    if (timeMs < nowMs) events.push({ timeMs, name, ...(properties && { properties }) })
    timeMs += random.whole(20_000, 240_000)
  }
  add('session_start', { device: hasPhone ? 'phone' : 'computer' })
  const liked = products.filter(({ category }) => category === favourite)
  const seen = Array.from({ length: random.whole(1, 3) }, () => random.pick(random.happens(0.7) ? liked : products))
  for (const { id, category } of seen) add('product_viewed', { product_id: id, category })
  if (random.happens(0.12))
    add('project_created', { kind: random.pick(['scarf', 'quilt', 'card', 'spoon', 'portrait']) })
  if (!random.happens(0.45)) return
  const bought = [...new Set(seen)].map(({ id, price }) => {
    return { product: id, price: priceIn(country.currency, price), quantity: random.happens(0.8) ? 1 : 2 }
  })
  const exact = bought.reduce((sum, { price, quantity }) => sum + price * quantity, 0)
  const total = Math.round(exact * 100) / 100
  add('cart_updated', { total, currency: country.currency, items: bought.length })
  if (!random.happens(0.6)) return
  // Some think about it until later, and are reminded meanwhile.
  if (random.happens(0.3)) timeMs += random.whole(4 * hourMs, 20 * hourMs)
  const orderedMs = timeMs
  if (orderedMs >= nowMs) return
  add('order_placed', { total, currency: country.currency, order_id: `o-${startMs.toString(36)}` })
  for (const one of bought) purchases.push({ timeMs: orderedMs, ...one })
}

function attributesOf({ favourite, country }: Traits, { starts, purchases, events }: Visits, random: Random): object {
  const spent = purchases.reduce((sum, { price, quantity }) => sum + price * quantity, 0)
  const orders = events.filter(({ name }) => name === 'order_placed')
  const last = orders.at(-1)
  return {
    plan: orders.length > 4 ? 'gold' : random.happens(0.3) ? 'plus' : 'free',
    favourite_category: favourite,
    visits: starts.length,
    orders: orders.length,
    total_spent: Math.round(spent * 100) / 100,
    currency: country.currency,
    ...(last && { last_order_at: instant(last.timeMs) }),
    ...(random.happens(0.5) && { skill: random.pick(['beginner', 'advanced', 'master']) }),
    ...(random.happens(0.25) && { interests: [favourite, random.pick(['gifts', 'workshops', 'patterns'])] }),
  }
}

function subscription(createdMs: number, random: Random): object {
  const state = random.weighted([0.75, 0.17, 0.08])
  if (state === 0) return {}
  if (state === 1) return { email_subscribe: 'opted_in', email_opted_in_at: instant(createdMs + 60_000) }
  return { email_subscribe: 'unsubscribed', email_unsubscribed_at: instant(createdMs + 3 * hourMs) }
}

function sessionsOf({ starts }: Visits): object {
  if (starts.length === 0) return {}
  return {
    date_of_first_session: instant(starts[0]!),
    date_of_last_session: instant(starts.at(-1)!),
    session_count: starts.length,
  }
}

function usesOf(traits: Traits, { starts }: Visits, i: number, random: Random): object {
  if (starts.length === 0) return {}
  const [first, last] = [instant(starts[0]!), instant(starts.at(-1)!)]
  const use = { app_id: appOf(traits), sessions: starts.length, first_used: first, last_used: last }
  if (!traits.hasPhone) return { app_uses: [use] }
  const [model, os] = random.pick([
    ['Phone 9', 'iOS 26.1'],
    ['Phone 8 Mini', 'iOS 25.4'],
    ['Pixelfon 11', 'Android 17'],
  ] as const)
  const device = { device_id: `device-${i + 1}`, model, os, created_at: first }
  return { app_uses: [{ ...use, version: random.pick(['4.2.0', '4.3.1']) }], devices: [device] }
}

function groupsOf(createdMs: number, random: Random): { group_id: string; state: string; stamp: string }[] {
  const stamp = instant(createdMs)
  const shares = [
    [groupIds.newsletter, 0.7],
    [groupIds.workshops, 0.25],
    [groupIds.deliveries, 0.4],
  ] as const
  return shares.flatMap(([group_id, share]) => {
    if (!random.happens(share + 0.1)) return []
    return [{ group_id, state: random.happens(0.9) ? 'subscribed' : 'unsubscribed', stamp }]
  })
}
