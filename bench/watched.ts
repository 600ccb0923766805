import { setTimeout as sleep } from 'node:timers/promises'
import { rareName } from './bodies.ts'
import { eventNames } from './drawn.ts'
import { type Effort, perUpdate } from './measure.ts'
import type { Figure } from './report.ts'
import type { Stage } from './stage.ts'
import { driveTrack } from './track.ts'

/** What canvases listen to, share by share of the events; what was listened to before stays. */
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

export const heededName = 'signals acted upon'

/**
 * Updates a second while nothing, one event in a hundred, and every event is listened to by a canvas that nobody stands in; what was heard
 * is acted upon at the same time. Then how fast what is left is acted upon.
 */
export async function benchWatched(stage: Stage, effort: Effort): Promise<Figure[]> {
  const { database, people, server } = stage
  const figures: Figure[] = []
  for (const { percent, names } of shares) {
    if (names.length > 0) await server.add('/admin/canvases', canvasOf(percent, names))
    const driven = await driveTrack(stage, 'rare', effort)
    figures.push({ what: watchedName(percent), database, people, ...perUpdate(driven) })
  }
  return [...figures, { what: heededName, database, people, value: await drained(stage), unit: 'rows/s' }]
}

function canvasOf(percent: number, names: readonly string[]): object {
  const steps = [{ id: 'wait', type: 'delay', for: 'P1D' }]
  const head = { id: `watching-${percent}`, name: `Watching ${percent} %`, state: 'active' }
  return { ...head, entry: { by: ['api'] }, exit: { events: names }, first: 'wait', steps }
}

async function drained({ server }: Stage): Promise<number> {
  const before = await readSignals(server.port)
  const startedMs = performance.now()
  for (;;) {
    await sleep(pollMs)
    const now = await readSignals(server.port)
    const tookMs = performance.now() - startedMs
    if (now.waiting === 0 || tookMs > drainMaxMs) return ((now.heeded - before.heeded) / tookMs) * 1000
  }
}

async function readSignals(port: number): Promise<{ heeded: number; waiting: number }> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const read = (name: string) => Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1] ?? 0)
  return { heeded: read('easel_signals_total'), waiting: read('easel_signals_waiting') }
}
