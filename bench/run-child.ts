import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { registerCleanup } from './cleanup.ts'

/** Waits until a child process has ended, and returns its exit status; null after a signal. It is ended at the latest with this run. */
export async function untilExit(child: ChildProcess): Promise<number | null> {
  const exited = once(child, 'exit')
  const cleanUp = registerCleanup(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
    await exited
  })
  const [code] = (await exited) as [number | null]
  await cleanUp()
  return code
}
