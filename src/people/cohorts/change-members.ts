import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { shortLockTimeout } from '../../base/db/transaction-settings.ts'
import { invalid } from '../../base/errors.ts'
import { type NoticeMembers, Notices } from '../../base/http/notices.ts'
import { findPeople } from '../identity/find-people.ts'
import type { Person } from '../identity/person.ts'
import { PersonRemoved, retryWhenRemoved } from '../identity/retry-removed.ts'
import { lockCohort } from './cohort-store.ts'
import { deleteMembers, insertMembers, listHeldCohorts, lockPeople } from './member-store.ts'
import { type NamedPerson, readMembers, readPartner } from './read-request.ts'
import { cohortsPerPersonMax, inTooManyCohorts, isNobody, unknownCohort } from './schema.ts'

type ChangedAnswer = NoticeMembers & { message: 'success' }

/** A person that the request names, and the last identifier that does. */
type WantedPerson = { readonly person: Person; readonly by: NamedPerson }

/**
 * Adds people to a cohort and takes others out, in one transaction: `POST /partners/{partner}/cohorts/users`. The last change of a person
 * counts. Creates no people. Without changes, it only tests the key.
 */
export function changeMembers(call: Call, givenPartner: unknown, body: unknown): Promise<ChangedAnswer> {
  const partner = readPartner(givenPartner)
  const read = () => {
    const notices = new Notices(call.strict)
    const request = readMembers(body, notices)
    notices.checkAll()
    return { notices, request }
  }
  return retryWhenRemoved(async () => {
    const { notices, request } = read()
    if (!request) return answerWith(notices)
    const work = async (tx: Tx) => {
      // A transaction may run again, and what one run noticed must not count twice.
      const again = read()
      await apply(tx, call, partner, request.id, request.named, again.notices)
      return again.notices
    }
    return answerWith(await call.db.transaction(work, { settings: shortLockTimeout }))
  })
}

function answerWith(notices: Notices): ChangedAnswer {
  return { ...notices.members(), message: 'success' }
}

async function apply(
  tx: Tx,
  { workspace_id, clock }: Call,
  partner: string,
  id: string,
  named: readonly NamedPerson[],
  notices: Notices,
): Promise<void> {
  const cohort = await lockCohort(tx, workspace_id, partner, id)
  if (cohort === undefined) throw invalid(unknownCohort)
  const { cohort_id } = cohort
  const wanted = await findNamed(tx, workspace_id, named, notices)
  const people = wanted.map((each) => each.person)
  if (people.length > 0 && (await lockPeople(tx, people)).length < people.length) {
    throw new PersonRemoved('a person was merged or deleted meanwhile')
  }
  const held = new Map((await listHeldCohorts(tx, people, cohort_id)).map((each) => [each.profile_id, each]))
  const { leaving = [], joining = [] } = Object.groupBy(wanted, ({ by }) => (by.shouldRemove ? 'leaving' : 'joining'))
  const added = joining.filter(({ person, by }) => {
    const { count = 0, isMember = false } = held.get(person.profile_id) ?? {}
    if (isMember) return false
    if (count < cohortsPerPersonMax) return true
    notice(notices, by, inTooManyCohorts)
    return false
  })
  notices.checkAll()
  await insertMembers(tx, added.map(personOf), cohort_id, new Date(clock.now()))
  await deleteMembers(tx, leaving.map(personOf), cohort_id)
}

/** Returns the people of a request, each once. Adds a notice for each identifier that names nobody. */
async function findNamed(
  tx: Tx,
  workspace_id: number,
  named: readonly NamedPerson[],
  notices: Notices,
): Promise<WantedPerson[]> {
  const identifiers = named.map(({ identifier }) => identifier)
  // No service id is among them, so none needs to be parsed.
  const found = await findPeople(tx, workspace_id, identifiers, () => undefined, 1)
  const wanted = new Map<string, WantedPerson>()
  for (const [i, { people }] of found.entries()) {
    const by = named[i]!
    const [person] = people
    if (person) wanted.set(person.profile_id, { person, by })
    else notice(notices, by, isNobody)
  }
  return [...wanted.values()]
}

function notice(notices: Notices, { input_array, index, member }: NamedPerson, reason: string): void {
  notices.begin(input_array, index)
  notices.add(member, reason)
}

function personOf({ person }: WantedPerson): Person {
  return person
}
