import { AsyncLocalStorage } from 'node:async_hooks'

/** What a span says of its work. Values are of Easel or of its configuration, never of people. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

export type SpanOptions = {
  /** `server` answers a request, `client` waits for another program, `internal` (the default) does neither. */
  readonly kind?: 'server' | 'client' | 'internal'
  readonly attributes?: SpanAttributes
}

export type RootOptions = SpanOptions & {
  /** The headers of a request, whose `traceparent` this span continues. */
  readonly headers?: { readonly [name: string]: string | string[] | undefined }
  /** The spans for which this work is done. */
  readonly links?: readonly WorkSpan[]
}

/** A piece of work that is recorded. */
export interface WorkSpan {
  readonly traceId: string
  readonly spanId: string
  /** The header that lets another program continue the trace; undefined when traces are not passed on. */
  readonly traceparent: string | undefined
  set(attributes: SpanAttributes): void
  /** Says that the work has failed. `type` is a kind of errors. */
  fail(type: string): void
  /** Says which other span did this work. */
  link(other: WorkSpan): void
  /** Records a part of this work while it is active. */
  child<T>(name: string, options: SpanOptions, work: (span: WorkSpan) => Promise<T>): Promise<T>
}

/** Records what a service does. */
export interface Telemetry {
  /** Does work whose loops and jobs are recorded. It is part of no span. */
  run<T>(work: () => T): T
  /** Records work that is part of no other. */
  root<T>(name: string, options: RootOptions, work: (span: WorkSpan) => Promise<T>): Promise<T>
  /**
   * Records a round of a worker when it returns true, when it fails, when it takes long, and when `noteWork` was called. Rounds that found
   * nothing to do are not kept.
   */
  round(name: string, work: () => Promise<boolean>): Promise<boolean>
}

type Scope = { readonly telemetry: Telemetry; readonly span: WorkSpan | undefined }

/** What is recorded now, by asynchronous call. Undefined as long as this process records nothing. */
let scopes: AsyncLocalStorage<Scope> | undefined

/** Returns what the current work is recorded by; undefined when nothing is recorded. */
export function activeTelemetry(): Telemetry | undefined {
  return scopes?.getStore()?.telemetry
}

/** Returns the span of the current work; undefined when it is part of none, and when nothing is recorded. */
export function activeSpan(): WorkSpan | undefined {
  return scopes?.getStore()?.span
}

/** Says what the current round of a worker has done. Then it is kept. */
export function noteWork(attributes: SpanAttributes): void {
  activeSpan()?.set(attributes)
}

/** Returns the fields that name the active span in a line of the log. */
export function spanFields(): { trace_id?: string; span_id?: string } {
  const span = activeSpan()
  return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId }
}

/** Does work inside a scope. Only `base/otel` calls it: until then this process has no scopes. */
export function inScope<T>(scope: Scope, work: () => T): T {
  scopes ??= new AsyncLocalStorage<Scope>()
  return scopes.run(scope, work)
}

/** Does work outside every scope. */
export function outsideScopes<T>(work: () => T): T {
  return scopes === undefined ? work() : scopes.exit(work)
}

/** Records a round of a worker where rounds are recorded. */
export function asRound(name: string, work: () => Promise<boolean>): Promise<boolean> {
  const telemetry = activeTelemetry()
  return telemetry === undefined ? work() : telemetry.round(name, work)
}
