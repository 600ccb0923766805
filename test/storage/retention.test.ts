import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { bootstrap } from '../../src/accounts/keys/bootstrap.ts'
import { systemClock } from '../../src/base/clock.ts'
import type { Db } from '../../src/base/db/db.ts'
import { raw, sql } from '../../src/base/db/sql.ts'
import { openMetrics } from '../../src/base/http/metrics.ts'
import type { Job } from '../../src/base/work/jobs.ts'
import { jobs } from '../../src/jobs.ts'
import { checkRetention, countOverdue, inboxRule, type RetentionState, retentionRules } from '../../src/retention.ts'
import { openWorkspaces } from '../../src/workspace/settings/workspaces.ts'
import { onBothDatabases } from '../support/databases.ts'

const dayMs = 86_400_000
const auditKept = 'P100D'

/** A row that is older than everything is kept, and one that is not, by the name of the data: its table, and some members. */
const rows: Readonly<Record<string, { readonly table: string; readonly members: Readonly<Record<string, string>> }>> = {
  'events and purchases': { table: 'event', members: { time: '$at' } },
  decisions: { table: 'decision', members: { time: '$at' } },
  'dispatches and their messages': {
    table: 'dispatch',
    members: { created_at: '$at', class: `'marketing'`, state: `'active'` },
  },
  'entries and their messages': {
    table: 'entry',
    members: { ended_at: '$at', state: `'ended'`, class: `'marketing'`, ended: `'completed'` },
  },
  'refused entries': { table: 'received', members: { refused_at: '$at', refused: `'control'` } },
  'changes of attributes': { table: 'attribute_change', members: { time: '$at' } },
  'events of the feed': { table: 'feed_event', members: { time: '$at', position: '$n' } },
  'attempts of webhooks': { table: 'webhook_attempt', members: { at: '$at' } },
  'merges and deletions': {
    table: 'work',
    members: { accepted_at: '$at', finished_at: '$at', state: `'done'`, kind: `'merge'`, outcome: `'done'` },
  },
  'audit of changes': { table: 'audit', members: { time: '$at', kind: `'change'`, actor_kind: `'system'` } },
  'audit of accesses': { table: 'audit', members: { time: '$at', kind: `'access'`, actor_kind: `'system'` } },
  'audit of refusals': { table: 'audit', members: { time: '$at', kind: `'refusal'`, actor_kind: `'system'` } },
  exports: { table: 'segment_export', members: { expires_at: '$at', state: `'done'` } },
  sessions: { table: 'session', members: { expires_at: '$at' } },
  'links to sign in': { table: 'sign_in_link', members: { expires_at: '$at' } },
  'confirmations that were not given': { table: 'confirmation', members: { expires_at: '$at', source: `'form'` } },
  'counts of sign-ups': { table: 'sign_up_attempt', members: { began_at: '$at' } },
  'attempts to sign in': { table: 'sign_in_attempt', members: { began_at: '$at' } },
  'answers to requests with an idempotency key': { table: 'idempotency', members: { expires_at: '$at' } },
  'states of transactional sends': { table: 'transactional_send', members: { expires_at: '$at' } },
  'tokens of webhooks': { table: 'webhook_token', members: { expires_at: '$at' } },
  'names that logs must forget': { table: 'deleted_names', members: { at: '$at' } },
  tallies: { table: 'tally', members: { slot: '$at', subject: `'track'` } },
  'counts of requests by minute': { table: 'traffic_minute', members: { minute: '$at' } },
  'counts of requests by hour': { table: 'traffic_hour', members: { hour: '$at' } },
  'daily sizes of segments': { table: 'segment_size', members: { day: '$at' } },
  'rates of mail servers': { table: 'send_rate', members: { free_at: '$at', slowed_at: '$at' } },
  'ids of flushes': { table: 'flush', members: { at: '$at' } },
  'changes of identities': { table: 'identity_change', members: { at: '$at' } },
}

