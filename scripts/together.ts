import { channel } from 'node:diagnostics_channel'
import { join } from 'node:path'
import { after, describe } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'

/** So long the outcomes of a file may take to be written, so that a crash of the next is not told as its own. */
const writtenMs = 10

/** What a test waits for need not keep the process: this does. */
const awake = setInterval(() => {}, 1_000)

/** Runs the files of tests that are its arguments in this process, one after another, each as a group named by its path. */
for (const path of process.argv.slice(2)) {
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  describe(path, async () => {
    after(() => resolve())
    await import(pathToFileURL(join(process.cwd(), path)).href)
  })
  await ended
  await sleep(writtenMs)
}
clearInterval(awake)
// Databases that tests have left for each other (`test/servers/spare.ts`).
channel('easel.tests.ended').publish(undefined)
