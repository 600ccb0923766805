import { Argument, Command, CommanderError } from 'commander'
import easel from '../package.json' with { type: 'json' }
import type { Outcome, Shell, Verb, VerbGroup } from './command.ts'
import { completionFor, shells } from './completion.ts'
import { explain } from './explain.ts'

const exitFailed = 1
const helpColumns = 120
/** How the command line is called in texts. */
const programName = 'npm run easel --'

// biome-ignore lint/suspicious/noExplicitAny: each verb has its own options, which its `define` declares.
type Loaded = Verb<any> | VerbGroup
type Entry = { readonly summary: string; load(): Promise<Loaded> }

/** `summary` is the line in the list of commands. Only the given command is loaded: loading all would take half a second longer. */
const commands: Readonly<Record<string, Entry>> = {
  apply: { summary: 'apply a workspace file', load: async () => (await import('./apply.ts')).applyVerb },
  validate: {
    summary: 'check a workspace file without a server',
    load: async () => (await import('./validate.ts')).validateVerb,
  },
  pull: {
    summary: 'write the workspace file as it is now',
    load: async () => (await import('./pull.ts')).pullVerb,
  },
  keys: { summary: 'API keys, and a lost admin token', load: async () => (await import('./keys.ts')).keysVerbs },
  secrets: {
    summary: 'encrypt stored secrets under another root secret',
    load: async () => (await import('./secrets.ts')).secretsVerbs,
  },
  migrate: { summary: 'bring the database up to date', load: async () => (await import('./migrate.ts')).migrateVerb },
  doctor: {
    summary: 'check whether this machine can run the server',
    load: async () => (await import('./doctor.ts')).doctorVerb,
  },
  backup: {
    summary: 'write everything on disk to one file',
    load: async () => (await import('./backup.ts')).backupVerb,
  },
  restore: {
    summary: 'make a data directory from a backup',
    load: async () => (await import('./restore-backup.ts')).restoreVerb,
  },
  move: {
    summary: 'move everything to another database',
    load: async () => (await import('./move.ts')).moveVerb,
  },
  distribute: {
    summary: 'distribute the tables over the nodes of Citus (has never run on Citus)',
    load: async () => (await import('./distribute.ts')).distributeVerb,
  },
  export: { summary: 'write people to a file', load: async () => (await import('./export.ts')).exportVerb },
  sql: {
    summary: 'read the views for analysts by SQL',
    load: async () => (await import('./sql.ts')).sqlVerb,
  },
  analysts: {
    summary: 'roles of PostgreSQL that read the views for analysts',
    load: async () => (await import('./analysts.ts')).analystsVerbs,
  },
  import: { summary: 'import people from a file', load: async () => (await import('./import.ts')).importVerb },
  feed: {
    summary: 'print the feed of events',
    load: async () => (await import('./feed.ts')).feedVerb,
  },
  inbox: {
    summary: 'list the mails in the inbox, or print one',
    load: async () => (await import('./inbox.ts')).inboxVerb,
  },
  why: {
    summary: 'explain why a person got a message or did not',
    load: async () => (await import('./why.ts')).whyVerb,
  },
  demo: {
    summary: 'make a workspace with invented people to look at',
    load: async () => (await import('./demo.ts')).demoVerb,
  },
  clock: { summary: 'read or move the clock', load: async () => (await import('./clock.ts')).clockVerb },
  emulator: {
    summary: 'run the server in memory, for tests',
    load: async () => (await import('./emulator.ts')).emulatorVerb,
  },
  open: { summary: 'open the server in a browser', load: async () => (await import('./open.ts')).openVerb },
  catalog: {
    summary: 'write the items of a CSV file to a catalog',
    load: async () => (await import('./catalog.ts')).catalogVerb,
  },
}

/** Runs a command line. Returns the exit code. */
export async function runCommand(args: readonly string[], shell: Shell): Promise<number> {
  let outcome: Outcome | undefined
  const root = await programFor(args, shell, (done) => {
    outcome = done
  })
  try {
    await root.parseAsync(args, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    // Here every error becomes a message and an exit code.
    return explain(error, { shell, programName, asJson: args.includes('--json') })
  }
  return outcome?.failed === true ? exitFailed : 0
}

/** Returns the program. Only the commands that the arguments name have their options, and all for a completion; others have a summary. */
async function programFor(
  args: readonly string[],
  shell: Shell,
  onOutcome: (outcome: Outcome) => void,
): Promise<Command> {
  const root = new Command(programName)
    .description(easel.description)
    .version(easel.version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'describe a command')
    .helpCommand('help [command]', 'describe a command')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => shell.stdout.write(text),
      writeErr: (text) => shell.stderr.write(text),
      // `explain` prints errors.
      outputError: () => undefined,
      getOutHelpWidth: () => helpColumns,
      getErrHelpWidth: () => helpColumns,
    })
    .addHelpText('after', `\n${footer}`)
  for (const [name, { summary, load }] of Object.entries(commands)) {
    const command = root.command(name).summary(summary)
    const isNamed = args[0] === 'completion' || args.slice(0, 2).includes(name)
    if (isNamed) define(command, await load(), { shell, onOutcome })
  }
  const completion = root.command('completion').summary('print a script that completes commands in a shell')
  define(completion, completionVerb(root), { shell, onOutcome })
  return root
}

const footer = `The environment is that of the server (.env is read). With --json a command prints one JSON document.
Exit codes: 0 done, 1 failed or something was refused, 2 wrong usage or setting.`

function completionVerb(root: Command): Verb {
  return {
    description: 'Print a script that completes commands and options in a shell.',
    notes: `The script is for a command with the name easel. In bash, in the folder of Easel:

  easel() { npm run --silent easel -- "$@"; }
  source <(easel completion bash)`,
    define: (command) => {
      command.addArgument(new Argument('<shell>', 'the shell').choices(shells))
    },
    run: async ([shell]) => completionFor(shell as (typeof shells)[number], root, 'easel'),
  }
}

type Ending = { readonly shell: Shell; readonly onOutcome: (outcome: Outcome) => void }

function define(command: Command, loaded: Loaded, ending: Ending): void {
  command.description(unwrapped(loaded.description))
  if ('run' in loaded) {
    defineVerb(command, loaded, ending)
    return
  }
  for (const [name, verb] of Object.entries(loaded.verbs)) {
    const below = command
      .command(name)
      .summary(firstSentence(verb.description))
      .description(unwrapped(verb.description))
    defineVerb(below, verb, ending)
  }
}

function defineVerb(command: Command, verb: Verb, { shell, onOutcome }: Ending): void {
  verb.define?.(command)
  command.option('--json', 'print the result as one JSON document')
  if (verb.notes !== undefined) command.addHelpText('after', `\n${verb.notes}`)
  command.action(async () => {
    const outcome = await verb.run(command.processedArgs, command.opts(), shell)
    const { json } = command.opts<{ json?: boolean }>()
    if (json) shell.stdout.write(`${JSON.stringify(outcome.result)}\n`)
    else if (outcome.text !== undefined) shell.stdout.write(`${outcome.text}\n`)
    onOutcome(outcome)
  })
}

/** Returns a text in one line, which the help wraps. */
function unwrapped(text: string): string {
  return text.replaceAll('\n', ' ')
}

function firstSentence(text: string): string {
  return text.split('. ')[0]!.replace(/\.$/, '')
}
