import { boolArray, int4Array, int8Array, jsonbArray, textArray, timestampArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, type Sql, sql } from '../../base/db/sql.ts'
import {
  type Entered,
  type Got,
  type Received,
  type ReceivedRow,
  type ReceivedStep,
  receivedKey,
  type Whose,
} from './received.ts'

const columns = sql`r.bucket, r.profile_id, r.flow_id, r.entries, r.last_entered_at, r.last_entered_control_at, r.last_exited_at,
      r.last_received_at, r.variant, r.in_control, r.opened_at, r.clicked_at, r.converting_until, r.converted, r.refused, r.refused_at`

/** The rows of these people and flows by `receivedKey`, held until the end of the transaction; those that are missing are made. */
export async function lockReceived(tx: Tx, items: readonly Received[]): Promise<Map<string, ReceivedRow>> {
  if (items.length === 0) return new Map()
  const made = await tx.query<ReceivedRow>(
    prepared(sql`
    insert into received as r (bucket, profile_id, flow_id, workspace_id)
    select distinct w.bucket, w.profile_id, w.flow_id, w.workspace_id
    from unnest(${keys(items)}, ${workspaces(items)}) w(bucket, profile_id, flow_id, workspace_id)
    order by w.bucket, w.profile_id, w.flow_id
    on conflict (bucket, profile_id, flow_id) do nothing returning ${columns}`),
  )
  const locked = new Map(made.map((row) => [receivedKey(row.profile_id, row.flow_id), row]))
  const others = items.filter(({ person, flow_id }) => !locked.has(receivedKey(person.profile_id, flow_id)))
  if (others.length === 0) return locked
  const rows = await tx.query<ReceivedRow>(
    prepared(sql`
    select ${columns} from received r
    join (select distinct * from unnest(${keys(others)}) w(bucket, profile_id, flow_id)) w
      on w.bucket = r.bucket and w.profile_id = r.profile_id and w.flow_id = r.flow_id
    order by r.bucket, r.profile_id, r.flow_id for update of r`),
  )
  for (const row of rows) locked.set(receivedKey(row.profile_id, row.flow_id), row)
  return locked
}

/** Somebody has entered; the control group enters too. The rows are to be locked. */
export async function noteEntered(tx: Tx, items: readonly Entered[]): Promise<void> {
  if (items.length === 0) return
  await tx.query(
    prepared(sql`
    update received r set entries = r.entries + w.count, last_entered_at = greatest(r.last_entered_at, w.at),
      last_entered_control_at = greatest(r.last_entered_control_at, w.control_at), variant = w.variant, in_control = w.in_control,
      refused = null, refused_at = null
    from (
      select w.bucket, w.profile_id, w.flow_id, count(*)::int as count, max(w.at) as at,
        max(w.at) filter (where w.in_control) as control_at, (array_agg(w.variant order by w.n desc))[1] as variant,
        (array_agg(w.in_control order by w.n desc))[1] as in_control
      from unnest(${keys(items)}, ${textArray(items.map(({ variant }) => variant))}::text[],
        ${boolArray(items.map(({ inControl }) => inControl))}::bool[], ${moments(items)})
        with ordinality w(bucket, profile_id, flow_id, variant, in_control, at, n)
      group by 1, 2, 3) w
    where r.bucket = w.bucket and r.profile_id = w.profile_id and r.flow_id = w.flow_id`),
  )
}

/** An entry of somebody has ended, by itself or not. */
export type Exited = Received & { readonly atUs: number }

export function noteExited(tx: Tx, items: readonly Exited[]): Promise<void> {
  return noteReceived(tx, [], items)
}

