import { filterPeople } from '../../audience/conditions/select-people.ts'
import type { Tree } from '../../audience/conditions/tree.ts'
import type { Tx } from '../../base/db/db.ts'
import { toTimeZone } from '../../people/values/time-zones.ts'
import { type Entry, entryPerson } from '../entries/entry.ts'
import { conditionTrees } from '../flows/conditions.ts'
import type { Condition, Graph } from '../flows/flow.ts'
import { explainExclusion, segmentDeleted } from '../orders/explain-exclusion.ts'
import { isPending, questionsFor } from './advance.ts'
import type { ConditionAnswers, ConditionQuestion, EntryEndReason, Happening } from './happening.ts'
import { listPendingOrders } from './pending-order-store.ts'
import { listTimeZones } from './time-zone-store.ts'

/** The person of a condition. */
type Subject = Pick<Entry, 'bucket' | 'profile_id' | 'workspace_id'>

/** An entry and the happening that is about to move it. */
export type PendingMove = { readonly entry: Entry; readonly graph: Graph; readonly happening: Happening }

const noAnswers: ConditionAnswers = new Map()

/** Why a pending entry does not begin. */
export type AudienceRefusal = 'not_in_segment' | 'not_in_audience'

/** Reads conditions for one call of `advanceEntries`. Trees and orders that were read in one round are kept for the next. */
export class ConditionReader {
  readonly #tx: Tx
  readonly #nowMs: number
  readonly #trees = new Map<Condition, Tree | undefined>()
  /** The orders of pending entries. */
  readonly #orders = new Map<string, { readonly isCancelled: boolean; readonly audience: Condition | undefined }>()

  constructor(tx: Tx, nowMs: number) {
    this.#tx = tx
    this.#nowMs = nowMs
  }

  /** Returns the answers that each move needs, in the same order. Runs one query for each condition. */
  async answersFor(items: readonly PendingMove[]): Promise<ConditionAnswers[]> {
    await this.#readOrders(items)
    const questions = items.map((item) => this.#questionsOf(item))
    const subjectsByCondition = new Map<Condition, Map<string, Subject>>()
    for (const [i, { entry }] of items.entries()) {
      for (const { condition } of questions[i]!) {
        subjectsByCondition.getOrInsertComputed(condition, () => new Map()).set(entry.profile_id, entry)
      }
    }
    const answers = await this.#answer(subjectsByCondition)
    return items.map(({ entry }, i) => {
      if (questions[i]!.length === 0) return noAnswers
      return new Map(
        questions[i]!.map(({ key, condition }) => [key, answers.get(condition)!.has(entry.profile_id)] as const),
      )
    })
  }

  /** Whether the order of a pending entry was cancelled before it began. Call `answersFor` first. */
  isCancelled({ entry, happening }: PendingMove): boolean {
    if (happening.kind !== 'due' || entry.dispatch_id === null || !isPending(entry)) return false
    return this.#orders.get(entry.dispatch_id)?.isCancelled ?? true
  }

  /** Explains why these entries did not begin, by `entry_id`, like a refusal when a person enters. Call `answersFor` first. */
  async explainRefusals(
    items: readonly (PendingMove & { readonly reason: AudienceRefusal })[],
  ): Promise<Map<string, EntryEndReason>> {
    const whys = new Map<string, EntryEndReason>()
    for (const [condition, group] of Map.groupBy(items, (item) => this.#conditionOf(item))) {
      const { reason, entry } = group[0]!
      const tree = condition && (await this.#treeOf(entry.workspace_id, condition))
      const people = group.map((item) => entryPerson(item.entry))
      const refused = await explainExclusion(this.#tx, entry.workspace_id, reason, tree, people, this.#nowMs)
      const byId = new Map(
        refused.map(({ person: { profile_id }, refused: { rule, inputs } }) => [profile_id, { rule, inputs }]),
      )
      for (const {
        entry: { entry_id, profile_id },
      } of group) {
        const { rule = segmentDeleted, inputs } = byId.get(profile_id) ?? {}
        if (!tree || byId.has(profile_id)) whys.set(entry_id, { reason, rule, ...(inputs !== undefined && { inputs }) })
      }
    }
    return whys
  }

  #conditionOf({ reason, entry, graph }: PendingMove & { readonly reason: AudienceRefusal }): Condition | undefined {
    return reason === 'not_in_segment' ? graph.segment : this.#orders.get(entry.dispatch_id ?? '')?.audience
  }

  #questionsOf({ entry, graph, happening }: PendingMove): ConditionQuestion[] {
    const questions = questionsFor(graph, entry, happening)
    const begins = happening.kind === 'due' && isPending(entry)
    const audience = begins ? this.#orders.get(entry.dispatch_id ?? '')?.audience : undefined
    return audience ? [...questions, { key: 'audience', condition: audience }] : questions
  }

  async #readOrders(items: readonly PendingMove[]): Promise<void> {
    const missing = items.flatMap(({ entry, happening }) => {
      const { dispatch_id } = entry
      if (happening.kind !== 'due' || dispatch_id === null || !isPending(entry)) return []
      return this.#orders.has(dispatch_id) ? [] : [dispatch_id]
    })
    if (missing.length === 0) return
    for (const { dispatch_id, state, audience } of await listPendingOrders(this.#tx, [...new Set(missing)])) {
      const isCancelled = state === 'cancelled'
      this.#orders.set(dispatch_id, { isCancelled, audience: audience === null ? undefined : { audience } })
    }
  }

  /** Returns the people that each condition selects, by `profile_id`. */
  async #answer(
    subjectsByCondition: ReadonlyMap<Condition, ReadonlyMap<string, Subject>>,
  ): Promise<Map<Condition, ReadonlySet<string>>> {
    const answers = new Map<Condition, ReadonlySet<string>>()
    for (const [condition, subjects] of subjectsByCondition) {
      const { workspace_id } = subjects.values().next().value!
      const tree = await this.#treeOf(workspace_id, condition)
      const people = [...subjects.values()].map(entryPerson)
      answers.set(condition, tree ? await filterPeople(this.#tx, workspace_id, tree, this.#nowMs, people) : new Set())
    }
    return answers
  }

  async #treeOf(workspace_id: number, condition: Condition): Promise<Tree | undefined> {
    if (!this.#trees.has(condition)) {
      const [tree] = await conditionTrees(this.#tx, workspace_id, [condition])
      this.#trees.set(condition, tree)
    }
    return this.#trees.get(condition)
  }
}

/**
 * Returns the time zone of each entry's person if a step that waits for a time of day needs it. `zoneOf` is the zone of people without one.
 */
export async function timeZonesFor(
  tx: Tx,
  items: readonly PendingMove[],
  zoneOf: (workspace_id: number) => string,
): Promise<(entry: Entry) => string> {
  const waiting = items.filter(({ entry, graph }) => {
    const step = graph.steps.get(entry.step)
    return step?.type === 'delay' && 'until' in step.wait
  })
  if (waiting.length === 0) return ({ workspace_id }) => zoneOf(workspace_id)
  const zones = await listTimeZones(
    tx,
    waiting.map(({ entry }) => entry),
  )
  return ({ profile_id, workspace_id }) => toTimeZone(zones.get(profile_id) ?? '') ?? zoneOf(workspace_id)
}
