import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** The line that an emulator prints when it can answer. */
export type EmulatorLine = {
  readonly url: string
  readonly api_key: string
  readonly admin_token: string
  readonly scim_token: string
  readonly request_origin: string
  /** The further workspaces that were asked for, each with its key. */
  readonly workspaces: readonly { readonly id: string; readonly api_key: string }[]
  readonly version: string
  readonly pid: number
}

/** An emulator that runs. */
export type EmulatorProcess = { readonly line: EmulatorLine; stop(): Promise<void> }

export type EmulatorFlags = {
  /** Makes ids, secrets, buckets and times from this text. */
  readonly deterministic?: string | undefined
  /** Files with what is there at the beginning. */
  readonly seed?: readonly string[] | undefined
  /** Ids of further workspaces, each with a key of its own. */
  readonly workspaces?: readonly string[] | undefined
  /** The program and its first arguments; the installed one when absent. */
  readonly command?: readonly string[] | undefined
  /** How long a start may take, in milliseconds. */
  readonly startMs?: number | undefined
}

const startMsDefault = 120_000

/** Starts an emulator of its own. It ends with this process, however this one ends. */
export async function startEmulatorProcess(flags: EmulatorFlags): Promise<EmulatorProcess> {
  const [program, ...first] = flags.command ?? [process.execPath, findProgram()]
  const args = [
    ...first,
    'emulator',
    '--until-stdin-ends',
    ...(flags.deterministic === undefined ? [] : ['--deterministic', flags.deterministic]),
    ...(flags.seed ?? []).flatMap((file) => ['--seed', file]),
    ...(flags.workspaces ?? []).flatMap((id) => ['--workspace', id]),
  ]
  // The variables of a server that this machine runs are not those of the emulator.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(EASEL_|PORT$|HOST$|NODE_OPTIONS$)/.test(name)),
  )
  const child = spawn(program!, args, { env, stdio: ['pipe', 'pipe', 'pipe'] })
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (status, signal) => resolve(`it ended with ${signal ?? status}`))
  })
  const line = await readLine(child, ended, flags.startMs ?? startMsDefault)
  release(child)
  return {
    line,
    async stop() {
      child.ref()
      child.stdin!.end()
      await ended
    },
  }
}

/** The program of this package, or of the repository. */
function findProgram(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const path = join(folder, 'bin', 'easel.mjs')
    if (existsSync(path)) return path
    if (dirname(folder) === folder) throw new Error('the program of Easel is not installed beside its test kit')
  }
}

async function readLine(child: ChildProcess, ended: Promise<string>, startMs: number): Promise<EmulatorLine> {
  let printed = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    printed = (printed + text).slice(-4_000)
  })
  let timer: NodeJS.Timeout | undefined
  const line = new Promise<EmulatorLine>((resolve) => {
    createInterface({ input: child.stdout! }).once('line', (text) => resolve(JSON.parse(text) as EmulatorLine))
  })
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`it did not start within ${startMs} ms`), startMs)
  })
  const first = await Promise.race([line, ended, late])
  clearTimeout(timer)
  if (typeof first !== 'string') return first
  child.kill('SIGKILL')
  throw new Error(`the emulator cannot be used: ${first}\n${printed}`)
}

/** Lets this process end while the emulator runs. */
function release(child: ChildProcess): void {
  child.unref()
  for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as unknown as { unref?(): void })?.unref?.()
}
