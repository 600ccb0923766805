import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const leaving = new Set<() => Promise<void>>()

/** Has `leave` run once: when the function returned is called, or at the latest when the run ends, however it ends. */
export function leaveLater(leave: () => Promise<void>): () => Promise<void> {
  let left: Promise<void> | undefined
  const once = () => {
    left ??= leave().finally(() => leaving.delete(once))
    return left
  }
  leaving.add(once)
  return once
}

/** Ends every process and removes every directory that is still there, the newest first. */
export async function leaveNothing(): Promise<void> {
  for (const leave of [...leaving].reverse()) await leave()
}

/**
 * For an end that leaves no time for `leaveNothing`, SIGKILL above all: a shell that waits for this process to be gone and
 * then runs `command`, `$1` being `about`. Call what is returned when there is nothing left to do.
 */
export function tether(command: string, about: string): () => void {
  const shell = spawn('/bin/sh', ['-c', `read -r _; ${command}`, 'sh', about], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  shell.unref()
  ;(shell.stdin as Socket).unref()
  return () => void shell.kill('SIGKILL')
}

/** A directory under the system's temporary one, gone when the run ends or it is disposed. */
export function makeDirectory(purpose: string): { path: string; [Symbol.asyncDispose]: () => Promise<void> } {
  const path = mkdtempSync(join(tmpdir(), `easel-bench-${purpose}-`))
  const untie = tether('sleep 1; rm -rf "$1"', path)
  const leave = leaveLater(async () => {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 })
    untie()
  })
  return { path, [Symbol.asyncDispose]: leave }
}
