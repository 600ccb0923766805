import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { cpuBetween, readCpu } from './cpu.ts'
import { checkDone, idleMsMax } from './mail.ts'
import type { Server } from './server.ts'
import type { Sink } from './sink.ts'
import type { TurnCost } from './turns.ts'

/** A service with people, the server that gets its messages, and the postmaster of its database. */
export type SendPlace = { server: Server; sink: Sink; postmaster: number | undefined; people: number }

/** CPU microseconds that a service and its database take in a second without work. */
export type IdleCost = { nodeUs: number; databaseUs: number }

/** Measures what a service takes without work, for so many milliseconds. */
export async function measureIdle({ server, postmaster }: SendPlace, ms: number): Promise<IdleCost> {
  const before = { cpu: readCpu(server.pid, postmaster), ms: performance.now() }
  await sleep(ms)
  const { nodeUs, databaseUs } = cpuBetween(before.cpu, readCpu(server.pid, postmaster))
  const seconds = (performance.now() - before.ms) / 1000
  return { nodeUs: nodeUs / seconds, databaseUs: databaseUs / seconds }
}

/**
 * Sends a message to all people, and waits until all outcomes are written. Returns seconds and CPU time for each, without what the
 * service takes in this time without work: a machine that is busy with other work makes that large, and it is not due to messages.
 */
export async function sendBroadcast(place: SendPlace, body: object, idle: IdleCost): Promise<TurnCost> {
  const { server, sink, postmaster, people } = place
  const before = { cpu: readCpu(server.pid, postmaster), sink: await sink.read() }
  const startedMs = performance.now()
  const { dispatch_id } = (await server.post('/messages/send', body)) as { dispatch_id: string }
  await sink.until(before.sink.messages + people, idleMsMax)
  await checkDone(server, dispatch_id, people)
  const seconds = (performance.now() - startedMs) / 1000
  const { nodeUs, databaseUs } = cpuBetween(before.cpu, readCpu(server.pid, postmaster))
  return {
    seconds: seconds / people,
    nodeUs: (nodeUs - idle.nodeUs * seconds) / people,
    ...(postmaster !== undefined && { databaseUs: (databaseUs - idle.databaseUs * seconds) / people }),
  }
}
