import { needsOf } from '../../audience/conditions/facts.ts'
import type { Tree } from '../../audience/conditions/tree.ts'
import type { SignalKind } from '../../people/signals/signals.ts'
import type { Graph, Trigger } from '../flows/flow.ts'

type NamedSignal = { readonly kind: SignalKind; readonly name: string }

const keysByGraph = new WeakMap<Graph, ReadonlySet<string>>()

/**
 * Whether a signal may move an entry of this graph, whatever its properties are. `exits` has the signals that the exit condition reads.
 * Pure. Cheap, because the keys of a graph are computed once.
 */
export function mayMove(graph: Graph, exits: ReadonlySet<string> | undefined, { kind, name }: NamedSignal): boolean {
  const own = keysByGraph.getOrInsertComputed(graph, signalsOf)
  const keys = [signalKey(kind, name), signalKey(kind, '')]
  return keys.some((key) => own.has(key) || exits?.has(key))
}

/** Returns the key of a kind and a name. An empty name means every name. */
export function signalKey(kind: SignalKind, name: string): string {
  return `${kind} ${name}`
}

/** Returns the keys of signals that change what a condition reads. */
export function signalsReadBy(tree: Tree): ReadonlySet<string> {
  const { custom, columns, histories } = needsOf(tree)
  const attributes = [...custom, ...columns].map((name) => signalKey('attribute', name))
  const occurrences = histories.values().map(({ of, name = '' }) => signalKey(of, name))
  const revenue = columns.has('total_revenue') ? [signalKey('purchase', '')] : []
  return new Set([...attributes, ...occurrences, ...revenue])
}

function signalsOf({ exit, steps }: Graph): ReadonlySet<string> {
  const triggers: Trigger[] = [...exit.on]
  for (const step of steps.values()) {
    if (step.type === 'action_paths') triggers.push(...step.paths.map(({ on }) => on))
  }
  return new Set(triggers.map(({ kind, name = '' }) => signalKey(kind, name)))
}
