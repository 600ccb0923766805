import type { TextLimit } from '../liquid/run.ts'
import type { SourceQuery } from '../liquid/source-query.ts'
import type { TemplateVariables } from '../liquid/variables.ts'
import type { RenderFailed } from './rendered.ts'

/** A text to render, with the limit of its field if it has one. */
export type RenderText = readonly [name: string, text: string, limit?: TextLimit | undefined]

/** A page of people that one thread renders. */
export type RenderJob = {
  readonly id: number
  readonly workspace_id: number
  readonly texts: readonly RenderText[]
  readonly people: readonly TemplateVariables[]
  readonly nowMs: number
  /** How many more people may take too long before the remaining people are not tried. */
  readonly slowLeft: number
}

/**
 * The start data of a thread. `heartbeat` has a number that rises with each turn of the thread's event loop, and the index of the person
 * that it renders. A thread whose number stops rising is ended.
 */
export type ThreadStart = { readonly serviceName: string; readonly heartbeat: Int32Array }

/** Indexes of `heartbeat`. */
export const heartbeatTurn = 0
export const heartbeatPerson = 1

/** The result of one person. It is copied between threads, so it has no names of texts. */
export type PersonOutcome =
  | { readonly texts: readonly string[] }
  | { readonly aborted: string }
  | { readonly failed: RenderFailed; readonly slow: boolean }

export type ToThread = { readonly job: RenderJob } | { readonly answers: readonly QueryAnswer[] }

export type QueryAnswer = { readonly id: number } & ({ readonly value: unknown } | { readonly error: string })

export type NumberedQuery = { readonly id: number; readonly query: SourceQuery }

export type FromThread =
  | { readonly queries: readonly NumberedQuery[] }
  | { readonly outcomes: readonly (readonly [person: number, outcome: PersonOutcome])[]; readonly last: boolean }

/** The message for people who were not tried. */
export const givenUpMessage = 'not rendered: the texts took too long for other people before'
