import { int4Array, int8Array, textArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, type Sql, sql } from '../../base/db/sql.ts'
import { type Person, person } from '../identity/person.ts'
import type { EmailState } from '../subscription/address-state-store.ts'

/**
 * A person who has an address. `n` is the position of the address, from 1; `stateUs` is the stamp of the person's own state in epoch
 * microseconds.
 */
export type AddressOwner = { n: number; person: Person; stateUs: number | undefined }

/**
 * Returns the next owners of the addresses, at most `limit`, in the order of addresses and people. `after` is the last person that the page
 * before returned for the first address.
 */
export async function listAddressOwners(
  tx: Tx,
  states: readonly EmailState[],
  after: Person | undefined,
  limit: number,
): Promise<AddressOwner[]> {
  const [bucket, id] = after ? [after.bucket, after.key] : [-1, 0n]
  const rows = await tx.query<{ n: number; owner_bucket: number; owner_id: string; state_us: string | null }>(
    prepared(sql`
    select o.n::int as n, o.owner_bucket, o.owner_id, ${microseconds(sql`p.email_subscribe_at`)} as state_us
    from (
      select w.n, c.owner_bucket, c.owner_id
      from unnest(
        ${int4Array(states.map((each) => each.bucket))}::int4[], ${int4Array(states.map((each) => each.workspace_id))}::int4[],
        ${textArray(states.map((each) => each.email))}::text[], ${int4Array(states.map((_, i) => (i === 0 ? bucket : -1)))}::int4[],
        ${int8Array(states.map((_, i) => (i === 0 ? id : 0n)))}::int8[]
      ) with ordinality w(bucket, workspace_id, email, after_bucket, after_id, n)
      cross join lateral (
        select c.owner_bucket, c.owner_id from contact c
        where c.bucket = w.bucket and c.workspace_id = w.workspace_id and c.kind = 'email' and c.value = w.email
          and (c.owner_bucket, c.owner_id) > (w.after_bucket, w.after_id)
        order by c.owner_bucket, c.owner_id limit ${limit}) c
      order by w.n, c.owner_bucket, c.owner_id limit ${limit}) o
    left join profile p on p.bucket = o.owner_bucket and p.profile_id = o.owner_id
    order by o.n, o.owner_bucket, o.owner_id`),
  )
  return rows.map(({ n, owner_bucket, owner_id, state_us }) => ({
    n,
    person: person(owner_bucket, owner_id),
    stateUs: state_us === null ? undefined : Number(state_us),
  }))
}

function microseconds(moment: Sql): Sql {
  return sql`(extract(epoch from ${moment}) * 1000000)::int8`
}