/** Somebody did not enter, and why; so that the same is not told with every event. */
export async function noteRefused(
  tx: Tx,
  items: readonly (Received & { readonly reason: string; readonly atUs: number })[],
): Promise<void> {
  if (items.length === 0) return
  await tx.query(
    prepared(sql`
    insert into received as r (bucket, profile_id, flow_id, workspace_id, refused, refused_at)
    select distinct on (w.bucket, w.profile_id, w.flow_id) w.bucket, w.profile_id, w.flow_id, w.workspace_id, w.reason, w.at
    from unnest(${keys(items)}, ${workspaces(items)}, ${textArray(items.map(({ reason }) => reason))}::text[], ${moments(items)})
      with ordinality w(bucket, profile_id, flow_id, workspace_id, reason, at, n)
    order by w.bucket, w.profile_id, w.flow_id, w.n desc
    on conflict (bucket, profile_id, flow_id) do update set refused = excluded.refused, refused_at = excluded.refused_at`),
  )
}

/**
 * Messages that a server took: when, of which variant and step, and until when something may be a conversion; and entries that ended with
 * theirs. All in one statement: whoever does the same for the same people holds rows in the same order.
 */
export async function noteReceived(tx: Tx, items: readonly Got[], exited: readonly Exited[] = []): Promise<void> {
  if (items.length + exited.length === 0) return
  const got = items.map(({ bucket, profile_id, flow_id, workspace_id, variant, atUs, convertingUntilUs: untilUs }) => {
    return { person: { bucket, profile_id }, flow_id, workspace_id, variant, atUs, untilUs, exitedUs: null }
  })
  const left = exited.map(({ person, flow_id, workspace_id, atUs: exitedUs }) => {
    return { person, flow_id, workspace_id, variant: null, atUs: null, untilUs: null, exitedUs }
  })
  const rows = [...got, ...left]
  await tx.query(
    prepared(sql`
    insert into received as r (bucket, profile_id, flow_id, workspace_id, last_received_at, variant, converting_until, last_exited_at)
    select w.bucket, w.profile_id, w.flow_id, min(w.workspace_id), max(w.at),
      (array_agg(w.variant order by w.at desc) filter (where w.variant is not null))[1], max(w.until), max(w.exited_at)
    from unnest(${keys(rows)}, ${workspaces(rows)}, ${textArray(rows.map(({ variant }) => variant))}::text[], ${moments(rows)},
      ${timestampArray(rows.map(({ untilUs }) => untilUs))}::timestamptz[],
      ${timestampArray(rows.map(({ exitedUs }) => exitedUs))}::timestamptz[])
      w(bucket, profile_id, flow_id, workspace_id, variant, at, until, exited_at)
    group by 1, 2, 3 order by 1, 2, 3
    on conflict (bucket, profile_id, flow_id) do update set last_received_at = greatest(r.last_received_at, excluded.last_received_at),
      variant = coalesce(excluded.variant, r.variant), converting_until = greatest(r.converting_until, excluded.converting_until),
      last_exited_at = greatest(r.last_exited_at, excluded.last_exited_at)`),
  )
  const steps = items.filter(({ step }) => step !== '')
  if (steps.length > 0) await noteSteps(tx, steps)
}

async function noteSteps(tx: Tx, items: readonly Got[]): Promise<void> {
  const whose = items.map(({ bucket, profile_id, flow_id }) => ({ person: { bucket, profile_id }, flow_id }))
  await tx.query(
    prepared(sql`
    insert into received_step as r (bucket, profile_id, flow_id, step, last_received_at)
    select w.bucket, w.profile_id, w.flow_id, w.step, max(w.at)
    from unnest(${keys(whose)}, ${textArray(items.map(({ step }) => step))}::text[], ${moments(items)})
      w(bucket, profile_id, flow_id, step, at)
    group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (bucket, profile_id, flow_id, step)
      do update set last_received_at = greatest(r.last_received_at, excluded.last_received_at)`),
  )
}

