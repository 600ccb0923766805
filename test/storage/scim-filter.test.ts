import assert from 'node:assert/strict'
import fc from 'fast-check'
import { parseFilter, type ScimFilter } from '../../src/accounts/scim/filter.ts'
import { matchesFilter } from '../../src/accounts/scim/filter-match.ts'
import { filterToSql, sortToSql } from '../../src/accounts/scim/filter-store.ts'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { seed, sizes } from '../sizes.ts'
import { onBothDatabases } from '../support/databases.ts'
import { filters, hostile, ids, printFilter, texts } from '../support/scim-filters.ts'

type Row = {
  account_id: string
  user_name: string
  given_name: string
  family_name: string
  department: string | null
  active: boolean
  external_id: string | null
  display_name: string | null
  locale: string | null
  title: string | null
  user_type: string | null
  emails: readonly object[]
  ims: readonly object[]
  created_at: string
  updated_at: string
  last_sign_in_at: string | null
}

const plain = { noNullPrototype: true } as const
const moments = fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z', '2026-01-02T00:00:00.000Z')
const perhaps = fc.option(texts)
const address = fc.record(
  { value: texts, type: texts, primary: fc.boolean(), display: texts },
  { ...plain, requiredKeys: ['value'] },
)

function rowOf(account_id: string): fc.Arbitrary<Row> {
  return fc.record(
    {
      account_id: fc.constant(account_id),
      user_name: texts.map((text) => `${text}${account_id.slice(0, 8)}`),
      given_name: texts,
      family_name: texts,
      department: perhaps,
      active: fc.boolean(),
      external_id: perhaps,
      display_name: perhaps,
      locale: perhaps,
      title: perhaps,
      user_type: perhaps,
      emails: fc.array(address, { maxLength: 3 }),
      ims: fc.array(address, { maxLength: 2 }),
      created_at: moments,
      updated_at: moments,
      last_sign_in_at: fc.option(moments),
    },
    plain,
  )
}

/** Returns the resource of a row, with the members that filters can read. */
function resourceOf(row: Row) {
  return {
    id: row.account_id,
    externalId: row.external_id,
    userName: row.user_name,
    name: { givenName: row.given_name, familyName: row.family_name },
    displayName: row.display_name,
    locale: row.locale,
    active: row.active,
    title: row.title,
    userType: row.user_type,
    emails: row.emails,
    ims: row.ims,
    department: row.department,
    lastSignInAt: row.last_sign_in_at,
    createdAt: row.created_at,
    meta: { resourceType: 'User', created: row.created_at, lastModified: row.updated_at },
  }
}

async function insert(db: Db, rows: readonly Row[]): Promise<void> {
  const whole = rows.map((row) => ({ ...row, permissions: {}, version: 1 }))
  await db.query(
    sql`insert into account select * from jsonb_populate_recordset(null::account, ${JSON.stringify(whole)}::jsonb)`,
  )
}

async function found(db: Db, filter: ScimFilter): Promise<string[]> {
  const rows = await db.query<{ account_id: string; is: boolean | null }>(
    sql`select account_id, ${filterToSql(filter)} as is from account order by account_id`,
  )
  for (const row of rows) assert.equal(typeof row.is, 'boolean', 'a condition is null')
  return rows.filter(({ is }) => is).map(({ account_id }) => account_id)
}

onBothDatabases('SQL finds the accounts that match a filter, and texts of a filter cannot inject SQL', async (open) => {
  const db = await open()
  const [rows] = fc.sample(fc.tuple(...ids.slice(0, 6).map(rowOf)), { seed, numRuns: 1 }) as [Row[]]
  await insert(db, rows)
  const agree = async (filter: ScimFilter) => {
    const expected = rows.filter((row) => matchesFilter(filter, resourceOf(row))).map(({ account_id }) => account_id)
    assert.deepEqual(await found(db, filter), expected, printFilter(filter))
  }
  for (const value of hostile) {
    for (const operator of ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const) {
      for (const path of ['id', 'externalId', 'userName', 'emails.value']) await agree({ path, operator, value })
    }
  }
  const property = fc.asyncProperty(filters, agree)
  await fc.assert(property, { seed, numRuns: sizes.scimFilters, endOnFailure: false })
})

