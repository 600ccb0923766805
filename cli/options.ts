import { InvalidArgumentError, Option } from 'commander'

export function urlOption(): Option {
  return new Option('--url <url>', 'the server; by default HOST and PORT of the environment')
}

export function workspaceOption(): Option {
  return new Option('--workspace <id>', 'the workspace; by default the default workspace')
}

export function lineOption(): Option {
  return new Option('--from <line>', 'continue at this line, which an interrupted run has printed').argParser(readLine)
}

export function encodingOption(): Option {
  return new Option(
    '--encoding <encoding>',
    'the encoding of the file, such as windows-1252; by default UTF-8 or UTF-16',
  ).argParser(readEncoding)
}

function readEncoding(text: string): string {
  try {
    return new TextDecoder(text).encoding
  } catch {
    throw new InvalidArgumentError('It must be the name of an encoding, such as windows-1252.')
  }
}

function readLine(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('It must be the number of a line.')
  return Number(text)
}

/** An option whose value is a whole number from 1 to `max`. */
export function countOption(flags: string, description: string, max: number): Option {
  return new Option(flags, description).argParser((text) => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < 1 || value > max) throw new InvalidArgumentError(`It must be 1 to ${max}.`)
    return value
  })
}

/** An option that may be repeated: its value is a list, or undefined. */
export function repeatedOption(flags: string, description: string): Option {
  return new Option(flags, `${description}; may be repeated`).argParser((value, before: readonly string[] = []) => [
    ...before,
    value,
  ])
}

/** What a verb that works on configuration uses, for the text below its options. */
export const adminAccessNotes = `Without --url the command opens the database of the environment. When a running server uses that database,
the command uses this server at HOST and PORT, with EASEL_ADMIN_TOKEN.`
