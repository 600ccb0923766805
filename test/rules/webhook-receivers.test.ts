import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  type CallEnd,
  callsOfReceiverMax,
  callsOfWorkspaceMax,
  failuresMax,
  type PutBack,
  Receivers,
  slowCallMs,
  type Turn,
} from '../../src/messaging/channels/webhook/receivers.ts'

const shop = 'https://shop.example'
const bank = 'https://bank.example'
const good = { isFailure: false }
const bad = { isFailure: true }

/** Receivers with clocks that the test moves, and what became of each call that asked for a turn. */
function receivers(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let nowMs = 1_000_000
  const all = new Receivers(
    () => nowMs,
    () => nowMs,
  )
  return {
    all,
    advance(ms: number) {
      nowMs += ms
      t.mock.timers.tick(ms)
    },
    ask(origin: string, workspace_id = 1) {
      const call: { turn: Turn | undefined } = { turn: undefined }
      void all.turn(origin, workspace_id).then((turn) => {
        call.turn = turn
      })
      return call
    },
    // Promises that are resolved by now have called back after this.
    settle: () => new Promise<void>((resume) => setImmediate(resume)),
  }
}

const has = ({ turn }: { turn: Turn | undefined }) => turn !== undefined && 'end' in turn
const isBack = ({ turn }: { turn: Turn | undefined }) => turn !== undefined && 'againMs' in turn
function end({ turn }: { turn: Turn | undefined }, how: CallEnd): number {
  assert.ok(turn && 'end' in turn, 'the call has its turn')
  return turn.end(how)
}
function backOf({ turn }: { turn: Turn | undefined }): PutBack {
  assert.ok(turn && 'againMs' in turn, 'the call was put back')
  return turn
}

test('a receiver gets the next call when the one before has ended; another receiver does not wait', async (t) => {
  const { ask, settle } = receivers(t)
  const [first, second, other] = [ask(shop), ask(shop), ask(bank)]
  await settle()
  assert.deepEqual([has(first), has(second), has(other)], [true, false, true])
  end(first, good)
  await settle()
  assert.ok(has(second))
})

test('the troubles of one workspace with a host do not hold up another workspace that calls it', async (t) => {
  const { ask, settle } = receivers(t)
  for (let failures = 1; failures <= failuresMax; failures++) {
    const call = ask(shop, 1)
    await settle()
    end(call, { ...bad, askedMs: failures === failuresMax ? 60_000 : 0 })
  }
  const [own, another] = [ask(shop, 1), ask(shop, 2)]
  await settle()
  assert.deepEqual([isBack(own), has(another)], [true, true])
})

test('a call that takes long lets the next one begin, up to a number of open calls', async (t) => {
  const { ask, advance, settle } = receivers(t)
  const calls = Array.from({ length: callsOfReceiverMax + 1 }, () => ask(shop))
  for (let open = 1; open <= callsOfReceiverMax; open++) {
    await settle()
    assert.equal(calls.filter(has).length, open)
    advance(slowCallMs - 1)
    await settle()
    assert.equal(calls.filter(has).length, open)
    advance(1)
  }
  await settle()
  assert.equal(calls.filter(has).length, callsOfReceiverMax)
  end(calls[0]!, good)
  await settle()
  assert.equal(calls.filter(has).length, callsOfReceiverMax + 1)
})

test('a workspace has so many open calls, and no other waits for it', async (t) => {
  const { ask, settle } = receivers(t)
  const calls = Array.from({ length: callsOfWorkspaceMax + 1 }, (_, i) => ask(`https://a${i}.example`))
  const other = ask('https://b.example', 2)
  await settle()
  assert.deepEqual([calls.filter(has).length, has(other)], [callsOfWorkspaceMax, true])
  end(calls[0]!, good)
  await settle()
  assert.ok(has(calls.at(-1)!))
})

