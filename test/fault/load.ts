import assert from 'node:assert/strict'
import type { Answer, Service } from '../support/harness.ts'
import type { Ledger, Send } from './ledger.ts'

const patienceMs = 240_000

/** Waits under load until a condition holds. Fails when that takes too long or a request got a wrong answer. */
export type Until = (what: string, holds: () => boolean | Promise<boolean>) => Promise<void>

/** Sends the ledger's requests, several at once, while `act` runs. */
export async function underLoad(
  ledger: Ledger,
  send: Send,
  senders: number,
  act: (until: Until) => Promise<void>,
): Promise<void> {
  const stop = new AbortController()
  const failures: unknown[] = []
  const loading = ledger.load(send, senders, stop.signal).then(undefined, (failure) => failures.push(failure))
  try {
    await act(async (what, holds) => {
      const givenUpAt = performance.now() + patienceMs
      while (!(await holds())) {
        if (failures.length > 0) throw failures[0]
        assert.ok(performance.now() < givenUpAt, `${what} within ${patienceMs} ms`)
        await pause(10)
      }
    })
  } finally {
    stop.abort()
    await loading
  }
  if (failures.length > 0) throw failures[0]
}

/** Waits until the service reports that it is healthy: a task that failed is retried within seconds. */
export async function becomesReady(service: Pick<Service, 'get'>): Promise<void> {
  const givenUpAt = performance.now() + patienceMs
  for (;;) {
    const { status, text } = await service.get('/ready')
    if (status === 200) return
    assert.ok(performance.now() < givenUpAt, text)
    await pause(100)
  }
}

/** Returns the counts of a ledger as text. */
export function summaryOf(ledger: Ledger, present: number): string {
  const counts = `${ledger.count('taken')} acknowledged, ${ledger.count('refused')} refused, ${present} there`
  return `${ledger.size} requests, ${counts}`
}

/** Sends requests and records how long the slowest answer took. A request without an answer fails the test. */
export function timed(send: Send): Send & { slowestMs: number } {
  const sending = Object.assign(
    async (path: string, body: unknown): Promise<Answer> => {
      const startedMs = performance.now()
      const answer = await send(path, body)
      sending.slowestMs = Math.max(sending.slowestMs, performance.now() - startedMs)
      return answer
    },
    { slowestMs: 0 },
  )
  return sending
}

export function pause(ms: number): Promise<void> {
  return new Promise((resume) => setTimeout(resume, ms))
}
