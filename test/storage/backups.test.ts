import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { migrate } from '../../src/base/db/migrate.ts'
import { openDb } from '../../src/base/db/open.ts'
import { Backups } from '../../src/workspace/backups/backups.ts'
import { backupsFolder } from '../../src/workspace/backups/format.ts'
import { temporaryFolder } from '../fault/folders.ts'
import { maker } from '../support/accounts.ts'
import { quiet } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'

const dayMs = 86_400_000
const running = new AbortController().signal

test('a backup is written once a day, the last ones are kept, and one that was asked for is left alone', async () => {
  using place = temporaryFolder()
  const dataDir = place.path
  const system = systemClock()
  let nowMs = Date.UTC(2030, 0, 7)
  const clock = { ...system, elapsed: () => nowMs }
  const db = await openDb({ dataDir, log: quiet, clock: system })
  await migrate(db, system)
  const backups = new Backups({ db, dataDir, clock, log: quiet, dailyKept: 2 })
  const days = async (kind: string) =>
    (await backups.read()).backups.filter((each) => each.kind === kind).map(({ at }) => new Date(at).getUTCDate())
  try {
    mkdirSync(join(dataDir, backupsFolder))
    writeFileSync(join(dataDir, backupsFolder, '.of-a-killed-process.draft'), 'half of it')
    await backups.keepDaily(running)
    assert.deepEqual(await days('daily'), [7])
    assert.equal(readdirSync(join(dataDir, backupsFolder)).length, 1)
    nowMs += dayMs - 1
    await backups.keepDaily(running)
    assert.deepEqual(await days('daily'), [7], 'a day has not passed')
    nowMs += 1
    await backups.begin(maker)
    await assert.rejects(backups.begin(maker), /Another backup is being written/)
    await eventually('it is written', async () => (await backups.read()).running === null)
    await backups.keepDaily(running)
    assert.deepEqual(await days('daily'), [8, 7])
    nowMs += dayMs
    await backups.keepDaily(running)
    assert.deepEqual(await days('daily'), [9, 8])
    assert.deepEqual(await days('asked'), [8])

    nowMs += dayMs
    await assert.rejects(backups.keepDaily(AbortSignal.abort()), /abort/i)
    assert.deepEqual(await days('daily'), [9, 8], 'nothing is left of one that was stopped')
    const none = new Backups({ db, dataDir, clock, log: quiet, dailyKept: 0 })
    await none.keepDaily(running)
    assert.deepEqual(await days('daily'), [9, 8])
  } finally {
    await backups.close()
    await db.close()
  }
})

test('a database in memory is not backed up', async () => {
  const clock = systemClock()
  const db = await openDb({ dataDir: 'memory', log: quiet, clock })
  const backups = new Backups({ db, dataDir: 'memory', clock, log: quiet, dailyKept: 1 })
  await assert.rejects(backups.begin(maker), /Only an embedded database on disk/)
  await backups.keepDaily(running)
  await db.close()
})
