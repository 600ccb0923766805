import { hash } from 'node:crypto'
import type { Tx } from '../base/db/db.ts'
import {
  type AliasRow,
  type ContactRow,
  deleteContacts,
  insertAliases,
  insertContacts,
  type PushTokenRow,
  upsertPushTokens,
} from '../profiles/address-store.ts'
import type { AttributeChange } from '../profiles/attributes.ts'
import type { ProfileState } from '../profiles/fold.ts'
import { toE164 } from '../profiles/identifier.ts'
import { type Person, placeOf } from '../profiles/ref.ts'
import {
  type AddressStateRow,
  type MembershipRow,
  upsertAddressStates,
  upsertMemberships,
} from '../subscription/store.ts'

type Addresses = Pick<ProfileState, 'email' | 'phone'>

/** Rows beside the profile itself that the changes of a flush cause, gathered so that each table is written once. */
export class Effects {
  readonly #arrived: ContactRow[] = []
  readonly #left: ContactRow[] = []
  readonly #aliases: AliasRow[] = []
  readonly #tokens = new Map<string, PushTokenRow & { value: string }>()
  readonly #memberships = new Map<string, MembershipRow>()
  readonly #addressStates = new Map<string, AddressStateRow>()

  alias(row: AliasRow): void {
    this.#aliases.push(row)
  }

  /** The person's addresses were `before` and are `after`. */
  readdress(person: Person, workspace_id: number, before: Addresses, after: Addresses): void {
    for (const kind of ['email', 'phone'] as const) {
      const old = addressOf(before, kind)
      const value = addressOf(after, kind)
      if (old === value) continue
      if (old !== null) this.#left.push(contact(person, workspace_id, kind, old))
      if (value !== null) this.#arrived.push(contact(person, workspace_id, kind, value))
    }
  }

  /** What one step does beside the profile; `state` is the profile after the step. */
  step(person: Person, workspace_id: number, change: AttributeChange, state: ProfileState, stampUs: number): void {
    for (const { group_id, channel, state: groupState } of change.subscriptions) {
      keepLater(this.#memberships, `${person.profile_id}:${group_id}`, { person, group_id, state: groupState, stampUs })
      const kind = channel === 'email' ? 'email' : 'phone'
      const value = addressOf(state, kind)
      if (value === null) continue
      const { bucket } = placeOf(workspace_id, kind, value)
      const row: AddressStateRow = { bucket, workspace_id, kind, value, group_id, state: groupState, stampUs }
      keepLater(this.#addressStates, `${workspace_id}:${group_id}:${kind}:${value}`, row)
    }
    for (const token of change.push_tokens) {
      const value = `${token.app_id}\u001f${token.token}`
      const { bucket } = placeOf(workspace_id, 'push_token', value)
      const device_id = token.device_id ?? hash('sha256', value).slice(0, 32)
      const row = { ...token, device_id, person, workspace_id, bucket, value, stampUs }
      keepLater(this.#tokens, `${workspace_id}:${value}`, row)
    }
  }

  async write(tx: Tx): Promise<void> {
    await deleteContacts(tx, this.#left.sort(byKey))
    await insertContacts(tx, this.#arrived.sort(byKey))
    await insertAliases(tx, this.#aliases)
    await upsertPushTokens(tx, [...this.#tokens.values()].sort(byKey))
    const memberships = [...this.#memberships.values()]
    memberships.sort(
      (a, b) => a.person.bucket - b.person.bucket || order(a.person.key, b.person.key) || a.group_id - b.group_id,
    )
    await upsertMemberships(tx, memberships)
    const states = [...this.#addressStates.values()]
    await upsertAddressStates(
      tx,
      states.sort((a, b) => byKey(a, b) || a.group_id - b.group_id),
    )
  }
}

/** People are folded one after the other, whatever the order of their steps: of two rows with one key the later stamp's stays. */
function keepLater<Row extends { stampUs: number }>(rows: Map<string, Row>, key: string, row: Row): void {
  const before = rows.get(key)
  if (!before || before.stampUs < row.stampUs) rows.set(key, row)
}

/** The address as it is looked up: e-mail as stored (lower case), phone in E.164; null when the person has none that can be. */
function addressOf(state: Addresses, kind: 'email' | 'phone'): string | null {
  const value = state[kind]
  if (value === null) return null
  return kind === 'email' ? value : (toE164(value) ?? null)
}

function contact(owner: Person, workspace_id: number, kind: 'email' | 'phone', value: string): ContactRow {
  return { bucket: placeOf(workspace_id, kind, value).bucket, workspace_id, kind, value, owner }
}

function byKey(a: { bucket: number; value: string }, b: { bucket: number; value: string }): number {
  return a.bucket - b.bucket || order(a.value, b.value)
}

function order<Key extends string | bigint>(a: Key, b: Key): number {
  return a < b ? -1 : a > b ? 1 : 0
}
