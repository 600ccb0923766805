import assert from 'node:assert/strict'
import test from 'node:test'
import {
  chooseSends,
  openSendsMax,
  workspaceSendsMax,
  workspacesWithRoom,
} from '../../src/messaging/statuses/choose-sends.ts'
import { many } from '../support/people.ts'

const due = (...counts: readonly (readonly [workspace_id: number, count: number])[]) =>
  counts.flatMap(([workspace_id, count]) => many(count, (i) => ({ workspace_id, dispatch_id: `${workspace_id}-${i}` })))
const chosen = (sends: ReturnType<typeof due>, open: readonly (readonly [number, number])[] = []) =>
  chooseSends(sends, new Map(open)).map(({ dispatch_id }) => dispatch_id)

for (const open of [0, 1, workspaceSendsMax - 1, workspaceSendsMax]) {
  test(`a workspace with ${open} open sends gets as many as its share has room for`, () => {
    const room = workspaceSendsMax - open
    for (const count of [room - 1, room, room + 1].filter((each) => each >= 0)) {
      const want = many(Math.min(count, room), (i) => `1-${i}`)
      assert.deepEqual(chosen(due([1, count]), [[1, open]]), want)
    }
    assert.deepEqual(workspacesWithRoom([1, 2], new Map([[1, open]])), room > 0 ? [1, 2] : [2])
  })
}

test('workspaces are chosen in turn, the one with the fewest open sends first', () => {
  assert.deepEqual(chosen(due([1, 3], [2, 2], [3, 1])), ['1-0', '2-0', '3-0', '1-1', '2-1', '1-2'])
  assert.deepEqual(chosen(due([1, 3], [2, 2]), [[1, 2]]), ['2-0', '2-1', '1-0', '1-1', '1-2'])
})

test('whatever is due, together they get no more than there is, and something is left for one more', () => {
  for (const count of [1, 2, 3, 4, 5, 8, 40]) {
    const sends = due(...many(count, (i) => [i + 1, 100] as const))
    const open = new Map<number, number>()
    for (const { workspace_id } of chooseSends(sends, open)) open.set(workspace_id, (open.get(workspace_id) ?? 0) + 1)
    const all = open.values().reduce((sum, own) => sum + own, 0)
    assert.ok(all < openSendsMax, `${count}: ${all}`)
    assert.deepEqual(chosen(sends, [...open]), [], `${count} have their share`)
    assert.deepEqual(workspacesWithRoom([...open.keys()], open), [], `${count} have no room`)
    if (count < openSendsMax / 2) assert.deepEqual(chosen(due([99, 1]), [...open]).slice(0, 1), ['99-0'])
  }
})
