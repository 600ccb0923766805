import assert from 'node:assert/strict'
import test from 'node:test'
import type { Tx } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { outcomeOfExpired } from '../../src/messaging/delivery/leases.ts'
import { type EndState, endStates } from '../../src/messaging/ledger/end-states.ts'
import { claimMessages } from '../../src/messaging/messages/claim-store.ts'
import { cancelEntryMessages } from '../../src/messaging/messages/entry-messages.ts'
import type { LeasedMessage } from '../../src/messaging/messages/message.ts'
import { changeMessageStates } from '../../src/messaging/messages/message-store.ts'
import { endFor, holdBack, type MessageOutcome, reconcileOutcome } from '../../src/messaging/messages/outcome.ts'
import { writeHandOvers, writeOutcomes } from '../../src/messaging/messages/outcome-store.ts'
import { isEndState, type MessageState, messageStates } from '../../src/messaging/messages/states.ts'
import { onAllDatabases } from '../support/databases.ts'
import { nextStates } from '../support/message-states.ts'
import { act, add, at, dispatchId, personOf, type Row, rowsOf, workspace_id } from './crowd.ts'

const lease = '11111111-0000-4000-8000-000000000001'
const nowMs = Date.parse(at(10))
const stampUs = nowMs * 1000

/** A message in one state; `maybe_sent`: a server may have received it before. */
type Stored = { readonly message: LeasedMessage; readonly state: MessageState }

/** A statement that writes states of messages, and the state that each message should have afterwards. */
type Statement = {
  readonly name: string
  run(tx: Tx, stored: readonly Stored[]): Promise<unknown>
  expected(state: MessageState, maybe_sent: boolean): MessageState
}

const isLeased = (state: MessageState) => state === 'leased' || state === 'handed_over'
const endOf = (maybe_sent: boolean, state: MessageState): MessageState => (maybe_sent ? 'uncertain' : state)

const again = { ends: false, state: 'queued', attempts: 1, crashes: 0, rates_granted: 0 } as const
const accepted: MessageOutcome = { ends: true, state: 'accepted', reason: 'sent' }
const bounced: MessageOutcome = { ends: true, state: 'bounced', reason: 'refused_by_server' }

/** The transitions of messages in preparation, and of those that a server may have. */
const outcomes: readonly (readonly [from: MessageState, MessageOutcome])[] = [
  ...(['suppressed', 'aborted_by_template', 'template_error', 'cancelled'] as const).map(
    (reason) => ['leased', endFor({ reason })] as const,
  ),
  ['leased', accepted],
  ['leased', again],
  ['leased', holdBack({ attempts: 1, crashes: 0, rates_granted: 0 } as LeasedMessage)],
  ['handed_over', accepted],
  ['handed_over', again],
  ['handed_over', bounced],
  ['handed_over', endFor({ reason: 'refused_by_server' })],
  ['handed_over', endFor({ reason: 'uncertain' })],
]

const statements: readonly Statement[] = [
  {
    name: 'a claim',
    run: (tx) => {
      const lane = { workspace_id, channel: 'email', class: 'marketing', count: 100 } as const
      return claimMessages(tx, [lane], { lease, nowMs, untilMs: nowMs })
    },
    expected: (state) => (state === 'queued' ? 'leased' : state),
  },
  {
    name: 'a hand-over',
    run: (tx, stored) => {
      const what = { address: 'a@example.com', subject: '', links: [], warnings: [] }
      const leased = stored.filter(({ state }) => state === 'leased')
      return writeHandOvers(
        tx,
        leased.map(({ message }) => ({ ...what, message })),
        'handed_over',
        nowMs,
      )
    },
    expected: (state) => (state === 'leased' ? 'handed_over' : state),
  },
  ...outcomes.map(
    ([from, outcome]): Statement => ({
      name: `${from}, then ${outcome.state}`,
      run: (tx, stored) => {
        // Only messages in this state get such an outcome.
        const outcomes = stored.map(({ message, state }) => {
          return {
            message: state === from ? message : { ...message, lease: dispatchId(9) },
            outcome: reconcileOutcome(message, outcome),
          }
        })
        return writeOutcomes(tx, outcomes, stampUs)
      },
      expected: (state, maybe_sent) => {
        if (state !== from) return state
        return outcome.ends && outcome.state !== 'accepted' ? endOf(maybe_sent, outcome.state) : outcome.state
      },
    }),
  ),
  {
    name: 'a worker that is gone',
    run: (tx, stored) => {
      const outcomes = stored.map(({ message, state }) => {
        const expired = { ...message, state, address: null }
        return { message, outcome: reconcileOutcome(message, outcomeOfExpired(expired)) }
      })
      return writeOutcomes(tx, outcomes, stampUs)
    },
    expected: (state) => (state === 'leased' ? 'queued' : state === 'handed_over' ? 'uncertain' : state),
  },
  {
    name: 'a pause',
    run: (tx, stored) => {
      const places = stored.map(({ message }) => message)
      return changeMessageStates(tx, places, { from: ['queued'], to: 'held', reason: null, nowMs })
    },
    expected: (state) => (state === 'queued' ? 'held' : state),
  },
  {
    name: 'a resumption',
    run: (tx, stored) => {
      const places = stored.map(({ message }) => message)
      return changeMessageStates(tx, places, { from: ['held'], to: 'queued', reason: null, nowMs })
    },
    expected: (state) => (state === 'held' ? 'queued' : state),
  },
  {
    name: 'a cancellation of the order',
    run: (tx, stored) => {
      const places = stored.map(({ message }) => message)
      return changeMessageStates(tx, places, { from: ['queued', 'held'], to: 'cancelled', reason: 'cancelled', nowMs })
    },
    expected: (state, maybe_sent) => (state === 'queued' || state === 'held' ? endOf(maybe_sent, 'cancelled') : state),
  },
  {
    name: 'the end of the entry',
    run: (tx, stored) => {
      const entries = stored.map(({ message: { bucket, cause } }) => {
        return { bucket, entry_id: cause, reason: 'exited' as const }
      })
      return cancelEntryMessages(tx, entries, nowMs, stampUs)
    },
    expected: (state, maybe_sent) => (state === 'queued' || state === 'held' ? endOf(maybe_sent, 'cancelled') : state),
  },
]