/** Somebody, not a machine, opened or clicked a message of a flow; the first time counts. Who has no row had none of it. */
export async function noteEngaged(
  tx: Tx,
  items: readonly (Omit<Received, 'workspace_id'> & { readonly kind: 'opened' | 'clicked'; readonly atUs: number })[],
): Promise<void> {
  if (items.length === 0) return
  await tx.query(
    prepared(sql`
    with w as materialized (
      select r.bucket, r.profile_id, r.flow_id, w.opened_at, w.clicked_at
      from (
        select w.bucket, w.profile_id, w.flow_id, min(w.at) filter (where w.kind = 'opened') as opened_at,
          min(w.at) filter (where w.kind = 'clicked') as clicked_at
        from unnest(${keys(items)}, ${textArray(items.map(({ kind }) => kind))}::text[], ${moments(items)})
          w(bucket, profile_id, flow_id, kind, at)
        group by 1, 2, 3) w
      join received r on r.bucket = w.bucket and r.profile_id = w.profile_id and r.flow_id = w.flow_id
      order by r.bucket, r.profile_id, r.flow_id for no key update of r)
    update received r set opened_at = coalesce(r.opened_at, w.opened_at), clicked_at = coalesce(r.clicked_at, w.clicked_at) from w
    where r.bucket = w.bucket and r.profile_id = w.profile_id and r.flow_id = w.flow_id
      and (r.opened_at is null and w.opened_at is not null or r.clicked_at is null and w.clicked_at is not null)`),
  )
}

/** Conversions that were made, by their names; those that the row has stay. The rows are to be locked. */
export async function noteConverted(
  tx: Tx,
  items: readonly (Omit<Received, 'workspace_id'> & { readonly names: readonly string[] })[],
): Promise<void> {
  if (items.length === 0) return
  await tx.query(
    prepared(sql`
    update received r set converted = (
      select coalesce(array_agg(name order by name), '{}')
      from (select unnest(r.converted) as name union select jsonb_array_elements_text(w.names)) n)
    from (
      select w.bucket, w.profile_id, w.flow_id, jsonb_agg(name) as names
      from unnest(${keys(items)}, ${jsonbArray(items.map(({ names }) => JSON.stringify(names)))}::jsonb[])
        w(bucket, profile_id, flow_id, names)
      cross join jsonb_array_elements_text(w.names) name
      group by 1, 2, 3) w
    where r.bucket = w.bucket and r.profile_id = w.profile_id and r.flow_id = w.flow_id`),
  )
}

/** What these people had of flows, without locks; of the flows that are named, or all. */
export async function listReceived(
  tx: Tx,
  people: readonly Whose[],
  flow_ids?: readonly number[],
): Promise<ReceivedRow[]> {
  if (people.length === 0) return []
  return tx.query<ReceivedRow>(
    prepared(sql`
    select ${columns} from unnest(${ids(people)}) w(bucket, profile_id)
    join received r on r.bucket = w.bucket and r.profile_id = w.profile_id
      ${flow_ids ? sql`and r.flow_id = any(${int4Array(flow_ids)}::int4[])` : sql``}
    order by r.profile_id, r.flow_id`),
  )
}

/** The steps of canvases whose messages these people had. */
export async function listReceivedSteps(tx: Tx, people: readonly Whose[]): Promise<ReceivedStep[]> {
  if (people.length === 0) return []
  return tx.query<ReceivedStep>(
    prepared(sql`
    select r.profile_id, r.flow_id, r.step, r.last_received_at from unnest(${ids(people)}) w(bucket, profile_id)
    join received_step r on r.bucket = w.bucket and r.profile_id = w.profile_id
    order by r.profile_id, r.flow_id, r.last_received_at, r.step`),
  )
}

function ids(people: readonly Whose[]): Sql {
  return sql`${int4Array(people.map(({ bucket }) => bucket))}::int4[], ${int8Array(people.map(({ profile_id }) => profile_id))}::int8[]`
}

function keys(items: readonly { readonly person: Whose; readonly flow_id: number }[]): Sql {
  return sql`${ids(items.map(({ person }) => person))}, ${int4Array(items.map(({ flow_id }) => flow_id))}::int4[]`
}

function workspaces(items: readonly { readonly workspace_id: number }[]): Sql {
  return sql`${int4Array(items.map(({ workspace_id }) => workspace_id))}::int4[]`
}

function moments(items: readonly { readonly atUs: number | null }[]): Sql {
  return sql`${timestampArray(items.map(({ atUs }) => atUs))}::timestamptz[]`
}
