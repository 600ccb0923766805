import type { Readable, Writable } from 'node:stream'

/** Where a command is called: what it is given and where it writes. `process` is one. */
export type Shell = {
  readonly env: NodeJS.ProcessEnv
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Writable & { readonly isTTY?: boolean }
}

/** One command of the command line. */
export type Verb = {
  /** What `--help` prints. */
  usage: string
  /** Answers the exit code: 0 done, 1 not. Throws what stops it; `commands.ts` says it in words. */
  run(args: readonly string[], shell: Shell): Promise<number>
}

/** The command was called in a way that it does not have. */
export class UsageError extends Error {}

/** Results: standard output. */
export function say({ stdout }: Shell, text: string): void {
  stdout.write(`${text}\n`)
}

/** Everything beside the result: standard error. */
export function note({ stderr }: Shell, text: string): void {
  stderr.write(`${text}\n`)
}
