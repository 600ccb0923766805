import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { openDb } from '../../src/base/db/open.ts'
import { Failure } from '../../src/base/errors.ts'
import { backupsFolder } from '../../src/workspace/backups/format.ts'
import { restoreBackup } from '../../src/workspace/backups/restore-backup.ts'
import { writeBackup } from '../../src/workspace/backups/write-backup.ts'
import { canvas, message } from '../support/canvases.ts'
import { quiet } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { type Spawned, spawnService } from '../support/harness.ts'
import { sendingWorkspace } from '../support/messages.ts'
import { many } from '../support/people.ts'
import { everyRow } from '../support/table-rows.ts'
import { temporaryFolder } from './folders.ts'

const env = { EASEL_CLOCK: 'virtual' }
const crowd = 200
const clock = systemClock()

/** A canvas in which everybody waits for a day before the mail. */
const waiting = canvas('waiting', [{ id: 'rest', type: 'delay', for: 'P1D', next: 'hello' }, message('hello')])

async function backUp(service: Spawned): Promise<string> {
  const before = (await service.admin('GET', '/admin/backups')).body.backups.length
  assert.equal((await service.send('POST', '/admin/backups', undefined, { key: service.adminToken })).status, 202)
  let body: { backups: { name: string }[]; running: object | null; failure: string | null; folder: string }
  await eventually('the backup is written', async () => {
    body = (await service.admin('GET', '/admin/backups')).body
    return body.running === null
  })
  assert.equal(body!.failure, null)
  assert.equal(body!.backups.length, before + 1)
  return join(body!.folder, body!.backups[0]!.name)
}

test('a backup under load has what was answered before it, and a canvas goes on at its step', async () => {
  using place = temporaryFolder()
  const restored = join(place.path, 'restored')
  let file: string
  const answered = new Map<string, number>()
  const sent = new Map<string, number>()
  const track = async (service: Spawned, at: number) => {
    const attributes = many(20, (i) => {
      const external_id = `p${(at * 20 + i) % crowd}`
      const count = (sent.get(external_id) ?? 0) + 1
      sent.set(external_id, count)
      return { external_id, email: `${external_id}@example.com`, count }
    })
    assert.equal((await service.post('/users/track', { attributes })).status, 201)
    for (const { external_id, count } of attributes) answered.set(external_id, count)
  }
  {
    await using service = await spawnService({ dataDir: join(place.path, 'data'), env })
    await service.admin('POST', '/admin/apply', { ...sendingWorkspace, canvases: [waiting] })
    for (let at = 0; at < crowd / 20; at++) await track(service, at)
    const recipients = many(50, (i) => ({ external_user_id: `p${i}` }))
    assert.equal((await service.post('/canvas/trigger/send', { canvas_id: 'waiting', recipients })).status, 201)
    await service.advance('PT1H')
    const load = { isOn: true }
    const loading = (async () => {
      for (let at = 0; load.isOn; at++) await track(service, at)
    })()
    const before = new Map(answered)
    file = await backUp(service)
    load.isOn = false
    await loading
    const head = await restoreBackup(file, restored)
    assert.equal(head.format, 1)
    await using copy = await spawnService({ dataDir: restored, env })
    for (let from = 0; from < crowd; from += 50) {
      const external_ids = many(50, (i) => `p${from + i}`)
      const { body } = await copy.post('/users/export/ids', {
        external_ids,
        fields_to_export: ['external_id', 'custom_attributes'],
      })
      assert.equal(body.users.length, 50)
      for (const { external_id, custom_attributes } of body.users) {
        const { count } = custom_attributes
        assert.ok(count >= before.get(external_id)! && count <= sent.get(external_id)!, `${external_id}: ${count}`)
      }
    }
    assert.equal((await copy.admin('GET', '/admin/inbox')).body.messages.length, 0)
    await copy.advance('P1D')
    assert.equal((await copy.admin('GET', '/admin/inbox?limit=100')).body.messages.length, 50)
    assert.deepEqual((await copy.admin('GET', '/admin/backups')).body.backups, [], 'a backup contains no backups')
  }
})

test('a restored data directory has every row of every table', async () => {
  using place = temporaryFolder()
  const data = join(place.path, 'data')
  {
    await using service = await spawnService({ dataDir: data, env })
    await service.admin('POST', '/admin/apply', { ...sendingWorkspace, canvases: [waiting] })
    const people = many(50, (i) => ({ external_id: `p${i}`, email: `p${i}@example.com`, plan: 'gold' }))
    await service.post('/users/track', { attributes: people, events: [] })
    const recipients = people.map(({ external_id }) => ({ external_user_id: external_id }))
    await service.post('/canvas/trigger/send', { canvas_id: 'waiting', recipients })
    await service.advance('PT1H')
    await service.stop()
  }
  mkdirSync(join(data, backupsFolder))
  const file = join(place.path, 'copy.tar.zst')
  const shares: number[] = []
  const open = (dataDir: string) => openDb({ dataDir, log: quiet, clock })
  const db = await open(data)
  // What no checkpoint has written is in the log only.
  await db.execute(`update profile set country = 'NO' where merged_into is null`)
  const rows = await everyRow(db)
  await writeBackup(db, file, { clock, onProgress: (done, total) => shares.push(done / total) })
  await db.close()
  assert.equal(shares.at(-1), 1)
  assert.deepEqual(readdirSync(place.path).toSorted(), ['copy.tar.zst', 'data'])

  const restored = join(place.path, 'restored')
  await restoreBackup(file, restored)
  const copy = await open(restored)
  try {
    assert.deepEqual(await everyRow(copy), rows)
  } finally {
    await copy.close()
  }
  await assert.rejects(restoreBackup(file, restored), /is not empty: name another directory/)
})

test('a file that is not a complete backup is refused, and nothing is left of it', async () => {
  using place = temporaryFolder()
  const data = join(place.path, 'data')
  const file = join(place.path, 'copy.tar.zst')
  const db = await openDb({ dataDir: data, log: quiet, clock })
  await writeBackup(db, file, { clock })
  await db.close()
  const whole = readFileSync(file)
  const restored = join(place.path, 'restored')
  const refuses = async (what: string) => {
    await assert.rejects(
      restoreBackup(file, restored),
      (error) => error instanceof Failure && error.kind === 'invalid',
      what,
    )
    assert.ok(!existsSync(restored), what)
  }
  truncateSync(file, Math.floor(statSync(file).size / 2))
  await refuses('half of it')
  truncateSync(file, 0)
  await refuses('an empty file')
  writeFileSync(file, 'a text')
  await refuses('a text')
  const changed = Buffer.from(whole)
  changed[Math.floor(changed.length / 2)]! ^= 1
  writeFileSync(file, changed)
  await refuses('one bit is another one')
  await assert.rejects(restoreBackup(join(place.path, 'none'), restored), /ENOENT/)
})
