import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exportSegment } from '../../src/audience/exports/accept.ts'
import { openCallbackLoop } from '../../src/audience/exports/callback-loop.ts'
import { deleteExpiredExports } from '../../src/audience/exports/delete-expired.ts'
import type { ExportRequest } from '../../src/audience/exports/schema.ts'
import {
  claimCallbacks,
  claimExport,
  finishExport,
  insertExport,
  listExports,
  releaseAllExports,
  releaseExport,
  renewLease,
  updateCallback,
} from '../../src/audience/exports/store.ts'
import { removeOtherAttempts } from '../../src/audience/exports/write-export.ts'
import { openWriter } from '../../src/audience/exports/writer-loop.ts'
import { insertSegments } from '../../src/audience/segments/store.ts'
import { type Clock, systemClock, virtualClock } from '../../src/base/clock.ts'
import type { Db } from '../../src/base/db/db.ts'
import { raw } from '../../src/base/db/sql.ts'
import { newUuid } from '../../src/base/ids.ts'
import { Wakeups } from '../../src/base/work/wakeups.ts'
import { FlowOutlines } from '../../src/people/received/flow-outlines.ts'
import { temporaryFolder } from '../fault/folders.ts'
import { onBothDatabases, quiet } from '../support/databases.ts'
import { objectsAmong } from '../support/exports.ts'
import { fetcherOf, serve } from '../support/fetchers.ts'
import { many } from '../support/people.ts'

const startMs = Date.UTC(2026, 0, 1)
const request: ExportRequest = {
  segment_id: 's',
  fields: ['email'],
  custom_attributes: [],
  output_format: 'zip',
  callback_endpoint: 'https://example.com/',
}
const done = { state: 'done', object: 'o', files: 1, people: 2, bytes: 3 } as const
const times = { stampUs: startMs * 1000, nowMs: startMs, expiresMs: startMs + 1_000 }

/** Inserts waiting exports of segments `s0`, `s1`, ..., the oldest first. */
async function accept(db: Db, count: number): Promise<string[]> {
  const ids = many(count, () => newUuid())
  for (const [i, id] of ids.entries()) {
    const key = { workspace_id: 1, id }
    assert.equal(await insertExport(db, key, { ...request, segment_id: `s${i}` }, (startMs + i) * 1000), true)
  }
  return ids
}

onBothDatabases('an export is claimed by one process at a time, the oldest first', async (open) => {
  const dbs = await open.processes(3)
  const [db] = dbs as [Db]
  const ids = await accept(db, 4)
  const claims = await Promise.all(
    many(9, (i) => claimExport(dbs[i % dbs.length]!, `lease-${i}`, startMs, startMs + 100)),
  )
  assert.deepEqual(claims.flatMap((claim) => claim?.id ?? []).toSorted(), ids.toSorted())
  assert.deepEqual(claims.find((claim) => claim?.id === ids[0])!.request, { ...request, segment_id: 's0' })

  const [lost] = claims.filter((claim) => claim?.id === ids[0])
  const [held] = claims.filter((claim) => claim?.id === ids[1])
  assert.equal(await renewLease(db, held!, startMs + 200, 7), true)
  assert.equal(await claimExport(db, 'next', startMs + 99, startMs + 300), undefined)
  const taken = []
  for (let i = 0; i < 4; i++) taken.push(await claimExport(db, 'next', startMs + 100, startMs + 300))
  assert.deepEqual(
    taken.map((claim) => claim?.id),
    [ids[0], ids[2], ids[3], undefined],
  )
  assert.equal(taken[0]!.attempts, 2)

  // A process without the lease can neither extend it, nor end the export, nor release it.
  assert.equal(await renewLease(db, lost!, startMs + 900, 8), false)
  assert.equal(await finishExport(db, lost!, done, times), false)
  await releaseExport(db, lost!, 0, null)
  assert.equal(await claimExport(db, 'third', startMs + 199, startMs + 300), undefined)
  assert.equal(await finishExport(db, taken[0]!, done, times), true)
  assert.equal(await finishExport(db, taken[0]!, done, times), false)
})

