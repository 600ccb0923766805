import { ConfigError } from '../src/base/config.ts'
import { Failure } from '../src/base/errors.ts'
import { note, type Shell, say, UsageError, type Verb } from './verb.ts'

const exitFailed = 1
const exitUsage = 2

/** `summary`: a line for the list of commands. Only the command that is asked for is loaded: half a second is felt at a prompt. */
const verbs: Readonly<Record<string, { summary: string; load(): Promise<Verb> }>> = {
  apply: {
    summary: 'make a workspace what a workspace file says',
    load: async () => (await import('./apply.ts')).applyVerb,
  },
  keys: { summary: 'list, create and delete API keys', load: async () => (await import('./keys.ts')).keysVerb },
  migrate: { summary: 'bring the database up to date', load: async () => (await import('./migrate.ts')).migrateVerb },
  doctor: {
    summary: 'say whether this machine can run the server',
    load: async () => (await import('./doctor.ts')).doctorVerb,
  },
  export: {
    summary: 'write people to a file, one JSON object a line',
    load: async () => (await import('./export.ts')).exportVerb,
  },
  import: { summary: 'bring people in from a file', load: async () => (await import('./import.ts')).importVerb },
  catalog: {
    summary: 'fill a catalog with the items of a CSV file',
    load: async () => (await import('./catalog.ts')).catalogVerb,
  },
}

const overview = `Usage: npm run easel -- <command> [options]

Commands:
${Object.entries(verbs)
  .map(([name, { summary }]) => `  ${name.padEnd(8)} ${summary}`)
  .join('\n')}

"npm run easel -- <command> --help" says more. The environment is that of the server (.env is read).
Exit codes: 0 done, 1 failed, 2 wrong usage.`

/** Runs what somebody has typed, and answers the exit code. */
export async function runCommand([name, ...args]: readonly string[], shell: Shell): Promise<number> {
  if (name === undefined || ['help', '--help', '-h'].includes(name)) {
    say(shell, overview)
    return name === undefined ? exitUsage : 0
  }
  if (!Object.hasOwn(verbs, name)) {
    note(shell, `There is no command ${JSON.stringify(name)}.\n\n${overview}`)
    return exitUsage
  }
  const verb = await verbs[name]!.load()
  if (args.includes('--help') || args.includes('-h')) {
    say(shell, verb.usage)
    return 0
  }
  try {
    return await verb.run(args, shell)
  } catch (error) {
    // This is the edge of the command line: one sentence and an exit status.
    return explain(error, verb, shell)
  }
}

/** What went wrong, in as few words as the person needs; only for our own mistakes the whole trace. */
async function explain(error: unknown, verb: Verb, shell: Shell): Promise<number> {
  const { code = '' } = error as { code?: string }
  if (error instanceof UsageError || code.startsWith('ERR_PARSE_ARGS')) {
    note(shell, `${(error as Error).message}\n\n${verb.usage}`)
    return exitUsage
  }
  if (error instanceof ConfigError) {
    note(shell, error.message)
    return exitUsage
  }
  if (error instanceof Failure) note(shell, (await linesOf(error)).join('\n'))
  else if (error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError)
    note(shell, String(error.stack))
  else note(shell, error instanceof Error ? error.message : String(error))
  return exitFailed
}

/** A refusal names every mistake, a line each. */
async function linesOf({ message, details }: Failure): Promise<string[]> {
  const mistakes = (details.errors ?? []) as { path?: string; message?: string; file?: string }[]
  if (!mistakes.every((mistake) => mistake.path !== undefined) || mistakes.length === 0) return [message]
  const { formatMistake } = await import('../src/workspace/settings/mistake.ts')
  return mistakes.map((mistake) => formatMistake(mistake.file ?? '', mistake as { path: string; message: string }))
}
