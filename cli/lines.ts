import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'

/** The lines of a file that have something in them, with their numbers from 1, in batches. */
export async function* batchesOf(path: string, from: number, batchMax: number): AsyncGenerator<Line[]> {
  let number = 0
  let batch: Line[] = []
  for await (const text of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    number++
    if (number < from || text.trim() === '') continue
    batch.push({ number, text })
    if (batch.length < batchMax) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

export type Line = { number: number; text: string }
