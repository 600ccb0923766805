import type { TextLimit } from '../liquid/run.ts'
import type { SourceQuery } from '../liquid/source-query.ts'
import type { TemplateVariables } from '../liquid/variables.ts'
import type { RenderFailed } from './rendered.ts'

/** A text to render, with the limit of its field if it has one. */
export type RenderText = readonly [name: string, text: string, limit?: TextLimit | undefined]

/** A page of people that one process renders. */
export type RenderJob = {
  readonly id: number
  /** Names and texts, in the same order for all people. */
  readonly texts: readonly RenderText[]
  readonly people: readonly TemplateVariables[]
  readonly nowMs: number
  /** How many more people may take too long before the remaining people are not tried. */
  readonly slowLeft: number
  /** The characters of results for which there is room. */
  readonly charactersLeft: number
  /** Whether the texts may ask other servers here. */
  readonly mayAsk: boolean
  /** Renders one person after another, so that it is certain whose texts end the process. */
  readonly isAlone: boolean
}

/** The result of one person. It is copied between processes, so it has no names of texts. */
export type PersonOutcome =
  | { readonly texts: readonly string[] }
  | { readonly aborted: string }
  | { readonly failed: RenderFailed; readonly slow: boolean }

export type ToProcess = { readonly job: RenderJob } | { readonly answers: readonly QueryAnswer[] }

export type QueryAnswer = { readonly id: number } & ({ readonly value: unknown } | { readonly error: string })

/** A query of a job. */
export type NumberedQuery = { readonly id: number; readonly job: number; readonly query: SourceQuery }

/** What is rendered now. `isCertain`: no other person is being rendered. */
export type Beat = { readonly job: number; readonly person: number; readonly isCertain: boolean }

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

/** The message for people who are not tried any more. */
export const givenUpMessage = 'not rendered: the texts took too long for other people before'
