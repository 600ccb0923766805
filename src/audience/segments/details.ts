import type { Call } from '../../base/call.ts'
import { readSingle } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { describeTree } from '../conditions/sentence.ts'
import { getSegment } from './find.ts'

/** Returns a segment with its conditions in words: `GET /segments/details` (contract 10.4). */
export async function describeSegment({ db, workspace_id }: Call, query: Query, workspaces: Workspaces) {
  const segment = await getSegment(db, workspace_id, readSingle(query, 'segment_id'))
  const { created_at, updated_at, name, description, tags, tree } = segment
  const { time_zone: zone } = workspaces.get(workspace_id).settings
  return {
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
    name,
    description,
    text_description: describeTree(tree, { zone }),
    tags,
    teams: [],
  }
}
