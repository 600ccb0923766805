import assert from 'node:assert/strict'
import type { Labels, Sample } from './metrics-text.ts'
import type { Binary, Expression, Matcher, Selector } from './promql.ts'

/** What Prometheus would have read at one moment. */
export type Scrape = { readonly atMs: number; readonly samples: readonly Sample[] }
export type Element = { readonly labels: Labels; readonly value: number }

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/**
 * Evaluates an expression at the moment of the last scrape, as Prometheus does, except for the extrapolation of `rate` and `increase` to
 * the ends of their range. Every target has the labels `job` and `instance` of its samples, if they have any.
 */
export function evaluatePromql(tree: Expression, scrapes: readonly Scrape[]): Element[] {
  switch (tree.kind) {
    case 'number':
      return [{ labels: {}, value: tree.value }]
    case 'selector':
      return lastOf(scrapes, tree)
    case 'call':
      return called(tree.name, tree.args, scrapes)
    case 'aggregate':
      return aggregated(tree.name, tree.by, evaluatePromql(tree.of, scrapes))
    case 'binary':
      return combined(tree, evaluatePromql(tree.left, scrapes), evaluatePromql(tree.right, scrapes))
  }
}

function lastOf(scrapes: readonly Scrape[], { name, matchers }: Selector): Element[] {
  const samples = scrapes.at(-1)?.samples ?? []
  return samples.filter((sample) => sample.name === name && matchers.every((matcher) => fits(sample.labels, matcher)))
}

function fits(labels: Labels, { label, op, value }: Matcher): boolean {
  const own = labels[label] ?? ''
  const isEqual = op.endsWith('~') ? new RegExp(`^(?:${value})$`, 's').test(own) : own === value
  return op.startsWith('!') ? !isEqual : isEqual
}

function called(name: string, args: readonly Expression[], scrapes: readonly Scrape[]): Element[] {
  const [of] = args
  assert.ok(of)
  if (name === 'absent') return evaluatePromql(of, scrapes).length === 0 ? [{ labels: {}, value: 1 }] : []
  assert.ok((name === 'rate' || name === 'increase') && of.kind === 'selector', `${name} is not evaluated here`)
  const rangeMs = durationMs(of.range)
  const untilMs = scrapes.at(-1)?.atMs ?? 0
  const within = scrapes.filter(({ atMs }) => untilMs - atMs <= rangeMs)
  const bySeries = new Map<string, { labels: Labels; points: (readonly [atMs: number, value: number])[] }>()
  for (const scrape of within) {
    for (const { labels, value } of lastOf([scrape], of)) {
      const key = keyOf(labels)
      const series = bySeries.get(key) ?? { labels, points: [] }
      series.points.push([scrape.atMs, value])
      bySeries.set(key, series)
    }
  }
  return [...bySeries.values()].flatMap(({ labels, points }) => {
    if (points.length < 2) return []
    const added = increaseOf(points.map(([, value]) => value))
    const seconds = (points.at(-1)![0] - points[0]![0]) / 1_000
    return [{ labels, value: name === 'rate' ? added / seconds : added }]
  })
}

/** A counter that is smaller than before has begun again at 0. */
function increaseOf(values: readonly number[]): number {
  return values.slice(1).reduce((sum, value, i) => sum + (value < values[i]! ? value : value - values[i]!), 0)
}

function durationMs(range: string | undefined): number {
  const [, count, unit] = /^(\d+)([smhd])$/.exec(range ?? '') ?? []
  assert.ok(unit, `${range} is a duration`)
  return Number(count) * unitMs[unit]!
}

const folds: Readonly<Record<string, (values: readonly number[]) => number>> = {
  sum: (values) => values.reduce((sum, value) => sum + value, 0),
  min: (values) => Math.min(...values),
  max: (values) => Math.max(...values),
  count: (values) => values.length,
}

function aggregated(name: string, by: readonly string[], elements: readonly Element[]): Element[] {
  const groups = Map.groupBy(elements, ({ labels }) => keyOf(labels, by))
  return [...groups.values()].map((group) => ({
    labels: picked(group[0]!.labels, by),
    value: folds[name]!(group.map(({ value }) => value)),
  }))
}

type Operation = (a: number, b: number) => number | boolean
const operations: Readonly<Record<string, Operation>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '<': (a, b) => a < b,
  '>': (a, b) => a > b,
  '<=': (a, b) => a <= b,
  '>=': (a, b) => a >= b,
}

function combined(tree: Binary, left: readonly Element[], right: readonly Element[]): Element[] {
  const { op, on } = tree
  const key = ({ labels }: Element) => keyOf(labels, on)
  const [inLeft, inRight] = [new Set(left.map(key)), new Map(right.map((element) => [key(element), element]))]
  if (op === 'or') return [...left, ...right.filter((element) => !inLeft.has(key(element)))]
  if (op === 'and') return left.filter((element) => inRight.has(key(element)))
  if (op === 'unless') return left.filter((element) => !inRight.has(key(element)))
  const operate = operations[op]!
  const apply = (element: Element, a: number, b: number): Element[] => {
    const result = operate(a, b)
    if (typeof result === 'number') return [{ labels: element.labels, value: result }]
    return result ? [element] : []
  }
  if (tree.right.kind === 'number') return left.flatMap((each) => apply(each, each.value, right[0]!.value))
  if (tree.left.kind === 'number') return right.flatMap((each) => apply(each, left[0]!.value, each.value))
  return left.flatMap((each) => {
    const other = inRight.get(key(each))
    return other === undefined ? [] : apply(each, each.value, other.value)
  })
}

function picked(labels: Labels, names: readonly string[]): Labels {
  return Object.fromEntries(names.flatMap((name) => (labels[name] === undefined ? [] : [[name, labels[name]]])))
}

/** Two elements match when these labels are equal: all of them by default. */
function keyOf(labels: Labels, names: readonly string[] = Object.keys(labels)): string {
  return JSON.stringify(names.toSorted().map((name) => [name, labels[name] ?? '']))
}
