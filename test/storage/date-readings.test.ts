import assert from 'node:assert/strict'
import { sql } from '../../src/base/db/sql.ts'
import { onBothDatabases } from '../support/databases.ts'
import { TestInstance } from '../support/signals.ts'

const [date, later] = ['2026-01-02T03:04:05Z', '2026-02-03T00:00:00Z']
const [born, met] = [Date.parse(date), Date.parse(date)]

/** Changes of a person with two dates, and the values that are dates afterwards. */
const changes: Readonly<Record<string, { set: object; typed: object }>> = {
  kept: { set: { plan: 'gold' }, typed: { born, met } },
  moved: { set: { born: later }, typed: { born: Date.parse(later), met } },
  undated: { set: { born: 'long ago' }, typed: { met } },
  removed: { set: { met: null }, typed: { born } },
  emptied: { set: { born: null, met: 7, plan: 'gold' }, typed: {} },
  counted: { set: { born: 'long ago', visits: { inc: 1 } }, typed: { met } },
  named: { set: { met: null, first_name: 'Ann' }, typed: { born } },
}

onBothDatabases('a value is stored as a date as long as it is one', async (open) => {
  const instance = new TestInstance(await open())
  await instance.begin()
  const names = Object.keys(changes)
  await instance.track({ attributes: names.map((external_id) => ({ external_id, born: date, met: date })) })
  await instance.track({ attributes: names.map((external_id) => ({ external_id, ...changes[external_id]!.set })) })
  const rows = await instance.db.query(sql`select external_id, typed from profile order by external_id`)
  const expected = names.toSorted().map((external_id) => ({ external_id, typed: changes[external_id]!.typed }))
  assert.deepEqual(rows, expected)
})
