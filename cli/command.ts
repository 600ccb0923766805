import type { Readable, Writable } from 'node:stream'

/** The environment and the streams of a command. `process` has this type. */
export type Shell = {
  readonly env: NodeJS.ProcessEnv
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Writable & { readonly isTTY?: boolean }
}

/** One command of the command line. */
export type Command = {
  /** The text for `--help`. */
  usage: string
  /** Runs the command. Returns the exit code: 0 done, 1 failed. `commands.ts` prints what it throws. */
  run(args: readonly string[], shell: Shell): Promise<number>
}

/** The arguments of a command are not valid. */
export class UsageError extends Error {}

/** Prints a result, to standard output. */
export function say({ stdout }: Shell, text: string): void {
  stdout.write(`${text}\n`)
}

/** Prints anything else, to standard error. */
export function note({ stderr }: Shell, text: string): void {
  stderr.write(`${text}\n`)
}
