import type { OpenFinish } from '../../src/content/rendering/finishing.ts'

/** What a test lets a process do with long texts. */
export type FinishTest = 'fail' | 'spin' | 'grow' | 'slow'

/** A module for `finishing`. It runs in a process that renders. */
export const openFinish: OpenFinish = async (shared, own, ask) => async (person, texts) => {
  const size = Object.values(texts).join('').length
  if (shared === 'slow') wait()
  else if (own[person] === shared) return misbehave(shared as FinishTest)
  return { value: { size, answer: await ask(own[person]) }, bytes: 2 * size }
}

/** Takes longer than the turn of a page. */
function wait(): void {
  for (const untilMs = performance.now() + 150; performance.now() < untilMs; );
}

function misbehave(how: FinishTest): never {
  const all: unknown[] = []
  if (how === 'fail') throw new Error('a defect of the module')
  for (;;) if (how === 'grow') all.push(new Array(1_000).fill(all.length))
}
