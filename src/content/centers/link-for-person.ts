import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import { findPeople } from '../../people/identity/find-people.ts'
import { identifierOrThrow, readExternalId } from '../../people/identity/identifier.ts'
import { type CenterLinkSettings, centerLink, noMessage } from './center-link.ts'
import { getCenter } from './centers.ts'
import { centerTexts as texts } from './schema.ts'

/** Returns the link to a preference center for a person: `GET /preference_center/v1/{id}/url/{user_id}` (contract 10.5). */
export async function linkForPerson(
  { db, workspace_id }: Call,
  center_id: unknown,
  user_id: unknown,
  settings: CenterLinkSettings,
) {
  const center = await getCenter(db, workspace_id, center_id)
  const identifier = identifierOrThrow(readExternalId(user_id, true))
  const [found] = await findPeople(db, workspace_id, [identifier], () => undefined, 1)
  const person = found?.people[0]
  if (!person) throw invalid(texts.userUnknown)
  const target = { profile_id: person.profile_id, message_id: noMessage }
  return { preference_center_url: centerLink(target, center.id, settings) }
}