onBothDatabases('a released export is claimed again after its pause', async (open) => {
  const db = await open()
  const [id] = await accept(db, 1)
  const claim = async (nowMs: number) => claimExport(db, newUuid(), nowMs, nowMs + 100)
  await releaseExport(db, (await claim(startMs))!, 1, startMs + 50)
  assert.equal(await claim(startMs + 49), undefined)
  const again = await claim(startMs + 50)
  assert.deepEqual([again!.id, again!.attempts], [id, 2])
  await releaseExport(db, again!, 1, null)
  assert.equal((await claim(startMs + 51))!.attempts, 2)
  await releaseAllExports(db)
  assert.equal((await claim(startMs + 52))!.attempts, 3)
})

onBothDatabases('a segment has at most one open export in each workspace', async (open) => {
  const db = await open()
  const insert = (workspace_id: number) => insertExport(db, { workspace_id, id: newUuid() }, request, startMs * 1000)
  const taken = await Promise.all(many(4, () => insert(1)))
  assert.equal(taken.filter(Boolean).length, 1)
  assert.equal(await insert(2), true)
  const claimed = await claimExport(db, 'lease', startMs, startMs)
  assert.equal(await insert(claimed!.workspace_id), false)
  await finishExport(db, claimed!, { state: 'failed', failure: 'why' }, times)
  assert.equal(await insert(claimed!.workspace_id), true)
})

onBothDatabases('a callback is due until its result is recorded', async (open) => {
  const dbs = await open.processes(2)
  const [db] = dbs as [Db]
  const [id] = await accept(db, 1)
  await finishExport(db, (await claimExport(db, 'lease', startMs, startMs))!, done, times)
  const due = async (nowMs: number) =>
    (await Promise.all(many(4, (i) => claimCallbacks(dbs[i % dbs.length]!, 10, nowMs, nowMs + 100)))).flat()
  assert.deepEqual(await due(startMs - 1), [])
  const [callback, ...more] = await due(startMs)
  assert.deepEqual(more, [])
  assert.deepEqual(callback, {
    workspace_id: 1,
    id,
    endpoint: 'https://example.com/',
    output_format: 'zip',
    state: 'done',
    failure: null,
    attempts: 1,
    expires_at: new Date(startMs + 1_000),
  })
  assert.equal((await due(startMs + 99)).length, 0)
  assert.equal((await due(startMs + 100))[0]!.attempts, 2)
  await updateCallback(db, id!, { failure: 'It answered 500', againMs: startMs + 500 })
  assert.equal((await due(startMs + 499)).length, 0)
  assert.equal((await due(startMs + 500)).length, 1)
  await updateCallback(db, id!, { failure: 'It answered 500', againMs: undefined })
  assert.equal((await due(startMs + 9_999)).length, 0)
  const [row] = await listExports(db, 1, undefined, 10)
  assert.deepEqual(
    [row!.callback_state, row!.callback_attempts, row!.callback_failure],
    ['failed', 3, 'It answered 500'],
  )
})

onBothDatabases('a callback that is aborted because the service closes is due again at once', async (open) => {
  const db = await open()
  const arrival = Promise.withResolvers<void>()
  const silent = await serve(() => arrival.resolve())
  try {
    const key = { workspace_id: 1, id: newUuid() }
    await insertExport(db, key, { ...request, callback_endpoint: silent.url }, startMs * 1000)
    await finishExport(db, (await claimExport(db, 'lease', startMs, startMs))!, done, times)
    // The last attempt.
    await db.query(raw('update segment_export set callback_attempts = 4'))
    const fetcher = fetcherOf(`127.0.0.1:${silent.port}`)
    const parts = { db, clock: systemClock(), log: quiet, fetcher, publicUrl: '', secret: Buffer.alloc(32) }
    const caller = openCallbackLoop(parts)
    await arrival.promise
    await caller.close()
    const [due, ...more] = await claimCallbacks(db, 10, parts.clock.elapsed(), startMs)
    assert.deepEqual([due?.id, due?.attempts, more], [key.id, 6, []])
  } finally {
    await silent.close()
  }
})

