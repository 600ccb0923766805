type Steps = Required<Iterator<unknown, unknown, unknown>>

/**
 * Runs what a template node returns to its end: a value, or a generator that yields values and generators. It does what `toValueSync` of
 * the engine does, in less time.
 */
export function runSync(value: unknown): unknown {
  if (!isSteps(value)) return value
  let state = value.next()
  while (!state.done) state = isSteps(state.value) ? stepInto(value, state.value) : value.next(state.value)
  return runSync(state.value)
}

function stepInto(outer: Steps, inner: Steps): IteratorResult<unknown, unknown> {
  let result: unknown
  try {
    result = runSync(inner)
  } catch (error) {
    return outer.throw(error)
  }
  return outer.next(result)
}

/** A drop of the engine has a method `next` too. */
function isSteps(value: unknown): value is Steps {
  if (typeof value !== 'object' || value === null) return false
  const { throw: fail, next, return: end } = value as Partial<Steps>
  return typeof fail === 'function' && typeof next === 'function' && typeof end === 'function'
}
