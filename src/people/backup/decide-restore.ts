import { identityKey } from '../identity/directory.ts'
import { addressOf, aliasIdentifier, type Identifier, pushTokenIdentifier } from '../identity/identifier.ts'
import { bucketsOf, type Located, type Person } from '../identity/person.ts'
import type { BackupRow } from './backup-tables.ts'
import type { PersonLine } from './parse-line.ts'
import type { PresentProfile } from './restore-store.ts'

/** An identifier with its bucket, and the row of the line that it comes from. */
export type RestoredIdentifier = Located & { key: string; row?: BackupRow }

/** The lines of one person in a request. `hasNewId`: the person gets an id here. */
export type IncomingPerson = {
  readonly person: Person
  readonly hasNewId: boolean
  readonly lines: readonly { readonly index: number; readonly line: PersonLine }[]
  /** The kinds of identifiers that have one owner. The most specific one comes first. */
  readonly names: readonly RestoredIdentifier[]
  readonly tokens: readonly RestoredIdentifier[]
  readonly addresses: readonly RestoredIdentifier[]
}

/** The existing data of the workspace. */
export type RestoreFacts = {
  readonly workspace_id: number
  readonly present: ReadonlyMap<string, PresentProfile>
  /** The last imported part of incomplete people. */
  readonly parts: ReadonlyMap<string, number>
  /** The people that identifiers and tokens name, by key. */
  readonly owners: ReadonlyMap<string, Person>
  /** Keys of addresses that people have. */
  readonly held: ReadonlySet<string>
  /** Ids of deleted people whose history is still to be deleted. */
  readonly pendingDeletions: ReadonlySet<string>
}

/** `known`: the person exists already. `left out`: the lines cannot be imported. */
export type RestoreDecision =
  | { readonly outcome: 'write'; readonly isNew: boolean; readonly lines: IncomingPerson['lines'] }
  | { readonly outcome: 'known' }
  | { readonly outcome: 'left out'; readonly reason: string }

/** Returns the identifiers in the first part of a person. */
export function identifiersOf(
  workspace_id: number,
  { profile, rows }: PersonLine,
): Pick<IncomingPerson, 'names' | 'tokens' | 'addresses'> {
  const name = (who: Identifier, row?: BackupRow): RestoredIdentifier => ({
    bucket: bucketsOf(workspace_id, who.kind, who.value).bucket,
    workspace_id,
    ...who,
    key: identityKey(workspace_id, who),
    ...(row && { row }),
  })
  const own = (table: string, read: (row: BackupRow) => Identifier) =>
    (rows.get(table) ?? []).map((row) => name(read(row), row))
  const external = profile?.external_id
  const addresses = { email: textOf(profile?.email), phone: textOf(profile?.phone) }
  const names = [
    ...(typeof external === 'string' ? [name({ kind: 'external_id', value: external })] : []),
    ...own('profile_alias', (row) => aliasIdentifier(String(row.alias_label), String(row.alias_name))),
    ...own('device', (row) => ({ kind: 'device', value: String(row.device_id) })),
    ...own('former_id', (row) => ({ kind: 'external_id', value: String(row.external_id) })),
  ]
  return {
    names: [...new Map(names.map((each) => [each.key, each])).values()],
    tokens: own('push_token', (row) => pushTokenIdentifier(String(row.app_id), String(row.token))),
    addresses: (['email', 'phone'] as const).flatMap((kind) => {
      const value = addressOf(addresses, kind)
      return value === null ? [] : [name({ kind, value })]
    }),
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/**
 * Decides which people of a request are written, in their order. Existing people do not change, and identifiers stay with their people. Of
 * two people in the request with the same identifier, the first one is written.
 */
export function decideAll(incoming: readonly IncomingPerson[], facts: RestoreFacts): RestoreDecision[] {
  const claimed = new Set<string>()
  return incoming.map((each) => {
    const decision = decidePerson(each, facts, claimed)
    if (decision.outcome !== 'write' || !decision.isNew) return decision
    for (const { key } of each.names) claimed.add(key)
    if (each.hasNewId) for (const { key } of each.addresses) claimed.add(key)
    return decision
  })
}

function decidePerson(incoming: IncomingPerson, facts: RestoreFacts, claimed: ReadonlySet<string>): RestoreDecision {
  const { person, lines, hasNewId, names, addresses } = incoming
  const present = facts.present.get(person.profile_id)
  if (present) return decidePresent(incoming, present, facts)
  if (lines[0]!.line.part > 1) return leftOut('its first part is missing: continue at an earlier line')
  const gap = gapIn(lines, 0)
  if (gap) return gap
  if (facts.pendingDeletions.has(person.profile_id))
    return leftOut('its deletion here is not finished: import it again in a moment')
  const isTaken = ({ key }: RestoredIdentifier) => facts.owners.has(key) || claimed.has(key)
  if (hasNewId && names.length === 0) {
    if (addresses.length === 0) return leftOut('has no identifier')
    if (addresses.some(({ key }) => facts.held.has(key) || claimed.has(key))) return { outcome: 'known' }
  }
  if (hasNewId && names[0] && isTaken(names[0])) return { outcome: 'known' }
  const taken = names.find(isTaken)
  if (taken)
    return leftOut(`its ${taken.kind} ${JSON.stringify(taken.value.replace('\u001f', ' '))} belongs to another person`)
  return { outcome: 'write', isNew: true, lines }
}

function decidePresent(
  { person, lines }: IncomingPerson,
  present: PresentProfile,
  facts: RestoreFacts,
): RestoreDecision {
  if (present.workspace_id !== facts.workspace_id) return leftOut('its id belongs to a person of another workspace')
  if (present.merged) return leftOut('it was merged into another person here')
  const here = facts.parts.get(person.profile_id)
  const next = here === undefined ? [] : lines.filter(({ line }) => line.part > here)
  if (next.length === 0) return { outcome: 'known' }
  return gapIn(next, here!) ?? { outcome: 'write', isNew: false, lines: next }
}

function gapIn(lines: IncomingPerson['lines'], here: number): RestoreDecision | undefined {
  const at = lines.findIndex(({ line }, i) => line.part !== here + 1 + i)
  return at < 0 ? undefined : leftOut(`part ${here + 1 + at} is missing: continue at an earlier line`)
}

function leftOut(reason: string): RestoreDecision {
  return { outcome: 'left out', reason }
}
