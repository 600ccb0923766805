import assert from 'node:assert/strict'
import { mkdirSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { lockFolder } from '../../src/base/db/folder-lock.ts'
import { sizes } from '../sizes.ts'
import { patienceMs } from '../support/eventually.ts'
import { openOnDisk, type Program, runProgram, temporaryFolder } from './embedded.ts'

/** Starts a process that prints `held` or the error, and keeps the lock until it reads a line. */
function contender(t: TestContext, folder: string): Program {
  return runProgram(
    t,
    `const lock = await lockFolder(${JSON.stringify(folder)}).catch((error) => print(error.message))
     if (lock) { print('held'); await input(); await lock.release(); print('released') }
     process.exit()`,
  )
}

test('a directory has one holder, and is free after the release', async (t) => {
  const folder = temporaryFolder(t)
  const lock = await lockFolder(folder)
  await assert.rejects(lockFolder(folder), new RegExp(`${folder} is in use by another process: .*EASEL_DATA`))
  await lock.release()
  await (await lockFolder(folder)).release()
  assert.deepEqual(readdirSync(folder), [])
})

test('a second process is refused at once, with an error that names the directory', async (t) => {
  const folder = temporaryFolder(t)
  await openOnDisk(t, folder)
  const second = runProgram(
    t,
    `const before = clock.elapsed()
     await openDb({ dataDir: ${JSON.stringify(folder)}, log, clock }).catch((error) => print(error.message))
     print(clock.elapsed() - before)`,
  )
  assert.match((await second.line())!, new RegExp(`^${folder} is in use by another process`))
  // It does not wait for the holder, which goes on.
  assert.ok(Number(await second.line()) < patienceMs)
})

test('of many processes that start at once exactly one gets the directory, also after a dead holder', async (t) => {
  const folder = temporaryFolder(t)
  for (let round = 0; round < sizes.foldersContested; round++) {
    const contenders = Array.from({ length: 4 }, () => contender(t, folder))
    const lines = await Promise.all(contenders.map((program) => program.line()))
    assert.equal(lines.filter((line) => line === 'held').length, 1, lines.join('\n'))
    await Promise.all(contenders.map((program) => program.kill()))
  }
  const lock = await lockFolder(folder)
  assert.equal(readdirSync(folder).length, 1)
  await lock.release()
})

test('a directory with a path too long for a socket can be locked', async (t) => {
  const folder = join(temporaryFolder(t), 'a-very-long-name'.repeat(10))
  mkdirSync(folder)
  const before = temporaryLinks()
  const lock = await lockFolder(folder)
  const second = contender(t, folder)
  assert.match((await second.line())!, /is in use/)
  await lock.release()
  assert.deepEqual(temporaryLinks(), before)
})

function temporaryLinks(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith('easel-link-'))
}
