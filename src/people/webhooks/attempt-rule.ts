import type { OwnedRule } from '../merge/owned-rule.ts'
import { forgetSubjects } from './delivery-store.ts'

/** What a deletion of people does to attempts: an answer may name the person. */
export const attemptRule: OwnedRule = {
  tables: [],
  delete: (tx, people) =>
    forgetSubjects(
      tx,
      people.map(({ profile_id }) => profile_id),
    ),
}

/** How long attempts are kept: a week. */
export const attemptsKeptMs = 7 * 86_400_000
