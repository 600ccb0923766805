import { Failure } from '../../base/errors.ts'
import type { Mistake } from './values.ts'

/** The refusal of a request in the words of RFC 7644, section 3.12. */
export function refusal({ scimType, detail }: Mistake): Failure {
  return new Failure('invalid', detail, { scimType })
}

/** The same for a value, the most frequent one. */
export function invalidValue(detail: string): Failure {
  return refusal({ scimType: 'invalidValue', detail })
}
