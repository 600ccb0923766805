import { oneOf, secretLengthMax, text, url, wholeNumber } from './config-values.ts'
import { optional, preset } from './variable.ts'

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const
const millisecondsMax = 3_600_000
const queueMax = 65_536
const pairsMax = 128
const endpointText = 'http://host or https://host, with or without a port and a path'
const pairsText = `name=value, up to ${pairsMax} of them separated by commas; %2C is a comma in a value`
const protocolText = 'http/protobuf, at port 4318 of most collectors'

function endpoint(given: string): URL | undefined {
  const parsed = url(given, ['http:', 'https:'])
  return parsed?.search === '' && parsed.username === '' && parsed.password === '' ? parsed : undefined
}

/** Reads pairs as W3C Baggage writes them. */
function pairs(given: string): ReadonlyMap<string, string> | undefined {
  const entries = given.split(',').filter((entry) => entry.trim() !== '')
  const read = entries.map((entry) => /^\s*([^\s=,;]+)\s*=\s*([^=;]*?)\s*$/.exec(entry))
  if (read.length > pairsMax || read.some((match) => match === null)) return undefined
  try {
    return new Map(read.map((match) => [decodeURIComponent(match![1]!), decodeURIComponent(match![2]!)]))
  } catch {
    // A percent sign that begins no character is refused.
    return undefined
  }
}

