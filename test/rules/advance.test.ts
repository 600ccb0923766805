import assert from 'node:assert/strict'
import test from 'node:test'
import { type Entry, entryStates } from '../../src/messaging/entries/entry.ts'
import { advance, endedPosition, firstPosition, questionsFor, visitsMax } from '../../src/messaging/journeys/advance.ts'
import type { EntryMove, Happening } from '../../src/messaging/journeys/happening.ts'
import { enteredMs, entryOf, event, graphOf, message, segment, signal } from '../support/graphs.ts'

const hourMs = 3_600_000
const graph = graphOf(
  [
    message('mail', 'wait'),
    { id: 'wait', type: 'delay', wait: { forMs: hourMs }, next: 'act' },
    {
      id: 'act',
      type: 'action_paths',
      withinMs: 2 * hourMs,
      paths: [
        { name: 'a', next: 'thanks', on: event('bought') },
        { name: 'b', next: undefined, on: event('looked') },
      ],
      otherwise: 'hook',
    },
    {
      id: 'hook',
      type: 'webhook',
      url: 'https://example.com',
      method: 'POST',
      headers: {},
      body: undefined,
      next: 'tag',
    },
    { id: 'tag', type: 'update_user', attributes: { seen: true }, next: 'pick' },
    {
      id: 'pick',
      type: 'decision',
      condition: segment('rich'),
      yes: 'thanks',
      no: undefined,
    },
    message('thanks'),
  ],
  { exit: { on: [event('left')], condition: segment('gone') } },
)
const facts = new Map([
  ['exit', false],
  ['steps.pick', true],
])

/** Moves an entry two hours after it began, or after `more.hours`. */
function move(
  entry: Entry,
  happening: Happening,
  more: { facts?: Map<string, boolean>; hours?: number } = {},
): EntryMove {
  const when = { nowMs: enteredMs + (more.hours ?? 2) * hourMs, zone: 'UTC' }
  return advance(graph, entry, happening, more.facts ?? facts, when)
}

/** Writes a move as `arriving act 2 +1h: message mail 1`: state, step, visit, hours from the beginning until it is due, effects. */
function shown({ position, effects, why }: EntryMove): string {
  const { state, ended, step, visit, dueMs } = position
  const due = dueMs === undefined ? '' : ` +${(dueMs - enteredMs) / hourMs}h`
  const where = state === 'ended' ? `ended ${ended}` : `${state} ${step} ${visit}${due}`
  const done = effects.map((effect) => Object.values(effect).join(' ')).join(', ')
  assert.equal(why?.reason, state === 'ended' && ended !== 'completed' ? ended : undefined)
  return done ? `${where}: ${done}` : where
}

function at(state: Entry['state'], step: string, dueHours: number | undefined, visit = 1): Entry {
  const dueMs = dueHours === undefined ? undefined : enteredMs + dueHours * hourMs
  return entryOf({ state, step, visit, visits: { [step]: visit }, dueMs })
}

const happenings = {
  due: { kind: 'due' },
  'another event': { kind: 'signal', signal: signal('else') },
  'the event of a path': { kind: 'signal', signal: signal('bought') },
  'the event of the last path': { kind: 'signal', signal: signal('looked') },
  'an exit event': { kind: 'signal', signal: signal('left') },
  stopped: { kind: 'stopped' },
} as const satisfies Record<string, Happening>
type HappeningName = keyof typeof happenings

const stops: Partial<Record<HappeningName, string>> = {
  'an exit event': 'ended exited',
  stopped: 'ended cancelled',
}

