import { ExactNumber } from '../../base/exact-number.ts'
import type { Settings } from '../../workspace/settings/settings.ts'
import { cut, namesMax } from './drops.ts'
import type { Json, JsonObject } from './values.ts'

/** What happens to a null inside a custom attribute. */
export type NestedNulls = Settings['nested_nulls']

/** How one custom attribute is read, and where it has nulls. */
export type NullReading = {
  readonly suspicious: boolean
  readonly nestedNulls: NestedNulls
  /** Where nulls were found that are not stored, such as `prefs.sizes[1].color`. It has at most `namesMax` and one more. */
  readonly nulls: string[]
}

/** Returns a copy without nulls, and adds the path of each to `nulls`. The value itself is not null. */
export function withoutNulls(value: Json, path: string, nulls: string[]): Json {
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return value
  if (Array.isArray(value)) {
    return value.flatMap((item, i) => keep(item, nulls, () => `${path}[${i}]`))
  }
  const kept: Record<string, Json> = {}
  for (const [key, inner] of Object.entries(value as JsonObject)) {
    for (const each of keep(inner, nulls, () => `${path}.${cut(key)}`)) kept[key] = each
  }
  return kept
}

function keep(value: Json, nulls: string[], pathOf: () => string): readonly Json[] {
  if (value === null) {
    if (nulls.length <= namesMax) nulls.push(pathOf())
    return []
  }
  return [typeof value === 'object' ? withoutNulls(value, nulls.length <= namesMax ? pathOf() : '', nulls) : value]
}

/** Returns why an attribute with these nulls is not stored as sent; undefined when it has none. */
export function dropOfNulls({ nestedNulls, nulls }: NullReading): string | undefined {
  if (nulls.length === 0) return undefined
  const paths = nulls.slice(0, namesMax).join(', ') + (nulls.length > namesMax ? ', ...' : '')
  return `has null at ${paths}: ${nestedNulls === 'refuse_attribute' ? 'the attribute was not stored' : 'it was left out'}`
}
