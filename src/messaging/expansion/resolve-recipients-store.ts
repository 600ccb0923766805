import { boolArray, int4Array, textArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'
import { type Located, type Person, person } from '../../people/identity/person.ts'
import type { Priority } from '../../people/identity/prioritization.ts'
import type { Recipient } from '../orders/sending.ts'

/** Whom an order to send names by now; nobody of them gets another name in it before the transaction ends. */
export async function lockRecipients(tx: Tx, dispatch_id: string): Promise<readonly Recipient[]> {
  const [row] = await tx.query<{ recipients: readonly Recipient[] }>(sql`
    select sending -> 'recipients' as recipients from dispatch where dispatch_id = ${dispatch_id}::uuid for share`)
  return row?.recipients ?? []
}

/** An address that several people may have, and which of them is meant. */
export type SharedAddress = Located & { readonly prioritization: readonly Priority[] }

/**
 * Who is meant by addresses, by the number of the address: of those whom its priorities leave the one with an external_id before those
 * without, then the one who was updated last.
 */
export async function findAddressOwners(
  tx: Tx,
  addresses: readonly SharedAddress[],
): Promise<ReadonlyMap<number, Person>> {
  if (addresses.length === 0) return new Map()
  const narrowed = addresses.map(({ prioritization }) => narrowing(prioritization))
  const rows = await tx.query<{ n: number; owner_bucket: number; owner_id: string }>(sql`
    select w.n::int as n, c.owner_bucket, c.owner_id
    from unnest(
      ${int4Array(addresses.map((each) => each.bucket))}::int4[], ${int4Array(addresses.map((each) => each.workspace_id))}::int4[],
      ${textArray(addresses.map((each) => each.kind))}::text[], ${textArray(addresses.map((each) => each.value))}::text[],
      ${boolArray(narrowed.map((each) => each.before))}::bool[], ${textArray(narrowed.map((each) => each.first))}::text[],
      ${boolArray(narrowed.map((each) => each.after))}::bool[])
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

/** What is asked before and after a moment has chosen among those who are left. */
function narrowing(prioritization: readonly Priority[]) {
  const moment = prioritization.findIndex((each) => each.endsWith('_recently_updated'))
  const [before, after] =
    moment < 0 ? [prioritization, []] : [prioritization.slice(0, moment), prioritization.slice(moment)]
  const first = moment < 0 ? 'any' : prioritization[moment] === 'most_recently_updated' ? 'latest' : 'earliest'
  return { before: identifiedIn(before), first, after: identifiedIn(after) }
}

function identifiedIn(priorities: readonly Priority[]): boolean | null {
  if (priorities.includes('identified')) return true
  return priorities.includes('unidentified') ? false : null
}
