import {
  Counter,
  type CounterConfiguration,
  collectDefaultMetrics,
  Gauge,
  type GaugeConfiguration,
  Histogram,
  Registry,
} from 'prom-client'
import type { Page } from './page.ts'

export type Metrics = {
  /** Returns all metrics as Prometheus text. */
  text(): Promise<string>
  readonly contentType: string
  /** Records one answered request. `route` is the path of the route table, so that the number of series stays small. */
  request(method: string, route: string, status: number, seconds: number): void
  counter(options: Omit<CounterConfiguration<string>, 'registers'>): Counter
  gauge(options: Omit<GaugeConfiguration<string>, 'registers'>): Gauge
  close(): void
}

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Opens the metrics of one running service. */
export function openMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const durations = new Histogram({
    name: 'easel_http_request_seconds',
    help: 'Duration of answered requests by method, route and status, in seconds.',
    labelNames: ['method', 'route', 'status'],
    buckets,
    registers: [registry],
  })
  // Looking a series up by its labels takes longer than an observation.
  const series = new Map<string, { observe(seconds: number): void }>()
  return {
    text: () => registry.metrics(),
    contentType: registry.contentType,
    request(method, route, status, seconds) {
      const key = `${status}${method}${route}`
      let one = series.get(key)
      if (one === undefined) {
        one = durations.labels(method, route, String(status))
        series.set(key, one)
      }
      one.observe(seconds)
    },
    counter: (options) => new Counter({ ...options, registers: [registry] }),
    gauge: (options) => new Gauge({ ...options, registers: [registry] }),
    close: () => registry.clear(),
  }
}

/** `/metrics`: Prometheus text. */
export function metricsPages(metrics: Metrics): Page[] {
  const headers = { 'Content-Type': metrics.contentType }
  return [{ path: '/metrics', render: async () => ({ status: 200, headers, body: await metrics.text() }) }]
}
