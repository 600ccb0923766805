import type { Span as OtelSpan } from '@opentelemetry/api'
import type { ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace'

/** Spans of a round that wait for its end. A round with more is one that has work. */
const heldMax = 200

/** Keeps the spans of a round until it is known whether the round found work, and drops those of a round that did not. */
export class RoundSpans implements SpanProcessor {
  readonly #next: SpanProcessor
  /** The ended spans of each open round, by trace. */
  readonly #held = new Map<string, ReadableSpan[]>()

  constructor(next: SpanProcessor) {
    this.#next = next
  }

  /** Begins the round whose first span this is. Call `end` after that span has ended. */
  begin(root: OtelSpan): { keep(): void; end(): void } {
    const { traceId } = root.spanContext()
    if (root.isRecording()) this.#held.set(traceId, [])
    return { keep: () => this.keep(traceId), end: () => void this.#held.delete(traceId) }
  }

  /** Keeps the round of this trace, if there is one. */
  keep(traceId: string): void {
    const held = this.#held.get(traceId)
    if (held === undefined) return
    this.#held.delete(traceId)
    for (const span of held) this.#next.onEnd(span)
  }

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    const { traceId } = span.spanContext()
    const held = this.#held.get(traceId)
    if (held === undefined) this.#next.onEnd(span)
    else if (held.push(span) >= heldMax) this.keep(traceId)
  }

  forceFlush(): Promise<void> {
    return this.#next.forceFlush()
  }

  shutdown(): Promise<void> {
    this.#held.clear()
    return this.#next.shutdown()
  }
}
