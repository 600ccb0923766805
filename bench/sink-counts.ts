/** Counts since the start. `last`: the raw bytes of the last mail, or the last requests as JSON. */
export type SinkCounts = { port: number; messages: number; bytes: number; cpuUs: number; last?: string }
