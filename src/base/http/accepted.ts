/** The weights of what a client names in an `Accept` or `Accept-Encoding` header, by name in lower case (RFC 9110, 12.4.2). */
export type Weights = ReadonlyMap<string, number>

/** Reads such a header. A weight that is not a number is 0. */
export function readWeights(header: string | readonly string[]): Weights {
  const entries = String(header).toLowerCase().split(',')
  return new Map(
    entries.map((entry) => {
      const [name = '', ...parameters] = entry.split(';').map((part) => part.trim())
      const weight = parameters.find((parameter) => parameter.startsWith('q='))
      return [name, weight === undefined ? 1 : Number(weight.slice(2)) || 0]
    }),
  )
}

/** Returns whether a client prefers HTML to JSON: a browser that opens a page does, a program that names neither does not. */
export function prefersHtml(accept: string | undefined): boolean {
  if (accept === undefined) return false
  const weights = readWeights(accept)
  return (weights.get('text/html') ?? 0) > (weights.get('application/json') ?? 0)
}

/** Returns whether a client takes a content coding (RFC 9110, 12.5.3). Without the header it takes everything. */
export function acceptsCoding(header: string | readonly string[] | undefined, coding: 'gzip' | 'br'): boolean {
  if (header === undefined) return true
  const weights = readWeights(header)
  return (weights.get(coding) ?? weights.get(`x-${coding}`) ?? weights.get('*') ?? 0) > 0
}
