import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The suite has so many parts, which take about equally long. A usual run executes one of them, so that it ends within minutes. */
export const partCount = 18
/** Files that take less than this are in every part. */
const quickSeconds = 1.5
const durationsPath = 'test/durations.json'

/** How long files take, by path, in seconds. Quick files are left out. */
export type Durations = Readonly<Record<string, number>>

/** Reads what the last complete run with `--durations` has measured. */
export function readDurations(root: string): Durations {
  return JSON.parse(readFileSync(join(root, durationsPath), 'utf8')) as Durations
}

export function writeDurations(root: string, measured: ReadonlyMap<string, number>): void {
  const slow = [...measured].filter(([, seconds]) => seconds >= quickSeconds).sort(([a], [b]) => (a < b ? -1 : 1))
  const rounded = Object.fromEntries(slow.map(([path, seconds]) => [path, Math.round(seconds * 10) / 10]))
  writeFileSync(join(root, durationsPath), `${JSON.stringify(rounded, null, 2)}\n`)
}

/** Returns the number of the part that a seed draws. Pure. */
export function partOf(seed: number): number {
  return seed % partCount
}

/**
 * Returns the files of one part, in their order: those that are quick or not measured yet, and its share of the others. Each of the others
 * is in one part. The slowest come first, each into the part with the least work so far. Pure.
 */
export function filesOfPart(files: readonly string[], durations: Durations, part: number): string[] {
  const measured = files.filter((path) => Object.hasOwn(durations, path))
  const slowestFirst = measured.toSorted((a, b) => durations[b]! - durations[a]! || (a < b ? -1 : 1))
  const work = Array.from({ length: partCount }, () => 0)
  const partByPath = new Map<string, number>()
  for (const path of slowestFirst) {
    const least = work.indexOf(Math.min(...work))
    work[least]! += durations[path]!
    partByPath.set(path, least)
  }
  return files.filter((path) => (partByPath.get(path) ?? part) === part)
}
