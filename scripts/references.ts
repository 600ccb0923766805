type Json = { readonly [name: string]: unknown }

const start = '#/components/schemas/'

/**
 * Returns a description of the API with each named schema in the places of its references. References within a schema to itself stay, and
 * those to the names in `kept`.
 */
export function withoutReferences(document: object, kept: readonly string[] = []): object {
  const { components } = document as { components: { schemas: Json } }
  const written = new Map<string, unknown>()
  const open = new Set<string>()
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve)
    if (typeof value !== 'object' || value === null) return value
    const { $ref } = value as { $ref?: unknown }
    if (typeof $ref === 'string' && $ref.startsWith(start)) {
      const name = $ref.slice(start.length)
      if (open.has(name) || kept.includes(name)) return value
      open.add(name)
      if (!written.has(name)) written.set(name, resolve(components.schemas[name]))
      open.delete(name)
      return written.get(name)
    }
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, resolve(each)]))
  }
  return resolve(document) as object
}
