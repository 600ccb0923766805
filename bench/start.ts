import { delimiter, join } from 'node:path'
import { makeTemporaryFolder } from './cleanup.ts'
import { median } from './measure.ts'
import type { Figure } from './report.ts'
import { root, type Server, startServer } from './server.ts'

const people = 2000
const perBody = 50

/** Measures the time from `npm start` to the first answer of `/health`: in a new directory, after a clean stop, after SIGKILL. */
export async function benchStart(times: number): Promise<Figure[]> {
  const spent = { new: [] as number[], clean: [] as number[], killed: [] as number[] }
  for (let i = 0; i < times; i++) {
    await using directory = makeTemporaryFolder('start')
    const start = () => startServer({ directory: directory.path, command: ['npm', 'start'], path: ownPath() })
    await using first = await start()
    spent.new.push(first.readyMs)
    await track(first)
    await first.stop()
    await using second = await start()
    spent.clean.push(second.readyMs)
    await track(second)
    await second.kill()
    await using third = await start()
    spent.killed.push(third.readyMs)
  }
  const figure = (what: string, times: readonly number[]): Figure => ({
    what: `npm start, ${what}`,
    database: 'pglite',
    value: median(times) / 1000,
    unit: 's',
  })
  return [
    figure('new directory', spent.new),
    figure('after a clean stop', spent.clean),
    figure('after SIGKILL', spent.killed),
  ]
}

async function track(server: Server): Promise<void> {
  for (let from = 0; from < people; from += perBody) {
    const attributes = Array.from({ length: perBody }, (_, i) => ({ external_id: `start-${from + i}`, score: i }))
    await server.post('/users/track', { attributes })
  }
}

/** Returns the PATH of the shell, without the folders that `npm run bench` has added. */
function ownPath(): string {
  const bins = join(root, 'node_modules', '.bin')
  return (process.env.PATH ?? '')
    .split(delimiter)
    .filter((entry) => entry !== bins && !entry.includes('node-gyp-bin'))
    .join(delimiter)
}
