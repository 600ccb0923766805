import type { Call } from '../../base/call.ts'
import { Failure } from '../../base/errors.ts'
import type { Account, AccountChange, AccountGiven } from '../accounts/account.ts'
import type { PassOver } from './values.ts'

/** Texts of what was passed over that the log and the audit get. */
export const passedOverMax = 20

/**
 * Returns what `compute` makes of a request. When that is refused and the request disables the account, `compute` runs again with
 * `passOver`: a person who leaves gets out, whatever else the request has in it. `isDisabling` tells whether a result comes from such a
 * request. Throws what the first run throws.
 */
export function computeChange(
  { log }: Pick<Call, 'log'>,
  { account_id }: Pick<Account, 'account_id'>,
  compute: (passOver?: PassOver) => { readonly given: AccountGiven; readonly isDisabling: boolean },
): AccountChange {
  try {
    return compute().given
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const mistakes: string[] = []
    const { given, isDisabling } = compute(({ detail }) => {
      if (mistakes.length < passedOverMax) mistakes.push(detail)
    })
    if (!isDisabling) throw error
    log.warn({ account_id, passed_over: mistakes }, 'An account was disabled; the rest of the request was passed over')
    return { ...given, active: false, passedOver: mistakes }
  }
}