/** Every state, and what each happening does in it. A happening that is not named does nothing. */
const table: readonly [Entry, Partial<Record<HappeningName, string>>][] = [
  [at('arriving', 'mail', 1), { ...stops, due: 'sending mail 1: message mail 1' }],
  [at('arriving', 'mail', 1, 7), { ...stops, due: 'sending mail 7: message mail 7' }],
  [at('arriving', 'wait', 1), { ...stops, due: 'waiting wait 1 +2h' }],
  [at('arriving', 'act', 1), { ...stops, due: 'listening act 1 +3h' }],
  [at('arriving', 'hook', 1), { ...stops, due: 'sending hook 1: message hook 1' }],
  [at('arriving', 'tag', 1), { ...stops, due: 'arriving pick 1 +1h: update_user tag 1' }],
  [at('arriving', 'pick', 1), { ...stops, due: 'arriving thanks 1 +1h' }],
  [at('waiting', 'wait', 1), { ...stops, due: 'arriving act 1 +1h' }],
  [at('waiting', 'mail', 2), { ...stops, due: 'arriving wait 1 +2h' }],
  [at('waiting', 'thanks', 2), { ...stops, due: 'ended completed' }],
  [at('waiting', 'hook', 2), { ...stops, due: 'arriving tag 1 +2h' }],
  [
    at('listening', 'act', 2),
    {
      ...stops,
      due: 'arriving hook 1 +2h',
      'the event of a path': 'arriving thanks 1 +2h',
      'the event of the last path': 'ended completed',
    },
  ],
  [
    at('sending', 'mail', undefined),
    {
      'an exit event': 'ended exited: cancel_messages exited',
      stopped: 'ended cancelled: cancel_messages cancelled',
    },
  ],
  [
    at('sending', 'hook', undefined),
    {
      'an exit event': 'ended exited: cancel_messages exited',
      stopped: 'ended cancelled: cancel_messages cancelled',
    },
  ],
  [entryOf({ state: 'ended', ended: 'completed', step: 'mail', dueMs: undefined }), {}],
]

test('each happening does in each state what the table says', () => {
  assert.deepEqual(new Set(table.map(([{ state }]) => state)), new Set(entryStates))
  for (const [entry, expected] of table) {
    for (const [name, happening] of Object.entries(happenings)) {
      const what = `${entry.state} at ${entry.step}, ${name}`
      const moved = move(entry, happening)
      const wanted = expected[name as HappeningName]
      if (wanted === undefined) assert.equal(moved.position, entry, what)
      else assert.equal(shown(moved), wanted, what)
    }
  }
})

test('an entry does not move before it is due, and moves at any time after that', () => {
  for (const state of ['arriving', 'waiting', 'listening'] as const) {
    const entry = at(state, state === 'arriving' ? 'mail' : state === 'waiting' ? 'wait' : 'act', 2)
    assert.equal(move(entry, { kind: 'due' }, { hours: 2 - 1 / hourMs }).position, entry)
    assert.notEqual(move(entry, { kind: 'due' }, { hours: 2 }).position, entry)
    // The next due time is counted from the planned time, also when the worker is late.
    assert.deepEqual(move(entry, { kind: 'due' }, { hours: 90 }), move(entry, { kind: 'due' }, { hours: 2 }))
  }
})

test('an exit condition is evaluated before each step and for each signal, and at no other time', () => {
  const gone = new Map(facts).set('exit', true)
  const exit = { key: 'exit', condition: segment('gone') }
  for (const [entry] of table) {
    for (const [name, happening] of Object.entries(happenings)) {
      const what = `${entry.state} at ${entry.step}, ${name}`
      const runs = entry.state === 'arriving' && happening.kind === 'due'
      const isEvaluated = runs || (entry.state !== 'ended' && happening.kind === 'signal')
      assert.deepEqual(questionsFor(graph, entry, happening).slice(0, 1), isEvaluated ? [exit] : [], what)
      const { position, effects } = move(entry, happening, { facts: gone })
      if (isEvaluated) assert.equal(position.ended, 'exited', what)
      else assert.deepEqual(position, move(entry, happening).position, what)
      const isCancelled = entry.state === 'sending' && position.state === 'ended'
      if (isEvaluated) assert.equal(effects.length, isCancelled ? 1 : 0, what)
    }
  }
})

