import { arrange, type Drawing } from '../dashboard/src/canvas/arrange.ts'
import { median } from './measure.ts'
import type { Figure } from './report.ts'

const loops = 50
const blockSteps = 4

/** Returns a canvas of blocks: a split into two steps that join at a third one, from which every fifth block leads back. */
function blocksOf(count: number): Drawing {
  const blocks = count / blockSteps
  const steps = Array.from({ length: blocks }, (_, i) => {
    const next = i + 1 < blocks ? `ask${i + 1}` : null
    const back = i % 5 === 4 ? `ask${i - 3}` : next
    const path = (name: string, to: string | null) => ({ name, next: to })
    return [
      { id: `ask${i}`, paths: [path('yes', `yes${i}`), path('no', `no${i}`)] },
      { id: `yes${i}`, paths: [path('', `wait${i}`)] },
      { id: `no${i}`, paths: [path('', `wait${i}`)] },
      { id: `wait${i}`, paths: [path('Back', back), path('otherwise', next)] },
    ]
  })
  return { starts: [{ name: 'All', next: 'ask0' }], steps: steps.flat() }
}

/** Measures arranging the picture of a canvas, in time and in CPU time, once it is compiled. */
export function benchLayout(steps: number): Figure {
  const drawing = blocksOf(steps)
  const spent = Array.from({ length: loops }, () => {
    const before = process.cpuUsage()
    const startedMs = performance.now()
    arrange(drawing)
    const ms = performance.now() - startedMs
    const { user, system } = process.cpuUsage(before)
    return { ms, us: user + system }
  })
  const value = median(spent.map(({ ms }) => ms))
  const nodeUs = median(spent.map(({ us }) => us))
  return { what: `dashboard, layout of ${steps} steps`, database: 'none', value, unit: 'ms', nodeUs }
}
