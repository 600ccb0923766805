import type { Tx } from '../../base/db/db.ts'
import { controlRanges } from '../../workspace/settings/control-group.ts'
import type { Settings } from '../../workspace/settings/settings.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import type { Tree } from '../conditions/tree.ts'
import { findSegment } from '../segments/find.ts'
import { unknownSegment } from '../segments/schema.ts'
import { alreadyExported, type ExportRequest, groupAlreadyExported, noControlGroup } from './schema.ts'

type Selection = Pick<ExportRequest, 'segment_id'>

const segmentGone = 'The segment was deleted before it was exported'
const groupGone = 'The global control group was removed before it was exported'

/** Returns the conditions of the people of an export as of now; undefined when there is no such segment or no group. */
export async function findSelection(
  tx: Tx,
  workspace_id: number,
  { segment_id }: Selection,
  workspaces: Pick<Workspaces, 'get'>,
): Promise<Tree | undefined> {
  if (segment_id !== null) return (await findSegment(tx, workspace_id, segment_id))?.tree
  return controlGroupTree(workspaces.get(workspace_id).settings)
}

/** Returns the conditions of the people of the global control group; undefined without a group. Pure. */
function controlGroupTree(settings: Pick<Settings, 'global_control_group'>): Tree | undefined {
  const ranges = controlRanges(settings)
  if (ranges.length === 0) return undefined
  const kind = 'random_bucket'
  return {
    any: ranges.map(({ from, to }) => ({
      all: [
        { kind, test: { comparison: 'greater_than_or_equal_to', number: from } },
        { kind, test: { comparison: 'less_than_or_equal_to', number: to } },
      ],
    })),
  }
}

/** Why an export is refused or fails, in words about the people that it selects. */
export type SelectionWords = { readonly unknown: string; readonly already: string; readonly gone: string }

export function selectionWords({ segment_id }: Selection): SelectionWords {
  return segment_id === null
    ? { unknown: noControlGroup, already: groupAlreadyExported, gone: groupGone }
    : { unknown: unknownSegment, already: alreadyExported, gone: segmentGone }
}
