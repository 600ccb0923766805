import type { Readable, Writable } from 'node:stream'
import type { Command } from 'commander'

/** The environment and the streams of a command. `process` has this type. */
export type Shell = {
  readonly env: NodeJS.ProcessEnv
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Writable & { readonly isTTY?: boolean }
}

/** The result of a verb. `commands.ts` prints it. */
export type Outcome = {
  /** The result as one object, for `--json`. */
  readonly result: object
  /** The same as text. Nothing is printed without it. */
  readonly text?: string | undefined
  /** Whether something was refused or is wrong: exit code 1. */
  readonly failed?: boolean
}

/** A verb of the command line, such as `apply` or `keys list`. */
export type Verb<Options extends object = object> = {
  /** Its first sentence is the summary in lists of verbs. */
  readonly description: string
  /** Text below the options in `--help`. */
  readonly notes?: string
  /** Adds the arguments and the options. Every verb has `--json` and `--help`. */
  define?(command: Command): void
  /** Runs the verb. An optional argument that was not given is undefined. `commands.ts` prints what it throws. */
  run(args: readonly (string | undefined)[], options: Options, shell: Shell): Promise<Outcome>
}

/** A word of the command line with verbs below it, such as `keys`. */
// biome-ignore lint/suspicious/noExplicitAny: each verb has its own options, which its `define` declares.
export type VerbGroup = { readonly description: string; readonly verbs: Readonly<Record<string, Verb<any>>> }

/** The arguments of a command are not valid. */
export class UsageError extends Error {}

/** Prints anything that is not the result, to standard error. */
export function note({ stderr }: Shell, text: string): void {
  stderr.write(`${text}\n`)
}
