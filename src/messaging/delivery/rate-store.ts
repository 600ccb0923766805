import { float8Array, int4Array, textArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'
import {
  assumedPerSecond,
  burstMs,
  complaintMs,
  doublesMs,
  grantKey,
  perSecondMin,
  type RateDemand,
  type RateGrant,
} from './rates.ts'

/** A demand and the configured rate. Without one only a rate that was halved after complaints of the server limits it. */
export type LimitedDemand = RateDemand & { readonly cap: number | undefined }

/** Bounds the growth of a rate, so that the number does not overflow. */
const doublingsMax = 60

/** Returns the rate of `r` after its growth since it was halved, at most the configured rate. */
function grown(nowMs: number, cap: Sql): Sql {
  const passed = sql`(extract(epoch from ${timestampFromMs(nowMs)} - r.slowed_at) * 1000 / ${doublesMs}::float8)::float8`
  const doublings = sql`least(greatest(coalesce(${passed}, ${doublingsMax}::float8), 0), ${doublingsMax}::float8)`
  return sql`least(coalesce(${cap}, 'infinity'), r.per_second * power(2::float8, ${doublings}))`
}

/** Grants as many of these mails as the rates allow now. Returns the grants by `grantKey`; a demand without a grant is not limited. */
export async function grantRates(
  tx: Tx,
  demands: readonly LimitedDemand[],
  nowMs: number,
): Promise<Map<string, RateGrant>> {
  const granted = new Map<string, RateGrant>()
  if (demands.length === 0) return granted
  await grant(tx, demands, nowMs, granted)
  const missing = demands.filter(
    ({ transport, domain, cap }) => cap !== undefined && !granted.has(grantKey(transport, domain)),
  )
  if (missing.length > 0) {
    await insertRates(tx, missing, nowMs)
    await grant(tx, missing, nowMs, granted)
  }
  return granted
}

/** Moves `free_at` on by the granted mails, at most `burstMs` and one mail ahead of now. */
async function grant(
  tx: Tx,
  demands: readonly LimitedDemand[],
  nowMs: number,
  granted: Map<string, RateGrant>,
): Promise<void> {
  const rows = await tx.query<{
    transport: string
    domain: string
    count: number
    per_second: number
    free_ms: number
  }>(
    prepared(sql`
    update send_rate r set free_at = w.free_at + w.count * interval '1 second' / w.per_second
    from (
      select a.transport, a.domain, a.free_at, a.per_second, least(a.count, greatest(
        floor(extract(epoch from ${timestampFromMs(nowMs + burstMs)} - a.free_at)::float8 * a.per_second) + 1, 0))::int4 as count
      from (
        select w.transport, w.domain, w.count, greatest(r.free_at, ${timestampFromMs(nowMs)}) as free_at,
          ${grown(nowMs, sql`nullif(w.cap, 0)`)} as per_second
        from unnest(
          ${textArray(demands.map(({ transport }) => transport))}::text[], ${textArray(demands.map(({ domain }) => domain))}::text[],
          ${int4Array(demands.map(({ count }) => count))}::int4[], ${float8Array(demands.map(({ cap }) => cap ?? 0))}::float8[])
          w(transport, domain, count, cap)
        join send_rate r on r.transport = w.transport and r.domain = w.domain
        order by r.transport, r.domain for update of r) a) w
    where r.transport = w.transport and r.domain = w.domain
    returning r.transport, r.domain, w.count, w.per_second, (extract(epoch from r.free_at) * 1000)::float8 as free_ms`),
  )
  for (const { transport, domain, count, per_second, free_ms } of rows) {
    granted.set(grantKey(transport, domain), { count, freeMs: free_ms, perSecond: per_second })
  }
}

/** Inserts rows for configured rates that have none. */
async function insertRates(tx: Tx, demands: readonly LimitedDemand[], nowMs: number): Promise<void> {
  await tx.query(
    prepared(sql`
    insert into send_rate (transport, domain, per_second, free_at)
    select w.transport, w.domain, w.cap, ${timestampFromMs(nowMs)} from unnest(
      ${textArray(demands.map(({ transport }) => transport))}::text[], ${textArray(demands.map(({ domain }) => domain))}::text[],
      ${float8Array(demands.map(({ cap }) => cap!))}::float8[]) w(transport, domain, cap)
    order by 1, 2 on conflict do nothing`),
  )
}

/** Halves the rates of domains whose servers complain about the rate. */
export async function halveRates(tx: Tx, demands: readonly LimitedDemand[], nowMs: number): Promise<void> {
  if (demands.length === 0) return
  await tx.query(
    prepared(sql`
    insert into send_rate as r (transport, domain, per_second, free_at, slowed_at)
    select w.transport, w.domain, w.cap / 2, ${timestampFromMs(nowMs)}, ${timestampFromMs(nowMs)} from unnest(
      ${textArray(demands.map(({ transport }) => transport))}::text[], ${textArray(demands.map(({ domain }) => domain))}::text[],
      ${float8Array(demands.map((each) => each.cap ?? assumedPerSecond))}::float8[]) w(transport, domain, cap)
    order by 1, 2
    on conflict (transport, domain) do update
      set per_second = greatest(${grown(nowMs, sql`excluded.per_second * 2`)} / 2, ${perSecondMin}::float8),
        slowed_at = ${timestampFromMs(nowMs)}
      where r.slowed_at is null or r.slowed_at <= ${timestampFromMs(nowMs - complaintMs)}`),
  )
}

/** Deletes rates that were not used since `beforeMs`. They are inserted again from the settings. */
export async function deleteIdleRates(tx: Tx, beforeMs: number): Promise<void> {
  await tx.query(
    sql`delete from send_rate where free_at < ${timestampFromMs(beforeMs)}
      and (slowed_at is null or slowed_at < ${timestampFromMs(beforeMs)})`,
  )
}