test('a condition that was not evaluated is an error and does not count as false', () => {
  const none = new Map<string, boolean>()
  assert.throws(() => move(at('arriving', 'mail', 1), { kind: 'due' }, { facts: none }), /exit/)
  assert.throws(
    () => move(at('arriving', 'pick', 1), { kind: 'due' }, { facts: new Map([['exit', false]]) }),
    /steps.pick/,
  )
})

test('an entry takes the first path whose condition holds, else the path for everyone else', () => {
  const paths = ['one', 'two'].map((name) => ({ name, next: name, condition: segment(name) }))
  const split = graphOf([
    { id: 'split', type: 'paths', paths, otherwise: 'three' },
    ...['one', 'two', 'three'].map((id) => message(id)),
  ])
  const entry = entryOf(firstPosition('split', enteredMs))
  const keys = questionsFor(split, entry, { kind: 'due' }).map(({ key }) => key)
  assert.deepEqual(keys, ['steps.split.paths[0]', 'steps.split.paths[1]'])
  const taken = ([first, second]: readonly boolean[]) => {
    const answers = new Map([
      [keys[0]!, first!],
      [keys[1]!, second!],
    ])
    return advance(split, entry, { kind: 'due' }, answers, { nowMs: enteredMs, zone: 'UTC' }).position.step
  }
  assert.deepEqual(
    [
      [true, true],
      [true, false],
      [false, true],
      [false, false],
    ].map(taken),
    ['one', 'one', 'two', 'three'],
  )
})

test('an entry takes an action path for events from its beginning until the end of the window', () => {
  const entry = at('listening', 'act', 2)
  const took = (timeHours: number, nowHours: number, atHours?: number) => {
    const atMs = atHours === undefined ? {} : { atMs: enteredMs + atHours * hourMs }
    const happening = {
      kind: 'signal',
      signal: signal('bought', { timeMs: enteredMs + timeHours * hourMs, ...atMs }),
    } as const
    const moved = move(entry, happening, { hours: nowHours })
    return moved.position === entry ? 'no' : shown(moved)
  }
  const tick = 1 / hourMs
  const cases: readonly [string, string][] = [
    [took(-tick, 1), 'no'],
    [took(0, 1), 'arriving thanks 1 +1h'],
    [took(1, 1), 'arriving thanks 1 +1h'],
    [took(2, 2), 'arriving thanks 1 +2h'],
    [took(2 + tick, 2 + tick), 'no'],
    // Accepted in the window, and evaluated after its end but before the entry moved on.
    [took(1.5, 3, 1.75), 'arriving thanks 1 +1.75h'],
    [took(1.5, 3), 'arriving thanks 1 +2h'],
    // An event from a clock that is ahead, and an event that was accepted before the entry listened.
    [took(900, 1), 'arriving thanks 1 +1h'],
    [took(0, 1, -1), 'arriving thanks 1 +0h'],
  ]
  for (const [i, [got, expected]] of cases.entries()) assert.equal(got, expected, `case ${i}`)
})

test('a path may compare properties with those of the event that made the person enter', () => {
  const on = event('bought', [{ property: 'price', comparison: 'greater_than', value: 10 }], ['cart'])
  const cart = graphOf([
    {
      id: 'act',
      type: 'action_paths',
      withinMs: hourMs,
      paths: [{ name: 'a', next: undefined, on }],
      otherwise: 'mail',
    },
    message('mail'),
  ])
  const entry = (event: Entry['event']) => entryOf({ ...firstPosition('act', enteredMs), state: 'listening', event })
  const ends = (event: Entry['event'], properties: Record<string, unknown>) =>
    advance(cart, entry(event), { kind: 'signal', signal: signal('bought', { properties }) }, facts, {
      nowMs: enteredMs,
      zone: 'UTC',
    }).position.state === 'ended'
  assert.equal(ends({ cart: 7 }, { cart: 7, price: 11 }), true)
  assert.equal(ends({ cart: 7 }, { cart: 7, price: 10 }), false)
  assert.equal(ends({ cart: 7 }, { cart: 8, price: 11 }), false)
  assert.equal(ends(null, { cart: 7, price: 11 }), false)
})

