import { invalid } from '../../base/errors.ts'
import { isGiven } from '../../people/identity/identifier.ts'
import { bodyNotObject } from '../../people/values/refusals.ts'
import { isCleanText, isLong, isObject } from '../../people/values/values.ts'
import { badSendId } from './order-schema.ts'

export type RequestBody = Readonly<Record<string, unknown>>

/** Throws 400 for a body that is not an object. */
export function readBody(body: unknown): RequestBody {
  if (!isObject(body)) throw invalid(bodyNotObject)
  return body
}

/** Whether a member is there. An empty text counts, unlike for `isGiven`: a variable that was not set must not widen an order. */
export function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** Reads a list, empty when absent. Throws 400. */
export function readList(given: unknown, refusal: string): readonly unknown[] {
  if (!isGiven(given)) return []
  if (!Array.isArray(given)) throw invalid(refusal)
  return given
}

/** Reads a list of objects in the same way. A single object is read as a list of one: clients send it. */
export function readObjectList(given: unknown, refusal: string): readonly unknown[] {
  return isObject(given) ? [given] : readList(given, refusal)
}

/** Reads a flag, false when absent; clients send it as text too. `path`: the path of the object, for the error. Throws 400. */
export function readFlag(body: RequestBody, name: string, path = ''): boolean {
  const given = body[name]
  if (!isGiven(given) || given === false || given === 'false') return false
  if (given === true || given === 'true') return true
  throw invalid(`'${path}${name}' must be true or false`)
}

/** Reads a `send_id`, undefined when absent. Throws 400. */
export function readSendId(given: unknown): string | undefined {
  if (!isGiven(given)) return undefined
  if (typeof given !== 'string' || isLong(given) || !isCleanText(given)) throw invalid(badSendId)
  return given
}
