import { formatPercent } from '../../words/numbers.ts'
import type { Path as InWordsPath, Outline, Step } from '../words.ts'
import { kindWords } from '../words.ts'
import { type Definition, type PlacedStep, pathsOf, startsIn, stepsIn, variantsIn, waysFrom } from './ways.ts'

/** What the server says about steps and entry in words. What it has not read yet has no sentence. */
export type Sentences = {
  readonly entry: string
  readonly steps: Readonly<Record<string, string>>
  /** The last drawing of the server: the words of the paths that are still there are taken from it. */
  readonly outline?: Outline | null
}

/** Returns a definition as the picture and the outline take it. Pure. */
export function drawingOf(document: Definition, sentences: Sentences): Outline {
  const percents = variantsIn(document).map(({ given }) => given.percent)
  const words = new Map(sentences.outline?.steps.map((step) => [step.id, step]))
  return {
    sentence: sentences.entry,
    starts: startsIn(document).map(({ name, to }, i) => ({ name, words: percentWords(percents[i]), next: to ?? null })),
    steps: stepsIn(document).map((placed): Step => {
      const { id, step } = placed
      const name = typeof step.name === 'string' && step.name !== '' ? step.name : id
      const said = words.get(id)
      const paths = drawnPaths(placed).map((path) => {
        return { ...path, words: path.words || (said?.paths.find((each) => each.name === path.name)?.words ?? '') }
      })
      const sentence = Object.hasOwn(sentences.steps, id) ? sentences.steps[id]! : ''
      return { id, name, kind: kindOf(step.type), sentence, paths }
    }),
  }
}

/** A kind that the dashboard does not know looks like a message: its icon is the last one that is left. */
function kindOf(type: unknown): Step['kind'] {
  return (typeof type === 'string' && Object.hasOwn(kindWords, type) ? type : 'message') as Step['kind']
}

function drawnPaths(placed: PlacedStep): InWordsPath[] {
  const percents = placed.step.type === 'experiment' ? pathsOf(placed.step).map(({ given }) => given.percent) : []
  return waysFrom(placed).map(({ name, at, to }) => ({ name, words: percentWords(percents[at]), next: to ?? null }))
}

function percentWords(percent: unknown): string {
  return typeof percent === 'number' ? formatPercent(percent) : ''
}
