import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import { readSingle, readWhole } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import { listedSegmentsMax } from './schema.ts'
import { type ListedSegment, listSegmentRows } from './store.ts'

/** Lists a page of segments, oldest first by default: `GET /segments/list` (contract 10.4). */
export async function listSegmentPage(
  { db, workspace_id }: Call,
  query: Query,
): Promise<{ segments: ListedSegment[] }> {
  const direction = readSingle(query, 'sort_direction') || 'asc'
  if (direction !== 'asc' && direction !== 'desc') throw invalid("'sort_direction' is not valid")
  const offset = readWhole(query, 'page', 0) * listedSegmentsMax
  return { segments: await listSegmentRows(db, workspace_id, { direction, limit: listedSegmentsMax, offset }) }
}