test('a call that waits for long is put back', async (t) => {
  const { ask, advance, settle } = receivers(t)
  const calls = Array.from({ length: callsOfReceiverMax + 1 }, () => ask(shop))
  for (let i = 0; i < callsOfReceiverMax; i++) {
    await settle()
    advance(slowCallMs)
  }
  await settle()
  const last = calls.at(-1)!
  assert.ok(!has(last) && !isBack(last))
  advance(slowCallMs)
  await settle()
  assert.ok(isBack(last))
})

test('after so many failures in a row a receiver gets one call as a test after a pause; what waits is put back', async (t) => {
  const { ask, advance, settle } = receivers(t)
  for (let failures = 1; failures < failuresMax; failures++) {
    const call = ask(shop)
    await settle()
    end(call, bad)
  }
  const [last, waits] = [ask(shop), ask(shop)]
  await settle()
  assert.deepEqual([has(last), has(waits), isBack(waits)], [true, false, false])
  end(last, bad)
  const after = ask(shop)
  await settle()
  assert.deepEqual([isBack(waits), isBack(after)], [true, true])
  const [one, two] = [waits, after].map(({ turn }) => (turn && 'againMs' in turn ? turn.againMs : 0))
  assert.ok(one! >= 1_000 && two! > one!, `${one} ${two}`)
  advance(1_000)
  const [tested, more] = [ask(shop), ask(shop)]
  await settle()
  assert.deepEqual([has(tested), isBack(more)], [true, true])
  end(tested, good)
  const fine = ask(shop)
  await settle()
  assert.ok(has(fine))
})

test('a receiver that asks for a pause gets no call until it is over', async (t) => {
  const { ask, advance, settle } = receivers(t)
  const first = ask(shop)
  await settle()
  end(first, { ...bad, askedMs: 60_000 })
  advance(59_999)
  const early = ask(shop)
  await settle()
  assert.ok(isBack(early))
  advance(1)
  const late = ask(shop)
  await settle()
  assert.ok(has(late))
})

test('a call whose turn would come too late at the pace of its receiver is put back at once', async (t) => {
  const { ask, advance, settle } = receivers(t)
  const paces = [
    [10, 16],
    [1_000, 5],
  ] as const
  for (const [i, [callMs, waitMax]] of paces.entries()) {
    const receiver = `https://pace${i}.example`
    for (let count = 0; count < 60; count++) {
      const call = ask(receiver)
      await settle()
      advance(callMs)
      end(call, good)
    }
    const [open, ...crowd] = Array.from({ length: waitMax + 2 }, () => ask(receiver))
    await settle()
    assert.ok(has(open!))
    const isQuick = callMs < 1_000
    assert.deepEqual(crowd.map(isBack), [...Array.from({ length: waitMax }, () => false), !isQuick])
    if (!isQuick) assert.equal(backOf(crowd.at(-1)!).busyMs, 0)
  }
})

test('a call that is put back says for how long its receiver has taken none', async (t) => {
  const { ask, advance, settle } = receivers(t)
  for (let failures = 1; failures <= failuresMax; failures++) {
    const call = ask(shop)
    await settle()
    assert.equal(end(call, { ...bad, askedMs: 60_000 }), (failures - 1) * 60_000)
    const back = ask(shop)
    await settle()
    assert.equal(backOf(back).busyMs, (failures - 1) * 60_000)
    advance(60_000)
  }
  const call = ask(shop)
  await settle()
  assert.equal(end(call, good), 0)
})

test('a receiver that was not reached is a trouble of those who called it until it was reached again', async (t) => {
  const { all, ask, settle } = receivers(t)
  assert.equal(all.trouble(), undefined)
  const first = ask(shop)
  await settle()
  end(first, { ...bad, unreached: 'connection refused' })
  for (const workspace_id of [undefined, 1])
    assert.deepEqual(all.trouble(workspace_id), { cause: 'connection refused', isOpen: true })
  assert.equal(all.trouble(2), undefined)
  const second = ask(shop)
  await settle()
  end(second, good)
  assert.equal(all.trouble(), undefined)
})
