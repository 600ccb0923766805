import type { App } from './app.ts'
import { createClock } from './base/clock.ts'
import { type Config, ConfigError, readConfig } from './base/config.ts'
import { openDb } from './base/db/open.ts'
import { createLog } from './base/log.ts'
import type { MadeSecret } from './services.ts'

/** npm passes on a signal that the terminal has sent already: what follows this closely is the same key press. */
const samePressMs = 300
const exitFailed = 1
const exitConfig = 2

/** The process: reads the environment, starts the service, leaves when a signal says so. */
async function main(): Promise<void> {
  const made: MadeSecret[] = []
  try {
    const config = readConfig()
    const starting: Promise<App> = start(config, made, (error) => leaveExcluded(starting, error))
    leaveOnSignal(starting)
    greet(await starting, config)
  } catch (error) {
    // This is the edge of the process: one sentence and an exit status.
    process.stderr.write([...rowsOf(made), ...onceOf(made), explain(error), ''].join('\n'))
    process.exitCode = error instanceof ConfigError ? exitConfig : exitFailed
  }
}

/** While the engine of the embedded database starts in its thread, this one reads the rest of the service: a sixth of a start. */
async function start(config: Config, made: MadeSecret[], onExcluded: (error: Error) => void): Promise<App> {
  const { dataDir, databaseUrl } = config
  const log = createLog(config)
  const clock = createClock(config.clock)
  const started = Promise.withResolvers<void>()
  const opening = openDb({ dataDir, ...(databaseUrl && { databaseUrl }), log, clock, onEngineStarted: started.resolve })
  await Promise.race([started.promise, opening])
  const { startApp } = await import('./app.ts').catch(async (error) => {
    await (await opening).close()
    throw error
  })
  return startApp(config, { made, log, clock, open: () => opening, onExcluded })
}

/** The first signal finishes the start and what was accepted, and leaves with status 0; a second one leaves at once. */
function leaveOnSignal(starting: Promise<App>): void {
  let leaving: 'not' | 'same press' | 'yes' = 'not'
  const leave = (signal: NodeJS.Signals): void => {
    if (leaving === 'not') {
      leaving = 'same press'
      setTimeout(() => {
        leaving = 'yes'
      }, samePressMs).unref()
      // A start that fails is told by `main`.
      void starting.then(
        (app) => app.close(),
        () => {},
      )
    } else if (leaving === 'yes') {
      process.off('SIGINT', leave).off('SIGTERM', leave)
      process.kill(process.pid, signal)
    }
  }
  process.on('SIGINT', leave).on('SIGTERM', leave)
}

/** Another process has taken the database: finishes what was accepted, and leaves with the status of a start that is refused. */
function leaveExcluded(starting: Promise<App>, error: Error): void {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = exitConfig
  void starting.then(
    (app) => app.close(),
    () => {},
  )
}

/** A few lines for the person at the terminal; elsewhere only when there is a secret that nobody else will ever be told. */
function greet({ url, version, database, made }: App, { clock }: Config): void {
  const terminal = process.stdout.isTTY === true
  if (!terminal && made.length === 0) return
  const facts = [
    { name: 'Database', text: database },
    { name: 'Clock', text: clock },
    { name: 'Interface', text: `${url}/docs` },
  ]
  const lines = [
    '',
    `  Easel ${version} is running at ${url}`,
    '',
    ...rowsOf([...made, ...facts]),
    ...onceOf(made),
    '',
    '',
  ]
  ;(terminal ? process.stdout : process.stderr).write(lines.join('\n'))
}

function rowsOf(entries: readonly MadeSecret[]): string[] {
  const width = Math.max(...entries.map(({ name }) => name.length))
  return entries.map(({ name, text }) => `  ${name.padEnd(width)}  ${text}`)
}

function onceOf(made: readonly MadeSecret[]): string[] {
  return made.length === 0 ? [] : ['', '  Keys and tokens are shown this once: keep them.']
}

/** One line for what the person who starts it can mend; the whole trace for what is our mistake. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code, address, port } = error as Error & { code?: string; address?: string; port?: number }
  if (code === 'EADDRINUSE') return `PORT: ${port} is in use on ${address}, accepted is a free port; 0 takes any`
  if (code === 'EACCES' && port !== undefined)
    return `PORT: this user may not listen on ${port}, accepted is a port from 1024`
  const mistake = [TypeError, ReferenceError, RangeError, SyntaxError].some((kind) => error instanceof kind)
  return mistake ? (error.stack ?? error.message) : error.message
}

await main()
