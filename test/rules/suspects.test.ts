import assert from 'node:assert/strict'
import { test } from 'node:test'
import { outcomeOfExpired } from '../../src/messaging/delivery/leases.ts'
import { chooseSuspects, crashesMax, type Suspect } from '../../src/messaging/delivery/suspects.ts'

/** `1t2`: of workspace 1, transactional, two crashes. */
const suspects = (text: string): Suspect[] =>
  text.split(' ').flatMap((one) => {
    const [, workspace_id, kind, crashes] = /(\d)([tm])(\d)/.exec(one) ?? []
    if (!workspace_id) return []
    const lane = { workspace_id: Number(workspace_id), class: kind === 't' ? 'transactional' : 'marketing' } as const
    return [{ ...lane, channel: 'email', crashes: Number(crashes) }]
  })

const choices: readonly (readonly [due: string, preparing: string, chosen: string])[] = [
  ['', '', ''],
  ['1m1', '', '1m1'],
  ['1m1 1t1 2m1', '', '1m1 1t1 2m1'],
  ['1m1 1m1', '', '1m1'],
  ['1m1 2m1', '1m1', '2m1'],
  ['1m1 2m2', '', '2m2'],
  ['1m2 2m2', '', '1m2'],
  ['1m1 2m2', '3m1', ''],
  ['1m1 2m1', '3m2', ''],
]

test('a lane prepares one suspect at a time, and a suspect with two crashes is alone', () => {
  for (const [due, preparing, chosen] of choices)
    assert.deepEqual(chooseSuspects(suspects(due), suspects(preparing)), suspects(chosen), `${due} beside ${preparing}`)
})

test(`a message is set aside after ${crashesMax} crashes, unless it was handed over`, () => {
  const message = {
    ...{
      bucket: 1,
      message_id: '1',
      profile_id: '1',
      workspace_id: 1,
      cause: '',
      step: '',
      visit: 0,
      channel: 'email',
    },
    class: 'transactional' as const,
    ...{ plannedMs: 0, flow_id: null, flow_version: null, variant: null, lease: '' },
    ...{ attempts: 9, rates_granted: 0, address: null, maybe_sent: false },
  } as const
  const expiredTo = (state: 'leased' | 'handed_over', crashes: number) => {
    const outcome = outcomeOfExpired({ ...message, state, crashes })
    return outcome.ends ? outcome.reason : outcome.crashes
  }
  assert.deepEqual([expiredTo('leased', 0), expiredTo('leased', 1), expiredTo('leased', 2)], [1, 2, 'set_aside'])
  assert.equal(expiredTo('leased', 3), 'set_aside')
  assert.equal(expiredTo('handed_over', 2), undefined)
})
