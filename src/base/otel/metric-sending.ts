import type { MeterProvider as ApiMeterProvider } from '@opentelemetry/api'
import { ExportResultCode } from '@opentelemetry/core'
import { ProtobufMetricsSerializer } from '@opentelemetry/otlp-transformer'
import type { Resource } from '@opentelemetry/resources'
import {
  AggregationTemporality,
  MeterProvider,
  type MetricProducer,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
} from '@opentelemetry/sdk-metrics'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { MetricReading, Metrics } from '../http/metrics.ts'
import { toOtlpMetrics } from './otlp-metrics.ts'
import type { Sender } from './sender.ts'

export type MetricSending = {
  /** For what the SDK counts of itself. */
  readonly meterProvider: ApiMeterProvider
  read(metrics: Metrics): () => Promise<void>
  close(): Promise<void>
}

type Options = { readonly config: Config; readonly resource: Resource; readonly clock: Pick<Clock, 'elapsed'> }

/** Sends the metrics of `/metrics` from time to time: they are counted once, and read by both. */
export function openMetricSending(sender: Sender, { config, resource, clock }: Options): MetricSending {
  const { otelMetricIntervalMs, otelMetricTimeoutMs } = config
  const startMs = clock.elapsed()
  let readNow: () => Promise<readonly MetricReading[]> = async () => []
  const producer: MetricProducer = {
    async collect() {
      const metrics = toOtlpMetrics(await readNow(), startMs, clock.elapsed())
      const scopeMetrics = metrics.length === 0 ? [] : [{ scope: { name: 'easel' }, metrics }]
      return { resourceMetrics: { resource, scopeMetrics }, errors: [] }
    },
  }
  const reader = new PeriodicExportingMetricReader({
    exporter: exporterTo(sender),
    exportIntervalMillis: otelMetricIntervalMs,
    exportTimeoutMillis: Math.min(otelMetricTimeoutMs, otelMetricIntervalMs),
    metricProducers: [producer],
  })
  const meterProvider = new MeterProvider({ resource, readers: [reader] })
  return {
    meterProvider,
    read(metrics) {
      const read = () => metrics.readings()
      readNow = read
      return async () => {
        if (readNow !== read) return
        const last = await metrics.readings()
        readNow = async () => last
      }
    },
    async close() {
      await meterProvider.shutdown().catch(() => undefined)
      await sender.close()
    },
  }
}

function exporterTo(sender: Sender): PushMetricExporter {
  let isSending = false
  return {
    export(metrics, done) {
      const message = isSending ? undefined : ProtobufMetricsSerializer.serializeRequest(metrics)
      // The next delivery has the same counts, so that nothing waits behind a slow one.
      if (message === undefined) return done({ code: ExportResultCode.FAILED })
      isSending = true
      const ended = (error?: Error) => {
        isSending = false
        done(error ? { code: ExportResultCode.FAILED, error } : { code: ExportResultCode.SUCCESS })
      }
      void sender.send(message).then(() => ended(), ended)
    },
    // The readings are sums since the start.
    selectAggregationTemporality: () => AggregationTemporality.CUMULATIVE,
    forceFlush: () => sender.idle(),
    shutdown: () => sender.idle(),
  }
}
