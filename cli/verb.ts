/** One command of the command line. */
export type Verb = {
  /** What `--help` prints. */
  usage: string
  /** Answers the exit code: 0 done, 1 not. Throws what stops it; `main.ts` says it in words. */
  run(args: readonly string[]): Promise<number>
}

/** The command was called in a way that it does not have. */
export class UsageError extends Error {}

/** Results: standard output. */
export function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Everything beside the result: standard error. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`)
}
