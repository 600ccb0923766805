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

/** Somebody about whom something is to be known. */
type Asking = Pick<Entry, 'bucket' | 'profile_id' | 'workspace_id'>

/** An entry that is about to move. */
export type PendingMove = { readonly entry: Entry; readonly graph: Graph; readonly happening: Happening }

const nothing: ConditionAnswers = new Map()

/** Why somebody whose hour has come does not begin. */
export type AudienceRefusal = 'not_in_segment' | 'not_in_audience'

/** What a call has found out about conditions: what somebody is asked in one round may be asked of others in the next. */
export class ConditionReader {
  readonly #tx: Tx
  readonly #nowMs: number
  readonly #trees = new Map<Condition, Tree | undefined>()
  /** What is known of the orders of entries that begin later. */
  readonly #orders = new Map<string, { readonly isCancelled: boolean; readonly audience: Condition | undefined }>()

  constructor(tx: Tx, nowMs: number) {
    this.#tx = tx
    this.#nowMs = nowMs
  }

  /** What must be known before these entries move, in their order; each condition is one question to the database. */
  async factsFor(items: readonly PendingMove[]): Promise<ConditionAnswers[]> {
    await this.#learnOrders(items)
    const questions = items.map((item) => this.#questionsOf(item))
    const askings = new Map<Condition, Map<string, Asking>>()
    for (const [i, { entry }] of items.entries()) {
      for (const { condition } of questions[i]!) {
        askings.getOrInsertComputed(condition, () => new Map()).set(entry.profile_id, entry)
      }
    }
    const answers = await this.#answer(askings)
    return items.map(({ entry }, i) => {
      if (questions[i]!.length === 0) return nothing
      return new Map(
        questions[i]!.map(({ key, condition }) => [key, answers.get(condition)!.has(entry.profile_id)] as const),
      )
    })
  }

  /** Whether the order that was to let somebody in was cancelled before they began. After `factsFor`. */
  isCancelled({ entry, happening }: PendingMove): boolean {
    if (happening.kind !== 'due' || entry.dispatch_id === null || !isPending(entry)) return false
    return this.#orders.get(entry.dispatch_id)?.isCancelled ?? true
  }

  /**
   * Why these did not begin after all, by `entry_id`: the words that they were judged by and what is known of them, as for whoever is
   * refused at once. After `factsFor`.
   */
  async whyNot(
    items: readonly (PendingMove & { readonly reason: AudienceRefusal })[],
  ): Promise<Map<string, EntryEndReason>> {
    const told = new Map<string, EntryEndReason>()
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
        if (!tree || byId.has(profile_id)) told.set(entry_id, { reason, rule, ...(inputs !== undefined && { inputs }) })
      }
    }
    return told
  }

  #conditionOf({ reason, entry, graph }: PendingMove & { readonly reason: AudienceRefusal }): Condition | undefined {
    return reason === 'not_in_segment' ? graph.segment : this.#orders.get(entry.dispatch_id ?? '')?.audience
  }

  #questionsOf({ entry, graph, happening }: PendingMove): ConditionQuestion[] {
    const questions = questionsFor(graph, entry, happening)
    const isBeginning = happening.kind === 'due' && isPending(entry)
    const audience = isBeginning ? this.#orders.get(entry.dispatch_id ?? '')?.audience : undefined
    return audience ? [...questions, { key: 'audience', condition: audience }] : questions
  }

  async #learnOrders(items: readonly PendingMove[]): Promise<void> {
    const unknown = items.flatMap(({ entry, happening }) => {
      const { dispatch_id } = entry
      if (happening.kind !== 'due' || dispatch_id === null || !isPending(entry)) return []
      return this.#orders.has(dispatch_id) ? [] : [dispatch_id]
    })
    if (unknown.length === 0) return
    for (const { dispatch_id, state, audience } of await listPendingOrders(this.#tx, [...new Set(unknown)])) {
      const isCancelled = state === 'cancelled'
      this.#orders.set(dispatch_id, { isCancelled, audience: audience === null ? undefined : { audience } })
    }
  }

  /** Of whom each condition holds, by `profile_id`. */
  async #answer(
    askings: ReadonlyMap<Condition, ReadonlyMap<string, Asking>>,
  ): Promise<Map<Condition, ReadonlySet<string>>> {
    const answers = new Map<Condition, ReadonlySet<string>>()
    for (const [condition, asking] of askings) {
      const { workspace_id } = asking.values().next().value!
      const tree = await this.#treeOf(workspace_id, condition)
      const people = [...asking.values()].map(entryPerson)
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
 * Where the people of these entries live, as far as a step that waits for a time of day asks for it; `zoneOf` says it of whoever has no
 * zone.
 */
export async function timeZonesFor(
  tx: Tx,
  items: readonly PendingMove[],
  zoneOf: (workspace_id: number) => string,
): Promise<(entry: Entry) => string> {
  const asking = items.filter(({ entry, graph }) => {
    const step = graph.steps.get(entry.step)
    return step?.type === 'delay' && 'until' in step.wait
  })
  if (asking.length === 0) return ({ workspace_id }) => zoneOf(workspace_id)
  const zones = await listTimeZones(
    tx,
    asking.map(({ entry }) => entry),
  )
  return ({ profile_id, workspace_id }) => toTimeZone(zones.get(profile_id) ?? '') ?? zoneOf(workspace_id)
}
