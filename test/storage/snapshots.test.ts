import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { lockFolder } from '../../src/base/db/folder-lock.ts'
import { snapshotsFolder } from '../../src/workspace/backups/format.ts'
import { listSnapshots, removeOldSnapshots, snapshotKeptMs } from '../../src/workspace/backups/snapshots.ts'

test('snapshots are removed when they are old and nobody reads them, also what an interrupted command left', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'easel-snapshots-'))
  t.after(() => rmSync(dataDir, { recursive: true }))
  assert.deepEqual(await listSnapshots(dataDir), [])
  await removeOldSnapshots(dataDir, 0)
  const nowMs = Date.UTC(2026, 0, 1)
  const folder = (ageMs: number, process: number) => join(dataDir, snapshotsFolder, `${nowMs - ageMs}-${process}`)
  const [young, exact, old, read, incomplete] = [
    folder(snapshotKeptMs - 1, 1),
    folder(snapshotKeptMs, 2),
    folder(snapshotKeptMs + 1, 3),
    folder(snapshotKeptMs * 2, 4),
    folder(0, 5),
  ]
  for (const each of [young, exact, old, read, incomplete]) mkdirSync(each, { recursive: true })
  for (const each of [young, exact, old, read]) writeFileSync(join(each, 'taken'), '')
  writeFileSync(`${folder(snapshotKeptMs * 3, 6)}.tar.zst`, '')
  writeFileSync(join(dataDir, snapshotsFolder, 'notes.txt'), '')
  assert.deepEqual(
    (await listSnapshots(dataDir)).map((each) => each.folder),
    [young, exact, old, read],
  )
  const lock = await lockFolder(read)
  t.after(() => lock.release())
  await removeOldSnapshots(dataDir, nowMs)
  assert.deepEqual(
    readdirSync(join(dataDir, snapshotsFolder)).sort(),
    [young, read, incomplete]
      .map((each) => each.split('/').at(-1)!)
      .concat('notes.txt')
      .sort(),
  )
})
