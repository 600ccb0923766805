import { withValue } from '../../draft/path.ts'
import { isSame } from '../../draft/rebased.ts'
import { type Definition, type GivenStep, isMembers, stepsIn, waysFrom, waysIn } from './ways.ts'

/** Two people's edits as one definition. `both`: what both of them changed, where the first one's is taken. */
export type Merged = { readonly document: Definition; readonly both: readonly string[] }

type Members = Readonly<Record<string, unknown>>

/**
 * Returns my edits on top of theirs. Members and steps that only one of us changed are as that one left them; what both changed is as I
 * left it, member by member. A step that one of us removed and the other one changed stays. A way to a step that is gone leads to where
 * that step led. Pure.
 */
export function merged(mine: Definition, from: Definition, theirs: Definition): Merged {
  const both: string[] = []
  const { steps: myList, ...myMembers } = mine
  const { steps: fromList, ...fromMembers } = from
  const { steps: theirList, ...theirMembers } = theirs
  const members = mergedMembers(myMembers, fromMembers, theirMembers, (name) => both.push(name))
  const lists = [myList, fromList, theirList]
  if (!lists.every((list) => Array.isArray(list) && isKeyed(list))) {
    const isMine = !isSame(myList, fromList)
    if (isMine && !isSame(theirList, fromList) && !isSame(myList, theirList)) both.push('steps')
    const steps = isMine ? myList : theirList
    return { document: { ...members, ...(steps !== undefined && { steps }) }, both }
  }
  const steps = mergedSteps(mine, from, theirs, (id) => both.push(`steps.${id}`))
  const document: Definition = { ...members, steps }
  return { document: withoutLost(document, [mine, from, theirs]), both }
}

/** Whether each entry is an object with an id of its own. */
function isKeyed(list: readonly unknown[]): boolean {
  const ids = list.map((step) => (isMembers(step) ? step.id : undefined))
  return ids.every((id) => typeof id === 'string' && id !== '') && new Set(ids).size === ids.length
}

function mergedMembers(mine: Members, from: Members, theirs: Members, onBoth: (name: string) => void): Members {
  const merged: [string, unknown][] = []
  for (const name of new Set([...Object.keys(theirs), ...Object.keys(mine)])) {
    const [own, old, other] = [ownOf(mine, name), ownOf(from, name), ownOf(theirs, name)]
    const isMine = !isSame(own, old)
    if (isMine && !isSame(other, old) && !isSame(own, other)) onBoth(name)
    const value = isMine ? own : other
    if (value !== undefined) merged.push([name, value])
  }
  return Object.fromEntries(merged)
}

function mergedSteps(mine: Definition, from: Definition, theirs: Definition, onBoth: (id: string) => void): unknown[] {
  const [own, old, other] = [mine, from, theirs].map((each) => {
    return new Map(stepsIn(each).map(({ id, step }) => [id, step] as const))
  }) as [Map<string, GivenStep>, Map<string, GivenStep>, Map<string, GivenStep>]
  const order = ordered([...other.keys()], [...own.keys()])
  return order.flatMap((id): unknown[] => {
    const [a, b, c] = [own.get(id), old.get(id), other.get(id)]
    if (a && c) {
      if (isSame(a, c)) return [a]
      let isBoth = false
      const step = mergedMembers(a, b ?? {}, c, () => {
        isBoth = true
      })
      if (isBoth) onBoth(id)
      return [step]
    }
    const left = (a ?? c)!
    // The other one removed it: it stays when it is new, or was changed.
    if (b === undefined) return [left]
    if (isSame(left, b)) return []
    onBoth(id)
    return [left]
  })
}

/** Returns the ids of both lists: those of the second one are after the one that they follow there. */
function ordered(first: readonly string[], second: readonly string[]): string[] {
  const order = [...first]
  for (const [i, id] of second.entries()) {
    if (order.includes(id)) continue
    const before = i === 0 ? -1 : order.indexOf(second[i - 1]!)
    order.splice(before + 1, 0, id)
  }
  return order
}

/** Leads ways to steps that are gone on to where those led, unless one of the definitions had such a way itself. */
function withoutLost(document: Definition, given: readonly Definition[]): Definition {
  const known = new Set(stepsIn(document).map(({ id }) => id))
  const onwards = new Map<string, string | undefined>()
  for (const each of given) {
    for (const placed of stepsIn(each)) {
      const next = waysFrom(placed).find(({ to }) => to !== undefined && to !== placed.id)?.to
      if (!onwards.has(placed.id)) onwards.set(placed.id, next)
    }
  }
  const leadOn = (id: string | undefined, seen: ReadonlySet<string>): string | undefined => {
    if (id === undefined || known.has(id) || !onwards.has(id) || seen.has(id))
      return id === undefined || !known.has(id) ? undefined : id
    return leadOn(onwards.get(id), new Set([...seen, id]))
  }
  return waysIn(document).reduce((before, { path, to, from }) => {
    if (to === undefined || known.has(to) || !onwards.has(to)) return before
    const target = leadOn(to, new Set())
    return withValue(before, path, target === from ? undefined : target)
  }, document)
}

function ownOf(members: Members, name: string): unknown {
  return Object.hasOwn(members, name) ? members[name] : undefined
}
