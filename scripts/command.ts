import { type ChildProcess, spawn } from 'node:child_process'

const outputCharactersMax = 20_000
const leftoverGraceMs = 10_000

export type CommandOptions = {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly deadlineMs: number
  readonly signal: AbortSignal
}

/** How a command ended when not well, and the end of what it printed. */
export type Ended = { readonly complaint: string | undefined; readonly output: string }

export type Command = {
  readonly ended: Promise<Ended>
  /** Gives it the whole time again; answers the end of what it has printed so far. */
  renew(): string
}

/** Runs this Node with arguments, in a process group of its own, which ends with everything it started when the time is up. */
export function startCommand(args: readonly string[], { cwd, env, deadlineMs, signal }: CommandOptions): Command {
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output = (output + chunk).slice(-outputCharactersMax)
    })
  }
  let complaint: string | undefined
  const end = (reason: string) => {
    complaint ??= reason
    child.kill('SIGKILL')
  }
  const timer = setTimeout(() => end(`did not end within ${deadlineMs / 1000} s and was stopped`), deadlineMs)
  const onAbort = () => end('was interrupted')
  signal.addEventListener('abort', onAbort)
  child.on('exit', (code, killer) => {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    if (code !== 0) complaint ??= `ended with ${killer ?? `status ${code}`}`
    endGroup(child.pid!, child)
  })
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', () => resolve({ complaint, output }))
    child.on('error', (error) => resolve({ complaint: error.message, output }))
  })
  return {
    ended,
    renew() {
      if (child.exitCode === null && child.signalCode === null) timer.refresh()
      return output
    },
  }
}

// What a test left running holds our pipes open. It is asked to end, so that servers can clean up, and then made to.
function endGroup(pid: number, child: ChildProcess): void {
  signalGroup(pid, 'SIGTERM')
  const timer = setTimeout(() => {
    signalGroup(pid, 'SIGKILL')
    for (const stream of [child.stdout, child.stderr]) stream?.destroy()
  }, leftoverGraceMs)
  child.once('close', () => clearTimeout(timer))
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  if (process.platform === 'win32') return
  try {
    process.kill(-pid, signal)
  } catch {
    // Nobody is left in the group.
  }
}