onBothDatabases('expired exports are deleted with their files and the remains of others', async (open) => {
  const db = await open()
  using temporary = temporaryFolder()
  const folder = join(temporary.path, 'exports')
  const clock: Clock = { ...virtualClock(startMs), elapsed: () => nowMs }
  let nowMs = startMs
  await deleteExpiredExports(db, clock, folder)
  const [over, writing] = (await accept(db, 3)) as [string, string]
  const ended = { ...done, object: `${over}.lease.zip` }
  await finishExport(db, (await claimExport(db, 'lease', startMs, startMs + 100))!, ended, times)
  await claimExport(db, 'other', startMs, startMs + 100)
  mkdirSync(folder)
  const kept = [`${over}.lease.zip`, `${writing}.other.zip.part`, 'README']
  for (const name of [...kept, `${over}.lost.zip`, `${newUuid()}-1.lease.zip`]) {
    writeFileSync(join(folder, name), '')
  }
  nowMs = startMs + 999
  await deleteExpiredExports(db, clock, folder)
  assert.deepEqual(readdirSync(folder).toSorted(), kept.toSorted())
  writeFileSync(join(folder, `${writing}.first.zip.part`), '')
  await removeOtherAttempts(folder, writing, 'other')
  assert.deepEqual(readdirSync(folder).toSorted(), kept.toSorted())
  nowMs = startMs + 1_000
  await deleteExpiredExports(db, clock, folder)
  assert.deepEqual(readdirSync(folder).toSorted(), kept.slice(1).toSorted())
  assert.equal((await listExports(db, 1, undefined, 10)).length, 2)
})

/** Creates segments `s0`, `s1`, ... of all people. */
async function makeSegments(db: Db, count: number): Promise<void> {
  const audience = { random_bucket: { comparison: 'less_than', value: 10_000 } }
  const segment = { description: '', audience, tags: [], analytics_tracking_enabled: false }
  const segments = many(count, (i) => ({ ...segment, id: `s${i}`, name: `S${i}` }))
  await insertSegments(db, 1, segments, new Date(startMs))
}

onBothDatabases('an export that cannot be written fails, at once or after five attempts', async (open) => {
  const db = await open()
  using temporary = temporaryFolder()
  const folder = join(temporary.path, 'exports')
  await makeSegments(db, 4)
  await db.query(raw(`update segment set audience = '{"unknown": 1}' where id = 's1'`))
  const ids = await accept(db, 4)
  // The processes that began these exports have died.
  await db.query(raw(`update segment_export set state = 'running', attempts = 4 where id = '${ids[2]}'`))
  await db.query(raw(`update segment_export set state = 'running', attempts = 5 where id = '${ids[3]}'`))
  const ended: string[] = []
  const parts = {
    db,
    clock: systemClock(),
    log: quiet,
    folder,
    serviceName: 'service',
    formatServiceId: (profile_id: string) => profile_id,
    workspaces: { get: () => ({ apps: new Map() }) } as never,
    flowOutlines: new FlowOutlines(),
    onFinished: (state: string) => void ended.push(state),
  }
  const writer = openWriter(parts, () => undefined)
  while (ended.length < 4) await writer.nextTurn()
  await writer.close()
  const rows = (await listExports(db, 1, undefined, 10)).toReversed()
  assert.deepEqual(
    rows.map(({ state }) => state),
    ['done', 'failed', 'done', 'failed'],
  )
  assert.match(rows[1]!.failure!, /unknown/)
  assert.equal(rows[3]!.failure, 'The export could not be written')
  assert.equal(objectsAmong(readdirSync(folder)).length, 2)
})

onBothDatabases('a workspace has at most 1,000 exports at a time', async (open) => {
  const db = await open()
  await makeSegments(db, 3)
  await db.query(
    raw(`insert into segment_export (id, workspace_id, segment_id, request, state, created_at)
    select w || 'x' || n, w, 'x' || n, '{}', 'done', '2026-01-01Z' from generate_series(1, 998) n, generate_series(1, 2) w`),
  )
  const parts = {
    workspaces: { get: () => ({ settings: {} }) } as never,
    serviceName: 'service',
    publicUrl: 'http://localhost',
    secret: Buffer.alloc(32),
    wakeups: new Wakeups(),
  }
  const call = {
    db,
    workspace_id: 1,
    actor: {} as never,
    strict: false,
    clock: virtualClock(startMs),
    log: quiet,
    signal: new AbortController().signal,
  }
  const ask = (i: number) => exportSegment(call, { segment_id: `s${i}`, fields_to_export: ['email'] }, parts)
  await ask(0)
  await ask(1)
  await assert.rejects(ask(2), /At most 1000 exports are stored at a time/)
})
