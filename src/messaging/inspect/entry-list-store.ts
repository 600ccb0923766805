import { int4Array } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { join, type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromUsText } from '../../base/db/timestamps.ts'
import type { Person } from '../../people/identity/person.ts'
import type { EntryState } from '../entries/entry.ts'
import { type Arrived, trailMax } from '../entries/trail.ts'
import type { PersonEntryRow } from '../timeline/messages-store.ts'

/** A page begins right after this entry. `us`: when it entered, epoch microseconds. */
export type EntryCursor = { readonly us: string; readonly entry_id: string }

/** Which entries of a flow to list. An undefined member does not filter. */
export type EntryFilter = {
  readonly flow_id: number
  readonly version: number | undefined
  /** The newest version of the flow. */
  readonly newest: number
  readonly step: string | undefined
  readonly state: EntryState | 'open' | undefined
  readonly person: Person | undefined
}

/** How entries are found before they are filtered. `walk`: back in time, through all of the flow. */
export type EntryWay = 'walk' | 'person' | 'step'

export type FlowEntryRow = PersonEntryRow & {
  readonly bucket: number
  readonly profile_id: string
  readonly entered_us: string
  /** The last arrival; null when the trail is full, because then it may have had later ones. */
  readonly last: Arrived | null
  readonly external_id: string | null
  readonly first_name: string | null
  readonly last_name: string | null
  readonly email: string | null
}

const columns = sql`e.bucket, e.profile_id, e.entry_id, e.flow_id, e.version, e.state, e.held, e.ended, e.variant, e.step, e.visit,
      e.due_at, e.entered_at, e.ended_at, (extract(epoch from e.entered_at) * 1000000)::int8 as entered_us,
      case when jsonb_array_length(e.trail) < ${trailMax}::int4 then e.trail -> -1 end as last,
      p.external_id, p.first_name, p.last_name, p.email`
const joinPerson = sql`left join profile p on p.bucket = e.bucket and p.profile_id = e.profile_id`
const newestFirst = sql`order by e.entered_at desc, e.entry_id desc`

/** Versions in which a step is looked up: the newest ones. */
const versionsMax = 10_000

/** Entries that stand at a step, by the index of open ones. */
function atStep({ flow_id, version, newest, step }: EntryFilter): Sql {
  const count = version === undefined ? Math.min(newest, versionsMax) : 1
  const versions = Array.from({ length: count }, (_, i) => (version ?? newest) - i)
  return sql`e.flow_id = ${flow_id}::int4 and e.held in (false, true) and e.version = any(${int4Array(versions)}::int4[])
        and e.step = ${step ?? ''} and e.state <> 'ended'`
}

/** The entries to look at: at most `max`, after the cursor. */
function candidates(filter: EntryFilter, way: EntryWay, after: EntryCursor | undefined, max: number): Sql {
  const { flow_id, person } = filter
  const from = after
    ? sql`and (e.entered_at, e.entry_id) < (${timestampFromUsText(after.us)}, ${after.entry_id}::uuid)`
    : sql``
  switch (way) {
    case 'walk':
      return sql`select e.* from entry e where (e.flow_id + 0) = ${flow_id}::int4 ${from}
        order by (e.flow_id + 0) desc, e.entered_at desc, e.entry_id desc limit ${max}`
    case 'person':
      return sql`select e.* from entry e where e.bucket = ${person!.bucket} and e.profile_id = ${person!.profile_id}::int8
        and e.flow_id = ${flow_id}::int4 ${from} ${newestFirst} limit ${max}`
    case 'step':
      return sql`select e.* from entry e where ${atStep(filter)} ${from} ${newestFirst} limit ${max}`
  }
}

function conditionsOf({ version, step, state }: EntryFilter): Sql {
  return join(
    [
      // Those who were refused, or are in the control group, never entered.
      sql`not (e.state = 'ended' and e.visit = 0)`,
      ...(version === undefined ? [] : [sql`e.version = ${version}::int4`]),
      ...(step === undefined ? [] : [sql`e.step = ${step}`]),
      ...(state === undefined ? [] : [state === 'open' ? sql`e.state <> 'ended'` : sql`e.state = ${state}`]),
    ],
    ' and ',
  )
}

/** Lists entries of a flow, newest first, of at most `lookedAt` ones. */
export function listFlowEntries(
  tx: Tx,
  filter: EntryFilter,
  way: EntryWay,
  after: EntryCursor | undefined,
  { limit, lookedAt }: { readonly limit: number; readonly lookedAt: number },
): Promise<FlowEntryRow[]> {
  return tx.query<FlowEntryRow>(sql`
    select ${columns} from (
      select e.* from (${candidates(filter, way, after, lookedAt)}) e where ${conditionsOf(filter)}
      ${newestFirst} limit ${limit}) e
    ${joinPerson} ${newestFirst}`)
}

/** Returns the last entry at which a walk of this length looks; undefined when there are fewer. */
export async function findEntryWalkEnd(
  tx: Tx,
  filter: EntryFilter,
  after: EntryCursor | undefined,
  lookedAt: number,
): Promise<EntryCursor | undefined> {
  const [row] = await tx.query<EntryCursor>(sql`
    select (extract(epoch from e.entered_at) * 1000000)::int8 as us, e.entry_id
    from (${candidates(filter, 'walk', after, lookedAt)}) e ${newestFirst} limit 1 offset ${lookedAt - 1}`)
  return row
}

/** Counts the entries that stand at the step of the filter, up to `max`. */
export async function countAtStep(tx: Tx, filter: EntryFilter, max: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::int4 as count from (select 1 from entry e where ${atStep(filter)} limit ${max}) w`)
  return row!.count
}

/** An entry with its whole trail. */
export type RunRow = FlowEntryRow & {
  readonly trail: readonly Arrived[]
  readonly visits: Readonly<Record<string, number>>
}

/** Finds an entry of a flow by its id, which does not say in which bucket it is. */
export async function findRun(tx: Tx, flow_id: number, entry_id: string): Promise<RunRow | undefined> {
  const [row] = await tx.query<RunRow>(sql`
    select ${columns}, e.trail, e.visits from generate_series(0, 4095) b(bucket)
    join entry e on e.bucket = b.bucket and e.entry_id = ${entry_id}::uuid and e.flow_id = ${flow_id}::int4 ${joinPerson}`)
  return row
}
