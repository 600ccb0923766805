import type { Clock } from '../../base/clock.ts'
import type { Db, Tx } from '../../base/db/db.ts'
import { givingWay } from '../../base/db/transaction-settings.ts'
import { unavailable } from '../../base/errors.ts'
import { forgetAddresses } from '../../people/addresses/forget.ts'
import { aliasParts, type Identifier } from '../../people/identity/identifier.ts'
import { type HashAddress, located, type Person } from '../../people/identity/person.ts'
import type { Move } from '../../people/merge/merge.ts'
import { owned } from '../../people/merge/owned.ts'
import { mergeOwned, removeRows } from '../../people/merge/owned-store.ts'
import { findKeepers } from '../../people/merge/sweep-store.ts'
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

/**
 * Gives the messages of profiles that are merged away to those who stay, before anything else of them moves, and lets orders to send
 * that name them name these. Of two messages that were to go to one person by one order at most one goes out; the other ends as `merged`.
 */
export async function mergeMessages(tx: Tx, moves: readonly Move[], stampUs: number): Promise<void> {
  if (moves.length === 0) return
  await moveAll(tx, moves, stampUs)
  await rename(tx, (await listDropped(tx, moves)).flatMap(renamedOf))
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

/** Done again it finds nothing left. */
async function moveAll(tx: Tx, moves: readonly Move[], stampUs: number): Promise<void> {
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

/**
 * Removes the messages of people who are deleted, before anything else of them goes. Counts stay (`deleted_messages`), and addresses
 * that nobody else has stay suppressed without being readable.
 */
export async function deleteMessages(tx: Tx, people: readonly Person[], hashAddress: HashAddress): Promise<void> {
  if (people.length === 0) return
  await forgetAddresses(tx, people, hashAddress)
  await removeMessages(tx, people)
}

/** Somebody of a workspace who is deleted, with the profiles that went up in them and everything that named them. */
export type Nameless = {
  readonly workspace_id: number
  readonly person: Person
  readonly absorbed: readonly Person[]
  readonly identifiers: readonly Identifier[]
}

/** Forgets how deleted people were called: in orders to send, and in decisions about identifiers that nobody had. */
export async function forgetNames(tx: Tx, gone: readonly Nameless[]): Promise<void> {
  if (gone.length === 0) return
  const each = gone.flatMap(({ workspace_id, identifiers }) => identifiers.flatMap((who) => asked(workspace_id, who)))
  const addresses = each.filter(({ kind }) => kind === 'email')
  const shared = addresses.length === 0 ? new Set<number>() : await listShared(tx, addresses)
  // An address that others have names them from now on.
  const still = new Set(addresses.filter((_, i) => shared.has(i)))
  const named = each.filter((one) => !still.has(one))
  const bare = gone.flatMap(({ workspace_id, person, absorbed }) => {
    return [person, ...absorbed].map(({ profile_id }) => ({ workspace_id, asked: { profile_id } }))
  })
  await Promise.all([removeAsked(tx, named), renameRecipients(tx, [...named, ...bare])])
}

async function rename(tx: Tx, renamed: readonly Renamed[]): Promise<void> {
  if (renamed.length > 0) await Promise.all([removeAsked(tx, renamed), renameRecipients(tx, renamed)])
}

function asked(workspace_id: number, who: Identifier): Asked[] {
  const words = wordsOf(who)
  return words ? [{ ...located(workspace_id, who), asked: words }] : []
}

/** What may have been written under the ids of people who are gone, by whoever had begun before they went. */
const lateTables = [
  ...['decision', 'engagement', 'last_engaged', 'last_received', 'inbox', 'received', 'received_step', 'signal'],
  'attribute_change',
]
const late = owned.filter(({ table }) => lateTables.includes(table))

const options = { settings: givingWay, numbered: true }

/** What goes before the messages of people: their entries, in the same transaction. */
export type Before = {
  merge(tx: Tx, moves: readonly Move[], stampUs: number): Promise<void>
  delete(tx: Tx, people: readonly Person[]): Promise<void>
}

/** Gives what was written late of merged people to whom it belongs by now. After `outlast`. */
export async function followMerged(db: Db, clock: Clock, gone: readonly Person[], before?: Before): Promise<void> {
  if (gone.length === 0) return
  await db.transaction(async (tx) => {
    const moves = await findKeepers(tx, gone)
    if (moves.length === 0) return
    await before?.merge(tx, moves, clock.stamp())
    await moveAll(tx, moves, clock.stamp())
    for (const round of roundsOf(moves)) {
      await mergeOwned(
        tx,
        round.map((move) => ({ ...move, behaviour: 'kept' as const })),
        late,
      )
    }
  }, options)
}

/** Of several who went up in one person each is in another round, as rows of one key cannot be combined at once. */
function roundsOf(moves: readonly Move[]): Move[][] {
  const lists = [...Map.groupBy(moves, ({ into }) => into.profile_id).values()]
  const longest = Math.max(...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, i) => lists.flatMap((own) => own.slice(i, i + 1)))
}

/** Removes what was written late of deleted people. After `outlast`. */
export async function followDeleted(db: Db, gone: readonly Person[], before?: Before): Promise<void> {
  if (gone.length === 0) return
  await db.transaction(async (tx) => {
    await before?.delete(tx, gone)
    await removeMessages(tx, gone)
    await Promise.all(late.map(({ table }) => removeRows(tx, table, gone)))
  }, options)
}

/** An identifier as a `Recipient` names it; undefined for one that no request to send can name. */
function wordsOf({ kind, value }: Identifier): object | undefined {
  if (kind === 'external_id') return { external_user_id: value }
  if (kind === 'email') return { email: value }
  if (kind !== 'alias') return undefined
  const { alias_label, alias_name } = aliasParts(value)
  return { user_alias: { alias_name, alias_label } }
}
