import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newHiddenId } from '../../base/ids.ts'
import type { Wakeups } from '../../base/work/wakeups.ts'
import { type CallbackServices, openCallbackLoop } from './callback-loop.ts'
import { openWriter, type WriterServices } from './writer-loop.ts'

/** `writes` is false when another process writes exports. */
export type ExportServices = WriterServices & CallbackServices & { writes: boolean; wakeups: Wakeups }

/** The exports of a running service. */
export type Exports = {
  /** The names of the loops whose last turn failed. */
  failing(): string[]
  /** Stops both loops. An export that is being written is written again after the next start. */
  close(): Promise<void>
}

/** The folder of exports: beside the database, or a temporary one for a database in memory. */
export function exportsFolder(dataDir: string): { folder: string; remove(): Promise<void> } {
  if (dataDir !== 'memory') return { folder: join(dataDir, 'exports'), remove: async () => undefined }
  const folder = join(tmpdir(), `easel-exports-${newHiddenId()}`)
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}

/** Opens the loops that write accepted exports and send their callbacks. */
export function openExports(services: ExportServices): Exports {
  if (!services.writes) return { failing: () => [], close: async () => undefined }
  const callbacks = openCallbackLoop(services)
  const writer = openWriter(services, () => callbacks.wake())
  const stopListening = services.wakeups.on('exports', writer.wake)
  return {
    failing: () => [writer, callbacks].filter((loop) => loop.failing()).map(({ name }) => name),
    async close() {
      stopListening()
      await writer.close()
      await callbacks.close()
    },
  }
}
