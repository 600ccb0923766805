import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { defaultResource, type Resource, resourceFromAttributes } from '@opentelemetry/resources'
import type { Clock } from '../clock.ts'
import { type Config, ConfigError, variables } from '../config.ts'
import type { Metrics } from '../http/metrics.ts'
import type { Log } from '../log.ts'
import type { Telemetry } from '../telemetry.ts'
import type { TelemetrySignals } from '../telemetry-variables.ts'
import { type MetricSending, openMetricSending } from './metric-sending.ts'
import { openSender, type SenderOptions } from './sender.ts'
import { openTracing, type Tracing } from './tracing.ts'

/** How long a stop waits until the last spans and metrics are sent. What is left then is dropped. */
export const flushMsMax = 5_000

const defaultName = 'easel'

export type OpenTelemetry = {
  /** Undefined when only metrics are sent. */
  readonly telemetry: Telemetry | undefined
  /** Sends these metrics from now on. Call the returned function while they can still be read: it keeps their last values. */
  readMetrics(metrics: Metrics): () => Promise<void>
  /** Sends what waits, for `flushMsMax` at most. */
  close(): Promise<void>
}

export type TelemetryServices = { readonly log: Log; readonly clock: Clock; readonly version: string }

/** Opens what sends traces and metrics to a collector. Throws when a file of the configuration cannot be read. */
export function openTelemetry(
  config: Config,
  signals: TelemetrySignals,
  { log, clock, version }: TelemetryServices,
): OpenTelemetry {
  const stop = new AbortController()
  const common: Omit<SenderOptions, 'signal' | 'what'> = {
    tls: tlsOf(config),
    timeoutMs: config.otelTimeoutMs,
    isPacked: config.otelCompression === 'gzip',
    stopped: stop.signal,
    log,
    clock,
  }
  const resource = resourceOf(config, version)
  const { traces, metrics } = signals
  const metricSending: MetricSending | undefined =
    metrics &&
    openMetricSending(openSender({ ...common, signal: metrics, what: 'metrics' }), { config, resource, clock })
  const tracing: Tracing | undefined =
    traces &&
    openTracing(openSender({ ...common, signal: traces, what: 'traces' }), {
      config,
      resource,
      version,
      clock,
      meterProvider: metricSending?.meterProvider,
    })
  return {
    telemetry: tracing?.telemetry,
    readMetrics: (read) => metricSending?.read(read) ?? (async () => {}),
    async close() {
      const timer = setTimeout(() => stop.abort(), flushMsMax)
      await Promise.allSettled([tracing?.close(), metricSending?.close()])
      clearTimeout(timer)
      stop.abort()
    },
  }
}

function resourceOf({ otelServiceName, otelResourceAttributes }: Config, version: string): Resource {
  const own = {
    'service.name': defaultName,
    'service.version': version,
    'service.instance.id': randomUUID(),
    'host.name': hostname(),
    'process.pid': process.pid,
    'process.runtime.name': 'nodejs',
    'process.runtime.version': process.versions.node,
    ...Object.fromEntries(otelResourceAttributes ?? []),
    ...(otelServiceName !== undefined && { 'service.name': otelServiceName }),
  }
  return defaultResource().merge(resourceFromAttributes(own))
}

function tlsOf({ otelCertificate, otelClientKey, otelClientCertificate }: Config): SenderOptions['tls'] {
  const file = (path: string | undefined, { name }: { readonly name: string }) => path && readPem(path, name)
  const ca = file(otelCertificate, variables.otelCertificate)
  const key = file(otelClientKey, variables.otelClientKey)
  const cert = file(otelClientCertificate, variables.otelClientCertificate)
  return { ...(ca && { ca }), ...(key && { key }), ...(cert && { cert }) }
}

function readPem(path: string, name: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new ConfigError(`${name}: ${path} cannot be read (${code}), accepted is a file that this user may read`)
  }
}
