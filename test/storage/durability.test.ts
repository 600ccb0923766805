import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { PGlite } from '@electric-sql/pglite'
import { extractArchive } from '../../src/base/db/archive.ts'
import { DiskFiles } from '../../src/base/db/engine-files.ts'
import { DISK_PARAMETERS } from '../../src/base/db/parameters.ts'
import { loadTemplate } from '../../src/base/db/template.ts'
import { quiet } from '../support/databases.ts'
import { clock, temporaryFolder } from './embedded.ts'

type Hooked = { NODEFS: { stream_ops: { fsync(stream: { nfd: number }): number } } }

test('every commit of the embedded database is synced to the disk, and a failed sync is an error', async (t) => {
  const folder = join(temporaryFolder(t), 'database')
  extractArchive(await loadTemplate(clock, quiet), folder)
  assert.ok(existsSync(join(folder, 'PG_VERSION')))
  const failures: unknown[] = []
  const files = new DiskFiles(folder, (error) => failures.push(error))
  const engine = await PGlite.create({ fs: files, startParams: DISK_PARAMETERS })
  t.after(() => engine.close())
  await engine.exec('create table made (n int)')
  // The first commit of a new file of the log syncs the file as well.
  await engine.exec('select pg_switch_wal()')
  await engine.exec('insert into made values (0)')
  const before = files.syncs
  for (let n = 0; n < 10; n++) await engine.query('insert into made values ($1)', [n])
  assert.equal(files.syncs - before, 10)
  await engine.exec('checkpoint')
  assert.ok(files.syncs - before > 15)
  assert.deepEqual(failures, [])
  ;(engine.Module as unknown as Hooked).NODEFS.stream_ops.fsync({ nfd: 123_456 })
  assert.match(String(failures), /EBADF/)
})
