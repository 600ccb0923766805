import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newUuid } from '../../base/ids.ts'
import { type CallbackServices, openCallbackLoop } from './callback-loop.ts'
import { openWriter, type WriterServices } from './writer-loop.ts'

export type ExportServices = WriterServices &
  CallbackServices & { /** False where another process writes. */ writes: boolean }

/** The exports of a running service. */
export type Exports = {
  /** Something was accepted. */
  wake(): void
  /** What failed last time, as it is called in the log. */
  failing(): string[]
  /** Gives up what is under way, to be done again at the next start. */
  close(): Promise<void>
}

/** Where exports lie: beside the database, or in a folder that goes with the process. */
export function exportsFolder(dataDir: string): { folder: string; remove(): Promise<void> } {
  if (dataDir !== 'memory') return { folder: join(dataDir, 'exports'), remove: async () => undefined }
  const folder = join(tmpdir(), `easel-exports-${newUuid()}`)
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}

/** Writes what was accepted, and tells those who asked for it. */
export function openExports(parts: ExportServices): Exports {
  if (!parts.writes) return { wake: () => undefined, failing: () => [], close: async () => undefined }
  const calling = openCallbackLoop(parts)
  const writing = openWriter(parts, () => calling.wake())
  return {
    wake: () => writing.wake(),
    failing: () => [writing, calling].filter((loop) => loop.failing()).map(({ name }) => name),
    async close() {
      await writing.close()
      await calling.close()
    },
  }
}
