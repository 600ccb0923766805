import { spawn } from 'node:child_process'
import { appendFileSync, closeSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { makeTemporaryFolder } from '../cleanup.ts'
import { type Comparison, type Figure, print } from '../report.ts'
import { untilExit } from '../run-child.ts'
import { root } from '../server.ts'
import { type PartName, parts } from './rows.ts'
import { comparisonsOf, printResults, readResults, type Turn } from './table.ts'

const logCharsShown = 3000

export type AllOptions = {
  /** The parts to run, all by default. */
  readonly names: readonly PartName[]
  readonly turns: number
  /** A checkout that is measured in between. */
  readonly against?: string
  /** A file that also gets all figures of each turn, as lines of JSON. */
  readonly record?: string
  /** Further options of each run. */
  readonly more: readonly string[]
}

/**
 * Runs each part in turns, each time in a process of its own, so that no run profits from an earlier one, and prints the table of all
 * figures with the values that are wanted. With another checkout every turn measures both, every second one in the other order.
 */
export async function runAll({ names, turns, against, record, more }: AllOptions): Promise<Comparison[]> {
  await using folder = makeTemporaryFolder('all')
  const measured: Turn[] = []
  for (const name of names) {
    const part = parts[name]
    const count = 'once' in part ? 1 : turns
    for (let turn = 0; turn < count; turn++) {
      const checkouts = against === undefined ? [root] : turn % 2 === 0 ? [root, against] : [against, root]
      for (const checkout of checkouts) {
        const startedMs = performance.now()
        const figures = await runPart(checkout, folder.path, [...part.args, ...more])
        const minutes = ((performance.now() - startedMs) / 60_000).toFixed(1)
        const whose = checkout === root ? '' : ', the other checkout'
        print(`${name}: turn ${turn + 1} of ${count}${whose}, ${minutes} min`)
        const own = { part: name, turn: turn + 1, other: checkout !== root }
        const lines = figures.map((figure) => `${JSON.stringify({ ...own, ...figure })}\n`)
        if (record !== undefined) appendFileSync(record, lines.join(''))
        measured.push({ other: own.other, figures })
      }
    }
  }
  const results = readResults(measured).filter(({ row }) => names.includes(row.part))
  printResults(results)
  return comparisonsOf(results)
}

/** Runs benchmarks in a process of their own and returns their figures. */
async function runPart(checkout: string, folder: string, args: readonly string[]): Promise<Figure[]> {
  const record = join(folder, 'figures.jsonl')
  const log = join(folder, 'run.log')
  rmSync(record, { force: true })
  // The largest parts of its paths are printed by the run itself.
  const output = args.includes('--profile') ? 'inherit' : openSync(log, 'w')
  const child = spawn(process.execPath, ['bench/main.ts', ...args, `--record=${record}`], {
    cwd: checkout,
    stdio: ['ignore', output, output],
  })
  if (output !== 'inherit') closeSync(output)
  const code = await untilExit(child)
  if (code !== 0) {
    const shown = output === 'inherit' ? '' : `; its output ends in\n${readFileSync(log, 'utf8').slice(-logCharsShown)}`
    throw new Error(`bench ${args.join(' ')} failed${shown}`)
  }
  return readFileSync(record, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Figure)
}

/** Returns the names of parts among the words of a command; undefined when one is none. All without words. */
export function namesOfParts(words: readonly string[]): PartName[] | undefined {
  const names = Object.keys(parts) as PartName[]
  if (words.some((word) => !(names as string[]).includes(word))) return undefined
  return names.filter((name) => words.length === 0 || words.includes(name))
}
