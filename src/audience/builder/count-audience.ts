import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import type { KeyedMutex } from '../../base/work/keyed-mutex.ts'
import type { WorkspaceRow } from '../../workspace/settings/store.ts'
import { countEach } from '../conditions/count-parts.ts'
import { countPeople } from '../conditions/select-people.ts'
import { describeTree } from '../conditions/sentence.ts'
import type { Tree } from '../conditions/tree.ts'
import { countingMutex } from '../segments/daily-sizes.ts'
import { loadWording } from '../segments/wording.ts'
import { type Estimate, estimateOf } from './estimate.ts'
import { findSample } from './find-sample.ts'
import { readAudience } from './read-audience.ts'
import { type CountReply, partsMax } from './schema.ts'

export type CountServices = { keyedMutex: KeyedMutex }

/** Counts the people of a workspace that conditions select, and those of each part. Throws 400 for a mistake in the conditions. */
export async function countAudience(
  call: Call,
  workspace: Pick<WorkspaceRow, 'workspace_id' | 'settings'>,
  body: unknown,
  services: CountServices,
): Promise<CountReply> {
  const { tree, parts } = await readAudience(call, workspace, body)
  const exact = readExact(body)
  const at = new Date(call.clock.now()).toISOString()
  const trees = parts.slice(0, partsMax).map((part) => part.tree)
  const counted = await countTrees(call, workspace.workspace_id, trees, exact, services)
  const [whole] = counted
  return {
    ...whole!,
    is_exact: whole!.error === 0,
    words: describeTree(tree, await loadWording(call.db, workspace, [tree])),
    parts: parts.map(({ path }, i) => ({ path, count: counted[i]?.count ?? null, error: counted[i]?.error ?? null })),
    at,
  }
}

/**
 * Counts the people that each tree selects: in a workspace with few people one by one, in a larger one in a sample of the buckets. The
 * first tree has all conditions of the others, and with `exact` its people are counted one by one in every workspace.
 */
export async function countTrees(
  call: Pick<Call, 'db' | 'clock'>,
  workspace_id: number,
  trees: readonly Tree[],
  exact: boolean,
  { keyedMutex }: CountServices,
): Promise<Estimate[]> {
  const { db, clock } = call
  const nowMs = clock.now()
  const sample = await findSample(call, workspace_id, trees)
  if (!sample) {
    // A workspace with few people does not wait for one with many.
    return keyedMutex.run(`audience counts ${workspace_id}`, async () => {
      return (await countEach(db, workspace_id, trees, nowMs)).map(exactly)
    })
  }
  const counts = await countEach(db, workspace_id, trees, nowMs, sample)
  const estimates = counts.map((found) => estimateOf(found, sample.below - sample.from))
  if (!exact) return estimates
  const count = await keyedMutex.run(countingMutex, () => countPeople(db, workspace_id, trees[0]!, nowMs))
  return estimates.with(0, exactly(count))
}

function exactly(count: number): Estimate {
  return { count, error: 0 }
}

function readExact(body: unknown): boolean {
  const { exact = false } = body as { exact?: unknown }
  if (typeof exact !== 'boolean') throw invalid("'exact' must be true or false")
  return exact
}
