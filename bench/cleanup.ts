import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const registered = new Set<() => Promise<void>>()

/** Runs `work` once: when the returned function is called, or at the latest at the end of the run. */
export function registerCleanup(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  const once = () => {
    done ??= work().finally(() => registered.delete(once))
    return done
  }
  registered.add(once)
  return once
}

/** Ends all processes and removes all folders that remain, the newest first. */
export async function cleanUp(): Promise<void> {
  for (const once of [...registered].reverse()) await once()
}

/**
 * Starts a shell that waits for the end of this process and then runs `command`, with `$1` being `argument`. This is for SIGKILL, after
 * which `cleanUp` does not run. Call the returned function when there is nothing left to clean up.
 */
export function startWatchdog(command: string, argument: string): () => void {
  const shell = spawn('/bin/sh', ['-c', `read -r _; ${command}`, 'sh', argument], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  shell.unref()
  ;(shell.stdin as Socket).unref()
  return () => void shell.kill('SIGKILL')
}

/** Creates a temporary folder, which is removed when it is disposed or at the end of the run. */
export function makeTemporaryFolder(purpose: string): { path: string; [Symbol.asyncDispose]: () => Promise<void> } {
  const path = mkdtempSync(join(tmpdir(), `easel-bench-${purpose}-`))
  const stopWatchdog = startWatchdog('sleep 1; rm -rf "$1"', path)
  const remove = registerCleanup(async () => {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 })
    stopWatchdog()
  })
  return { path, [Symbol.asyncDispose]: remove }
}
