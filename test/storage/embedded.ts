import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import type { Db } from '../../src/base/db/db.ts'
import { migrate } from '../../src/base/db/migrate.ts'
import { openDb } from '../../src/base/db/open.ts'
import { quiet } from '../support/databases.ts'
import { ownFlags } from '../support/harness.ts'

export const clock = systemClock()

/** A test or suite, which runs functions at its end. */
type Ending = { after(end: () => unknown): void }

/** Returns a directory that is removed after the test. */
export function temporaryFolder(t: Ending): string {
  const folder = mkdtempSync(join(tmpdir(), 'easel-embedded-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Opens and migrates the database of a directory. It is closed after the test, unless the test has closed it. */
export async function openOnDisk(t: Ending, dataDir: string, statementDeadlineMs = 10_000): Promise<Db> {
  const db = await openDb({ dataDir, log: quiet, clock, statementDeadlineMs })
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= db.close()
    return closing
  }
  t.after(close)
  await migrate(db, clock)
  return { ...db, close }
}

export type Program = {
  /** Reads the next line of its output; undefined when it has ended. */
  line(): Promise<string | undefined>
  say(text: string): void
  kill(): Promise<void>
}

/** Starts a process that imports modules of `src/base/db` and runs `body`. It is killed after the test. */
export function runProgram(t: TestContext, body: string): Program {
  const from = (name: string) => new URL(`../../src/base/${name}`, import.meta.url).href
  const imports = `
    import { openDb } from '${from('db/open.ts')}'
    import { lockFolder } from '${from('db/folder-lock.ts')}'
    import { migrate } from '${from('db/migrate.ts')}'
    import { sql } from '${from('db/sql.ts')}'
    import { systemClock } from '${from('clock.ts')}'
    import { pino } from 'pino'
    import { once } from 'node:events'
    const log = pino({ level: 'silent' })
    const clock = systemClock()
    const print = (value) => process.stdout.write(value + '\\n')
    const input = () => once(process.stdin, 'data')`
  const child = spawn(process.execPath, [...ownFlags, '--input-type=module', '-e', `${imports}\n${body}`], {
    stdio: ['pipe', 'pipe', 'inherit'],
    cwd: join(import.meta.dirname, '../..'),
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  t.after(kill)
  return {
    async line() {
      const { value, done } = await lines.next()
      return done ? undefined : value
    },
    say: (text) => child.stdin.write(`${text}\n`),
    kill,
  }
}
