import { invalid } from '../../base/errors.ts'
import { identifierOrThrow, isGiven, readEmail } from '../identity/identifier.ts'
import { bodyNotObject, tooManyIds } from '../values/refusals.ts'
import { isObject } from '../values/values.ts'
import { emailRequired, emailsMax } from './schema.ts'

/** Returns the e-mail addresses of a body, one or a list, unchanged. Throws a Failure if there is none or more than `emailsMax`. */
export function listEmails(body: unknown): readonly unknown[] {
  if (!isObject(body)) throw invalid(bodyNotObject)
  const { email } = body
  const given = Array.isArray(email) ? email.filter(isGiven) : isGiven(email) ? [email] : []
  if (given.length === 0) throw invalid(emailRequired)
  if (given.length > emailsMax) throw invalid(tooManyIds)
  return given
}

/** Returns the normalised addresses, each once. Throws a Failure for a value that is no address. */
export function normaliseEmails(given: readonly unknown[]): readonly string[] {
  return [...new Set(given.map((each) => identifierOrThrow(readEmail(each)).value))]
}

/** Reads the addresses of a body. */
export function readEmails(body: unknown): readonly string[] {
  return normaliseEmails(listEmails(body))
}
