import type { Tx } from '../../base/db/db.ts'
import { unavailable } from '../../base/errors.ts'
import { aliasParts, type Identifier } from '../../people/identity/identifier.ts'
import { located, type Move, type Person } from '../../people/identity/person.ts'
import type { DeletedPerson, OwnedRule } from '../../people/merge/owned-rule.ts'
import { type Decision, recordDecisions } from '../ledger/record.ts'
import { settleDoubles } from '../messages/duplicate-messages.ts'
import { inDoubt } from '../messages/outcome.ts'
import {
  type Asked,
  type Dropped,
  listDropped,
  listShared,
  lockLeaving,
  lockStaying,
  type MergedMessage,
  moveMessages,
  type Renamed,
  removeAsked,
  removeMessages,
  renameRecipients,
  setAside,
} from './merged-messages-store.ts'

/** What a merge and a deletion of people do to messages, and to the orders and decisions that name them. */
export const messageRule: OwnedRule = {
  tables: ['message'],
  merge: mergeMessages,
  replaceIdentifiers,
  delete: removeMessages,
  removeIdentifiers,
}

/** Lets orders to send name the kept profile where they named a merged one by an identifier that will name nobody. */
async function replaceIdentifiers(tx: Tx, moves: readonly Move[]): Promise<void> {
  const renamed = (await listDropped(tx, moves)).flatMap(renamedOf)
  if (renamed.length > 0) await Promise.all([removeAsked(tx, renamed), renameRecipients(tx, renamed)])
}

/** What nobody is called any more by a merge, and how the one who stays is called. */
function renamedOf({ workspace_id, kind, value, into_id, kept_id, kept_alias }: Dropped): Renamed[] {
  const kept = kept_id === null ? kept_alias && { kind: 'alias' as const, value: kept_alias } : idOf(kept_id)
  const becomes = kept ? wordsOf(kept) : { profile_id: into_id }
  return asked(workspace_id, { kind, value }).map((each) => ({ ...each, becomes }))
}

function idOf(value: string): Identifier {
  return { kind: 'external_id', value }
}

/**
 * Gives the messages of merged profiles to the kept ones. Of two messages that were to go to one person by one order at most one goes
 * out; the other ends as `merged`. Done again it finds nothing left.
 */
async function mergeMessages(tx: Tx, moves: readonly Move[], stampUs: number): Promise<void> {
  const leaving = await lockLeaving(tx, moves)
  if (leaving.length === 0) return
  const staying = Map.groupBy(await lockStaying(tx, moves, leaving), groupOf)
  const settled = [...Map.groupBy(leaving, groupOf)].map(([group, own]) => {
    return settleDoubles(own, staying.get(group) ?? [])
  })
  const arriving = settled.flatMap((each) => each.leaving)
  const aside = settled.flatMap((each) => each.staying)
  await setAside(tx, aside, stampUs)
  // Found out only now, and soon tried again: then it is seen.
  if (!(await moveMessages(tx, moves, arriving, stampUs))) throw unavailable('The database is busy')
  await recordDecisions(
    tx,
    [...arriving, ...aside].flatMap(({ message, because }) =>
      because ? [decisionOf(message, because, moves[message.n - 1]!.into, stampUs)] : [],
    ),
  )
}

/** Messages that would be doubles if one person had them. */
function groupOf({ n, cause, channel }: MergedMessage): string {
  return `${n}/${cause}/${channel}`
}

function decisionOf(message: MergedMessage, other: MergedMessage, into: Person, stampUs: number): Decision {
  const { bucket, profile_id } = into
  const { workspace_id, cause, step, visit, channel, message_id } = message
  const why = {
    reason: 'merged',
    rule: 'two people who became one get one mail of a dispatch',
    inputs: { other_message: { message_id: other.message_id, state: other.state } },
  } as const
  return {
    ...{ bucket, profile_id, workspace_id, cause, step, visit, channel, message_id, stampUs },
    ...(message.doubted ? inDoubt(why) : why),
  }
}

/** Removes the identifiers of deleted people from orders to send, and from decisions about identifiers that nobody had. */
async function removeIdentifiers(tx: Tx, deleted: readonly DeletedPerson[]): Promise<void> {
  const each = deleted.flatMap(({ workspace_id, identifiers }) =>
    identifiers.flatMap((who) => asked(workspace_id, who)),
  )
  const addresses = each.filter(({ kind }) => kind === 'email')
  const shared = addresses.length === 0 ? new Set<number>() : await listShared(tx, addresses)
  // An address that others have names them from now on.
  const still = new Set(addresses.filter((_, i) => shared.has(i)))
  const named = each.filter((one) => !still.has(one))
  const bare = deleted.flatMap(({ workspace_id, person, absorbed }) => {
    return [person, ...absorbed].map(({ profile_id }) => ({ workspace_id, asked: { profile_id } }))
  })
  await Promise.all([removeAsked(tx, named), renameRecipients(tx, [...named, ...bare])])
}

function asked(workspace_id: number, who: Identifier): Asked[] {
  const words = wordsOf(who)
  return words ? [{ ...located(workspace_id, who), asked: words }] : []
}

/** An identifier as a `Recipient` names it; undefined for one that no request to send can name. */
function wordsOf({ kind, value }: Identifier): object | undefined {
  if (kind === 'external_id') return { external_user_id: value }
  if (kind === 'email') return { email: value }
  if (kind !== 'alias') return undefined
  const { alias_label, alias_name } = aliasParts(value)
  return { user_alias: { alias_name, alias_label } }
}
