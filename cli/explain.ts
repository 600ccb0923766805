import { CommanderError } from 'commander'
import { ConfigError } from '../src/base/config.ts'
import { Failure } from '../src/base/errors.ts'
import { note, type Shell, UsageError } from './command.ts'

const exitFailed = 1
/** The exit code for wrong arguments and settings. */
const exitUsage = 2

type Explanation = { readonly code: number; readonly message: string; readonly mistakes?: readonly object[] }
type Place = { readonly shell: Shell; readonly programName: string; readonly asJson: boolean }

const systemErrors: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or directory',
  EACCES: 'this user may not use it',
  EPERM: 'this user may not use it',
  EISDIR: 'is a directory, not a file',
  ENOTDIR: 'a part of its path is not a directory',
  ENOSPC: 'the disk is full',
  EROFS: 'the file system is read-only',
}

/** Prints an error in a line or two, for a defect also the stack trace; with `--json` also as an object. Returns the exit code. */
export async function explain(error: unknown, { shell, programName, asJson }: Place): Promise<number> {
  // Commander has printed the help already.
  if (error instanceof CommanderError && error.code === 'commander.help') return exitUsage
  const { code, message, mistakes } = await explanationOf(error, programName)
  note(shell, message)
  if (asJson) shell.stdout.write(`${JSON.stringify({ error: { message, ...(mistakes && { mistakes }) } })}\n`)
  return code
}

async function explanationOf(error: unknown, programName: string): Promise<Explanation> {
  if (error instanceof CommanderError) {
    const text = error.message.replace(/^error: /, '')
    const message = text.includes('\n') ? text : `${text}\n"${programName} --help" describes the commands.`
    return { code: exitUsage, message }
  }
  if (error instanceof UsageError || error instanceof ConfigError) return { code: exitUsage, message: error.message }
  if (error instanceof Failure) return explainFailure(error)
  if (error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError)
    return { code: exitFailed, message: String(error.stack) }
  return { code: exitFailed, message: error instanceof Error ? textOf(error) : String(error) }
}

/** Explains a failure, with a line for each mistake of a file. */
async function explainFailure({ message, details }: Failure): Promise<Explanation> {
  const mistakes = (details.errors ?? []) as { path?: string; message?: string; file?: string }[]
  if (!mistakes.every((mistake) => mistake.path !== undefined) || mistakes.length === 0)
    return { code: exitFailed, message }
  const { formatMistake } = await import('../src/workspace/settings/mistake.ts')
  const lines = mistakes.map((mistake) =>
    formatMistake(mistake.file ?? '', mistake as { path: string; message: string }),
  )
  // The first line of the message has the number of all mistakes but one.
  const others = Number(/\(and (\d+) more\)$/.exec(message)?.[1] ?? 0) + 1 - mistakes.length
  if (others > 0) lines.push(`... and ${others} more mistakes.`)
  return { code: exitFailed, message: lines.join('\n'), mistakes }
}

/** Returns the message of an error. For one of the file system names the path and says what is wrong with it. */
function textOf({ message, code, path }: NodeJS.ErrnoException): string {
  const known = systemErrors[code ?? '']
  return known === undefined || path === undefined ? message : `${path}: ${known}`
}
