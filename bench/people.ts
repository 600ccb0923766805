import { int4Array, int8Array, jsonbArray, textArray, timestampArray } from '../src/base/db/arrays.ts'
import type { Db } from '../src/base/db/db.ts'
import { sql } from '../src/base/db/sql.ts'
import { bucketsOf } from '../src/people/identity/person.ts'
import { Chance } from './chance.ts'
import { drawCustom, drawEvent, drawTime, emailOf, externalIdOf, productCount, productOf } from './drawn.ts'

/** Where known person `number` lives; the same for every run, so that bounds can name the rows without asking. */
export type Place = { bucket: number; id: bigint; randomBucket: number }

/** Who is seeded, and for how many of them (the first ones) a history is written for exports to read. */
export type Crowd = {
  workspaceId: number
  people: number
  /** People beside those, numbered after them, whom no load names: they are there to be merged. */
  spare: number
  withHistory: number
  eventsEach: number
  purchasesEach: number
  /** Ids of event names and products, which the service has given out. */
  nameIds: ReadonlyMap<string, number>
  seed: number
  nowMs: number
}

const chunk = 5000
const sequenceBits = 10n
const bucketShift = 51n
const usPerMs = 1000
const firstIdMs = 1_700_000_000_000

/** 12 bits of bucket, 41 of milliseconds, 10 more: the shape of the ids the service makes (design, section 4). */
export function personAt(workspaceId: number, number: number): Place {
  const { bucket, random_bucket } = bucketsOf(workspaceId, 'external_id', externalIdOf(number))
  const id = (BigInt(bucket) << bucketShift) | (BigInt(firstIdMs + number) << sequenceBits)
  return { bucket, id, randomBucket: random_bucket }
}

/** Writes everybody straight into the tables, as the service would have after as many requests, and tidies up behind it. */
export async function seedPeople(db: Db, crowd: Crowd): Promise<void> {
  const chance = new Chance(crowd.seed)
  const count = crowd.people + crowd.spare
  for (let from = 0; from < count; from += chunk) {
    await insertPeople(db, crowd, chance, from, Math.min(from + chunk, count))
  }
  const perPerson = crowd.eventsEach + crowd.purchasesEach
  const step = Math.max(1, Math.floor(chunk / perPerson))
  for (let from = 0; from < crowd.withHistory; from += step) {
    await insertHistory(db, crowd, chance, from, Math.min(from + step, crowd.withHistory))
  }
  await db.execute('checkpoint')
  await db.execute('vacuum (analyze)')
}

async function insertPeople(db: Db, crowd: Crowd, chance: Chance, from: number, to: number): Promise<void> {
  const { workspaceId } = crowd
  const people = Array.from({ length: to - from }, (_, i) => ({ number: from + i, ...personAt(workspaceId, from + i) }))
  const customs = people.map(() => drawCustom(chance, crowd.nowMs))
  const stampUs = crowd.nowMs * usPerMs
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

async function insertHistory(db: Db, crowd: Crowd, chance: Chance, from: number, to: number): Promise<void> {
  const people = Array.from({ length: to - from }, (_, i) => personAt(crowd.workspaceId, from + i))
  const events = people.flatMap((person) =>
    Array.from({ length: crowd.eventsEach }, () => ({ person, ...drawEvent(chance, crowd.nowMs) })),
  )
  await db.query(sql`
    insert into event (profile_id, bucket, time, name_id, properties)
    select * from unnest(
      ${int8Array(events.map((event) => event.person.id))}::int8[],
      ${int4Array(events.map((event) => event.person.bucket))}::int4[],
      ${timestampArray(events.map((event) => event.timeMs * usPerMs))}::timestamptz[],
      ${int4Array(events.map((event) => crowd.nameIds.get(event.name)!))}::int4[],
      ${textArray(events.map((event) => JSON.stringify(event.properties)))}::text[])`)
  const purchases = people.flatMap((person) =>
    Array.from({ length: crowd.purchasesEach }, () => ({ person, product: productOf(chance.below(productCount)) })),
  )
  await db.query(sql`
    insert into purchase (profile_id, bucket, time, name_id, price, quantity, currency)
    select v.*, 9.5, 1, 'EUR' from unnest(
      ${int8Array(purchases.map((purchase) => purchase.person.id))}::int8[],
      ${int4Array(purchases.map((purchase) => purchase.person.bucket))}::int4[],
      ${timestampArray(purchases.map(() => drawTime(chance, crowd.nowMs) * usPerMs))}::timestamptz[],
      ${int4Array(purchases.map((purchase) => crowd.nameIds.get(purchase.product)!))}::int4[]) v`)
}

/** Epoch milliseconds of the values that read as a date, as the service keeps them beside the custom ones. */
function typedOf(custom: Record<string, unknown>): string {
  const dates = Object.entries(custom).filter(([, value]) => typeof value === 'string' && /^\d{4}-.*Z$/.test(value))
  return JSON.stringify(Object.fromEntries(dates.map(([key, value]) => [key, Date.parse(String(value))])))
}
