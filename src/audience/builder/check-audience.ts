import type { Call } from '../../base/call.ts'
import type { WorkspaceRow } from '../../workspace/settings/store.ts'
import { describeTree } from '../conditions/sentence.ts'
import { loadWording } from '../segments/wording.ts'
import { outlineAudience } from './read-audience.ts'
import { type CheckReply, partsMax } from './schema.ts'

/** Says what is wrong with conditions, and what they say in words. Throws 400 only for a body that is no object. */
export async function checkAudience(
  call: Call,
  workspace: Pick<WorkspaceRow, 'workspace_id' | 'settings'>,
  body: unknown,
): Promise<CheckReply> {
  const { parts, mistakes } = await outlineAudience(call, workspace, body)
  const trees = parts.map(({ tree }) => tree)
  const wording = await loadWording(call.db, workspace, trees)
  const is_valid = mistakes.length === 0
  return {
    is_valid,
    words: is_valid ? describeTree(parts[0]!.tree, wording) : null,
    parts: parts.slice(0, partsMax).map(({ path, tree }) => ({ path, words: describeTree(tree, wording) })),
    mistakes: [...mistakes],
  }
}
