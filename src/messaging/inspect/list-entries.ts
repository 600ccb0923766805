import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { readOnlySnapshot } from '../../base/db/transaction-settings.ts'
import { invalid } from '../../base/errors.ts'
import { readNonEmpty } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import { parseUuid } from '../../base/ids.ts'
import { findPathPerson, type PathPersonServices } from '../../people/search/find-path-person.ts'
import { isCleanText } from '../../people/values/values.ts'
import type { Flow } from '../flows/flow.ts'
import type { Graphs } from '../flows/graphs.ts'
import { describeFlowEntry, type FlowEntryServices } from './describe-flow-entry.ts'
import {
  countAtStep,
  type EntryCursor,
  type EntryFilter,
  type EntryWay,
  findEntryWalkEnd,
  listFlowEntries,
} from './entry-list-store.ts'
import { type FlowPath, getFlowAt, numberMax, readNumber, versionOf } from './read-standing.ts'
import { type EntriesReply, entriesLookedAtMax, entriesPage, entryStateNames, stepCharactersMax } from './schema.ts'

export type EntriesServices = PathPersonServices & FlowEntryServices & { readonly graphs: Graphs }

/**
 * Lists a page of the entries of a flow, newest first. A page ends early when it has looked at `lookedAt` entries: it then says until when,
 * and its cursor continues there. Throws 400, and 404 for a flow or person who does not exist.
 */
export async function listEntries(
  { db, clock }: Pick<Call, 'db' | 'clock'>,
  path: FlowPath,
  query: Query,
  services: EntriesServices,
  lookedAt = entriesLookedAtMax,
): Promise<EntriesReply> {
  const after = readCursor(query)
  const { flow, rows, end, graphs } = await db.transaction(
    async (tx) => {
      const flow = await getFlowAt(tx, path)
      const filter = await readFilter(tx, flow, query, services)
      const way = await wayFor(tx, filter, lookedAt)
      const rows = await listFlowEntries(tx, filter, way, after, { limit: entriesPage + 1, lookedAt })
      const isWhole = rows.length > entriesPage || way !== 'walk'
      const end = isWhole ? undefined : await findEntryWalkEnd(tx, filter, after, lookedAt)
      return { flow, rows, end, graphs: (await services.graphs.getReadable(tx, rows)).found }
    },
    { settings: readOnlySnapshot },
  )
  const page = rows.slice(0, entriesPage)
  const last = rows.length > entriesPage ? page.at(-1)! : undefined
  const next: EntryCursor | undefined = last ? { us: last.entered_us, entry_id: last.entry_id } : end
  return {
    entries: page.map((row) => describeFlowEntry(row, flow, graphs, clock.now(), services)),
    searched_until: end ? new Date(Number(end.us) / 1000).toISOString() : null,
    ...(next && { cursor: formatCursor(next) }),
  }
}

async function readFilter(tx: Tx, flow: Flow, query: Query, services: EntriesServices): Promise<EntryFilter> {
  const step = readNonEmpty(query, 'step')
  if (step !== undefined && (!isCleanText(step) || step.length > stepCharactersMax))
    throw invalid("'step' is not valid")
  const named = readNonEmpty(query, 'state')
  const state = entryStateNames.find((one) => one === named)
  if (named !== undefined && !state) throw invalid(`'state' must be one of: ${entryStateNames.join(', ')}`)
  const version = readNumber(query, 'version', numberMax)
  const person = readNonEmpty(query, 'person')
  return {
    flow_id: flow.flow_id,
    version: version === undefined ? undefined : versionOf(flow, version),
    newest: flow.version,
    step,
    state,
    person: person === undefined ? undefined : (await findPathPerson(tx, flow.workspace_id, person, services)).found,
  }
}

/** Chooses how entries are found: by what has an index and names few enough of them, otherwise back in time. */
async function wayFor(tx: Tx, filter: EntryFilter, lookedAt: number): Promise<EntryWay> {
  if (filter.person) return 'person'
  if (filter.step === undefined || filter.state === undefined || filter.state === 'ended') return 'walk'
  return (await countAtStep(tx, filter, lookedAt)) < lookedAt ? 'step' : 'walk'
}

function formatCursor({ us, entry_id }: EntryCursor): string {
  return Buffer.from(`${us}.${entry_id}`).toString('base64url')
}

function readCursor(query: Query): EntryCursor | undefined {
  const given = readNonEmpty(query, 'cursor')
  if (given === undefined) return undefined
  const [, us, id] = /^(\d{1,18})\.([0-9a-f-]{36})$/.exec(Buffer.from(given, 'base64url').toString('latin1')) ?? []
  const entry_id = id === undefined ? undefined : parseUuid(id)
  if (!us || !entry_id) throw invalid("'cursor' is not valid")
  return { us, entry_id }
}
