import assert from 'node:assert/strict'
import test from 'node:test'
import { describeChanges } from '../../src/messaging/flows/describe-changes.ts'
import { shownChangesMax, shownValueCharactersMax } from '../../src/messaging/flows/schema.ts'
import { authorsOf, writingMs } from '../../src/messaging/inspect/authors.ts'
import { wilsonShare } from '../../src/messaging/inspect/wilson.ts'

const hello = { id: 'hello', type: 'message', message: { subject: 'Hi', body: 'One' }, next: 'wait' }
const wait = { id: 'wait', type: 'delay', for: 'P3D' }
const act = {
  ...{ id: 'act', type: 'action_paths', within: 'P2D', otherwise: 'wait' },
  paths: [{ name: 'Bought', event: 'bought', next: 'hello' }],
}
const walk = { first: 'hello', quiet_hours: 'hold', steps: [hello, wait] }
const long = (last: string) => 'x'.repeat(shownValueCharactersMax) + last

const cases: Readonly<Record<string, [before: object, after: object, changes: string[]]>> = {
  'nothing differs': [walk, { ...walk, steps: [hello, { ...wait }] }, []],
  'a step was added': [walk, { ...walk, steps: [hello, wait, act] }, ['Step "act" was added']],
  'a step was removed': [walk, { ...walk, steps: [hello] }, ['Step "wait" was removed']],
  'a subject changed': [
    walk,
    { ...walk, steps: [{ ...hello, message: { ...hello.message, subject: 'Ho' } }, wait] },
    ['Subject of "hello" changed from "Hi" to "Ho"'],
  ],
  'members of a step changed': [
    walk,
    {
      ...walk,
      steps: [
        { ...hello, next: undefined },
        { ...wait, for: 'P4D' },
      ],
    },
    ['Next step of "hello" was removed: "wait"', 'Delay of "wait" changed from "P3D" to "P4D"'],
  ],
  'paths of a step changed': [
    { steps: [act] },
    {
      steps: [
        {
          ...act,
          paths: [
            { ...act.paths[0], next: 'wait' },
            { name: 'Looked', event: 'looked' },
          ],
        },
      ],
    },
    ['Path "Looked" of "act" was added', 'Next step of the path "Bought" of "act" changed from "hello" to "wait"'],
  ],
  'conditions changed': [
    { segment: { segment_id: 'a' }, steps: [] },
    { segment: { segment_id: 'b' }, exit: { events: ['left'] }, steps: [] },
    ['Segment changed', 'Exit was added'],
  ],
  'rules changed': [
    walk,
    { ...walk, quiet_hours: 'skip', control_percent: 10 },
    ['Quiet hours changed from "hold" to "skip"', 'Control percent was added: 10'],
  ],
  'variants changed': [
    {
      variants: [
        { name: 'A', percent: 50 },
        { name: 'B', percent: 50 },
      ],
    },
    {
      variants: [
        { name: 'A', percent: 60 },
        { name: 'B', percent: 40 },
      ],
    },
    ['Percent of the variant "A" changed from 50 to 60', 'Percent of the variant "B" changed from 50 to 40'],
  ],
  'the order of steps changed': [walk, { ...walk, steps: [wait, hello] }, ['The order of the steps changed']],
  'variants came': [
    { first: 'hello' },
    { variants: [{ name: 'A', first: 'hello' }] },
    ['First step was removed: "hello"', 'Variant "A" was added'],
  ],
  'the end of a long text changed': [
    { messages: [{ name: 'One', email: { body: long('a') } }] },
    { messages: [{ name: 'One', email: { body: long('b') } }] },
    [`Body of the message "One" changed after its first ${shownValueCharactersMax} characters`],
  ],
  'a long text came': [
    { messages: [{ name: 'One', email: { body: 'a' } }] },
    { messages: [{ name: 'One', email: { body: long('b') } }] },
    [`Body of the message "One" changed from "a" to ${JSON.stringify(`${long('')}...`)}`],
  ],
}

for (const [name, [before, after, changes]] of Object.entries(cases)) {
  test(`the difference in words: ${name}`, () => {
    const plain = (value: object) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>
    assert.deepEqual(describeChanges(plain(before), plain(after)), { changes, has_more_changes: false })
  })
}

for (const count of [shownChangesMax - 1, shownChangesMax, shownChangesMax + 1]) {
  test(`${count} differences are told up to ${shownChangesMax}`, () => {
    const steps = Array.from({ length: count }, (_, i) => ({ id: `s${i}` }))
    const { changes, has_more_changes } = describeChanges({ steps: [] }, { steps })
    assert.deepEqual([changes.length, has_more_changes], [Math.min(count, shownChangesMax), count > shownChangesMax])
  })
}

test('a version is by who wrote its definition in the same moment', () => {
  const version = (number: number, ms: number) => ({ version: number, created_at: new Date(ms) })
  const write = (name: string, ms: number, ...members: string[]) => {
    return { time: new Date(ms), actor_kind: 'account', actor_id: name, actor_name: name, members }
  }
  const hour = 3_600_000
  const versions = [version(5, 4 * hour), version(4, 3 * hour), version(3, hour), version(2, hour), version(1, 0)]
  const writes = [
    write('late', 4 * hour + writingMs, 'steps'),
    write('renamed', 3 * hour + 1, 'name'),
    write('bea', 3 * hour, 'steps', 'name'),
    write('cid', hour, 'steps'),
    write('dan', hour, 'first'),
  ]
  const authors = authorsOf(versions, writes, ['first', 'steps'])
  assert.deepEqual(
    [...authors].map(([number, { name }]) => [number, name]),
    [
      [4, 'bea'],
      [3, 'cid'],
      [2, 'dan'],
    ],
  )
})

// The values of Wilson's score interval without continuity correction.
for (const [hits, tries, share] of [
  [0, 0, undefined],
  [0, 10, { rate: 0, low: 0, high: 0.277533 }],
  [10, 10, { rate: 1, low: 0.722467, high: 1 }],
  [1, 10, { rate: 0.1, low: 0.017876, high: 0.40415 }],
  [81, 263, { rate: 0.307985, low: 0.255289, high: 0.366209 }],
  [50, 100, { rate: 0.5, low: 0.403832, high: 0.596168 }],
  [3, 2, { rate: 1, low: 0.34238, high: 1 }],
] as const) {
  test(`the interval of ${hits} out of ${tries}`, () => {
    const found = wilsonShare(hits, tries)
    if (share === undefined || found === undefined) assert.equal(found, share)
    else
      for (const member of ['rate', 'low', 'high'] as const)
        assert.ok(Math.abs(found[member] - share[member]) < 2e-6, JSON.stringify(found))
  })
}
