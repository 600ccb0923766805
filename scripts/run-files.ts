import { channel } from 'node:diagnostics_channel'
import { join } from 'node:path'
import { describe } from 'node:test'
import { pathToFileURL } from 'node:url'

/** A message of the runner: the next file, or that there is none. */
export type RunnerMessage = { readonly path: string } | { readonly end: true }

/**
 * Runs the test files that the runner sends, one after another in this process, each as a group named by its path. The open channel
 * keeps the process running: what a test waits for may not.
 */
process.on('message', (message: RunnerMessage) => {
  if ('end' in message) process.disconnect?.()
  else describe(message.path, () => import(pathToFileURL(join(process.cwd(), message.path)).href))
})
// Closes the databases that tests share (`test/servers/spare.ts`).
process.once('disconnect', () => channel('easel.tests.ended').publish(undefined))
