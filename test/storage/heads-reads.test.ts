import assert from 'node:assert/strict'
import { systemClock } from '../../src/base/clock.ts'
import type { Db } from '../../src/base/db/db.ts'
import { type Sql, sql } from '../../src/base/db/sql.ts'
import { Graphs } from '../../src/messaging/flows/graphs.ts'
import { type HeadKind, type HeadServices, headReaders, keepWaiting } from '../../src/messaging/heads/list-heads.ts'
import { ReferenceReader } from '../../src/messaging/heads/read-references.ts'
import { onBothDatabases } from '../support/databases.ts'

const time = '2026-01-01Z'

onBothDatabases('a list reads its things once, and their texts only after a change', async (open) => {
  const db = await open()
  await db.query(sql`
    insert into content_block (workspace_id, id, name, content, state, created_at, updated_at)
    values (1, 'b', 'foot', ${`  \n${' '.repeat(100)}First line\nsecond`}, 'active', ${time}, ${time})`)
  await db.query(sql`
    insert into email_template (workspace_id, id, name, body, created_at, updated_at)
    values (1, 't', 'Welcome', ${'{{content_blocks.${foot}}}'}, ${time}, ${time})`)
  let statements: string[] = []
  const counting: Db = {
    ...db,
    query(statement: Sql) {
      statements.push(statement.text)
      return db.query(statement)
    },
  } as Db
  const services = {
    clock: systemClock(),
    graphs: new Graphs(),
    references: new ReferenceReader(),
    waiting: keepWaiting(),
    workspaces: { get: () => ({ settings: { time_zone: 'UTC' } }) },
  } as unknown as HeadServices
  const list = async (kind: HeadKind) => {
    statements = []
    return (await headReaders[kind](counting, 1, services)) as { used_by_count: number; first_line?: string }[]
  }
  const reading = (table: string) => statements.filter((text) => text.includes(`from ${table}`)).length
  const [block] = await list('content_blocks')
  assert.deepEqual([block!.first_line, block!.used_by_count], ['First line', 1])
  assert.deepEqual([reading('email_template'), reading('content_block')], [2, 2])
  await list('email_templates')
  assert.deepEqual([reading('email_template'), reading('content_block')], [1, 1])
  assert.ok(!statements.some((text) => text.includes('md5')))
  // The clock stands still, and the text keeps its length.
  await db.query(sql`update email_template set body = ${'{{content_blocks.${feet}}}'} where id = 't'`)
  const [unused] = await list('content_blocks')
  assert.deepEqual([reading('email_template'), reading('content_block')], [2, 1])
  assert.equal(unused!.used_by_count, 0)
})
