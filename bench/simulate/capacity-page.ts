import { amount } from '../report.ts'
import { type Capacity, capacityOf, sizes } from './capacity.ts'
import type { Reproduced } from './reproduce.ts'
import type { Result } from './run.ts'
import { type Machine, walBytesOfMixed } from './scenarios.ts'

const [million, giga] = [1e6, 1e9]

const rows: readonly { what: string; of: (capacity: Capacity) => string }[] = [
  { what: 'updates a second, mean', of: ({ updatesPerSecond }) => amount(updatesPerSecond) },
  { what: 'updates a second, peak', of: ({ peakUpdatesPerSecond }) => amount(peakUpdatesPerSecond) },
  { what: 'messages a second, in 8 hours', of: ({ messagesPerSecond }) => amount(messagesPerSecond) },
  { what: 'cores of the database', of: ({ databaseCores }) => amount(databaseCores) },
  { what: 'cores of the processes', of: ({ processCores }) => amount(processCores) },
  { what: 'disk, one copy, GB', of: ({ diskBytes }) => amount(diskBytes / giga) },
  {
    what: 'largest table that is not partitioned, GB',
    of: ({ largestTableBytes }) => amount(largestTableBytes / giga),
  },
  { what: 'write-ahead log a day, GB', of: ({ logBytesPerDay }) => amount(logBytesPerDay / giga) },
  {
    what: 'to each replica at the peak, Mbit/s',
    of: ({ replicaBitsPerSecond }) => amount(replicaBitsPerSecond / million),
  },
  { what: 'requests at the peak, Mbit/s', of: ({ requestBitsPerSecond }) => amount(requestBitsPerSecond / million) },
  { what: 'mail, Mbit/s', of: ({ mailBitsPerSecond }) => amount(mailBitsPerSecond / million) },
  { what: 'databases that a restore in 4 hours asks for', of: ({ forRestore }) => String(forRestore) },
  { what: 'databases that a vacuum in 8 hours asks for', of: ({ forVacuum }) => String(forVacuum) },
  { what: '**databases**', of: ({ databases }) => `**${databases}**` },
  { what: 'machines for databases: a primary and a replica each', of: ({ databases }) => String(2 * databases) },
  { what: 'machines of two cores for processes', of: ({ processMachines }) => String(processMachines) },
]

/** Returns the rows of the results in `docs/capacity.md`. */
export function capacityLines(): string[] {
  const computed = sizes.map(capacityOf)
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [
    line(['', ...sizes.map(({ name }) => name)]),
    ...rows.map(({ what, of }) => line([what, ...computed.map(of)])),
  ]
}

/** Returns a difference in percent; an empty text for undefined. */
export function percentOf(difference: number | undefined): string {
  if (difference === undefined) return ''
  const percent = Math.round(difference * 100)
  return `${percent === 0 ? 0 : percent} %`
}

/** Returns the row of a measured figure in `docs/capacity.md`. */
export function reproducedLine({ what, unit, measured, simulated, difference, whyNot }: Reproduced): string {
  const cells = [
    what,
    `${amount(measured)} ${unit}`,
    simulated === undefined ? '-' : amount(simulated),
    percentOf(difference) || '-',
    ...(whyNot === undefined ? [] : [whyNot]),
  ]
  return `| ${cells.join(' | ')} |`
}

/** Returns the row of a machine in `docs/performance.md`. */
export function machineLine({ cores, processes }: Machine, result: Result): string {
  const logBytes = result.updatesPerSecond * walBytesOfMixed
  const cells = [
    cores,
    processes,
    amount(result.updatesPerSecond),
    `${amount(result.p50Ms)} ms`,
    `${(result.busy[0]! * 100).toFixed(0)} %`,
    `${amount(logBytes / million)} MB`,
  ]
  return `| ${cells.join(' | ')} |`
}

/** Returns the cells of a simulated installation: without names, as they stand in `docs/capacity.md` and in the report. */
export function scenarioCells(result: Result, nodes: number): string[] {
  const busiest = (from: number, to?: number) => `${(Math.max(...result.busy.slice(from, to)) * 100).toFixed(0)} %`
  return [
    amount(result.updatesPerSecond),
    amount(result.p50Ms),
    amount(result.p99Ms),
    amount(result.longestMs),
    busiest(0, nodes),
    busiest(nodes),
    result.lockWaits.toLocaleString('en'),
    result.refused.toLocaleString('en'),
    result.worstNode.toFixed(2),
  ]
}
