import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import test from 'node:test'
import { isInUse } from '../../src/base/db/folder-lock.ts'
import { drawEvery } from '../sizes.ts'
import { eventually } from '../support/eventually.ts'
import { ownEnvironment } from '../support/harness.ts'
import { temporaryFolder } from './folders.ts'

const root = join(import.meta.dirname, '../..')
const noNpm = spawnSync('npm', ['--version']).error && process.env.CI !== 'true' ? 'needs npm' : false
/** A run has two of them, one that npm passes on and one that it does not, because each start of npm and the service takes long. */
const signals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'] as const
/** npm passes these on and waits for the service, so that its own end is that of the service. */
const passedOn: ReadonlySet<string> = new Set(['SIGTERM', 'SIGINT'])

/** Starts the service as a user does, in a process group of its own, without the installation before it. */
function npmStart(dataDir: string): { npm: ChildProcess; output: () => string } {
  const npm = spawn('npm', ['start', '--ignore-scripts', '--no-update-notifier'], {
    cwd: root,
    env: { ...ownEnvironment, HOME: process.env.HOME, HOST: '127.0.0.1', PORT: '0', EASEL_DATA: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  for (const stream of [npm.stdout!, npm.stderr!]) stream.on('data', (chunk) => (output += chunk))
  return { npm, output: () => output }
}

function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  return once(socket, 'connect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy())
}

for (const signal of drawEvery(2, signals)) {
  test(`after ${signal} to npm alone, the port and the data directory are free`, { skip: noNpm }, async (t) => {
    using folder = temporaryFolder()
    const { npm, output } = npmStart(folder.path)
    t.after(() => endGroup(npm.pid!))
    const ended = once(npm, 'exit')
    await eventually(output, () => /"url":"http:/.test(output()) || npm.exitCode !== null)
    const port = Number(/"url":"http:\/\/127\.0\.0\.1:(\d+)"/.exec(output())?.[1])
    assert.ok(await isListening(port), output())
    assert.ok(await isInUse(folder.path))

    npm.kill(signal)
    const [code] = await ended
    if (passedOn.has(signal)) assert.equal(code, 0, output())
    await eventually('the port is free', async () => !(await isListening(port)))
    await eventually('the data directory is free', async () => !(await isInUse(folder.path)))
    await eventually(output, () => /"Stopped in \d+ ms\. Finished: 0 requests, 0 updates, 0 mails"/.test(output()))
    const because = passedOn.has(signal) ? signal : 'npm has ended'
    assert.match(output(), new RegExp(`"Stopping: ${because}"`))
  })
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // No process is left in the group.
  }
}
