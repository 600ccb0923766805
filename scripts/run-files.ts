import { channel } from 'node:diagnostics_channel'
import { join } from 'node:path'
import { after, describe } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'

/** Time to write the outcomes of a file, so that a crash in the next file is not counted as its failure. */
const writingMs = 10

/** Keeps the process running: what a test waits for may not. */
const keepAlive = setInterval(() => {}, 1_000)

/** Runs the test files of its arguments in this process, one after another, each as a group named by its path. */
for (const path of process.argv.slice(2)) {
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  describe(path, async () => {
    after(() => resolve())
    await import(pathToFileURL(join(process.cwd(), path)).href)
  })
  await ended
  await sleep(writingMs)
}
clearInterval(keepAlive)
// Closes the databases that tests share (`test/servers/spare.ts`).
channel('easel.tests.ended').publish(undefined)
