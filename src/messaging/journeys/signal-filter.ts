import { needsOf } from '../../audience/conditions/facts.ts'
import type { Tree } from '../../audience/conditions/tree.ts'
import type { SignalKind } from '../../people/signals/signals.ts'
import type { Graph, Trigger } from '../flows/flow.ts'

type NamedSignal = { readonly kind: SignalKind; readonly name: string }

const known = new WeakMap<Graph, ReadonlySet<string>>()

/**
 * Whether a signal may move somebody who stands in a flow of this graph, whatever its properties say; `exits` is what the exit condition
 * reads. Pure, and cheap: graphs do not change.
 */
export function mayMove(graph: Graph, exits: ReadonlySet<string> | undefined, { kind, name }: NamedSignal): boolean {
  const ears = known.getOrInsertComputed(graph, signalsOf)
  const keys = [signalKey(kind, name), signalKey(kind, '')]
  return keys.some((key) => ears.has(key) || exits?.has(key))
}

/** The same text for the same thing; an empty name stands for all of a kind. */
export function signalKey(kind: SignalKind, name: string): string {
  return `${kind} ${name}`
}

/** What a condition reads that may come as a signal, by `keyOf`. */
export function signalsReadBy(tree: Tree): ReadonlySet<string> {
  const { custom, columns, histories } = needsOf(tree)
  const attributes = [...custom, ...columns].map((name) => signalKey('attribute', name))
  const happened = histories.values().map(({ of, name = '' }) => signalKey(of, name))
  const revenue = columns.has('total_revenue') ? [signalKey('purchase', '')] : []
  return new Set([...attributes, ...happened, ...revenue])
}

function signalsOf({ exit, steps }: Graph): ReadonlySet<string> {
  const triggers: Trigger[] = [...exit.on]
  for (const step of steps.values()) {
    if (step.type === 'action_paths') triggers.push(...step.paths.map(({ on }) => on))
  }
  return new Set(triggers.map(({ kind, name = '' }) => signalKey(kind, name)))
}
