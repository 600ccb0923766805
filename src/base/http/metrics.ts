import { BlockList, isIP } from 'node:net'
import { Counter, type CounterConfiguration, Gauge, type GaugeConfiguration, Histogram, Registry } from 'prom-client'
import { Failure, notFound } from '../errors.ts'
import { sameSecret } from '../ids.ts'
import { addProcessMetrics } from './loop-delay.ts'
import type { Page, PageHead } from './page.ts'

export type Metrics = {
  /** Returns all metrics as Prometheus text. */
  text(): Promise<string>
  readonly contentType: string
  /** Returns all metrics with their values. */
  readings(): Promise<readonly MetricReading[]>
  /** Records one answered request. `route` is the path of the route table, so that the number of series stays small. */
  request(method: string, route: string, status: number, seconds: number): void
  counter(options: Omit<CounterConfiguration<string>, 'registers'>): Counter
  /** Returns what a counter has counted, by the value of a label; under `` without labels. */
  read(name: string, label?: string): Promise<ReadonlyMap<string, number>>
  /** Adds a gauge. When its `collect` takes long, as while the database does not answer, readers get its last value. */
  gauge(options: Omit<GaugeConfiguration<string>, 'registers'>): Gauge
  close(): void
}

/** A metric with its values. The values of a histogram have the names of their lines, and `le` among the labels of buckets. */
export type MetricReading = {
  readonly name: string
  readonly help: string
  readonly type: string
  readonly values: readonly {
    readonly value: number
    readonly labels: Readonly<Record<string, string | number>>
    readonly metricName?: string
  }[]
}

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Prometheus waits for ten seconds. The gauges are read together. */
const collectMsMax = 3_000

type Collect = NonNullable<GaugeConfiguration<string>['collect']>

/** Returns a `collect` that is waited for a short time only, once there is a value. */
function collectSoon(collect: Collect): Collect {
  let hasValue = false
  return async function (this: Gauge) {
    const collected = Promise.resolve(collect.call(this)).then(() => {
      hasValue = true
    })
    if (!hasValue) return collected
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, collectMsMax)
    await Promise.race([collected, late]).finally(() => clearTimeout(timer))
  }
}

/** Opens the metrics of one running service. */
export function openMetrics(): Metrics {
  const registry = new Registry()
  addProcessMetrics(registry)
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
    readings: async () => (await registry.getMetricsAsJSON()) as unknown as MetricReading[],
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
    async read(name, label = '') {
      const { values = [] } = (await registry.getSingleMetric(name)?.get()) ?? {}
      return new Map(values.map(({ labels, value }) => [String(labels[label] ?? ''), value]))
    },
    gauge({ collect, ...options }) {
      return new Gauge({ ...options, ...(collect && { collect: collectSoon(collect) }), registers: [registry] })
    },
    close: () => registry.clear(),
  }
}

export type MetricsAccess = {
  /** `EASEL_METRICS_TOKEN`. */
  readonly token: string | undefined
  /** `HOST`. */
  readonly host: string
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** `/metrics`: Prometheus text. Throws 401 for a wrong token, and 404 for strangers when no token is configured. */
export function metricsPages(metrics: Metrics, access: MetricsAccess): Page[] {
  const headers = { 'Content-Type': metrics.contentType }
  return [
    {
      path: '/metrics',
      admit: (request) => checkReader(request, access),
      render: async () => ({ status: 200, headers, body: await metrics.text() }),
    },
  ]
}

/** Throws when a caller may not read metrics. Without a token only callers of this machine may, who reach it without a proxy. */
export function checkReader({ headers, ip }: Pick<PageHead, 'headers' | 'ip'>, { token, host }: MetricsAccess): void {
  if (token !== undefined) {
    const sent = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]
    if (sent !== undefined && sameSecret(sent, token)) return
    const details = { headers: { 'WWW-Authenticate': 'Bearer' } }
    throw new Failure('unauthenticated', 'Invalid metrics token: send EASEL_METRICS_TOKEN as a bearer token', details)
  }
  const isProxied = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined
  if (!isLoopback(host) || !isLoopback(ip) || isProxied) {
    throw notFound('Metrics are off for other machines: set EASEL_METRICS_TOKEN')
  }
}

function isLoopback(host: string): boolean {
  if (host === 'localhost') return true
  return isIP(host) !== 0 && loopback.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4')
}