const samples: Readonly<Record<string, string>> = {
  boolean: 'false',
  jsonb: `'{}'`,
  json: `'{}'`,
  uuid: 'gen_random_uuid()',
  bytea: `sha256(random()::text::bytea)`,
  text: `'x$n'`,
  'text[]': `'{}'`,
  'timestamp with time zone': '$at',
  date: '$at',
}

let inserted = 0

/** Inserts a row that has something in every column that needs it. */
async function insertRow(db: Db, data: string, at: Date, workspace_id: number): Promise<void> {
  const { table, members } = rows[data]!
  const columns = await db.query<{ name: string; type: string }>(sql`
    select attname::text as name, format_type(atttypid, atttypmod) as type from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attidentity = ''
      and (attnotnull and not atthasdef or attname = any(${Object.keys(members)}))`)
  inserted++
  const text = (value: string) => (value === '$at' ? `'${at.toISOString()}'` : value.replace('$n', String(inserted)))
  const values = columns.map(({ name, type }) => {
    if (name === 'workspace_id') return String(workspace_id)
    return text(members[name] ?? samples[type] ?? '$n')
  })
  const names = columns.map(({ name }) => name).join(', ')
  await db.query(raw(`insert into ${table} (${names}) values (${values.join(', ')})`))
}

onBothDatabases('what is kept for too long is counted, and its job deletes it', async (open) => {
  const db = await open()
  const clock = systemClock()
  await bootstrap(db, clock, {})
  const workspaces = await openWorkspaces({ keep: async (load) => ({ current: await load(db) }) })
  const { workspace_id } = workspaces.default()
  const nowMs = clock.now()
  const state: RetentionState = { workspaces, auditKept, nowMs, machineMs: clock.elapsed() }
  const all = new Map<string, Job>(jobs(db, clock, workspaces, '/nowhere', auditKept).map((job) => [job.name, job]))
  const run = (name: string) => all.get(name)!.run(new AbortController().signal)
  const overdue = async () => [...(await countOverdue(db, state))].filter(([, count]) => count > 0)
  const countIn = async (table: string) => {
    const [found] = await db.query<{ rows: number }>(raw(`select count(*)::int4 as rows from ${table}`))
    return found!.rows
  }
  assert.deepEqual(await overdue(), [])
  assert.deepEqual(
    Object.keys(rows),
    retentionRules.map(({ data }) => data),
  )
  for (const { data, job } of retentionRules) {
    const { table } = rows[data]!
    // Rows of the audit are written in the order of their times.
    if (table === 'audit') await db.query(sql`delete from audit`)
    const before = await countIn(table)
    await insertRow(db, data, new Date(nowMs - 1_300 * dayMs), workspace_id)
    assert.deepEqual(await overdue(), [[data, 1]], data)
    // Younger than anything that is kept at all.
    await insertRow(db, data, new Date(nowMs + 60_000), workspace_id)
    assert.deepEqual(await overdue(), [[data, 1]], data)
    await run(job)
    assert.deepEqual(await overdue(), [], data)
    assert.equal(await countIn(table), before + 1, `${data}: the young one is kept`)
  }
  const metrics = openMetrics()
  try {
    await insertRow(db, 'decisions', new Date(nowMs - 1_300 * dayMs), workspace_id)
    await checkRetention({ db, clock, workspaces, metrics, auditKept }).run(new AbortController().signal)
    const series = (await metrics.text()).split('\n').filter((line) => line.startsWith('easel_retention_overdue_rows{'))
    assert.equal(series.length, retentionRules.length + 1)
    assert.deepEqual(
      series.filter((line) => !line.endsWith(' 0')),
      ['easel_retention_overdue_rows{data="decisions"} 1'],
    )
  } finally {
    metrics.close()
  }
})

test('the table of docs/operations.md says what the rules say', () => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8')
  const table = /## Retention\n[\s\S]*?\n(\| data [\s\S]*?)\n\n/.exec(text)![1]!
  const found = table.split('\n').slice(2)
  const wanted = [...retentionRules, inboxRule].map(({ data, kept, job }) => `| ${data} | ${kept} | \`${job}\` |`)
  assert.deepEqual(found, wanted)
})
