import { ConfigError } from '../src/base/config.ts'
import { Failure } from '../src/base/errors.ts'
import { type Command, note, type Shell, say, UsageError } from './command.ts'

const exitFailed = 1
const exitUsage = 2

/** `summary` is the line in the list of commands. Only the given command is loaded: loading all would take half a second longer. */
const commands: Readonly<Record<string, { summary: string; load(): Promise<Command> }>> = {
  apply: {
    summary: 'apply a workspace file to a workspace',
    load: async () => (await import('./apply.ts')).applyCommand,
  },
  keys: { summary: 'list, create and delete API keys', load: async () => (await import('./keys.ts')).keysCommand },
  secrets: {
    summary: 'encrypt stored secrets under another root secret',
    load: async () => (await import('./secrets.ts')).secretsCommand,
  },
  migrate: {
    summary: 'bring the database up to date',
    load: async () => (await import('./migrate.ts')).migrateCommand,
  },
  doctor: {
    summary: 'check whether this machine can run the server',
    load: async () => (await import('./doctor.ts')).doctorCommand,
  },
  export: {
    summary: 'write people to a file as lines of JSON',
    load: async () => (await import('./export.ts')).exportCommand,
  },
  import: { summary: 'import people from a file', load: async () => (await import('./import.ts')).importCommand },
  catalog: {
    summary: 'write the items of a CSV file to a catalog',
    load: async () => (await import('./catalog.ts')).catalogCommand,
  },
}

const overview = `Usage: npm run easel -- <command> [options]

Commands:
${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(8)} ${summary}`)
  .join('\n')}

"npm run easel -- <command> --help" describes a command. The environment is that of the server (.env is read).
Exit codes: 0 done, 1 failed, 2 wrong usage.`

/** Runs a command line. Returns the exit code. */
export async function runCommand([name, ...args]: readonly string[], shell: Shell): Promise<number> {
  if (name === undefined || ['help', '--help', '-h'].includes(name)) {
    say(shell, overview)
    return name === undefined ? exitUsage : 0
  }
  if (!Object.hasOwn(commands, name)) {
    note(shell, `There is no command ${JSON.stringify(name)}.\n\n${overview}`)
    return exitUsage
  }
  const command = await commands[name]!.load()
  if (args.includes('--help') || args.includes('-h')) {
    say(shell, command.usage)
    return 0
  }
  try {
    return await command.run(args, shell)
  } catch (error) {
    // Here every error becomes one message and an exit code.
    return explain(error, command, shell)
  }
}

/** Prints the message of an error, and for a bug also the stack trace. Returns the exit code. */
async function explain(error: unknown, command: Command, shell: Shell): Promise<number> {
  const { code = '' } = error as { code?: string }
  if (error instanceof UsageError || code.startsWith('ERR_PARSE_ARGS')) {
    note(shell, `${(error as Error).message}\n\n${command.usage}`)
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

/** Returns the lines of a failure, one for each mistake of a file. */
async function linesOf({ message, details }: Failure): Promise<string[]> {
  const mistakes = (details.errors ?? []) as { path?: string; message?: string; file?: string }[]
  if (!mistakes.every((mistake) => mistake.path !== undefined) || mistakes.length === 0) return [message]
  const { formatMistake } = await import('../src/workspace/settings/mistake.ts')
  return mistakes.map((mistake) => formatMistake(mistake.file ?? '', mistake as { path: string; message: string }))
}
