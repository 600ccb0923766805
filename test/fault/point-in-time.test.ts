import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { promisify } from 'node:util'
import pg from 'pg'
import { findPostgres, otherUser, startCluster } from '../servers/postgres.ts'
import { canvas, message } from '../support/canvases.ts'
import { eventually } from '../support/eventually.ts'
import { databases, type Spawned, spawnService } from '../support/harness.ts'
import { sendingWorkspace } from '../support/messages.ts'
import { many } from '../support/people.ts'
import { temporaryFolder } from './folders.ts'

const run = promisify(execFile)
const skip = databases.includes('postgres') ? false : 'PostgreSQL is not here'
const clockEnv = { EASEL_CLOCK: 'virtual' }
const waiting = canvas('waiting', [{ id: 'rest', type: 'delay', for: 'P1D', next: 'hello' }, message('hello')])

async function track(service: Spawned, ids: readonly string[]): Promise<void> {
  const attributes = ids.map((external_id) => ({ external_id, email: `${external_id}@example.com` }))
  assert.equal((await service.post('/users/track', { attributes })).status, 201)
}

async function ask(url: string, text: string): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return String(Object.values((await client.query(text)).rows[0]!)[0])
  } finally {
    await client.end()
  }
}

/** Says which people there are. */
async function found(service: Spawned, external_ids: readonly string[]): Promise<string[]> {
  const { body } = await service.post('/users/export/ids', { external_ids, fields_to_export: ['external_id'] })
  return (body.users as { external_id: string }[]).map(({ external_id }) => external_id).toSorted()
}

// docs/operations.md says how an operator does this.
test('a PostgreSQL database is restored to a moment, and goes on from there', { skip }, async () => {
  using place = temporaryFolder()
  chmodSync(place.path, 0o755)
  const folderFor = (name: string) => {
    const path = join(place.path, name)
    mkdirSync(path)
    chmodSync(path, 0o777)
    return path
  }
  const [archive, backups] = [folderFor('archive'), folderFor('backups')]
  const base = join(backups, 'monday')
  const early = many(20, (i) => `early-${i}`)
  const late = many(20, (i) => `late-${i}`)
  let moment: string
  {
    await using cluster = await startCluster({
      durable: true,
      settings: {
        wal_level: 'replica',
        archive_mode: 'on',
        archive_command: `test ! -f ${archive}/%f && cp %p ${archive}/%f`,
      },
    })
    const DATABASE_URL = await cluster.createDatabase('easel')
    await using service = await spawnService({ env: { ...clockEnv, DATABASE_URL } })
    assert.equal(
      (await service.admin('POST', '/admin/apply', { ...sendingWorkspace, canvases: [waiting] })).status,
      200,
    )
    await track(service, early.slice(0, 10))
    const bin = join(findPostgres()!, 'pg_basebackup')
    const args = ['-d', DATABASE_URL, '-D', base, '--checkpoint=fast', '--wal-method=stream']
    await run(bin, args, { ...otherUser(), cwd: backups })
    // All of this is in the archive of the write-ahead log only.
    await track(service, early.slice(10))
    const recipients = early.map((external_user_id) => ({ external_user_id }))
    assert.equal((await service.post('/canvas/trigger/send', { canvas_id: 'waiting', recipients })).status, 201)
    await service.advance('PT1H')
    moment = await ask(DATABASE_URL, 'select clock_timestamp()::text')
    await track(service, late)
    assert.equal((await service.post('/users/delete', { external_ids: early })).status, 201)
    await eventually('the people are deleted', async () => (await found(service, early)).length === 0)
    await service.stop()
    await ask(DATABASE_URL, 'select pg_switch_wal()::text')
    // The shutdown waits until the rest is in the archive.
    await cluster.stop()
  }
  writeFileSync(join(base, 'recovery.signal'), '')
  await using restored = await startCluster({
    durable: true,
    from: base,
    settings: {
      restore_command: `cp ${archive}/%f %p`,
      recovery_target_time: moment,
      recovery_target_action: 'promote',
    },
  })
  const DATABASE_URL = restored.url('easel')
  await eventually(
    'the recovery has ended',
    async () => (await ask(DATABASE_URL, 'select pg_is_in_recovery()')) === 'false',
  )
  await using service = await spawnService({ env: { ...clockEnv, DATABASE_URL } })
  assert.deepEqual(await found(service, [...early, ...late]), early.toSorted())
  await service.advance('P1D')
  const { messages } = (await service.admin('GET', '/admin/inbox?limit=100')).body
  assert.equal(messages.length, early.length, 'everybody who waited at that moment gets the mail')
})
