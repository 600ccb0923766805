import { mustBe, wrong } from '../../audience/conditions/parse-members.ts'
import { broken, inspect, isObject, isUnsafeKey } from '../../people/values/values.ts'
import { joinPath } from '../../workspace/settings/mistake.ts'
import type { FlowReading } from './read-values.ts'
import { attributesBytesMax, attributesMax } from './schema.ts'

/** Members of an attribute object that a step may not set: identifiers, addresses, and settings of a track request. */
const reservedAttributes: readonly string[] = [
  ...['external_id', 'user_alias', 'service_id', 'email', 'phone', 'device_id', 'push_tokens', 'push_token_import'],
  ...['subscription_groups', '_update_existing_only', 'app_id'],
]

/** Reads attributes as in `/users/track`. Whether a value is valid for its attribute is checked when it is written. */
export function readAttributes(reading: FlowReading, given: unknown, path: string): Record<string, unknown> {
  if (!isObject(given) || Object.keys(given).length === 0) {
    return mustBe(reading, path, 'an object of attributes', given) ?? {}
  }
  const names = Object.keys(given)
  if (names.length > attributesMax) return wrong(reading, path, `must have at most ${attributesMax} attributes`) ?? {}
  if (inspect(given, true) & broken) {
    wrong(reading, path, 'must be nested at most 50 deep, with numbers of at most 1,000 characters')
  }
  for (const name of names) {
    const at = joinPath(path, name)
    if (reservedAttributes.includes(name)) wrong(reading, at, 'names or addresses a person: a step cannot set it')
    if (name === '' || isUnsafeKey(name)) wrong(reading, at, 'is not a valid name of an attribute')
  }
  if (Buffer.byteLength(JSON.stringify(given)) > attributesBytesMax) {
    wrong(reading, path, `must be at most ${attributesBytesMax} bytes as JSON`)
  }
  return given
}
