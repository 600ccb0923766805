import type { Call } from '../../base/call.ts'
import { Failure } from '../../base/errors.ts'
import type { Account, AccountChange, AccountGiven } from '../accounts/account.ts'
import { userSchema } from './schema.ts'
import { findProperty, isScimObject, type PassOver } from './values.ts'

/** Texts of what was passed over that the log and the audit get. */
export const passedOverMax = 20

/**
 * Returns what `compute` makes of a request. When that is refused and the body names `active`, `compute` runs again with `passOver`: a
 * person who leaves gets out, whatever else the request has in it. `isDisabling` tells whether the request disables the account. Throws
 * what the first run throws.
 */
export function computeChange(
  { log }: Pick<Call, 'log'>,
  { account_id }: Pick<Account, 'account_id'>,
  body: unknown,
  compute: (passOver?: PassOver) => { readonly given: AccountGiven; readonly isDisabling: boolean },
): AccountChange {
  try {
    return compute().given
  } catch (error) {
    if (!(error instanceof Failure) || !namesActive(body)) throw error
    const mistakes: string[] = []
    const { given, isDisabling } = compute(({ detail }) => {
      if (mistakes.length < passedOverMax) mistakes.push(detail)
    })
    if (!isDisabling) throw error
    log.warn({ account_id, passed_over: mistakes }, 'An account was disabled; the rest of the request was passed over')
    return { ...given, active: false, passedOver: mistakes }
  }
}

/** Whether `active` is an attribute of a body, or the target of one of its operations, with or without a schema before it. */
function namesActive(body: unknown): boolean {
  if (!isScimObject(body)) return false
  const isNamed = (object: unknown) => isScimObject(object) && Object.keys(object).some(isActive)
  const operations = findProperty(body, 'Operations')
  if (!Array.isArray(operations)) return isNamed(body)
  return operations.some((each) => {
    if (!isScimObject(each)) return false
    const path = findProperty(each, 'path')
    const value = findProperty(each, 'value')
    if (typeof path === 'string' && isActive(path.trim())) return true
    return isNamed(value) || (isScimObject(value) && isNamed(findProperty(value, userSchema)))
  })
}

function isActive(name: string): boolean {
  return /(?:^|:)active$/i.test(name.slice(-activeCharacters))
}

/** The end of a name that is looked at. */
const activeCharacters = ':active'.length
