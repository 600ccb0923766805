import { Failure } from '../../base/errors.ts'
import type { ScimMistake } from './values.ts'

/** A 400 with a `scimType` (RFC 7644, section 3.12). */
export function toScimFailure({ scimType, detail }: ScimMistake): Failure {
  return new Failure('invalid', detail, { scimType })
}

export function invalidValue(detail: string): Failure {
  return toScimFailure({ scimType: 'invalidValue', detail })
}
