import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'

const outputCharactersMax = 20_000
const leftoverGraceMs = 10_000

export type CommandOptions = {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly deadlineMs: number
  readonly signal: AbortSignal
  /** Opens a channel for `send`, and is called when the command sends a message. */
  readonly onMessage?: () => void
}

/** The complaint about a command that failed, and the end of its output. */
export type CommandEnd = { readonly complaint: string | undefined; readonly output: string }

export type Command = {
  readonly ended: Promise<CommandEnd>
  /** Restarts its time limit. Returns the end of its output so far. */
  restartTimer(): string
  isRunning(): boolean
  /** Sends a message, unless the command has ended. */
  send(message: object): void
}

/** Runs this Node with arguments in a process group of its own. At the time limit the whole group is killed. */
export function startCommand(args: readonly string[], options: CommandOptions): Command {
  const { cwd, env, deadlineMs, signal, onMessage } = options
  const stdio: StdioOptions = ['ignore', 'pipe', 'pipe', ...(onMessage ? (['ipc'] as const) : [])]
  const child = spawn(process.execPath, args, { cwd, env, stdio, detached: true })
  if (onMessage) child.on('message', onMessage)
  let output = ''
  for (const stream of [child.stdout!, child.stderr!]) {
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
  const ended = new Promise<CommandEnd>((resolve) => {
    child.on('close', () => resolve({ complaint, output }))
    child.on('error', (error) => resolve({ complaint: error.message, output }))
  })
  const isRunning = () => child.exitCode === null && child.signalCode === null
  return {
    ended,
    isRunning,
    restartTimer() {
      if (isRunning()) timer.refresh()
      return output
    },
    send(message) {
      // A command that has ended is noticed by its end.
      if (child.connected) child.send(message, () => {})
    },
  }
}

// Processes that a test left running keep our pipes open. They get SIGTERM, so that servers can clean up, and SIGKILL later.
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
    // No process is left in the group.
  }
}
