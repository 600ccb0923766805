import { type HrTime, ValueType } from '@opentelemetry/api'
import { millisToHrTime } from '@opentelemetry/core'
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
} from '@opentelemetry/sdk-metrics'
import type { MetricReading } from '../http/metrics.ts'

type Labels = Readonly<Record<string, string | number>>
type Times = { readonly startTime: HrTime; readonly endTime: HrTime }

/** Returns readings of Prometheus metrics as metrics of OpenTelemetry, with the same names and labels. */
export function toOtlpMetrics(readings: readonly MetricReading[], startMs: number, nowMs: number): MetricData[] {
  const times = { startTime: millisToHrTime(startMs), endTime: millisToHrTime(nowMs) }
  return readings.map((reading) => toOtlpMetric(reading, times)).filter(({ dataPoints }) => dataPoints.length > 0)
}

function toOtlpMetric({ name, help, type, values }: MetricReading, times: Times): MetricData {
  const descriptor = { name, description: help, unit: '', valueType: ValueType.DOUBLE }
  const common = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE }
  if (type === 'histogram') {
    return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints: histogramsOf(values, times) }
  }
  const dataPoints = values
    .filter(({ value }) => Number.isFinite(value))
    .map(({ value, labels }) => ({ ...times, attributes: labels, value }))
  return type === 'counter'
    ? { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
    : { ...common, dataPointType: DataPointType.GAUGE, dataPoints }
}

/** Joins the lines of each series. Those of buckets count what is below, as Prometheus does; here each bucket has its own count. */
function histogramsOf(values: MetricReading['values'], times: Times): DataPoint<Histogram>[] {
  const series = Map.groupBy(values, ({ labels }) => JSON.stringify(Object.entries(withoutBound(labels)).toSorted()))
  return [...series.values()].map((lines) => {
    const ending = (suffix: string) => lines.find(({ metricName = '' }) => metricName.endsWith(suffix))?.value ?? 0
    const buckets = lines
      .filter(({ labels }) => labels.le !== undefined)
      .map(({ labels, value }) => ({
        bound: labels.le === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels.le),
        value,
      }))
      .toSorted((a, b) => a.bound - b.bound)
    return {
      ...times,
      attributes: withoutBound(lines[0]!.labels),
      value: {
        buckets: {
          boundaries: buckets.map(({ bound }) => bound).filter(Number.isFinite),
          counts: buckets.map(({ value }, i) => value - (buckets[i - 1]?.value ?? 0)),
        },
        sum: ending('_sum'),
        count: ending('_count'),
      },
    }
  })
}

function withoutBound({ le: _, ...labels }: Labels): Labels {
  return labels
}
