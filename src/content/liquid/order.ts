import type { Ask } from './asks.ts'
import type { Failed, Personal } from './personal.ts'

/** A page of people to be rendered by one thread. */
export type Order = {
  readonly id: number
  readonly workspace_id: number
  /** Names and texts, in one order for all people. */
  readonly texts: readonly (readonly [name: string, text: string])[]
  readonly people: readonly Personal[]
  readonly nowMs: number
  /** How many people may still take too long before the rest is given up. */
  readonly slowLeft: number
}

/** What a thread is started with. `pulse` counts turns of its loop, and holds the person it is at: who stands still is ended. */
export type ThreadStart = { readonly serviceName: string; readonly pulse: Int32Array }

/** Places in `pulse`. */
export const pulseTurn = 0
export const pulsePerson = 1

/** What became of one person, short for the way between threads. */
export type Short =
  | { readonly texts: readonly string[] }
  | { readonly aborted: string }
  | { readonly failed: Failed; readonly slow: boolean }

/** To a thread. */
export type ToThread = { readonly order: Order } | { readonly answers: readonly Answer[] }

export type Answer = { readonly id: number } & ({ readonly value: unknown } | { readonly error: string })

/** From a thread. */
export type FromThread =
  | { readonly asks: readonly { readonly id: number; readonly ask: Ask }[] }
  | { readonly done: readonly (readonly [person: number, short: Short])[]; readonly last: boolean }

/** Said of the people who are not tried any more. */
export const givenUp = 'not rendered: it took too long for others before'
