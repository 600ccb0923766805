import { needsOf } from '../../audience/conditions/facts.ts'
import type { Tree } from '../../audience/conditions/tree.ts'
import type { Db, Tx } from '../../base/db/db.ts'
import { lockConfig } from '../../workspace/settings/store.ts'
import { conditionTrees } from './conditions.ts'
import type { Condition, Conversion, Graph, Trigger } from './flow.ts'
import { contextWithoutContents, tryGraphFrom } from './graphs.ts'
import { listWatchingFlows, replaceWatched, type WatchedName, type WatchingFlow } from './watch-store.ts'

type Kind = 'event' | 'purchase' | 'attribute' | 'engagement'

/** Columns of a profile that conditions read and that `/users/track` changes. */
const attributes: ReadonlySet<string> = new Set([
  ...['external_id', 'email', 'phone', 'first_name', 'last_name', 'gender', 'dob', 'country', 'home_city', 'language'],
  ...['time_zone', 'email_subscribe', 'push_subscribe'],
])

/** Longer than any transaction that makes people enter. */
const enteringMs = 60_000

/**
 * Updates the names that the flows of a workspace watch: those of current versions, of versions with open entries, and of conversions that
 * may still be made. Call it whenever one of them changes, and from time to time, because conditions name segments.
 */
export async function updateWatched(tx: Tx, workspace_id: number, nowMs: number): Promise<void> {
  const names = new Names()
  const conditions: { readonly condition: Condition; readonly signals: boolean }[] = []
  for (const flow of await listWatchingFlows(tx, workspace_id, nowMs - enteringMs)) {
    const graph = tryGraphFrom(flow, contextWithoutContents)
    // A defect of Easel, which the worker for signals reports. Changes of other flows must still be possible.
    if (!graph) continue
    if (flow.state === 'archived') {
      if (isConverting(flow, graph, nowMs)) names.addConversions(graph.conversions)
      continue
    }
    names.addConversions(graph.conversions)
    for (const trigger of triggersOf(graph)) names.addTrigger(trigger)
    conditions.push(...conditionsOf(graph))
  }
  const trees = await conditionTrees(
    tx,
    workspace_id,
    conditions.map(({ condition }) => condition),
  )
  for (const [i, tree] of trees.entries()) if (tree) names.addTree(tree, conditions[i]!.signals)
  await replaceWatched(tx, workspace_id, names.rows(), nowMs)
}

/** Updates the watched names of every workspace. */
export async function updateWatchedOfAll(
  db: Db,
  nowMs: number,
  workspaces: readonly { readonly workspace_id: number }[],
): Promise<void> {
  for (const { workspace_id } of workspaces) {
    await db.transaction(async (tx) => {
      // Changes of flows take this lock too, so that the names they add meanwhile are not lost.
      await lockConfig(tx)
      await updateWatched(tx, workspace_id, nowMs)
    })
  }
}

/** Watched names by kind, each once. A name has signals when one of its uses has. */
class Names {
  readonly #rows = new Map<string, WatchedName>()

  add(kind: Kind, name: string, signals: boolean): void {
    const key = `${kind} ${name}`
    this.#rows.set(key, { kind, name, signals: signals || this.#rows.get(key)?.signals === true })
  }

  addTrigger({ kind, name }: Trigger): void {
    this.add(kind, name ?? '', true)
  }

  /** Adds every purchase too: a purchase within the window of a conversion adds revenue, whichever event the conversion names. */
  addConversions(conversions: readonly Conversion[]): void {
    for (const { on } of conversions) this.add(on.kind, on.name ?? '', true)
    if (conversions.length > 0) this.add('purchase', '', true)
  }

  /** `signals`: a change may end an entry. Attributes are watched in any case; events and purchases can be read from the history later. */
  addTree(tree: Tree, signals: boolean): void {
    const { columns, custom, histories } = needsOf(tree)
    for (const name of custom) this.add('attribute', name, signals)
    for (const name of columns) if (attributes.has(name)) this.add('attribute', name, signals)
    if (!signals) return
    for (const { of, name } of histories.values()) this.add(of, name ?? '', true)
  }

  rows(): WatchedName[] {
    return [...this.#rows.values()]
  }
}

/** Returns the triggers of a flow: those by which people enter, take a path or exit. */
export function triggersOf({ entry, exit, steps }: Graph): Trigger[] {
  return [
    ...(entry.on ? [entry.on] : []),
    ...exit.on,
    ...[...steps.values()].flatMap((step) => (step.type === 'action_paths' ? step.paths.map(({ on }) => on) : [])),
  ]
}

/** Returns the conditions of a flow. `signals`: the condition is evaluated again whenever something that it reads changes. */
export function conditionsOf({ segment, exit, steps }: Graph): { condition: Condition; signals: boolean }[] {
  const ofSteps = [...steps.values()].flatMap((step) => {
    if (step.type === 'decision') return [step.condition]
    return step.type === 'paths' ? step.paths.map(({ condition }) => condition) : []
  })
  return [
    ...(exit.condition ? [{ condition: exit.condition, signals: true }] : []),
    ...[...(segment ? [segment] : []), ...ofSteps].map((condition) => ({ condition, signals: false })),
  ]
}

/** Whether a recipient of the last message may still make a conversion. */
function isConverting({ last_sent_at }: WatchingFlow, { conversions }: Graph, nowMs: number): boolean {
  const withinMs = Math.max(0, ...conversions.map((conversion) => conversion.withinMs))
  return last_sent_at !== null && last_sent_at.getTime() + withinMs > nowMs
}
