import {
  type MeterProvider,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core'
import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer'
import type { Resource } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import { Failure } from '../errors.ts'
import {
  inScope,
  type RootOptions,
  type SpanAttributes,
  type SpanOptions,
  type Telemetry,
  type WorkSpan,
} from '../telemetry.ts'
import { RoundSpans } from './round-spans.ts'
import type { Sender } from './sender.ts'

/** A flush has a link to each of its requests: more than it can have. */
const linksMax = 256
/** Attributes are short names and numbers. */
const attributeCharsMax = 500
/** Rounds that take longer are kept, also when they found nothing. */
const slowRoundMs = 1_000

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const

export type Tracing = { readonly telemetry: Telemetry; close(): Promise<void> }

export type TracingOptions = {
  readonly config: Config
  readonly resource: Resource
  readonly version: string
  readonly clock: Pick<Clock, 'elapsed'>
  /** Counts how many spans were sent and dropped. */
  readonly meterProvider: MeterProvider | undefined
}

/** Opens what records spans and sends them in batches. Its queue is bounded: a span that finds it full is dropped. */
export function openTracing(
  sender: Sender,
  { config, resource, version, clock, meterProvider }: TracingOptions,
): Tracing {
  const { otelSpanDelayMs, otelSpanQueueMax, otelSpanBatchMax, otelTimeoutMs } = config
  const batches = new BatchSpanProcessor({
    exporter: exporterTo(sender),
    scheduledDelayMillis: otelSpanDelayMs,
    maxQueueSize: otelSpanQueueMax,
    maxExportBatchSize: Math.min(otelSpanBatchMax, otelSpanQueueMax),
    // The sender ends before.
    exportTimeoutMillis: 2 * otelTimeoutMs,
    ...(meterProvider && { selfObsMeterProvider: meterProvider }),
  })
  const rounds = new RoundSpans(batches)
  const provider = new TracerProvider({
    resource,
    sampler: samplerOf(config),
    spanLimits: { linkCountLimit: linksMax, attributeValueLengthLimit: attributeCharsMax },
    spanProcessors: [rounds],
  })
  const isPassedOn = config.otelPropagators.includes('tracecontext')
  return {
    telemetry: new Recorder(provider.getTracer('easel', version), rounds, clock, isPassedOn),
    async close() {
      await provider.shutdown().catch(() => undefined)
      await sender.close()
    },
  }
}

function exporterTo(sender: Sender): SpanExporter {
  return {
    export(spans, done) {
      const message = ProtobufTraceSerializer.serializeRequest(spans)
      if (message === undefined) return done({ code: ExportResultCode.FAILED })
      void sender.send(message).then(
        (answer) => {
          const { rejectedSpans = 0, errorMessage } = partialSuccessOf(answer)
          if (Number(rejectedSpans) > 0) sender.refused(`it refused ${rejectedSpans} spans: ${errorMessage ?? ''}`)
          done({ code: ExportResultCode.SUCCESS })
        },
        (error: Error) => done({ code: ExportResultCode.FAILED, error }),
      )
    },
    forceFlush: () => sender.idle(),
    shutdown: () => sender.idle(),
  }
}

function partialSuccessOf(answer: Uint8Array) {
  try {
    return ProtobufTraceSerializer.deserializeResponse(answer).partialSuccess ?? {}
  } catch {
    // Some collectors answer with a text. The status says that they took the spans.
    return {}
  }
}

function samplerOf({ otelSampler, otelSamplerArg }: Config): Sampler {
  const own = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(otelSamplerArg),
  }
  const name = otelSampler.replace(/^parentbased_/, '') as keyof typeof own
  return name === otelSampler ? own[name]() : new ParentBasedSampler({ root: own[name]() })
}

const propagator = new W3CTraceContextPropagator()
const getter = {
  keys: (headers: object) => Object.keys(headers),
  get: (headers: NonNullable<RootOptions['headers']>, name: string) => headers[name],
}

class Recorder implements Telemetry {
  readonly #tracer: Tracer
  readonly #rounds: RoundSpans
  readonly #clock: Pick<Clock, 'elapsed'>
  /** Whether `traceparent` is read and sent. */
  readonly #isPassedOn: boolean