/** Reads HTTP headers: their names and values are sent as they are. */
function headers(given: string): ReadonlyMap<string, string> | undefined {
  // A value such as `Basic dXNlcjpwYXNz==` has equals signs of its own, which most collectors' pages do not escape.
  const escaped = given.replace(/(^|,)([^=,]*)=([^,]*)/g, (_, comma, name, value) => {
    return `${comma}${name}=${value.replaceAll('=', '%3D').replaceAll(';', '%3B')}`
  })
  const read = pairs(escaped)
  if (read === undefined || read.size === 0) return undefined
  const isHeader = ([name, value]: [string, string]) =>
    /^[!#$%&'*+.^_`|~\w-]+$/.test(name) && /^[\x20-\x7e]*$/.test(value)
  return [...read].every(isHeader) ? read : undefined
}

function milliseconds(given: string): number | undefined {
  return wholeNumber(given, 1, millisecondsMax)
}

const millisecondsText = `a whole number of milliseconds from 1 to ${millisecondsMax}`

const whereVariables = {
  otelDisabled: preset({
    name: 'OTEL_SDK_DISABLED',
    preset: 'false',
    meaning: 'true: no traces and metrics are sent, whatever the other OTEL_* say.',
    accepts: 'true or false',
    read: (given) => oneOf(given.toLowerCase(), ['true', 'false']),
  }),
  otelEndpoint: optional({
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    unset: 'no traces and metrics are sent, unless a variable for one of them names an endpoint',
    meaning: 'The OpenTelemetry collector that gets traces at /v1/traces and metrics at /v1/metrics below this URL.',
    accepts: endpointText,
    read: endpoint,
  }),
  otelTracesEndpoint: optional({
    name: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    unset: 'OTEL_EXPORTER_OTLP_ENDPOINT is used',
    meaning: 'The whole URL for traces.',
    accepts: endpointText,
    read: endpoint,
  }),
  otelMetricsEndpoint: optional({
    name: 'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
    unset: 'OTEL_EXPORTER_OTLP_ENDPOINT is used',
    meaning: 'The whole URL for metrics.',
    accepts: endpointText,
    read: endpoint,
  }),
  otelHeaders: optional({
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    unset: 'no header is added',
    meaning: 'Headers of each request to the collector, such as its key.',
    accepts: pairsText,
    secret: true,
    read: headers,
  }),
  otelTracesHeaders: optional({
    name: 'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
    unset: 'OTEL_EXPORTER_OTLP_HEADERS are used',
    meaning: 'Headers of requests with traces, beside OTEL_EXPORTER_OTLP_HEADERS.',
    accepts: pairsText,
    secret: true,
    read: headers,
  }),
  otelMetricsHeaders: optional({
    name: 'OTEL_EXPORTER_OTLP_METRICS_HEADERS',
    unset: 'OTEL_EXPORTER_OTLP_HEADERS are used',
    meaning: 'Headers of requests with metrics, beside OTEL_EXPORTER_OTLP_HEADERS.',
    accepts: pairsText,
    secret: true,
    read: headers,
  }),
  otelProtocol: preset({
    name: 'OTEL_EXPORTER_OTLP_PROTOCOL',
    preset: 'http/protobuf',
    meaning: 'The protocol of the collector.',
    accepts: protocolText,
    read: (given) => oneOf(given, ['http/protobuf']),
  }),
  otelTimeoutMs: preset({
    name: 'OTEL_EXPORTER_OTLP_TIMEOUT',
    preset: '10000',
    meaning: 'How long one delivery to the collector may take, with its repetitions, in milliseconds.',
    accepts: millisecondsText,
    read: milliseconds,
  }),
  otelCompression: preset({
    name: 'OTEL_EXPORTER_OTLP_COMPRESSION',
    preset: 'none',
    meaning: 'How requests to the collector are packed.',
    accepts: 'none or gzip',
    read: (given) => oneOf(given, ['none', 'gzip']),
  }),
  otelCertificate: optional({
    name: 'OTEL_EXPORTER_OTLP_CERTIFICATE',
    unset: 'the authorities of Node are trusted',
    meaning: 'A PEM file with the authority that has signed the certificate of the collector.',
    accepts: 'a file',
    read: text,
  }),
  otelClientKey: optional({
    name: 'OTEL_EXPORTER_OTLP_CLIENT_KEY',
    unset: 'no client certificate is sent',
    meaning: 'A PEM file with the key of OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE.',
    accepts: 'a file',
    read: text,
  }),
  otelClientCertificate: optional({
    name: 'OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE',
    unset: 'no client certificate is sent',
    meaning: 'A PEM file with the certificate by which the collector knows Easel.',
    accepts: 'a file',
    read: text,
  }),
}

const whatVariables = {
  otelServiceName: optional({
    name: 'OTEL_SERVICE_NAME',
    unset: 'service.name of OTEL_RESOURCE_ATTRIBUTES, or else easel',
    meaning: 'The name of the service in traces and metrics.',
    accepts: `1 to ${secretLengthMax} characters`,
    read: (given) => (given.length <= secretLengthMax ? text(given) : undefined),
  }),
  otelResourceAttributes: optional({
    name: 'OTEL_RESOURCE_ATTRIBUTES',
    unset: 'none are added',
    meaning: 'Attributes of all traces and metrics, such as deployment.environment.name=production.',
    accepts: pairsText,
    read: pairs,
  }),
  otelTracesExporter: preset({
    name: 'OTEL_TRACES_EXPORTER',
    preset: 'otlp',
    meaning: 'none: no traces are sent.',
    accepts: 'otlp or none',
    read: (given) => oneOf(given, ['otlp', 'none']),
  }),
  otelMetricsExporter: preset({
    name: 'OTEL_METRICS_EXPORTER',
    preset: 'otlp',
    meaning: 'none: no metrics are sent; /metrics has them in any case.',
    accepts: 'otlp or none',
    read: (given) => oneOf(given, ['otlp', 'none']),
  }),
  otelSampler: preset({
    name: 'OTEL_TRACES_SAMPLER',
    preset: 'parentbased_always_on',
    meaning: 'Which traces are sent. parentbased_...: the caller decides where a request has a traceparent.',
    accepts: samplers.join(', '),
    read: (given) => oneOf(given, samplers),
  }),
  otelSamplerArg: preset({
    name: 'OTEL_TRACES_SAMPLER_ARG',
    preset: '1',
    meaning: 'The share of traces that traceidratio and parentbased_traceidratio send.',
    accepts: 'a number from 0 to 1',
    read: (given) => (/^(?:0|1|[01]?\.\d{1,12}|1\.0+)$/.test(given) && Number(given) <= 1 ? Number(given) : undefined),
  }),
  otelPropagators: preset({
    name: 'OTEL_PROPAGATORS',
    preset: 'tracecontext,baggage',
    meaning: 'How a trace goes on from one service to the next. none: traceparent is neither read nor sent.',
    accepts: 'tracecontext, baggage, both separated by a comma, or none; baggage has no effect',
    read: (given) =>
      /^(?:none|(?:tracecontext|baggage)(?:,\s*(?:tracecontext|baggage))?)$/.test(given) ? given : undefined,
  }),
  otelSpanDelayMs: preset({
    name: 'OTEL_BSP_SCHEDULE_DELAY',
    preset: '5000',
    meaning: 'How long spans wait for others that are sent with them, in milliseconds.',
    accepts: millisecondsText,
    read: milliseconds,
  }),
  otelSpanQueueMax: preset({
    name: 'OTEL_BSP_MAX_QUEUE_SIZE',
    preset: '2048',
    meaning: 'How many spans wait at most; more are dropped.',
    accepts: `a whole number from 1 to ${queueMax}`,
    read: (given) => wholeNumber(given, 1, queueMax),
  }),
  otelSpanBatchMax: preset({
    name: 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE',
    preset: '512',
    meaning: 'How many spans are sent at once, and never more than OTEL_BSP_MAX_QUEUE_SIZE.',
    accepts: `a whole number from 1 to ${queueMax}`,
    read: (given) => wholeNumber(given, 1, queueMax),
  }),
  otelMetricIntervalMs: preset({
    name: 'OTEL_METRIC_EXPORT_INTERVAL',
    preset: '60000',
    meaning: 'The time between two deliveries of metrics, in milliseconds.',
    accepts: millisecondsText,
    read: milliseconds,
  }),
  otelMetricTimeoutMs: preset({
    name: 'OTEL_METRIC_EXPORT_TIMEOUT',
    preset: '30000',
    meaning:
      'How long one delivery of metrics may take, in milliseconds, and never longer than OTEL_METRIC_EXPORT_INTERVAL.',
    accepts: millisecondsText,
    read: milliseconds,
  }),
}

/**
 * The variables of OpenTelemetry that Easel reads. Other programs of the machine use the same ones, so a name that is not here is left
 * alone.
 */
export const telemetryVariables = { ...whereVariables, ...whatVariables }

type Values = {
  readonly [K in keyof typeof telemetryVariables]: ReturnType<(typeof telemetryVariables)[K]['read']>
}

/** The settings of one of the two, when it is sent. */
export type Signal = { readonly url: string; readonly headers: Readonly<Record<string, string>> }
/** Where traces and metrics are sent. */
export type TelemetrySignals = { readonly traces: Signal | undefined; readonly metrics: Signal | undefined }

/** Returns where traces and metrics are sent; undefined when neither is. */
export function signalsOf(values: Values): TelemetrySignals | undefined {
  if (values.otelDisabled === 'true') return undefined
  const { otelTracesHeaders, otelMetricsHeaders } = values
  const below = (path: string) => values.otelEndpoint && `${values.otelEndpoint.href.replace(/\/+$/, '')}/v1/${path}`
  const signal = (to: string | undefined, exporter: 'otlp' | 'none' | undefined, own: typeof otelTracesHeaders) =>
    to === undefined || exporter === 'none'
      ? undefined
      : { url: to, headers: Object.fromEntries([...(values.otelHeaders ?? []), ...(own ?? [])]) }
  const traces = signal(
    values.otelTracesEndpoint?.href ?? below('traces'),
    values.otelTracesExporter,
    otelTracesHeaders,
  )
  const metrics = signal(
    values.otelMetricsEndpoint?.href ?? below('metrics'),
    values.otelMetricsExporter,
    otelMetricsHeaders,
  )
  return traces || metrics ? { traces, metrics } : undefined
}

/** Returns one line about values that do not go together; undefined when they do. */
export function telemetryContradiction(values: Values): string | undefined {
  if ((values.otelClientKey === undefined) === (values.otelClientCertificate === undefined)) return undefined
  const [missing, given] = values.otelClientKey === undefined ? ['KEY', 'CERTIFICATE'] : ['CERTIFICATE', 'KEY']
  const prefix = 'OTEL_EXPORTER_OTLP_CLIENT_'
  return `${prefix}${missing}: no value was given, but ${prefix}${given} was; accepted is a file`
}
