import { performance } from 'node:perf_hooks'
import { int4Array } from '../src/base/db/arrays.ts'
import type { Db } from '../src/base/db/db.ts'
import { sql } from '../src/base/db/sql.ts'
import { timestampFromMs } from '../src/base/db/timestamps.ts'
import { ensureWeeks } from '../src/base/db/weeks.ts'
import type { Population } from './people.ts'
import { print } from './report.ts'
import { eventNames } from './samples.ts'

const weeks = 52
/** The events of each person, over all weeks. */
const eventsOfEach = 100
const weekMs = 7 * 24 * 3_600_000
/** `ensureWeeks` creates this many weeks before a time. */
const weeksAtOnce = 13
const deadlineMs = 3_600_000

/**
 * Writes a year of events for all people in the order of time, as they would come: those of one person are on many pages. Every person
 * has as many, so that a request reads as many rows with few people as with many.
 */
export async function writeYear(db: Db, population: Population): Promise<void> {
  const { nowMs, nameIds, people } = population
  for (let week = 0; week <= weeks; week += weeksAtOnce) await ensureWeeks(db, nowMs - week * weekMs)
  const names = int4Array(eventNames.map((name) => nameIds.get(name)!))
  const stepMs = (weeks * weekMs) / eventsOfEach
  const startedMs = performance.now()
  for (let nth = eventsOfEach - 1; nth >= 0; nth--) {
    const insert = sql`
      insert into event (profile_id, bucket, time, name_id, properties)
      select p.profile_id, p.bucket,
        ${timestampFromMs(nowMs - (nth + 1) * stepMs)} + (p.n * 7919 % ${Math.floor(stepMs)}::int8) * interval '1 ms',
        (${names}::int4[])[1 + (p.n * 31 + ${nth}::int4 * 7) % ${eventNames.length}::int4],
        '{"sku": "sku-00042", "price": 19.95, "from": "mail", "position": ' || p.n % 97 || '}'
      from (select profile_id, bucket, mod(profile_id / 1024, 1000003) as n from profile) p`
    await db.transaction((tx) => tx.query(insert), { deadlineMs })
  }
  await db.execute('checkpoint')
  await db.execute('vacuum (analyze) event')
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0)
  print(`${(people * eventsOfEach).toLocaleString('en')} events in ${db.backend}: written in ${seconds} s`)
}
