import type { App } from './app.ts'
import type { MadeSecret } from './banner.ts'
import { createClock } from './base/clock.ts'
import { type Config, ConfigError, isNpmStart, readConfig } from './base/config.ts'
import { openDb } from './base/db/open.ts'
import { createLog } from './base/log.ts'
import { releaseMemoryAtRest } from './base/release-memory.ts'
import { watchParent } from './base/watch-parent.ts'

/** npm passes on a signal that the terminal has sent already: what follows this closely is the same key press. */
const samePressMs = 300
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const exitFailed = 1
const exitConfig = 2

/** The process: reads the environment, starts the service, leaves when a signal says so. */
async function main(): Promise<void> {
  const made: MadeSecret[] = []
  let config: Config | undefined
  try {
    config = readConfig()
    const starting: Promise<App> = start(config, made, (error) => leaveExcluded(starting, error))
    leaveOnSignal(starting)
    greet(await starting)
    releaseMemoryAtRest()
  } catch (error) {
    // This is the edge of the process: one sentence and an exit status.
    const { explainStart } = await import('./explain-start.ts')
    process.stderr.write([...rowsOf(made), ...onceOf(made), explainStart(error, config), ''].join('\n'))
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
  let isTaken = false
  const open = () => {
    isTaken = true
    return opening
  }
  try {
    const { startApp } = await import('./app.ts')
    return await startApp(config, { made, log, clock, open, onExcluded })
  } catch (error) {
    // From `open` on the service closes the database. A start that failed before would go on running with it.
    if (!isTaken) await (await opening).close()
    throw error
  }
}

/**
 * The first signal finishes the start and what was accepted, and leaves with status 0; a second one leaves at once. The end of npm counts
 * as a signal: npm passes on SIGINT and SIGTERM, and cannot pass on SIGKILL.
 */
function leaveOnSignal(starting: Promise<App>): void {
  let leaving: 'not' | 'same press' | 'yes' = 'not'
  const leave = (because: string): void => {
    if (leaving !== 'not') return
    leaving = 'same press'
    setTimeout(() => {
      leaving = 'yes'
    }, samePressMs).unref()
    // `main` reports a start that fails.
    void starting.then(
      (app) => app.close(because),
      () => {},
    )
  }
  const onSignal = (signal: NodeJS.Signals): void => {
    leave(signal)
    if (leaving !== 'yes') return
    for (const each of stopSignals) process.off(each, onSignal)
    process.kill(process.pid, signal)
  }
  for (const each of stopSignals) process.on(each, onSignal)
  if (isNpmStart()) watchParent(() => leave('npm has ended'))
}

/** Another process has taken the database: finishes what was accepted, and leaves with the status of a start that is refused. */
function leaveExcluded(starting: Promise<App>, error: Error): void {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = exitConfig
  void starting.then(
    (app) => app.close(error.message),
    () => {},
  )
}

/** A few lines for the person at the terminal; elsewhere only when there is a secret that nobody else will ever be told. */
function greet({ url, version, facts, made }: App): void {
  const terminal = process.stdout.isTTY === true
  if (!terminal && made.length === 0) return
  const lines = [
    '',
    `  Easel ${version} is running at ${url}`,
    '',
    ...rowsOf([
      ...made,
      ...facts,
      { name: 'Dashboard', text: `${url}/dashboard` },
      { name: 'Interface', text: `${url}/docs` },
    ]),
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
  return made.every(({ isShownAgain }) => isShownAgain) ? [] : ['', '  Keys and tokens are shown this once: keep them.']
}

await main()
