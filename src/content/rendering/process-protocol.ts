import type { TextLimit } from '../liquid/run.ts'
import type { SourceQuery } from '../liquid/source-query.ts'
import type { TemplateVariables } from '../liquid/variables.ts'
import type { Finished, Finishing } from './finishing.ts'
import type { RenderFailed } from './rendered.ts'

/** A text to render, with the limit of its field if it has one. */
export type RenderText = readonly [name: string, text: string, limit?: TextLimit | undefined]

/** A person of a page. `own`: what finishing needs for this person. */
export type RenderPerson = { readonly variables: TemplateVariables; readonly own?: unknown }

/** A page of people that one process renders. */
export type RenderJob = {
  readonly id: number
  /** Names and texts, in the same order for all people. */
  readonly texts: readonly RenderText[]
  readonly people: readonly RenderPerson[]
  readonly nowMs: number
  readonly finishing?: Finishing
  /** How many more people may take too long before the remaining people are not tried. */
  readonly slowLeft: number
  /** The characters of results for which there is room; a byte of what was finished counts as one. */
  readonly charactersLeft: number
  /** Whether the texts may ask other servers here. */
  readonly mayAsk: boolean
  /** Renders one person after another, so that it is certain whose texts end the process. */
  readonly isAlone: boolean
}

/** Rendered texts, in the order of the job. Those that were finished are empty. */
export type RenderedTexts = { readonly texts: readonly string[]; readonly finished?: Finished }

/** The result of one person. It is copied between processes, so it has no names of texts. */
export type PersonOutcome =
  | RenderedTexts
  | { readonly aborted: string }
  | { readonly failed: RenderFailed; readonly slow: boolean }

export type ToProcess = { readonly job: RenderJob } | { readonly answers: readonly QueryAnswer[] }

export type QueryAnswer = { readonly id: number } & ({ readonly value: unknown } | { readonly error: string })

/** A query of a text, or a question of finishing to the caller. */
export type JobQuery = SourceQuery | { readonly kind: 'caller'; readonly question: unknown }

/** A query of a job. */
export type NumberedQuery = { readonly id: number; readonly job: number; readonly query: JobQuery }

/**
 * What is rendered now. `isCertain`: no other person is being rendered. `isLatest`: the rendering of a person who comes later has not begun
 * without a beat of its own.
 */
export type Beat = {
  readonly job: number
  readonly person: number
  readonly isCertain: boolean
  readonly isLatest: boolean
}

/**
 * How a job ended: `done`; `asks`: the texts ask other servers, which they may not do here; `turn`: its time is used up; `full`: there is
 * no room for the texts of the next person. Except with `done`, people without an outcome may be left.
 */
export type JobEnd = 'done' | 'asks' | 'turn' | 'full'

export type FromProcess =
  | { readonly beat: Beat | undefined }
  | { readonly queries: readonly NumberedQuery[] }
  | {
      readonly job: number
      readonly outcomes: readonly (readonly [person: number, outcome: PersonOutcome])[]
      readonly end?: JobEnd
    }
  /** A defect of Easel ended the job. */
  | { readonly job: number; readonly defect: string }

/** Returns how much of `charactersLeft` texts use. */
export function charactersOf({ texts, finished }: RenderedTexts): number {
  return texts.reduce((sum, text) => sum + text.length, finished?.bytes ?? 0)
}

/** The message for people who are not tried any more. */
export const givenUpMessage = 'not rendered: the texts took too long for other people before'
