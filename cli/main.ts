#!/usr/bin/env node
import { ConfigError } from '../src/base/config.ts'
import { Failure } from '../src/base/errors.ts'
import { sentence } from '../src/workspace/mistake.ts'
import { applyVerb } from './apply.ts'
import { catalogVerb } from './catalog.ts'
import { doctorVerb } from './doctor.ts'
import { exportVerb } from './export.ts'
import { importVerb } from './import.ts'
import { keysVerb } from './keys.ts'
import { migrateVerb } from './migrate.ts'
import { note, say, UsageError, type Verb } from './verb.ts'

const exitFailed = 1
const exitUsage = 2

const verbs: Readonly<Record<string, Verb>> = {
  apply: applyVerb,
  keys: keysVerb,
  migrate: migrateVerb,
  doctor: doctorVerb,
  export: exportVerb,
  import: importVerb,
  catalog: catalogVerb,
}

const overview = `Usage: npm run easel -- <command> [options]

Commands:
${Object.entries(verbs)
  .map(([name, { summary }]) => `  ${name.padEnd(8)} ${summary}`)
  .join('\n')}

"npm run easel -- <command> --help" says more. The environment is that of the server (.env is read).
Exit codes: 0 done, 1 failed, 2 wrong usage.`

async function main([name, ...args]: readonly string[]): Promise<number> {
  if (name === undefined || ['help', '--help', '-h'].includes(name)) {
    say(overview)
    return name === undefined ? exitUsage : 0
  }
  const verb = Object.hasOwn(verbs, name) ? verbs[name]! : undefined
  if (verb === undefined) {
    note(`There is no command ${JSON.stringify(name)}.\n\n${overview}`)
    return exitUsage
  }
  if (args.includes('--help') || args.includes('-h')) {
    say(verb.usage)
    return 0
  }
  try {
    return await verb.run(args)
  } catch (error) {
    return explain(error, verb)
  }
}

/** What went wrong, in as few words as the person needs; only for our own mistakes the whole trace. */
function explain(error: unknown, verb: Verb): number {
  const { code = '' } = error as { code?: string }
  if (error instanceof UsageError || code.startsWith('ERR_PARSE_ARGS')) {
    note(`${(error as Error).message}\n\n${verb.usage}`)
    return exitUsage
  }
  if (error instanceof ConfigError) {
    note(error.message)
    return exitUsage
  }
  if (error instanceof Failure) note(linesOf(error).join('\n'))
  else if (error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError)
    note(String(error.stack))
  else note(error instanceof Error ? error.message : String(error))
  return exitFailed
}

/** A refusal names every mistake, a line each. */
function linesOf({ message, details }: Failure): string[] {
  const mistakes = (details.errors ?? []) as { path?: string; message?: string; file?: string }[]
  if (!mistakes.every((mistake) => mistake.path !== undefined) || mistakes.length === 0) return [message]
  return mistakes.map((mistake) => sentence(mistake.file ?? '', mistake as { path: string; message: string }))
}

process.exitCode = await main(process.argv.slice(2))
