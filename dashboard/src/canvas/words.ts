import type { GetAdminCanvasesIdStandingReply, GetAdminCanvasesIdVersionsVersionReply } from '../api/generated.ts'
import type { Family } from '../ui/family.ts'
import { formatCount } from '../words/numbers.ts'

/** A version of a canvas or a campaign in words, as the server says them. */
export type Outline = NonNullable<GetAdminCanvasesIdVersionsVersionReply['outline']>
export type Step = Outline['steps'][number]
export type Path = Step['paths'][number]
export type Standing = Pick<GetAdminCanvasesIdStandingReply, 'entered' | 'starts' | 'steps'>
export type StepStanding = Standing['steps'][string]

/** A count of a step. `family` undefined: how many went on. */
export type Figure = { readonly family: Family | undefined; readonly count: number; readonly words: string }

const families = ['sent', 'held', 'control', 'failed', 'uncertain'] as const
const familyWords = {
  sent: 'sent',
  held: 'held back',
  control: 'kept as control group',
  failed: 'failed',
  uncertain: 'uncertain',
} as const
/** The words of a count. `undefined` is how many went on. */
export function figureWords(family: Family | undefined): string {
  if (family === undefined) return 'went on'
  return family === 'waiting' ? 'here now' : familyWords[family]
}

const sends: ReadonlySet<Step['kind']> = new Set(['message', 'webhook'])
const waits: ReadonlySet<Step['kind']> = new Set(['delay', 'action_paths'])

/** Returns the counts of a step that say something: those of its kind always, others when there are any. */
export function figuresOf({ id, kind }: Pick<Step, 'id' | 'kind'>, standing: Standing | undefined): Figure[] {
  const counts = standing && standingOf(standing, id)
  if (counts === undefined) return []
  const { waiting, passed } = counts
  const figures: Figure[] = [
    { family: 'waiting', count: waiting, words: figureWords('waiting') },
    { family: undefined, count: passed, words: figureWords(undefined) },
    ...families.map((family) => ({ family, count: counts.families[family] ?? 0, words: familyWords[family] })),
  ]
  return figures.filter(({ family, count }) => {
    if (count > 0 || family === undefined) return true
    return (family === 'waiting' && waits.has(kind)) || (family === 'sent' && sends.has(kind))
  })
}

/** A step that nobody has reached has no counts. */
export function standingOf({ steps }: Pick<Standing, 'steps'>, id: string): StepStanding | undefined {
  return Object.hasOwn(steps, id) ? steps[id] : undefined
}

/** Returns how many went from a step to another one, or to the end (`null`). Undefined: not known yet. */
export function countTo(standing: Standing | undefined, from: string, next: string | null): number | undefined {
  const counts = standing && standingOf(standing, from)
  return counts && (counts.by[next ?? ''] ?? 0)
}

/** Returns how many took a path. A step with a single way has no name for it. */
export function countOf(standing: Standing | undefined, from: string, path: Path): number | undefined {
  if (path.name === '') return countTo(standing, from, path.next)
  const counts = standing && standingOf(standing, from)
  return counts && (counts.paths[path.name] ?? 0)
}

/** A figure as a reader of the screen hears it: `41 here now`. */
export function figureText({ count, words }: Figure): string {
  return `${formatCount(count)} ${words}`
}

export const kindWords: Readonly<Record<Step['kind'], string>> = {
  message: 'Message',
  delay: 'Delay',
  decision: 'Decision',
  paths: 'Audience paths',
  action_paths: 'Action paths',
  experiment: 'Experiment',
  update_user: 'Change of attributes',
  webhook: 'Webhook',
}
