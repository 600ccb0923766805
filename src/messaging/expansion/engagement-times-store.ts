import { int4Array } from '../../base/db/arrays.ts'
import { byShard, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import type { ShardPart } from '../../base/db/placement.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'
import type { Person } from '../../people/identity/person.ts'
import { personRows } from '../../people/identity/person-store.ts'
import type { Engagement } from './optimal-time.ts'

/** The opens and clicks of a person, newest first, and their time zone. */
export type EngagedPerson = { readonly time_zone: string | null; readonly engagements: readonly Engagement[] }

type Row = { profile_id: string; time_zone: string | null; kind: 'opened' | 'clicked' | null; last_at: Date | null }

/** Engagements of one person that are read. */
const engagementsMax = 100

/** Lists the engagements of people since a time, by `profile_id`. */
export async function listEngaged(
  tx: Tx,
  people: readonly Person[],
  sinceMs: number,
): Promise<ReadonlyMap<string, EngagedPerson>> {
  return grouped(
    await byShard<Row, Person>(tx, people, (part) =>
      prepared(sql`
    select p.profile_id, p.time_zone, e.kind, e.last_at
    from ${personRows(part.items)} w(bucket, profile_id)
    join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id
    left join lateral (
      select e.kind, e.last_at from engagement e
      where e.bucket = p.bucket and e.profile_id = p.profile_id and e.kind in ('opened', 'clicked')
        and e.last_at > ${timestampFromMs(sinceMs)} ${withinPart(part, 'e')}
      order by e.message_id desc limit ${engagementsMax}) e on true
    where true ${withinPart(part, 'p')}`),
    ),
  )
}

/** Lists some engagements of people of a workspace whose bucket is below `belowBucket`. */
export async function sampleEngaged(
  tx: Tx,
  workspace_id: number,
  belowBucket: number,
  sinceMs: number,
  limit: number,
): Promise<readonly EngagedPerson[]> {
  const buckets = Array.from({ length: belowBucket }, (_, bucket) => bucket)
  const sample = (part: ShardPart<number>) => sql`
    select p.profile_id, p.time_zone, e.kind, e.last_at
    from engagement e join profile p on p.bucket = e.bucket and p.profile_id = e.profile_id and p.workspace_id = ${workspace_id}
    where e.bucket = any(${int4Array(part.items)}::int4[]) and e.kind in ('opened', 'clicked') and e.last_at > ${timestampFromMs(sinceMs)}
      ${withinPart(part, 'p')}
    limit ${limit}`
  const rows = await byShard<Row, number>(tx, buckets, sample, (bucket) => bucket)
  return [...grouped(rows.slice(0, limit)).values()]
}

function grouped(rows: readonly Row[]): Map<string, EngagedPerson> {
  const groups = Map.groupBy(rows, ({ profile_id }) => profile_id)
  return new Map(
    [...groups].map(([profile_id, own]) => [
      profile_id,
      {
        time_zone: own[0]!.time_zone,
        engagements: own.flatMap(({ kind, last_at }) => (kind && last_at ? [{ kind, timeMs: last_at.getTime() }] : [])),
      },
    ]),
  )
}
