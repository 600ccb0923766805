import { open } from 'node:fs/promises'
import type { LinePage } from './person-lines.ts'

// The ids of the people in an export are in a file beside it, 8 bytes each, so that the deletion of a person finds the exports to write
// again without unpacking them.
const idBytes = 8
const readBytes = 131_072 * idBytes

/** The name of the file with the ids of an export's file. */
export function idsName(object: string): string {
  return `${object}.ids`
}

/** Passes pages on. The ids of their people are in the file before their lines are written. */
export async function* withIds(pages: AsyncGenerator<LinePage>, path: string): AsyncGenerator<LinePage> {
  await using file = await open(path, 'w', 0o600)
  for await (const page of pages) {
    await file.writeFile(idsToBytes(page.ids))
    yield page
  }
  await file.sync()
}

/** Whether one of these people may be in an export. True without a file: the export is from before there were such files. */
export async function mayContain(path: string, ids: ReadonlySet<string>): Promise<boolean> {
  try {
    await using file = await open(path)
    const buffer = Buffer.alloc(readBytes)
    for (let at = 0; ; ) {
      const { bytesRead } = await file.read(buffer, 0, readBytes, at)
      const whole = bytesRead - (bytesRead % idBytes)
      if (whole === 0) return false
      for (let i = 0; i < whole; i += idBytes) if (ids.has(buffer.readBigInt64BE(i).toString())) return true
      at += whole
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true
    throw error
  }
}

function idsToBytes(ids: readonly string[]): Buffer {
  const bytes = Buffer.alloc(ids.length * idBytes)
  for (const [i, id] of ids.entries()) bytes.writeBigInt64BE(BigInt(id), i * idBytes)
  return bytes
}
