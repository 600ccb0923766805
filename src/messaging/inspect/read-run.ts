import type { Call } from '../../base/call.ts'
import { readOnlySnapshot } from '../../base/db/transaction-settings.ts'
import { notFound } from '../../base/errors.ts'
import { parseUuid } from '../../base/ids.ts'
import { type Arrived, arrivalsOf } from '../entries/trail.ts'
import type { Graph } from '../flows/flow.ts'
import { graphKey } from '../flows/graphs.ts'
import { describeMessages, type LookupServices } from '../lookup/describe-messages.ts'
import { listMessagesOfEntry } from '../lookup/list-store.ts'
import { describeEnd } from '../why/explain-flow.ts'
import { pathName } from './count-steps.ts'
import { describeFlowEntry } from './describe-flow-entry.ts'
import { findRun } from './entry-list-store.ts'
import { type FlowPath, getFlowAt } from './read-standing.ts'
import { type RunReply, runMessagesMax } from './schema.ts'

/** Reads one entry of a flow: how the person went, what they wait for, and the messages that it made. Throws 404. */
export async function readRun(
  { db, clock }: Pick<Call, 'db' | 'clock'>,
  path: FlowPath,
  given: string,
  services: LookupServices,
): Promise<RunReply> {
  const entry_id = parseUuid(given)
  const nowMs = clock.now()
  return db.transaction(
    async (tx) => {
      const flow = await getFlowAt(tx, path)
      const row = entry_id === undefined ? undefined : await findRun(tx, flow.flow_id, entry_id)
      if (!row) throw notFound(`There is no entry ${JSON.stringify(given)} in this ${flow.kind}`)
      const graphs = (await services.graphs.getReadable(tx, [row])).found
      const rows = await listMessagesOfEntry(tx, row, runMessagesMax + 1)
      const { workspace_id } = flow
      const messages = await describeMessages(tx, { workspace_id, nowMs }, rows.slice(0, runMessagesMax), services)
      return {
        entry: {
          ...describeFlowEntry(row, flow, graphs, nowMs, services),
          because: describeEnd(row.ended),
          trail: describeTrail(row.trail, graphs.get(graphKey(row))),
          trail_is_whole: row.trail.length === arrivalsOf(row),
        },
        messages: messages.map(({ person: _, flow: __, ...message }) => message),
        has_more_messages: rows.length > runMessagesMax,
      }
    },
    { settings: readOnlySnapshot },
  )
}

/** Returns arrivals with the names of steps and paths. Pure. */
function describeTrail(trail: readonly Arrived[], graph: Graph | undefined): RunReply['entry']['trail'] {
  return trail.map(([step, ms, path], i) => {
    const from = trail[i - 1]?.[0]
    const name = path === '' ? null : pathName(from === undefined ? undefined : graph?.steps.get(from), path)
    return { step, step_name: graph?.steps.get(step)?.name ?? null, at: new Date(ms).toISOString(), path: name }
  })
}