function rowOf({ message, state }: Stored): Row {
  const isEnded = isEndState(state)
  const { message_id, cause, maybe_sent } = message
  return {
    ...{ message_id, workspace_id, cause, step: '', visit: 0, channel: 'email', class: 'marketing', state },
    ...{ reason: isEnded ? 'sent' : null, ended_at: isEnded ? at(9) : null },
    ...{ planned_at: at(1), due_at: at(2), attempts: 1, crashes: 0, rates_granted: 0, maybe_sent },
    ...(isLeased(state) && { lease, leased_until: at(9) }),
  }
}

/** Inserts a message of a new person in every state, with and without an unknown earlier outcome. */
function everyState(firstId: number): Stored[] {
  return [false, true].flatMap((maybe_sent) =>
    messageStates.map((state, i) => {
      const n = firstId + messageStates.length * Number(maybe_sent) + i
      const { bucket, profile_id } = personOf(n)
      const message: LeasedMessage = {
        ...{ bucket, profile_id, message_id: `${n}`, workspace_id, cause: dispatchId(n), step: '', visit: 0 },
        ...{
          channel: 'email',
          class: 'marketing',
          plannedMs: nowMs,
          attempts: 1,
          crashes: 0,
          rates_granted: 0,
          maybe_sent,
        },
        ...{ flow_id: null, flow_version: null, variant: null, lease },
      }
      return { message, state }
    }),
  )
}

onAllDatabases('every statement writes the states of the model, from every state', async (open) => {
  const db = await open()
  const changes = new Set<string>()
  for (const [i, { name, run, expected }] of statements.entries()) {
    const stored = everyState(1 + 100 * i)
    for (const each of stored) {
      await add(db, personOf(Number(each.message.message_id)), { message: [rowOf(each)] })
    }
    await db.transaction((tx) => run(tx, stored))
    const after = new Map((await rowsOf(db, 'message')).map((row) => [row.message_id, row.state as MessageState]))
    for (const { message, state } of stored) {
      const is = after.get(message.message_id)!
      assert.equal(
        is,
        expected(state, message.maybe_sent),
        `${name}: ${state}${message.maybe_sent ? ', maybe_sent' : ''}`,
      )
      if (is !== state) changes.add(`${state} ${is}`)
    }
    await db.query(sql`delete from message`)
  }
  const model = messageStates.flatMap((state) => nextStates[state].map((next) => `${state} ${next}`))
  assert.deepEqual([...changes].sort(), model.sort())
})

onAllDatabases('a merge keeps the state of every message, except those in preparation', async (open) => {
  const db = await open()
  const stored = everyState(1)
  for (const each of stored) await add(db, personOf(Number(each.message.message_id)), { message: [rowOf(each)] })
  const into = personOf(100)
  await add(db, into, {})
  for (const { message } of stored) await act(db, { type: 'merge', from: personOf(Number(message.message_id)), into })
  const after = new Map((await rowsOf(db, 'message', into)).map((row) => [row.message_id, row.state]))
  for (const { message, state } of stored) {
    assert.equal(after.get(message.message_id), state === 'leased' ? 'queued' : state, state)
  }
})

test('no state follows an end state, and an end state can follow every other state', () => {
  const reachedFrom = (state: MessageState): ReadonlySet<MessageState> => {
    const reached = new Set([state])
    // The loop also visits states that are added to the set.
    for (const each of reached) for (const next of nextStates[each]) reached.add(next)
    return reached
  }
  for (const state of messageStates) {
    assert.equal(nextStates[state].length === 0, isEndState(state), state)
    assert.ok([...reachedFrom(state)].some(isEndState), state)
  }
  assert.deepEqual(messageStates.filter(isEndState), [...endStates] satisfies EndState[])
})

test('a mail that a server may have is never cancelled, held or suppressed', () => {
  for (const state of ['cancelled', 'held', 'suppressed', 'aborted', 'missed', 'leased'] as const) {
    assert.ok(!nextStates.handed_over.includes(state), state)
  }
})
