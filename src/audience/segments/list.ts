import type { Call } from '../../base/call.ts'
import { readDirection, readWhole } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import { listedSegmentsMax } from './schema.ts'
import { type ListedSegment, listSegmentRows } from './store.ts'

/** Lists a page of segments, oldest first by default: `GET /segments/list` (contract 10.4). */
export async function listSegmentPage(
  { db, workspace_id }: Call,
  query: Query,
): Promise<{ segments: ListedSegment[] }> {
  const direction = readDirection(query, 'asc')
  const offset = readWhole(query, 'page', 0) * listedSegmentsMax
  return { segments: await listSegmentRows(db, workspace_id, { direction, limit: listedSegmentsMax, offset }) }
}
