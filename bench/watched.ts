import { setTimeout as sleep } from 'node:timers/promises'
import { rareName } from './bodies.ts'
import { type Effort, perUpdate } from './measure.ts'
import type { Figure } from './report.ts'
import { eventNames } from './samples.ts'
import type { Setup } from './setup.ts'
import { driveTrack } from './track.ts'

/** The events that canvases listen to, by their share of all. Earlier canvases stay active. */
const shares = [
  { percent: 0, names: [] },
  { percent: 1, names: [rareName] },
  { percent: 100, names: eventNames },
] as const

const pollMs = 250
const drainMaxMs = 600_000

export function watchedName(percent: number): string {
  return `track events, ${percent} % watched`
}

export const handledName = 'signals acted upon'

/**
 * Measures updates a second while a canvas without entries listens to no event, to one in 100, and to all. Signals are handled at the
 * same time. Then measures how fast the remaining signals are handled.
 */
export async function benchWatched(setup: Setup, effort: Effort): Promise<Figure[]> {
  const { database, people, server } = setup
  const figures: Figure[] = []
  for (const { percent, names } of shares) {
    if (names.length > 0) await server.add('/admin/canvases', canvasOf(percent, names))
    const driven = await driveTrack(setup, 'rare', effort)
    figures.push({ what: watchedName(percent), database, people, ...perUpdate(driven) })
  }
  return [...figures, { what: handledName, database, people, value: await drained(setup), unit: 'rows/s' }]
}

function canvasOf(percent: number, names: readonly string[]): object {
  const steps = [{ id: 'wait', type: 'delay', for: 'P1D' }]
  const head = { id: `watching-${percent}`, name: `Watching ${percent} %`, state: 'active' }
  return { ...head, entry: { by: ['api'] }, exit: { events: names }, first: 'wait', steps }
}

async function drained({ server }: Setup): Promise<number> {
  const before = await readSignals(server.port)
  const startedMs = performance.now()
  for (;;) {
    await sleep(pollMs)
    const now = await readSignals(server.port)
    const tookMs = performance.now() - startedMs
    if (now.waiting === 0 || tookMs > drainMaxMs) return ((now.handled - before.handled) / tookMs) * 1000
  }
}

async function readSignals(port: number): Promise<{ handled: number; waiting: number }> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const read = (name: string) => Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1] ?? 0)
  return { handled: read('easel_signals_total'), waiting: read('easel_signals_waiting') }
}
