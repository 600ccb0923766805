import type { BodyKind } from './bodies.ts'

/** What the load process sends, and where. It makes the requests itself from the seed. */
export type LoadOptions = {
  port: number
  connections: number
  requests: {
    kind: BodyKind | 'export' | 'subscription'
    people: number
    count: number
    seed: number
    nowMs: number
    apiKey: string
    /** The number of the first new person: earlier loads on the same server have used the numbers before. */
    firstNewcomer: number
  }
}

/** Counts since the last reading. `requests`: answers of 201 without refused items · `failed`: all others. */
export type LoadCounts = {
  seconds: number
  requests: number
  failed: number
  refusals: string[]
  p50Ms: number
  p99Ms: number
  maxMs: number
  cpuUs: number
}

export type LoadCommand =
  | { kind: 'prepare'; options: LoadOptions }
  | { kind: 'start' }
  | { kind: 'read' }
  | { kind: 'stop' }
export type LoadReply = { kind: 'ready' } | { kind: 'counts'; counts: LoadCounts }
