import { invalid } from '../../base/errors.ts'
import { isGiven, readEmail } from '../identity/identifier.ts'
import { IdentifierLists } from '../identity/identifier-lists.ts'
import { bodyNotObject, tooManyIds } from '../values/refusals.ts'
import { isObject } from '../values/values.ts'
import { emailRequired, emailsMax } from './schema.ts'

/** Returns the e-mail addresses of a body, one or a list, unchanged. Throws a Failure if there is none or more than `emailsMax`. */
export function listEmails(body: unknown): readonly unknown[] {
  if (!isObject(body)) throw invalid(bodyNotObject)
  const { email } = body
  const given = Array.isArray(email) ? email : isGiven(email) ? [email] : []
  if (given.length === 0) throw invalid(emailRequired)
  if (given.length > emailsMax) throw invalid(tooManyIds)
  return given
}

/** Returns the normalised addresses, each once. Throws a Failure that names the values that are no addresses. */
export function normaliseEmails(given: readonly unknown[]): readonly string[] {
  const lists = new IdentifierLists()
  const identifiers = lists.read(given, 'email', readEmail)
  lists.checkExactly()
  return [...new Set(identifiers.map(({ value }) => value))]
}

/** Reads the addresses of a body. */
export function readEmails(body: unknown): readonly string[] {
  return normaliseEmails(listEmails(body))
}
