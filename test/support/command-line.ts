import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { runCommand } from '../../cli/commands.ts'
import { ownEnvironment, ownFlags, programFile, type Service } from './harness.ts'

export type Ran = { code: number; out: string; err: string }
export type Environment = Readonly<Record<string, string | undefined>>

/** A line about the progress of long work. It is printed on a slow machine only. */
const progress = /^[\d,]+ (?:people|objects|items), [\d,]+ a second.*\n/gm

/** Runs `easel` in this process with exactly this environment. `input` is its standard input. */
export async function easel(args: readonly string[], env: Environment, input?: Uint8Array | string): Promise<Ran> {
  const [stdout, stderr] = [new Paper(), new Paper()]
  const stdin = Readable.from(input === undefined ? [] : [Buffer.from(input)])
  const code = await runCommand(args, { env, stdin, stdout, stderr })
  return { code, out: stdout.text, err: stderr.text.replaceAll(progress, '') }
}

/**
 * Runs the same as a separate process. It takes ten times as long, so use it for what only a process has, and once
 * for each command, which must load all it needs by itself.
 */
export async function typeEasel(args: readonly string[], env: Environment, input?: Uint8Array | string): Promise<Ran> {
  const child = spawn(process.execPath, [...ownFlags, programFile('cli/main.ts'), ...args], {
    cwd: join(import.meta.dirname, '../..'),
    env: { ...ownEnvironment, ...env } as NodeJS.ProcessEnv,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit')
  child.stdin?.end(input)
  const [out, err] = await Promise.all(
    [child.stdout!, child.stderr!].map(async (stream) => (await stream.setEncoding('utf8').toArray()).join('')),
  )
  const [code] = await ended
  return { code, out: out!, err: err!.replaceAll(progress, '') }
}

/** Collects what is written to a stream. */
class Paper extends Writable {
  text = ''

  constructor() {
    super({ decodeStrings: false })
  }

  override _write(piece: Buffer | string, _encoding: string, done: () => void): void {
    this.text += piece
    done()
  }
}

/** Returns the environment of a user who may do everything with a running service. */
export function keysOf(service: Service): Environment {
  return {
    PORT: new URL(service.url).port,
    EASEL_DATA: 'memory',
    EASEL_API_KEY: service.apiKey,
    EASEL_ADMIN_TOKEN: service.adminToken,
  }
}

export type Folder = Disposable & { path(name: string): string }

/** Creates a folder with these files. It is removed when the test ends. */
export function folderWith(files: Readonly<Record<string, string>> = {}): Folder {
  const folder = mkdtempSync(join(tmpdir(), 'easel-cli-'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return { path: (name) => join(folder, name), [Symbol.dispose]: () => rmSync(folder, { recursive: true }) }
}
