import { type Path, valueAt } from '../../draft/path.ts'

/** A canvas as it is edited: the JSON that the server takes. It may have mistakes, and members that the editor does not know. */
export type Definition = Readonly<Record<string, unknown>>
export type GivenStep = Readonly<Record<string, unknown>>

/** A way in the graph: the member that has the id of the next step. */
export type Way = {
  /** The step from which it leads; undefined for the entry. */
  readonly from: string | undefined
  /** Its place among the ways of that step, or among the variants. */
  readonly at: number
  /** Where the id stands in the definition. */
  readonly path: Path
  /** Empty for the only way on. */
  readonly name: string
  /** The id of the next step; undefined at an end. */
  readonly to: string | undefined
}

export function isMembers(value: unknown): value is GivenStep {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function listAt(document: unknown, path: Path): readonly unknown[] {
  const list = valueAt(document, path)
  return Array.isArray(list) ? list : []
}

/** A step that can be drawn: one with an id that no step before it has. */
export type PlacedStep = { readonly id: string; readonly step: GivenStep; readonly path: Path; readonly index: number }

/** Returns the steps that can be drawn, in their order. Pure. */
export function stepsIn(document: Definition): PlacedStep[] {
  const seen = new Set<string>()
  return listAt(document, ['steps']).flatMap((step, index): PlacedStep[] => {
    if (!isMembers(step) || typeof step.id !== 'string' || step.id === '' || seen.has(step.id)) return []
    seen.add(step.id)
    return [{ id: step.id, step, path: ['steps', index], index }]
  })
}

/** Pure. */
export function stepById(document: Definition, id: string | undefined): PlacedStep | undefined {
  return stepsIn(document).find((each) => each.id === id)
}

/** Returns the ways out of a step, in the order in which the server names them. Pure. */
export function waysFrom({ id, step, path }: PlacedStep): Way[] {
  const way = (member: Path, name: string, at: number): Way => {
    return { from: id, at, path: [...path, ...member], name, to: textOrNone(valueAt(step, member)) }
  }
  switch (step.type) {
    case 'decision':
      return [way(['yes'], 'yes', 0), way(['no'], 'no', 1)]
    case 'paths':
    case 'action_paths': {
      const own = pathsOf(step)
      return [...own.map(({ name, index }, at) => way(['paths', index, 'next'], name, at)), otherwise(own.length)]
    }
    case 'experiment':
      return pathsOf(step).map(({ name, index }, at) => way(['paths', index, 'next'], name, at))
    default:
      return [way(['next'], '', 0)]
  }

  function otherwise(at: number): Way {
    return way(['otherwise'], 'otherwise', at)
  }
}

/** Returns the paths of a step that are objects. One without a name is called as the server calls it. */
export function pathsOf(
  step: GivenStep,
): { readonly name: string; readonly index: number; readonly given: GivenStep }[] {
  return listAt(step, ['paths']).flatMap((given, index) => {
    if (!isMembers(given)) return []
    return [{ name: textOrNone(given.name) ?? `Path ${index + 1}`, index, given }]
  })
}

/** Returns the ways from the entry: of each variant, or the only one. Pure. */
export function startsIn(document: Definition): Way[] {
  const variants = variantsIn(document)
  if (variants.length === 0) {
    return [{ from: undefined, at: 0, path: ['first'], name: '', to: textOrNone(document.first) }]
  }
  return variants.map(({ name, index, given }, at) => {
    return { from: undefined, at, path: ['variants', index, 'first'], name, to: textOrNone(given.first) }
  })
}

/** Returns the variants of a canvas that are objects. One without a name is called as the server calls it. Pure. */
export function variantsIn(document: Definition) {
  return listAt(document, ['variants']).flatMap((given, index) => {
    if (!isMembers(given)) return []
    return [{ name: textOrNone(given.name) ?? `Variant ${index + 1}`, index, given }]
  })
}

/** Returns all ways of a canvas. Pure. */
export function waysIn(document: Definition): Way[] {
  return [...startsIn(document), ...stepsIn(document).flatMap(waysFrom)]
}

/** Pure. */
export function wayAt(document: Definition, from: string | undefined, at: number): Way | undefined {
  const step = stepById(document, from)
  const ways = from === undefined ? startsIn(document) : step ? waysFrom(step) : []
  return ways[at]
}

/** Returns the ids of the steps to which a way from the entry leads. Pure. */
export function reachedIn(document: Definition): ReadonlySet<string> {
  const byId = new Map(stepsIn(document).map((each) => [each.id, each]))
  const reached = new Set(startsIn(document).flatMap(({ to }) => (to !== undefined && byId.has(to) ? [to] : [])))
  // The iteration includes what is added meanwhile.
  for (const id of reached) {
    for (const { to } of waysFrom(byId.get(id)!)) if (to !== undefined && byId.has(to)) reached.add(to)
  }
  return reached
}

function textOrNone(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
