import assert from 'node:assert/strict'
import { systemActor } from '../../src/base/call.ts'
import { systemClock } from '../../src/base/clock.ts'
import type { Db } from '../../src/base/db/db.ts'
import { readMigrations } from '../../src/base/db/migrate.ts'
import { sql } from '../../src/base/db/sql.ts'
import { erasedBytesMax, eraseMarked } from '../../src/workspace/audit/erase-marked.ts'
import { recordAudit } from '../../src/workspace/audit/record.ts'
import { markTexts } from '../../src/workspace/audit/text-store.ts'
import { insertInstallation } from '../../src/workspace/settings/installation-store.ts'
import { onBothDatabases } from '../support/databases.ts'

const author = { actor: systemActor, clock: systemClock() }
const write = (db: Db, kind: string, after: object, workspace_id: number | null = 1) =>
  db.transaction((tx) =>
    recordAudit(tx, author, { action: `${kind}.create`, target: { kind, id: 'x' }, after, workspace_id }),
  )
const textsOf = async (db: Db) => {
  const rows = await db.query<{ text: string; workspace_id: number }>(
    sql`select text, workspace_id from audit_text order by workspace_id, text collate "C"`,
  )
  return rows.map(({ text, workspace_id }) => `${workspace_id} ${text}`)
}

onBothDatabases('a new row and a row of an earlier version have the same texts', async (open) => {
  const db = await open()
  await write(db, 'segment', {
    name: 'ada',
    list: ['Ada@Example.com', { deep: '+15551234567' }, 'no', 7],
    value: ['a', ['b'], 1],
  })
  await write(db, 'setting', { value: 'Ada@Example.com', external_id: '', alias_name: 'x'.repeat(1_001) }, null)
  await write(
    db,
    'setting',
    { value: { value: 'x'.repeat(1_000) }, '"key"': { reserved_external_ids: ['"', '\\', 'é\n'] } },
    2,
  )
  await write(db, 'account', { value: 'a', emails: [{ value: 'ada@example.com' }] })
  await write(db, 'clock', {})
  const written = await textsOf(db)
  const expected = [
    '0 ada@example.com',
    '1 +15551234567',
    '1 a',
    '1 ada@example.com',
    '1 b',
    '2 "',
    '2 \\',
    `2 ${'x'.repeat(1_000)}`,
  ]
  assert.deepEqual(written, [...expected, '2 é\n'])
  await db.execute('delete from audit_text')
  const { text } = readMigrations().find(({ name }) => name === '0024_audit_text.sql')!
  await db.execute(text.slice(text.indexOf('insert into audit_text')))
  assert.deepEqual(await textsOf(db), written)
})

onBothDatabases(
  'rows of many bytes are changed one by one, and a text that is marked later is replaced later',
  async (open) => {
    const db = await open()
    await insertInstallation(db, Buffer.from('a secret of the tests'), new Date())
    const large = Array.from({ length: 3 }, () => ({ value: 'gone', note: 'x y '.repeat(erasedBytesMax / 2) }))
    for (const after of large) await write(db, 'segment', after)
    await write(db, 'segment', { value: ['gone', 'other'] })
    await write(db, 'segment', { value: 'gone' }, 2)
    await markTexts(db, [{ workspace_id: 1, text: 'gone' }])
    await eraseMarked(db)
    await markTexts(db, [{ workspace_id: 1, text: 'other' }])
    await eraseMarked(db)
    const rows = await db.query<{ value: string | string[] }>(
      sql`select after -> 'value' as value from audit order by audit_id`,
    )
    const [first, second, third, [gone, other] = [], kept] = rows.map(({ value }) => value)
    assert.match(String(first), /^deleted:[0-9a-f]{32}$/)
    assert.deepEqual([second, third, gone], [first, first, first])
    assert.match(String(other), /^deleted:[0-9a-f]{32}$/)
    assert.notEqual(other, first)
    assert.equal(kept, 'gone', 'a person of another workspace')
    assert.deepEqual(await textsOf(db), ['2 gone'])
  },
)
