type Json = { readonly [name: string]: unknown }

/** Returns a description of the API with each named schema in the places of its references. No schema of Easel contains itself. */
export function withoutReferences(document: object): object {
  const { components } = document as { components: { schemas: Json } }
  const start = '#/components/schemas/'
  const written = new Map<string, unknown>()
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve)
    if (typeof value !== 'object' || value === null) return value
    const { $ref } = value as { $ref?: unknown }
    if (typeof $ref === 'string' && $ref.startsWith(start)) {
      if (!written.has($ref)) written.set($ref, resolve(components.schemas[$ref.slice(start.length)]))
      return written.get($ref)
    }
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, resolve(each)]))
  }
  return resolve(document) as object
}
