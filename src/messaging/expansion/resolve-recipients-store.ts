import { boolArray, int4Array, textArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'
import { byIdentified, byLatestUpdate, listOwnerProfiles } from '../../people/identity/owner-profile-store.ts'
import { type Located, type Person, person } from '../../people/identity/person.ts'
import type { Priority } from '../../people/identity/prioritization.ts'
import type { Recipient } from '../orders/sending.ts'

/** Returns the recipients that an order names now, and locks them against renaming. */
export async function lockRecipients(tx: Tx, dispatch_id: string): Promise<readonly Recipient[]> {
  const [row] = await tx.query<{ recipients: readonly Recipient[] }>(sql`
    select sending -> 'recipients' as recipients from dispatch where dispatch_id = ${dispatch_id}::uuid for share`)
  return row?.recipients ?? []
}

/** An address that several people may have, and the priorities that choose one of them. */
export type SharedAddress = Located & { readonly prioritization: readonly Priority[] }

/**
 * Finds one person for each address, by the index of the address: of the people that match its priorities, one with an external_id before
 * others, then the one that was updated last.
 */
export async function findAddressOwners(
  tx: Tx,
  addresses: readonly SharedAddress[],
): Promise<ReadonlyMap<number, Person>> {
  if (addresses.length === 0) return new Map()
  if (tx.placement !== undefined) return findAddressOwnersByShard(tx, addresses)
  const filters = addresses.map(({ prioritization }) => filterOf(prioritization))
  const rows = await tx.query<{ n: number; owner_bucket: number; owner_id: string }>(sql`
    select w.n::int as n, c.owner_bucket, c.owner_id
    from unnest(
      ${int4Array(addresses.map((each) => each.bucket))}::int4[], ${int4Array(addresses.map((each) => each.workspace_id))}::int4[],
      ${textArray(addresses.map((each) => each.kind))}::text[], ${textArray(addresses.map((each) => each.value))}::text[],
      ${boolArray(filters.map((each) => each.before))}::bool[], ${textArray(filters.map((each) => each.first))}::text[],
      ${boolArray(filters.map((each) => each.after))}::bool[])
      with ordinality w(bucket, workspace_id, kind, value, before, first, after, n)
    cross join lateral (
      select c.owner_bucket, c.owner_id, p.external_id is not null as identified
      from contact c join profile p on p.bucket = c.owner_bucket and p.profile_id = c.owner_id
      where c.bucket = w.bucket and c.workspace_id = w.workspace_id and c.kind = w.kind and c.value = w.value
        and p.merged_into is null and (w.before is null or (p.external_id is not null) = w.before)
      order by case w.first when 'latest' then p.updated_at end desc, case w.first when 'earliest' then p.updated_at end,
        p.external_id is not null desc, p.updated_at desc
      limit 1) c
    where w.after is null or c.identified = w.after`)
  return new Map(rows.map(({ n, owner_bucket, owner_id }) => [n - 1, person(owner_bucket, owner_id)]))
}

/** Does the same in two steps, because the people may be on other shards than the address. */
async function findAddressOwnersByShard(
  tx: Tx,
  addresses: readonly SharedAddress[],
): Promise<ReadonlyMap<number, Person>> {
  const owners = await listOwnerProfiles(tx, addresses)
  const found = new Map<number, Person>()
  for (const [i, { prioritization }] of addresses.entries()) {
    const { before, first, after } = filterOf(prioritization)
    const sign = first === 'earliest' ? -1 : first === 'latest' ? 1 : 0
    const [chosen] = owners[i]!.filter(
      (each) => !each.isMerged && (before === null || each.identified === before),
    ).sort((one, other) => sign * byLatestUpdate(one, other) || byIdentified(one, other) || byLatestUpdate(one, other))
    if (chosen && (after === null || chosen.identified === after)) found.set(i, chosen.person)
  }
  return found
}

/** Splits priorities into those before and after the one that chooses by the time of the last update. */
function filterOf(prioritization: readonly Priority[]) {
  const latest = prioritization.findIndex((each) => each.endsWith('_recently_updated'))
  const [before, after] =
    latest < 0 ? [prioritization, []] : [prioritization.slice(0, latest), prioritization.slice(latest)]
  const first = latest < 0 ? 'any' : prioritization[latest] === 'most_recently_updated' ? 'latest' : 'earliest'
  return { before: identifiedIn(before), first, after: identifiedIn(after) }
}

function identifiedIn(priorities: readonly Priority[]): boolean | null {
  if (priorities.includes('identified')) return true
  return priorities.includes('unidentified') ? false : null
}
