import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { axisOf } from '../../dashboard/src/pages/flows/run-axis.ts'
import { type Run, stepsOfRun } from '../../dashboard/src/pages/flows/run-steps.ts'
import { seed, sizes } from '../sizes.ts'

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000]
const options = { seed, numRuns: sizes.propertyRuns }

describe('the axis of time of a run', () => {
  test('a week in which nothing happens is cut, and the hours around it are not', () => {
    const { cuts, at } = axisOf([0, hourMs, 2 * hourMs, 7 * dayMs, 7 * dayMs + hourMs])
    assert.deepEqual(
      cuts.map(({ fromMs, untilMs }) => [fromMs, untilMs]),
      [[2 * hourMs, 7 * dayMs]],
    )
    const shown = [at(hourMs) - at(0), at(2 * hourMs) - at(hourMs), at(7 * dayMs + hourMs) - at(7 * dayMs)]
    for (const width of shown) assert.ok(Math.abs(width - 25) < 0.01, `${shown}`)
    assert.equal(at(7 * dayMs) - at(2 * hourMs), 25)
  })

  for (const [what, moments, cut] of [
    ['equal times', [0, dayMs, 2 * dayMs, 3 * dayMs], 0],
    ['one time', [0, 60 * dayMs], 0],
    ['seconds, then two equal weeks', [0, 1_000, 7 * dayMs, 14 * dayMs - 1_000], 2],
    ['an hour and two', [0, hourMs, 3 * hourMs], 0],
    ['a minute, an hour, a day and a month', [0, minuteMs, hourMs, dayMs, 30 * dayMs], 3],
  ] as const) {
    test(`of ${what}, ${cut} are cut`, () => assert.equal(axisOf(moments).cuts.length, cut))
  }

  test('without moments, or with one, everything is at the left', () => {
    assert.equal(axisOf([]).at(5), 0)
    assert.deepEqual([axisOf([5]).at(5), axisOf([5]).labels], [0, [5]])
  })

  test('moments keep their order and fill the drawing, and labels have room', () => {
    const moments = fc.array(fc.integer({ min: 0, max: 90 * dayMs }), { minLength: 2, maxLength: 60 })
    fc.assert(
      fc.property(moments, (given) => {
        const { at, cuts, labels } = axisOf(given)
        const times = [...new Set(given)].sort((a, b) => a - b)
        const places = times.map(at)
        for (const [i, place] of places.entries()) assert.ok(i === 0 || place > places[i - 1]!, `${places}`)
        if (times.length > 1) assert.ok(Math.abs(places.at(-1)! - 100) < 1e-6 && places[0] === 0)
        const room = labels.map(at)
        for (const [i, place] of room.entries()) assert.ok(i === 0 || times.length === 1 || place - room[i - 1]! >= 39)
        for (const { left, width } of cuts) assert.ok(width > 0 && left >= 0 && left + width <= 100 + 1e-6)
      }),
      options,
    )
  })
})

describe('the steps of a run', () => {
  const at = (hours: number) => new Date(hours * hourMs).toISOString()
  const hop = (step: string, hours: number, path: string | null = null) => {
    return { step, step_name: step.toUpperCase(), at: at(hours), path }
  }
  const run = (entry: object, messages: object[] | null = []) =>
    ({
      entry: {
        ...{ is_open: true, trail_is_whole: true, arrived_at: at(5), until: at(29), ended_at: null, step: 'wait' },
        ...entry,
      },
      messages,
    }) as unknown as Run
  const message = (step: string, visit: number, id = `${step}${visit}`) => {
    return { message_id: id, step: { id: step, name: null }, visit }
  }

  test('each step has its time, its path and its messages, also when it is reached again', () => {
    const trail = [hop('hi', 1), hop('ask', 2), hop('hi', 3, 'yes'), hop('wait', 5)]
    const { steps, others } = stepsOfRun(run({ trail }, [message('hi', 2), message('hi', 1), message('gone', 1)]))
    assert.deepEqual(
      steps.map(({ name, visit, path, taken, fromMs, untilMs, isHere, messages }) => {
        const ids = messages.map(({ message_id }) => message_id)
        return [name, visit, path, taken, fromMs / hourMs, untilMs! / hourMs, isHere, ...ids]
      }),
      [
        ['HI', 1, null, null, 1, 2, false, 'hi1'],
        ['ASK', 1, null, 'yes', 2, 3, false],
        ['HI', 2, 'yes', null, 3, 5, false, 'hi2'],
        ['WAIT', 1, null, null, 5, 29, true],
      ],
    )
    assert.deepEqual(
      others.map(({ message_id }) => message_id),
      ['gone1'],
    )
  })

  test('what ended is at no step, and the last step ends with it', () => {
    const ended = { is_open: false, arrived_at: null, until: null, ended_at: at(9), trail: [hop('hi', 1)] }
    const [step] = stepsOfRun(run(ended)).steps
    assert.deepEqual([step!.isHere, step!.isLast, step!.untilMs], [false, true, 9 * hourMs])
  })

  test('a trail that is not whole does not say when its last step was left', () => {
    const cut = { trail_is_whole: false, arrived_at: null, trail: [hop('hi', 1)] }
    for (const more of [{}, { is_open: false, ended_at: at(9) }]) {
      const [step] = stepsOfRun(run({ ...cut, ...more })).steps
      assert.deepEqual([step!.isHere, step!.isLast, step!.untilMs], [false, false, undefined])
    }
  })

  test('without the messages there are the steps', () => {
    assert.equal(stepsOfRun(run({ trail: [hop('hi', 1)] }, null)).steps.length, 1)
  })
})
