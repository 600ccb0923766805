import { amount, print, printTable } from '../report.ts'
import { capacityLines, machineLine, percentOf, scenarioCells } from './capacity-page.ts'
import { differenceMax, oneNode, threeNodes } from './measured.ts'
import { isReproduced, type Reproduced, reproduce } from './reproduce.ts'
import { simulate } from './run.ts'
import { machines, scenarios } from './scenarios.ts'

/** Prints what the simulation gives beside what was measured, and what it says about installations that nobody has measured. */
export function reportSimulation(): void {
  printReproduced('three nodes, measured 22 November 2026', reproduce(threeNodes))
  printReproduced('one node, measured 21 November 2026', reproduce(oneNode))
  printScenarios()
  print(
    `\nMachines, as in docs/performance.md:\n${machines.map((each) => machineLine(each, simulate(each.options))).join('\n')}`,
  )
  print(`\nWhat sizes need, as in docs/capacity.md:\n${capacityLines().join('\n')}`)
}

function printReproduced(what: string, figures: readonly Reproduced[]): void {
  const rows = figures.map((figure) => [
    figure.what,
    `${amount(figure.measured)} ${figure.unit}`,
    figure.simulated === undefined ? '' : amount(figure.simulated),
    percentOf(figure.difference),
    isReproduced(figure) ? 'yes' : 'no',
  ])
  printTable([what, 'measured', 'simulated', 'difference', `within ${differenceMax * 100} %`], rows)
}

function printScenarios(): void {
  const rows = scenarios.map(({ name, options }) => {
    return [name, ...scenarioCells(simulate(options), options.installation.nodes.length)]
  })
  const heads = ['simulated', 'updates/s', 'p50 ms', 'p99 ms', 'longest ms', 'database', 'process']
  printTable([...heads, 'lock waits', '503', 'fullest / mean'], rows)
}
