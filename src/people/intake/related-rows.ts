import type { Tx } from '../../base/db/db.ts'
import { applyEmailStates } from '../addresses/apply-states.ts'
import { type AliasRow, insertAliases } from '../identity/alias-store.ts'
import { type ContactRow, deleteContacts, insertContacts } from '../identity/contact-store.ts'
import { addressOf } from '../identity/identifier.ts'
import { bucketsOf, type HashAddress, located, type Person } from '../identity/person.ts'
import type { AttributeChange } from '../profile/attributes.ts'
import type { ProfileState } from '../profile/fold.ts'
import { type PushTokenRow, upsertPushTokens } from '../profile/push-token-store.ts'
import type { SignalRecorder } from '../signals/record-signals.ts'
import {
  type AddressGroupState,
  type InheritingContact,
  listInheritedStates,
  upsertAddressStates,
} from '../subscription/address-state-store.ts'
import {
  type AddressStateChange,
  insertAddressStateEvents,
  insertMembershipEvents,
  type MembershipChange,
} from '../subscription/group-events-store.ts'
import { upsertMemberships } from '../subscription/membership-store.ts'

type Addresses = Pick<ProfileState, 'email' | 'phone' | 'email_subscribe_at'>

/** Rows of other tables that the changes of a flush cause. They are collected so that each table is written once. */
export class RelatedRows {
  readonly #hashAddress: HashAddress
  /** The keyed hashes of addresses, each computed once. */
  readonly #hidden = new Map<string, string>()
  readonly #added: ContactRow[] = []
  readonly #removed: ContactRow[] = []
  readonly #inheriting: InheritingContact[] = []
  readonly #aliases: AliasRow[] = []
  readonly #tokens = new Map<string, PushTokenRow & { value: string }>()
  readonly #memberships = new Map<string, MembershipChange & { readonly hasAddress: boolean }>()
  readonly #addressStates = new Map<string, AddressStateChange>()

  constructor(hashAddress: HashAddress) {
    this.#hashAddress = hashAddress
  }

  addAlias(row: AliasRow): void {
    this.#aliases.push(row)
  }

  /** Adds the state of a group for an address. */
  addAddressState(given: AddressGroupState): void {
    const { workspace_id, kind, value, group_id } = given
    const hidden = this.#hide(workspace_id, kind, value)
    const { bucket } = bucketsOf(workspace_id, kind, value)
    const row = { ...given, bucket, value: hidden, address: value }
    keepLater(this.#addressStates, `${group_id}:${hidden}`, row)
  }

  /** Adds the rows of changed addresses. A person who gets an e-mail address without a new state inherits the state of the address. */
  changeAddresses(person: Person, workspace_id: number, before: Addresses, after: Addresses): void {
    for (const kind of ['email', 'phone'] as const) {
      const old = addressOf(before, kind)
      const value = addressOf(after, kind)
      if (old === value) continue
      if (old !== null) this.#removed.push(contact(person, workspace_id, kind, old))
      if (value === null) continue
      const added = contact(person, workspace_id, kind, value)
      this.#added.push(added)
      if (kind === 'phone' || before.email_subscribe_at !== after.email_subscribe_at) continue
      this.#inheriting.push({ ...added, hidden: this.#hide(workspace_id, kind, value) })
    }
  }

  /** Adds the rows that one step causes. `state` is the profile after the step. */
  addStep(person: Person, workspace_id: number, change: AttributeChange, state: ProfileState, stampUs: number): void {
    for (const { group_id, channel, state: groupState } of change.subscriptions) {
      const kind = channel === 'email' ? 'email' : 'phone'
      const value = addressOf(state, kind)
      const row = { person, workspace_id, group_id, state: groupState, stampUs, hasAddress: value !== null }
      keepLater(this.#memberships, `${person.profile_id}:${group_id}`, row)
      if (value !== null) this.addAddressState({ workspace_id, kind, value, group_id, state: groupState, stampUs })
    }
    for (const token of change.push_tokens) {
      const value = `${token.app_id}\u001f${token.token}`
      const { bucket } = bucketsOf(workspace_id, 'push_token', value)
      const key = `${workspace_id}:${value}`
      const before = this.#tokens.get(key)
      keepLater(this.#tokens, key, { ...token, person, workspace_id, bucket, value, stampUs })
      // The token keeps the device of either request.
      const kept = this.#tokens.get(key)!
      kept.device_id ??= before?.device_id ?? token.device_id
    }
  }

  #hide(workspace_id: number, kind: 'email' | 'phone', value: string): string {
    const key = `${workspace_id}:${kind}:${value}`
    return this.#hidden.getOrInsertComputed(key, () => this.#hashAddress(workspace_id, kind, value))
  }

  async write(tx: Tx, recorder: SignalRecorder): Promise<void> {
    const [inherited] = await Promise.all([
      listInheritedStates(tx, this.#inheriting),
      deleteContacts(tx, this.#removed.sort(byKey)),
      insertContacts(tx, this.#added.sort(byKey)),
      insertAliases(tx, this.#aliases),
    ])
    await applyEmailStates(tx, inherited, recorder)
    await upsertPushTokens(tx, [...this.#tokens.values()].sort(byKey))
    const memberships = [...this.#memberships.values()]
    memberships.sort(
      (a, b) => a.person.bucket - b.person.bucket || compare(a.person.key, b.person.key) || a.group_id - b.group_id,
    )
    const states = [...this.#addressStates.values()].sort((a, b) => byKey(a, b) || a.group_id - b.group_id)
    await this.#tell(tx, memberships, states, recorder)
    await upsertMemberships(tx, memberships)
    await upsertAddressStates(tx, states)
  }

  /** Writes the events of changed group states. The state of an address is that of all people who have it, also of the changed person. */
  async #tell(
    tx: Tx,
    memberships: readonly (MembershipChange & { readonly hasAddress: boolean })[],
    states: readonly AddressStateChange[],
    recorder: SignalRecorder,
  ): Promise<void> {
    const isFed = ({ workspace_id }: { readonly workspace_id: number }) => recorder.isFed(workspace_id)
    await insertAddressStateEvents(tx, states.filter(isFed))
    await insertMembershipEvents(
      tx,
      memberships.filter((each) => !each.hasAddress && isFed(each)),
    )
  }
}

/**
 * Returns the later one of two rows with the same key. People are folded one after the other, so the steps of different people are not in
 * order.
 */
function keepLater<Row extends { stampUs: number }>(rows: Map<string, Row>, key: string, row: Row): void {
  const before = rows.get(key)
  if (!before || before.stampUs < row.stampUs) rows.set(key, row)
}

function contact(owner: Person, workspace_id: number, kind: 'email' | 'phone', value: string): ContactRow {
  return { ...located(workspace_id, { kind, value }), owner }
}

function byKey(a: { bucket: number; value: string }, b: { bucket: number; value: string }): number {
  return a.bucket - b.bucket || compare(a.value, b.value)
}

function compare<Key extends string | bigint>(a: Key, b: Key): number {
  return a < b ? -1 : a > b ? 1 : 0
}
