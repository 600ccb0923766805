import { monitorEventLoopDelay } from 'node:perf_hooks'
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client'
import { systemClock } from '../clock.ts'

const nsPerSecond = 1e9
const prefix = 'nodejs_eventloop_lag'
/** How often prom-client measures the delay with a timer, in milliseconds. What it measures is replaced: it should not wake the process. */
const unusedEveryMs = 86_400_000

/** Adds the usual metrics of a process. */
export function addProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: unusedEveryMs })
  addLoopDelay(registry)
}

/**
 * Measures how long the event loop is busy before it waits again, which is how long an event may wait. prom-client measures it with a
 * timer: a process at rest used a good part of its CPU time for that.
 */
function addLoopDelay(registry: Registry): void {
  const { elapsed } = systemClock()
  const histogram = monitorEventLoopDelay({ samplePerIteration: true })
  histogram.enable()
  // The first reading contains the time that the loop waited.
  setTimeout(() => histogram.reset(), 1).unref()
  const gauge = (name: string, help: string, collect?: () => void): Gauge => {
    const full = `${prefix}${name}_seconds`
    registry.removeSingleMetric(full)
    return new Gauge({ name: full, help, registers: [registry], ...(collect && { collect }) })
  }
  const readings = [
    [gauge('_min', 'The minimum recorded event loop delay.'), () => histogram.min],
    [gauge('_max', 'The maximum recorded event loop delay.'), () => histogram.max],
    [gauge('_mean', 'The mean of the recorded event loop delays.'), () => histogram.mean],
    [gauge('_stddev', 'The standard deviation of the recorded event loop delays.'), () => histogram.stddev],
    ...[50, 90, 99].map(
      (percent) =>
        [
          gauge(`_p${percent}`, `The ${percent}th percentile of the recorded event loop delays.`),
          () => histogram.percentile(percent),
        ] as const,
    ),
  ] as const
  const now = gauge('', 'Lag of event loop in seconds.', () => {
    const startMs = elapsed()
    setImmediate(() => now.set((elapsed() - startMs) / 1_000))
    // Without a reading there is no delay.
    for (const [each, read] of readings) each.set(histogram.count === 0 ? 0 : read() / nsPerSecond)
    histogram.reset()
  })
}
