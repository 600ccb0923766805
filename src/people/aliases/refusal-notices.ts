import { Notices } from '../../base/http/notices.ts'
import type { AliasRefusal } from './identifier-changes.ts'

/** Items of a request without effect, by their positions. */
export type RefusedAliases = ReadonlyMap<number, AliasRefusal>

/** The member that a notice names, and the reason, for each refusal. */
export type RefusalTexts = Readonly<Record<AliasRefusal, readonly [member: string, reason: string]>>

/** Returns the notices about items without effect, in the order of the items. */
export function refusalNotices(
  isStrict: boolean,
  inputArray: string,
  refused: RefusedAliases,
  texts: RefusalTexts,
): Notices {
  const notices = new Notices(isStrict)
  for (const [index, refusal] of [...refused].sort(([a], [b]) => a - b)) {
    notices.begin(inputArray, index)
    notices.add(...texts[refusal])
  }
  return notices
}
