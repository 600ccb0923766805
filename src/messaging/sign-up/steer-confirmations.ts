import type { Call } from '../../base/call.ts'
import { shortLockTimeout } from '../../base/db/transaction-settings.ts'
import { conflict, notFound } from '../../base/errors.ts'
import { stateOf } from '../../people/confirmations/confirmation.ts'
import { deleteOpen, listConfirmationsOf, type OwnConfirmation } from '../../people/confirmations/confirmation-store.ts'
import type { Person } from '../../people/identity/person.ts'
import type { HashPerson } from '../../people/merge/person-hash.ts'
import { findPathPerson, type PathPersonServices } from '../../people/search/find-path-person.ts'
import { recordAudit } from '../../workspace/audit/record.ts'
import type { GroupRow } from '../../workspace/settings/store.ts'
import { type RequestOutcome, type RequestServices, requestConfirmation } from './request-confirmation.ts'

export type SteerServices = RequestServices & PathPersonServices & { readonly hashPerson: HashPerson }

/** The confirmation that a path names: of a person and a group. */
export type ConfirmationPath = { readonly workspace_id: number; readonly id: string; readonly groupId: string }

const refusedAnyway = {
  unneeded: 'The person is in the group already',
  closed: 'The group is archived, or has no double opt-in any more',
} as const

/** Why nothing is sent again, by the channel of the group. */
const refusals: Readonly<Record<GroupRow['channel'], Readonly<Record<Exclude<RequestOutcome, 'sent'>, string>>>> = {
  email: {
    ...refusedAnyway,
    gone: 'The person has another e-mail address now',
    exhausted: 'As many mails were sent as the group allows (sends_max)',
    paused: 'A mail was sent a moment ago',
  },
  sms: {
    ...refusedAnyway,
    gone: 'The person has another phone number now',
    exhausted: 'As many text messages were sent as the group allows (sends_max)',
    paused: 'A text message was sent a moment ago',
  },
}

/** Sends the mail or text of a confirmation that waits again, with an audit row. Throws 404, and 409 when none may be sent. */
export async function resendConfirmation(
  call: Call,
  path: ConfirmationPath,
  services: SteerServices,
): Promise<{ outcome: 'sent' }> {
  const { workspace_id } = path
  const { found, asked } = await find(call, path, services)
  if (stateOf(asked, call.clock.now()) !== 'pending')
    throw conflict(`The ${asked.channel === 'email' ? 'link' : 'keyword'} of this confirmation does not wait any more`)
  const group = services.workspaces.get(workspace_id).groups.get(path.groupId)
  if (!group) throw unknown()
  const { address, source } = asked
  // The audit row is in the transaction of the order: neither is there without the other.
  const outcome = await requestConfirmation(
    { workspace_id, person: found, address, group, source, from: null, isForced: true },
    services,
    (tx) =>
      recordAudit(tx, call, {
        ...auditEntry('resend', found, path, services),
        after: { sent_count: asked.sent_count + 1 },
      }),
  )
  if (outcome !== 'sent') throw conflict(refusals[group.channel][outcome])
  return { outcome }
}

/** Withdraws a confirmation that was not given, with an audit row: its link or keyword does not work any more. Throws 404 and 409. */
export async function withdrawConfirmation(call: Call, path: ConfirmationPath, services: SteerServices): Promise<void> {
  const { found, asked } = await find(call, path, services)
  await call.db.transaction(
    async (tx) => {
      if (!(await deleteOpen(tx, found, asked.group_id))) throw conflict('The person has confirmed')
      await recordAudit(tx, call, {
        ...auditEntry('withdraw', found, path, services),
        before: { sent_count: asked.sent_count },
      })
    },
    { settings: shortLockTimeout },
  )
}

async function find(
  { db }: Call,
  { workspace_id, id, groupId }: ConfirmationPath,
  services: SteerServices,
): Promise<{ found: Person; asked: OwnConfirmation }> {
  const { found } = await findPathPerson(db, workspace_id, id, services)
  const asked = (await listConfirmationsOf(db, [found])).find((each) => each.subscription_group_id === groupId)
  if (!asked) throw unknown()
  return { found, asked }
}

function unknown() {
  return notFound('The person was not asked to confirm this group')
}

/** An audit row is kept long, so it names the person by a hash. */
function auditEntry(
  verb: string,
  found: Person,
  { workspace_id, groupId }: ConfirmationPath,
  { hashPerson }: SteerServices,
) {
  const target = { kind: 'person', id: hashPerson(workspace_id, 'profile', found.profile_id), name: groupId }
  return { action: `confirmation.${verb}`, target, workspace_id }
}
