import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newUuid } from '../../base/ids.ts'
import { type CallbackParts, openCaller } from './callback.ts'
import { openWriter, type WriterParts } from './writer.ts'

export type ExportsParts = WriterParts & CallbackParts & { /** False where another process writes. */ writes: boolean }

/** The exports of a running service. */
export type Exports = {
  /** Something was accepted. */
  poke(): void
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
export function openExports(parts: ExportsParts): Exports {
  if (!parts.writes) return { poke: () => undefined, failing: () => [], close: async () => undefined }
  const calling = openCaller(parts)
  const writing = openWriter(parts, () => calling.wake())
  return {
    poke: () => writing.wake(),
    failing: () => [writing, calling].filter((loop) => loop.failing()).map(({ name }) => name),
    async close() {
      await writing.close()
      await calling.close()
    },
  }
}
