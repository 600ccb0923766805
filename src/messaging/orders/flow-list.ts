import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import { readWhole } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import { parseQueryTime } from '../../people/values/dates.ts'
import { listFlows } from '../flows/find.ts'
import type { Flow, FlowKind } from '../flows/flow.ts'
import { listedMax } from './flow-schema.ts'

/** The canvases of a page (contract 10.4). */
export async function listCanvases(call: Call, query: Query) {
  const page = await pageOf(call, 'canvas', query)
  return {
    canvases: page.map(({ id, name, tags, updated_at }) => ({ id, name, tags, last_edited: moment(updated_at) })),
  }
}

/** A page of the flows of a kind, oldest first unless asked otherwise. Throws 400. */
export async function pageOf({ db, workspace_id }: Call, kind: FlowKind, query: Query): Promise<Flow[]> {
  const direction = query.sort_direction?.[0] || 'asc'
  if (direction !== 'asc' && direction !== 'desc') throw invalid("'sort_direction' is not valid")
  const from = readWhole(query, 'page', 0) * listedMax
  const withArchived = readFlag(query, 'include_archived')
  const afterMs = readAfter(query)
  const all = await listFlows(db, workspace_id, kind)
  const asked = all.filter(({ state, updated_at }) => {
    return (withArchived || state !== 'archived') && updated_at.getTime() > afterMs
  })
  return (direction === 'asc' ? asked : asked.reverse()).slice(from, from + listedMax)
}

function readFlag(query: Query, name: string): boolean {
  const text = query[name]?.[0] || 'false'
  if (text !== 'true' && text !== 'false') throw invalid(`'${name}' must be true or false`)
  return text === 'true'
}

function readAfter(query: Query): number {
  const name = 'last_edit.time[gt]'
  const text = query[name]?.[0]
  if (!text) return Number.NEGATIVE_INFINITY
  const ms = parseQueryTime(text)
  if (ms === undefined) throw invalid(`'${name}' is not valid`)
  return ms
}

/** As the interface shows when a flow was made, changed and sent: whole seconds, with an offset. */
export function moment(at: Date): string {
  return `${at.toISOString().slice(0, 19)}+00:00`
}
