import assert from 'node:assert/strict'
import { sql } from '../../src/base/db/sql.ts'
import { personTables, profileColumns } from '../../src/people/backup/backup-tables.ts'
import { person } from '../../src/people/identity/person.ts'
import { ownedTables } from '../../src/people/merge/owned-tables.ts'
import { findPendingDeletions } from '../../src/people/merge/pending-deletion-store.ts'
import { onBothDatabases } from '../support/databases.ts'

/** Columns for the placement of a row, or with values that are valid in this installation only. */
const unsaid: Readonly<Record<string, readonly string[]>> = {
  profile: ['workspace_id', 'custom', 'typed', 'merged_bucket', 'merged_into'],
  received: ['workspace_id'],
  confirmation: ['workspace_id'],
}

/** Tables that lines do not contain, and the reason. */
const uncarried: Readonly<Record<string, string>> = {
  merged_profile: 'history of a merged profile is carried as that of the one it was merged into',
  event: 'a member of the line, with names instead of numbers',
  purchase: 'a member of the line, with names instead of numbers',
  identity_change: 'tells caches of this installation',
  import_part: 'how far an import of this installation is',
  message: 'what this installation sends and has sent; it must not go out a second time elsewhere',
  decision: 'why this installation sent or did not, of its own dispatches',
  engagement: 'opens and clicks of messages that are not carried',
  inbox: 'mail that was delivered here',
  entry: 'the position of a person in a canvas of this installation, which must not continue in two',
  feed_event: 'what programs read of this installation',
  signal: 'what this installation has yet to act upon',
  attribute_change: 'what canvases of this installation have read',
}

onBothDatabases('an export has every column of every table of people', async (open) => {
  const db = await open()
  const rows = await db.query<{ table: string; column: string }>(sql`
    select table_name::text as table, column_name::text as column
    from information_schema.columns where table_schema = 'public' order by ordinal_position`)
  const carried = new Map([
    ['profile', Object.keys(profileColumns)],
    ...personTables.map(({ table, columns }): [string, string[]] => [table, Object.keys(columns)]),
  ])
  for (const { table } of ownedTables.filter((each) => !(each.table in uncarried))) {
    const columns = rows.filter((row) => row.table === table).map(({ column }) => column)
    const expected = columns.filter((column) => !['bucket', 'profile_id', ...(unsaid[table] ?? [])].includes(column))
    assert.deepEqual((carried.get(table) ?? []).toSorted(), expected.toSorted(), table)
  }
  const known = [...carried.keys(), ...Object.keys(uncarried)].sort()
  assert.deepEqual(ownedTables.map(({ table }) => table).toSorted(), known)
})

onBothDatabases('deleted people whose history is not deleted yet are known', async (open) => {
  const db = await open()
  const work = (n: number, kind: string, state: string, from: number, mergedProfile: string) => sql`
    insert into work (bucket, request_id, position, workspace_id, kind, person_hashes, state, from_bucket, from_id, merged_ids, accepted_at)
    values (7, '00000000-0000-4000-8000-000000000000', ${n}, 1, ${kind}, '{}', ${state}, 0, ${from}, ${mergedProfile}::int8[],
      '2024-01-01')`
  await db.query(work(1, 'delete', 'moving', 11, '{12,13}'))
  await db.query(work(2, 'delete', 'done', 14, '{}'))
  await db.query(work(3, 'merge', 'moving', 15, '{}'))
  await db.query(work(4, 'delete', 'moving', 16, '{}'))
  const people = ['13', '14', '15', '16', '17'].map((id) => person(0, id))
  const leaving = await findPendingDeletions(db, people)
  assert.deepEqual(
    people.filter(({ profile_id }) => leaving.has(profile_id)).map(({ profile_id }) => profile_id),
    ['13', '16'],
  )
  assert.equal((await findPendingDeletions(db, [person(0, '14')])).size, 0)
})
