import { invalid } from '../../base/errors.ts'
import { identifierOrThrow, isGiven, readEmail } from '../identity/identifier.ts'
import { bodyNotObject, tooManyIds } from '../values/refusals.ts'
import { isObject } from '../values/values.ts'
import { emailRequired, emailsMax } from './schema.ts'

/** What stands under `email` in a body: one address or a list, as given. Throws a Failure for none and for more than `emailsMax`. */
export function listEmails(body: unknown): readonly unknown[] {
  if (!isObject(body)) throw invalid(bodyNotObject)
  const { email } = body
  const given = Array.isArray(email) ? email.filter(isGiven) : isGiven(email) ? [email] : []
  if (given.length === 0) throw invalid(emailRequired)
  if (given.length > emailsMax) throw invalid(tooManyIds)
  return given
}

/** Addresses as they are looked up, each once. Throws a Failure for what is no address. */
export function normaliseEmails(given: readonly unknown[]): readonly string[] {
  return [...new Set(given.map((each) => identifierOrThrow(readEmail(each)).value))]
}

/** The addresses that a body is about. */
export function readEmails(body: unknown): readonly string[] {
  return normaliseEmails(listEmails(body))
}