onBothDatabases('a search by name uses the index, in any case', async (open) => {
  const db = await open()
  const rows = fc.sample(fc.tuple(...ids.map(rowOf)), { seed, numRuns: 1 })[0]!
  await insert(
    db,
    rows.map((row, i) => ({ ...row, user_name: `Person${i}@Example.com` })),
  )
  const filter = parseFilter('USERNAME EQ "person3@example.COM"')
  assert.ok(!('mistake' in filter))
  assert.deepEqual(await found(db, filter), [ids[3]])
  const plan = await db.transaction((tx) => tx.query(sql`explain select 1 from account where ${filterToSql(filter)}`), {
    settings: ['enable_seqscan = off'],
  })
  assert.match(JSON.stringify(plan), /account_by_name/)
})

/** The values of four accounts by which lists are sorted. */
const names = ['b', 'A', null, 'É']
const days = ['2026-01-02', '2026-01-01', '2026-01-03', '2026-01-04']
const emails = [
  [
    { value: 'z@x.org', type: 'a' },
    { value: 'B@x.org', type: 'work', primary: true },
  ],
  [{ value: 'c@x.org', type: 'Home' }, { value: 'a@x.org' }],
  [],
  [
    { value: 'b@x.org', type: 'a' },
    { value: 'a@x.org', primary: true },
  ],
]
const ims = [[], [{ value: 'b', display: '2' }], [{ value: 'C', display: '1' }], [{ value: 'a' }]]

onBothDatabases('lists have the requested order, with missing values last', async (open) => {
  const db = await open()
  const rows = fc.sample(fc.tuple(...ids.slice(0, 4).map(rowOf)), { seed, numRuns: 1 })[0]!
  await insert(
    db,
    rows.map((row, i) => ({
      ...row,
      emails: emails[i]!,
      ims: ims[i]!,
      title: names[i]!,
      user_type: names[3 - i]!,
      display_name: names[i]!,
      user_name: `${i}`,
      created_at: `${days[i]}T00:00:00Z`,
    })),
  )
  const orderedBy = async (sortBy: string | undefined, isDescending = false) => {
    const order = sortToSql(sortBy, isDescending)
    assert.ok(order)
    const people = await db.query<{ user_name: string }>(sql`select user_name from account order by ${order}`)
    return people.map(({ user_name }) => user_name).join('')
  }
  assert.equal(await orderedBy(undefined), '1023')
  assert.equal(await orderedBy('displayName'), '1032')
  assert.equal(await orderedBy('DISPLAYNAME', true), '2301')
  assert.equal(await orderedBy('meta.created', true), '3201')
  assert.equal(await orderedBy('emails'), '3012', 'by the primary address, or the first where none is primary')
  assert.equal(await orderedBy('emails.value', true), '2103')
  assert.equal(await orderedBy('emails.type'), '1023', 'the type of the primary address, which may have none')
  assert.equal(await orderedBy('ims'), '3120')
  assert.equal(await orderedBy('ims.display', true), '3012')
  assert.equal(await orderedBy('title'), '1032')
  assert.equal(await orderedBy('userType', true), '1032')
  assert.equal(await orderedBy('urn:ietf:params:scim:schemas:core:2.0:User:userName', true), '3210')
  for (const path of [
    'id',
    'externalId',
    'name.givenName',
    'name.familyName',
    'department',
    'meta.lastModified',
    'active',
  ]) {
    await orderedBy(path)
  }
  for (const path of [
    'emails.primary',
    'emails.other',
    'roles',
    'permissions',
    'name',
    'nothing',
    '__proto__',
    'password',
    '',
  ]) {
    assert.equal(sortToSql(path, false), undefined, path)
  }
})
