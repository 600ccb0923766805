import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Service } from '../support/harness.ts'
import type { Body } from './people-model.ts'

const pollMs = 5
const deadlineMs = 60_000

/** Returns the results of the items of a request, after all are done. Some of their history may not be moved yet. */
export async function outcomesOf(service: Service, request_id: string): Promise<unknown[]> {
  const work = await workWhere(service, `request_id=${request_id}`, (each) =>
    each.every((one) => one.state !== 'waiting'),
  )
  return work.toSorted((a, b) => a.position - b.position).map(({ outcome }) => outcome)
}

/** Waits until no work is left. */
export async function untilIdle(service: Service): Promise<void> {
  for (const state of ['waiting', 'moving']) await workWhere(service, `state=${state}`, (work) => work.length === 0)
}

async function workWhere(service: Service, query: string, isExpected: (work: Body[]) => boolean): Promise<Body[]> {
  const endMs = performance.now() + deadlineMs
  for (;;) {
    const { body } = await service.admin('GET', `/admin/work?${query}&limit=100`)
    if (isExpected(body.work)) return body.work
    assert.ok(performance.now() < endMs, `work does not end: ${JSON.stringify(body)}`)
    await pause(pollMs)
  }
}
