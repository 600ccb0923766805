import type { BodyKind } from './bodies.ts'

/** What the load process sends, and to whom; it makes the requests itself, from the seed. */
export type LoadOrder = {
  port: number
  connections: number
  requests: {
    kind: BodyKind | 'export' | 'subscription'
    people: number
    count: number
    seed: number
    nowMs: number
    apiKey: string
    /** The first number that no earlier load on the same server has given to somebody new. */
    firstNewcomer: number
  }
}

/** Since the reading before. `requests` are the answered 201s without refused items, `failed` all else. */
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
  | { kind: 'prepare'; order: LoadOrder }
  | { kind: 'start' }
  | { kind: 'read' }
  | { kind: 'stop' }
export type LoadReply = { kind: 'ready' } | { kind: 'counts'; counts: LoadCounts }
