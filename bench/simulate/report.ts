import { amount, printTable } from '../report.ts'
import { differenceMax, oneNode, threeNodes } from './measured.ts'
import { isReproduced, type Reproduced, reproduce } from './reproduce.ts'
import { simulate } from './run.ts'
import { scenarios } from './scenarios.ts'

/** Prints what the simulation gives beside what was measured, and what it says about installations that nobody has measured. */
export function reportSimulation(): void {
  printReproduced('three nodes, measured 22 November 2026', reproduce(threeNodes))
  printReproduced('one node, measured 21 November 2026', reproduce(oneNode))
  printScenarios()
}

function printReproduced(what: string, figures: readonly Reproduced[]): void {
  const rows = figures.map((figure) => [
    figure.what,
    `${amount(figure.measured)} ${figure.unit}`,
    figure.simulated === undefined ? '' : amount(figure.simulated),
    figure.difference === undefined ? '' : `${(figure.difference * 100).toFixed(0)} %`,
    isReproduced(figure) ? 'yes' : 'no',
  ])
  printTable([what, 'measured', 'simulated', 'difference', `within ${differenceMax * 100} %`], rows)
}

function printScenarios(): void {
  const rows = scenarios.map(({ name, options }) => {
    const result = simulate(options)
    const nodes = options.installation.nodes.length
    const busiest = (from: number, to?: number) => `${(Math.max(...result.busy.slice(from, to)) * 100).toFixed(0)} %`
    return [
      name,
      amount(result.updatesPerSecond),
      amount(result.p50Ms),
      amount(result.p99Ms),
      amount(result.longestMs),
      busiest(0, nodes),
      busiest(nodes),
      String(result.lockWaits),
      String(result.refused),
      result.worstNode.toFixed(2),
    ]
  })
  const heads = ['simulated', 'updates/s', 'p50 ms', 'p99 ms', 'longest ms', 'database', 'process']
  printTable([...heads, 'lock waits', '503', 'fullest / mean'], rows)
}