  constructor(tracer: Tracer, rounds: RoundSpans, clock: Pick<Clock, 'elapsed'>, isPassedOn: boolean) {
    this.#tracer = tracer
    this.#rounds = rounds
    this.#clock = clock
    this.#isPassedOn = isPassedOn
  }

  run<T>(work: () => T): T {
    return inScope({ telemetry: this, span: undefined }, work)
  }

  root<T>(name: string, options: RootOptions, work: (span: WorkSpan) => Promise<T>): Promise<T> {
    const { headers, links = [] } = options
    const before = headers && this.#isPassedOn ? propagator.extract(ROOT_CONTEXT, headers, getter) : ROOT_CONTEXT
    const to = links.flatMap((link) => (link instanceof RecordedSpan ? [{ context: link.otel.spanContext() }] : []))
    return this.record(this.#tracer.startSpan(name, { ...startOf(options), links: to }, before), work)
  }

  async round(name: string, work: () => Promise<boolean>): Promise<boolean> {
    const otel = this.#tracer.startSpan(name, {}, ROOT_CONTEXT)
    const startedMs = this.#clock.elapsed()
    const round = this.#rounds.begin(otel)
    try {
      return await this.record(otel, async () => {
        const more = await work()
        if (more || this.#clock.elapsed() - startedMs > slowRoundMs) round.keep()
        return more
      })
    } catch (error) {
      round.keep()
      throw error
    } finally {
      round.end()
    }
  }

  /** Does work while a span is active, and ends the span. */
  async record<T>(otel: OtelSpan, work: (span: WorkSpan) => Promise<T>): Promise<T> {
    const span = new RecordedSpan(otel, this)
    try {
      return await inScope({ telemetry: this, span }, () => work(span))
    } catch (error) {
      span.fail(kindOf(error))
      throw error
    } finally {
      otel.end()
    }
  }

  startChild(parent: OtelSpan, name: string, options: SpanOptions): OtelSpan {
    return this.#tracer.startSpan(name, startOf(options), trace.setSpan(ROOT_CONTEXT, parent))
  }

  noted(traceId: string): void {
    this.#rounds.keep(traceId)
  }

  traceparentOf(otel: OtelSpan): string | undefined {
    if (!this.#isPassedOn) return undefined
    const headers: Record<string, string> = {}
    propagator.inject(trace.setSpan(ROOT_CONTEXT, otel), headers, {
      set: (carrier: Record<string, string>, name, value) => {
        carrier[name] = value
      },
    })
    return headers.traceparent
  }
}

class RecordedSpan implements WorkSpan {
  readonly otel: OtelSpan
  readonly #recorder: Recorder

  constructor(otel: OtelSpan, recorder: Recorder) {
    this.otel = otel
    this.#recorder = recorder
  }

  get traceId(): string {
    return this.otel.spanContext().traceId
  }

  get spanId(): string {
    return this.otel.spanContext().spanId
  }

  get traceparent(): string | undefined {
    return this.#recorder.traceparentOf(this.otel)
  }

  set(attributes: SpanAttributes): void {
    // Work may end after the span in which it began, as mails that a round has handed over.
    if (!this.otel.isRecording()) return
    this.otel.setAttributes(attributes)
    this.#recorder.noted(this.traceId)
  }

  fail(type: string): void {
    if (!this.otel.isRecording()) return
    this.otel.setAttribute('error.type', type)
    this.otel.setStatus({ code: SpanStatusCode.ERROR })
  }

  link(other: WorkSpan): void {
    if (other instanceof RecordedSpan && this.otel.isRecording())
      this.otel.addLink({ context: other.otel.spanContext() })
  }

  child<T>(name: string, options: SpanOptions, work: (span: WorkSpan) => Promise<T>): Promise<T> {
    // A trace that is not sampled has no further spans.
    if (!this.#isSampled()) return work(this)
    return this.#recorder.record(this.#recorder.startChild(this.otel, name, options), work)
  }

  #isSampled(): boolean {
    return (this.otel.spanContext().traceFlags & 1) === 1
  }
}

function startOf({ kind = 'internal', attributes = {} }: SpanOptions) {
  return { kind: kinds[kind], attributes }
}

/** Returns the kind of an error. Its text may quote what people have sent. */
function kindOf(error: unknown): string {
  if (error instanceof Failure) return error.kind
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown }
  return typeof code === 'string' ? code : typeof name === 'string' ? name : 'unknown'
}
