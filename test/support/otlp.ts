/** Decodes the messages of OTLP as opentelemetry-proto describes them, independently of the packages that wrote them. */

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

export type ReceivedSpan = {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly name: string
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number
  readonly startMs: number
  readonly endMs: number
  readonly attributes: Attributes
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[]
  /** 0 unset, 1 ok, 2 error. */
  readonly status: number
  readonly resource: Attributes
}

export type ReceivedPoint = {
  readonly attributes: Attributes
  /** Of a counter or a gauge. */
  readonly value: number
  /** Of a histogram. */
  readonly count: number
  readonly sum: number
  readonly buckets: readonly number[]
  readonly bounds: readonly number[]
}

export type ReceivedMetric = {
  readonly name: string
  readonly kind: 'gauge' | 'sum' | 'histogram'
  readonly isMonotonic: boolean
  /** 2 is cumulative. */
  readonly temporality: number
  readonly points: readonly ReceivedPoint[]
  readonly resource: Attributes
}

/** The fields of one message by number. A field is a number, or bytes for everything with a length. */
type Message = ReadonlyMap<number, readonly (bigint | Buffer)[]>

function read(bytes: Buffer): Message {
  const fields = new Map<number, (bigint | Buffer)[]>()
  let at = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++]!
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  const take = (length: number): Buffer => {
    const part = bytes.subarray(at, at + length)
    if (part.length !== length) throw new Error('the message ends inside a field')
    at += length
    return part
  }
  while (at < bytes.length) {
    const key = Number(varint())
    const wire = key & 7
    const value = wire === 0 ? varint() : wire === 1 ? take(8) : wire === 5 ? take(4) : take(Number(varint()))
    const values = fields.get(key >> 3) ?? []
    fields.set(key >> 3, [...values, value])
  }
  return fields
}

const bytesOf = (message: Message, field: number) => (message.get(field)?.[0] ?? Buffer.alloc(0)) as Buffer
const messagesOf = (message: Message, field: number) => (message.get(field) ?? []).map((each) => read(each as Buffer))
const textOf = (message: Message, field: number) => bytesOf(message, field).toString()
const hexOf = (message: Message, field: number) => bytesOf(message, field).toString('hex')
const numberOf = (message: Message, field: number) => Number(message.get(field)?.[0] ?? 0n)
const fixedOf = (message: Message, field: number) =>
  message.has(field) ? Number(bytesOf(message, field).readBigUInt64LE()) : 0
const doubleOf = (message: Message, field: number) => (message.has(field) ? bytesOf(message, field).readDoubleLE() : 0)
const msOf = (message: Message, field: number) => fixedOf(message, field) / 1e6

function attributesOf(message: Message, field: number): Attributes {
  return Object.fromEntries(
    messagesOf(message, field).map((pair) => [textOf(pair, 1), contentOf(read(bytesOf(pair, 2)))]),
  )
}

function contentOf(any: Message): string | number | boolean | undefined {
  if (any.has(1)) return textOf(any, 1)
  if (any.has(2)) return numberOf(any, 2) === 1
  if (any.has(3)) return Number(BigInt.asIntN(64, any.get(3)![0] as bigint))
  return any.has(4) ? doubleOf(any, 4) : undefined
}

/** Returns packed or single values of eight bytes. */
function eights(message: Message, field: number): Buffer[] {
  return (message.get(field) ?? []).flatMap((part) => {
    const bytes = part as Buffer
    return Array.from({ length: bytes.length / 8 }, (_, i) => bytes.subarray(8 * i, 8 * i + 8))
  })
}

/** Returns the spans of an ExportTraceServiceRequest. */
export function decodeTraces(body: Buffer): ReceivedSpan[] {
  return messagesOf(read(body), 1).flatMap((resourceSpans) => {
    const resource = attributesOf(read(bytesOf(resourceSpans, 1)), 1)
    const spans = messagesOf(resourceSpans, 2).flatMap((scopeSpans) => messagesOf(scopeSpans, 2))
    return spans.map((span) => ({
      traceId: hexOf(span, 1),
      spanId: hexOf(span, 2),
      parentSpanId: hexOf(span, 4),
      name: textOf(span, 5),
      kind: numberOf(span, 6),
      startMs: msOf(span, 7),
      endMs: msOf(span, 8),
      attributes: attributesOf(span, 9),
      links: messagesOf(span, 13).map((link) => ({ traceId: hexOf(link, 1), spanId: hexOf(link, 2) })),
      status: span.has(15) ? numberOf(read(bytesOf(span, 15)), 3) : 0,
      resource,
    }))
  })
}

const kinds = [
  ['gauge', 5],
  ['sum', 7],
  ['histogram', 9],
] as const

/** Returns the metrics of the scope `easel` in an ExportMetricsServiceRequest. */
export function decodeMetrics(body: Buffer): ReceivedMetric[] {
  return messagesOf(read(body), 1).flatMap((resourceMetrics) => {
    const resource = attributesOf(read(bytesOf(resourceMetrics, 1)), 1)
    const scopes = messagesOf(resourceMetrics, 2).filter((scope) => textOf(read(bytesOf(scope, 1)), 1) === 'easel')
    return scopes.flatMap((scope) => messagesOf(scope, 2)).map((metric) => metricOf(metric, resource))
  })
}

function metricOf(metric: Message, resource: Attributes): ReceivedMetric {
  const name = textOf(metric, 1)
  const found = kinds.find(([, field]) => metric.has(field))
  if (!found) throw new Error(`${name} has no data of a known kind`)
  const [kind, field] = found
  const data = read(bytesOf(metric, field))
  return {
    name,
    kind,
    temporality: numberOf(data, 2),
    isMonotonic: numberOf(data, 3) === 1,
    resource,
    points: messagesOf(data, 1).map((point) =>
      kind === 'histogram'
        ? {
            attributes: attributesOf(point, 9),
            value: Number.NaN,
            count: fixedOf(point, 4),
            sum: doubleOf(point, 5),
            buckets: eights(point, 6).map((bytes) => Number(bytes.readBigUInt64LE())),
            bounds: eights(point, 7).map((bytes) => bytes.readDoubleLE()),
          }
        : { attributes: attributesOf(point, 7), value: doubleOf(point, 4), count: 0, sum: 0, buckets: [], bounds: [] },
    ),
  }
}
