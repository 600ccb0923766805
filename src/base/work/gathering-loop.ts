import type { Log } from '../log.ts'
import { noteWork } from '../telemetry.ts'
import { type Loop, type LoopOptions, openLoop } from './loop.ts'

/** Writes what is gathered in memory. If the process is killed, gathered data is lost. */
export type GatheringLoop = Pick<Loop, 'nextTurn'> & {
  /** Starts a turn after `gatherMs`, unless one is planned. */
  wakeLater(): void
  /** Returns the name of the loop if its last turn failed. */
  failing(): string[]
  /** Writes what is left, then ends. When the database is unavailable, the rest is lost. */
  close(): Promise<void>
}

export function openGatheringLoop(
  { name, gatherMs, turn }: Omit<LoopOptions, 'everyMs'> & { gatherMs: number },
  log: Log,
): GatheringLoop {
  let gathering: NodeJS.Timeout | undefined
  const loop = openLoop({ name, turn: write }, log)

  async function write(stopping: AbortSignal): Promise<boolean> {
    clearTimeout(gathering)
    gathering = undefined
    noteWork({})
    return turn(stopping)
  }

  return {
    wakeLater() {
      gathering ??= setTimeout(() => loop.wake(), gatherMs).unref()
    },
    nextTurn: () => loop.nextTurn(),
    failing: () => (loop.failing() ? [loop.name] : []),
    async close() {
      clearTimeout(gathering)
      await loop.close()
      try {
        await turn(AbortSignal.abort())
      } catch {
        // The database is unavailable.
      }
    },
  }
}
