import { int4Array, int8Array, jsonbArray, textArray, timestampArray } from '../src/base/db/arrays.ts'
import type { Db } from '../src/base/db/db.ts'
import { sql } from '../src/base/db/sql.ts'
import { bucketsOf } from '../src/people/identity/person.ts'
import { Random } from './random.ts'
import { drawCustom, drawEvent, drawTime, emailOf, externalIdOf, productCount, productOf } from './samples.ts'

/** The keys of person `number`. They are the same in every run, so that bounds can use them without a query. */
export type SeededPerson = { bucket: number; id: bigint; randomBucket: number }

/** The people of a setup. The first `withHistory` have a history for exports. */
export type Population = {
  workspaceId: number
  people: number
  /** Further people, with the numbers after those, for merges. No load names them. */
  spare: number
  withHistory: number
  eventsEach: number
  purchasesEach: number
  /** Ids of event names and products, which the service has assigned. */
  nameIds: ReadonlyMap<string, number>
  seed: number
  nowMs: number
}

const chunk = 5000
const sequenceBits = 10n
const bucketShift = 51n
const usPerMs = 1000
const firstIdMs = 1_700_000_000_000

/** Returns keys with the format of the service's profile ids: 12 bits of bucket, 41 bits of milliseconds, 10 bits of counter. */
export function personAt(workspaceId: number, number: number): SeededPerson {
  const { bucket, random_bucket } = bucketsOf(workspaceId, 'external_id', externalIdOf(number))
  const id = (BigInt(bucket) << bucketShift) | (BigInt(firstIdMs + number) << sequenceBits)
  return { bucket, id, randomBucket: random_bucket }
}

/** Inserts all people into the tables, as the service would have after as many requests, and vacuums. */
export async function insertPopulation(db: Db, population: Population): Promise<void> {
  const random = new Random(population.seed)
  const count = population.people + population.spare
  for (let from = 0; from < count; from += chunk) {
    await insertPeople(db, population, random, from, Math.min(from + chunk, count))
  }
  const perPerson = population.eventsEach + population.purchasesEach
  const step = Math.max(1, Math.floor(chunk / perPerson))
  for (let from = 0; from < population.withHistory; from += step) {
    await insertHistory(db, population, random, from, Math.min(from + step, population.withHistory))
  }
  await db.execute('checkpoint')
  await db.execute('vacuum (analyze)')
}

async function insertPeople(db: Db, population: Population, random: Random, from: number, to: number): Promise<void> {
  const { workspaceId } = population
  const people = Array.from({ length: to - from }, (_, i) => ({ number: from + i, ...personAt(workspaceId, from + i) }))
  const customs = people.map(() => drawCustom(random, population.nowMs))
  const stampUs = population.nowMs * usPerMs
  const ids = int8Array(people.map((person) => person.id))
  const buckets = int4Array(people.map((person) => person.bucket))
  const externalIds = textArray(people.map((person) => externalIdOf(person.number)))
  const emails = textArray(people.map((person) => emailOf(person.number)))
  const emailBuckets = int4Array(people.map((person) => bucketsOf(workspaceId, 'email', emailOf(person.number)).bucket))
  await db.query(sql`
    insert into profile (profile_id, bucket, workspace_id, random_bucket, external_id, email, first_name, country,
      language, time_zone, custom, typed, created_at, updated_at)
    select v.id, v.bucket, ${workspaceId}::int4, v.random_bucket, v.external_id, v.email, 'Kim', 'DE', 'de', 'Europe/Berlin',
      v.custom, v.typed, v.stamp, v.stamp
    from unnest(${ids}::int8[], ${buckets}::int4[], ${int4Array(people.map((person) => person.randomBucket))}::int4[],
      ${externalIds}::text[], ${emails}::text[], ${jsonbArray(customs.map((custom) => JSON.stringify(custom)))}::jsonb[],
      ${jsonbArray(customs.map(typedOf))}::jsonb[], ${timestampArray(people.map(() => stampUs))}::timestamptz[]
    ) v(id, bucket, random_bucket, external_id, email, custom, typed, stamp)`)
  await db.query(sql`
    insert into identifier (bucket, workspace_id, kind, value, owner_bucket, owner_id)
    select v.bucket, ${workspaceId}::int4, 'external_id', v.external_id, v.bucket, v.id
    from unnest(${ids}::int8[], ${buckets}::int4[], ${externalIds}::text[]) v(id, bucket, external_id)`)
  await db.query(sql`
    with address as (
      select * from unnest(${ids}::int8[], ${buckets}::int4[], ${emailBuckets}::int4[], ${emails}::text[])
        v(id, bucket, email_bucket, email)
    ), anchor as (
      insert into identifier (bucket, workspace_id, kind, value)
      select email_bucket, ${workspaceId}::int4, 'email', email from address
    )
    insert into contact (bucket, workspace_id, kind, value, owner_bucket, owner_id)
    select email_bucket, ${workspaceId}::int4, 'email', email, bucket, id from address`)
}

async function insertHistory(db: Db, population: Population, random: Random, from: number, to: number): Promise<void> {
  const people = Array.from({ length: to - from }, (_, i) => personAt(population.workspaceId, from + i))
  const events = people.flatMap((person) =>
    Array.from({ length: population.eventsEach }, () => ({ person, ...drawEvent(random, population.nowMs) })),
  )
  await db.query(sql`
    insert into event (profile_id, bucket, time, name_id, properties)
    select * from unnest(
      ${int8Array(events.map((event) => event.person.id))}::int8[],
      ${int4Array(events.map((event) => event.person.bucket))}::int4[],
      ${timestampArray(events.map((event) => event.timeMs * usPerMs))}::timestamptz[],
      ${int4Array(events.map((event) => population.nameIds.get(event.name)!))}::int4[],
      ${textArray(events.map((event) => JSON.stringify(event.properties)))}::text[])`)
  const purchases = people.flatMap((person) =>
    Array.from({ length: population.purchasesEach }, () => ({
      person,
      product: productOf(random.below(productCount)),
    })),
  )
  await db.query(sql`
    insert into purchase (profile_id, bucket, time, name_id, price, quantity, currency)
    select v.*, 9.5, 1, 'EUR' from unnest(
      ${int8Array(purchases.map((purchase) => purchase.person.id))}::int8[],
      ${int4Array(purchases.map((purchase) => purchase.person.bucket))}::int4[],
      ${timestampArray(purchases.map(() => drawTime(random, population.nowMs) * usPerMs))}::timestamptz[],
      ${int4Array(purchases.map((purchase) => population.nameIds.get(purchase.product)!))}::int4[]) v`)
}

/** Returns epoch milliseconds of the values that are dates, as the service stores them beside the custom attributes. */
function typedOf(custom: Record<string, unknown>): string {
  const dates = Object.entries(custom).filter(([, value]) => typeof value === 'string' && /^\d{4}-.*Z$/.test(value))
  return JSON.stringify(Object.fromEntries(dates.map(([key, value]) => [key, Date.parse(String(value))])))
}