test('an exit event ends the entry whatever the time of the event', () => {
  for (const timeMs of [0, enteredMs - 1, enteredMs, enteredMs + 900 * hourMs]) {
    const moved = move(at('waiting', 'wait', 1), { kind: 'signal', signal: signal('left', { timeMs }) })
    assert.equal(shown(moved), 'ended exited')
    assert.deepEqual(moved.why?.inputs, { kind: 'event', name: 'left', time: new Date(timeMs).toISOString() })
  }
})

test('an entry arrives at a step at most 100 times and ends at the next arrival', () => {
  const visits = (count: number) => ({ mail: 3, act: count })
  const left = (count: number) =>
    move(entryOf({ state: 'waiting', step: 'wait', visit: 1, visits: visits(count) }), { kind: 'due' })
  assert.deepEqual(left(visitsMax - 2).position.visits, visits(visitsMax - 1))
  assert.equal(shown(left(visitsMax - 1)), `arriving act ${visitsMax} +0h`)
  assert.equal(shown(left(visitsMax)), 'ended exited')
  assert.deepEqual(left(visitsMax).why, {
    reason: 'exited',
    rule: 'an entry arrives at a step at most 100 times',
    inputs: { step: 'act' },
  })
})

test('an entry of an order that begins later evaluates segment and audience again, once, at its first step', () => {
  const later = graphOf([message('mail', 'again'), message('again')], { segment: segment('rich') })
  const due = { kind: 'due' } as const
  const when = { nowMs: enteredMs + hourMs, zone: 'UTC' }
  const dispatch_id = '0f4c0000-0000-4000-8000-000000000002'
  const entry = entryOf({ ...firstPosition('mail', enteredMs + hourMs), dispatch_id })
  assert.deepEqual(questionsFor(later, entry, due), [{ key: 'segment', condition: segment('rich') }])
  const begun = (answers: Record<string, boolean>) =>
    shown(advance(later, entry, due, new Map(Object.entries(answers)), when))
  assert.equal(begun({ segment: true }), 'sending mail 1: message mail 1')
  assert.equal(begun({ segment: true, audience: true }), 'sending mail 1: message mail 1')
  assert.equal(begun({ segment: true, audience: false }), 'ended not_in_audience')
  assert.equal(begun({ segment: false, audience: false }), 'ended not_in_segment')
  assert.throws(() => begun({}), /segment/)
  assert.deepEqual(questionsFor(later, entryOf({ ...firstPosition('mail', enteredMs), dispatch_id }), due), [])
  assert.deepEqual(questionsFor(later, entryOf(firstPosition('mail', enteredMs + hourMs)), due), [])
  const second = entryOf({ dispatch_id, step: 'again', visits: { mail: 1, again: 1 }, dueMs: enteredMs + hourMs })
  assert.deepEqual(questionsFor(later, second, due), [])
})

test('a person who does not enter gets an ended entry, and a step may have the name of a prototype member', () => {
  assert.deepEqual(endedPosition('control_group'), {
    state: 'ended',
    ended: 'control_group',
    step: '',
    visit: 0,
    visits: {},
    dueMs: undefined,
  })
  for (const name of ['constructor', '__proto__', 'toString', '']) {
    const odd = graphOf([message('mail', name), message(name)])
    const { position } = advance(odd, at('waiting', 'mail', 0), { kind: 'due' }, facts, {
      nowMs: enteredMs,
      zone: 'UTC',
    })
    assert.deepEqual([position.step, position.visit, Object.hasOwn(position.visits, name)], [name, 1, true])
    assert.equal(Object.getPrototypeOf(position.visits), Object.prototype)
  }
})
