import type { Random } from '../../bench/random.ts'
import { mail } from '../support/messages.ts'
import { type Item, many } from '../support/people.ts'

/** The actions at one moment: first on canvases, then on people, with at most one action for each person. */
export type Moment = {
  readonly turns: readonly { readonly canvas: string; readonly verb: 'pause' | 'resume' | 'stop' }[]
  readonly published: readonly Item[]
  readonly triggers: readonly { readonly canvas: string; readonly people: readonly string[] }[]
  readonly events: readonly { readonly person: string; readonly name: string; readonly cart: number }[]
  readonly changes: readonly { readonly person: string; readonly plan: string }[]
}

export type ScaledProgram = {
  readonly canvases: readonly Item[]
  readonly people: readonly { readonly id: string; readonly plan: string }[]
  readonly moments: readonly Moment[]
}

/** Units between two moments. */
export const apartUnits = 4
/**
 * Every wait is a multiple of that plus one unit, and nobody waits more than three times in a row. So due times are at least one unit
 * apart from the next actions.
 */
const waits = ['{1}', '{5}'] as const
const waitsMax = 3
const plans = ['gold', 'silver']
const eventNames = ['begin', 'turn', 'leave']

/** Replaces waits in units, such as `{3}`, by durations. */
export function inUnits<T>(given: T, unitMs: number): T {
  const seconds = (_: string, units: string) => `"PT${(Number(units) * unitMs) / 1_000}S"`
  return JSON.parse(JSON.stringify(given).replace(/"\{(\d+)\}"/g, seconds)) as T
}

export function drawScaled(
  chance: Random,
  canvasCount: number,
  peopleCount: number,
  momentCount: number,
): ScaledProgram {
  const canvases = many(canvasCount, (i) => drawCanvas(chance, `c${i}`))
  const people = many(peopleCount, (i) => ({ id: `p${i}`, plan: chance.pick(plans) }))
  const states = new Map(canvases.map(({ id }) => [id as string, 'active']))
  const moments = many(momentCount, (i) => drawMoment(chance, canvases, people, states, i === momentCount - 1))
  return { canvases, people, moments }
}

function drawMoment(
  chance: Random,
  canvases: readonly Item[],
  people: readonly { readonly id: string }[],
  states: Map<string, string>,
  isLast: boolean,
): Moment {
  const turns = [...states].flatMap(([canvas, state]): Moment['turns'][number][] => {
    if (state === 'paused') {
      if (!isLast && chance.below(2) === 0) return []
      states.set(canvas, 'active')
      return [{ canvas, verb: 'resume' }]
    }
    const what = chance.below(12)
    if (isLast || state !== 'active' || what > 2) return []
    states.set(canvas, what === 0 ? 'stopped' : 'paused')
    return [{ canvas, verb: what === 0 ? 'stop' : 'pause' }]
  })
  const active = canvases.filter(({ id }) => states.get(id as string) === 'active')
  const published = active.filter(() => chance.below(6) === 0).map(({ id }) => drawCanvas(chance, id as string))
  const triggered = new Map<string, string[]>()
  const events: Moment['events'][number][] = []
  const changes: Moment['changes'][number][] = []
  for (const { id: person } of people) {
    const what = chance.below(10)
    if (what < 4) triggered.getOrInsertComputed(chance.pick([...states.keys()]), () => []).push(person)
    else if (what < 8) events.push({ person, name: chance.pick(eventNames), cart: chance.below(2) })
    else if (what < 9) changes.push({ person, plan: chance.pick(plans) })
  }
  return {
    turns,
    published,
    triggers: [...triggered].map(([canvas, own]) => ({ canvas, people: own })),
    events,
    changes,
  }
}

/** Draws a canvas. Re-entry, events and the control group depend on its number, so that later versions have the same ones. */
function drawCanvas(chance: Random, id: string): Item {
  const number = Number(id.slice(1))
  const byEvent = number % 2 === 1
  const steps = many(3 + chance.below(4), (i) => `s${i}`)
  const isSplit = number % 3 === 0
  let left = waitsMax
  const drawn = steps.map((step, i) => {
    const made = drawStep(chance, {
      id: step,
      subject: `${id} ${step}`,
      after: steps.slice(i + 1),
      byEvent,
      mayWait: left > 0,
    })
    if (made.type === 'delay' || made.type === 'action_paths') left--
    return made
  })
  return {
    ...{ id, name: id, state: 'active', control_percent: number === 1 ? 30 : 0 },
    class: number % 2 === 0 ? 'marketing' : 'transactional',
    entry: {
      by: byEvent ? ['api', 'event'] : ['api'],
      ...(byEvent && { event: 'begin' }),
      again: (['always', { after: '{5}' }, 'never', 'always'] as const)[number % 4],
    },
    ...(chance.below(2) === 0 && { exit: { events: ['leave'] } }),
    ...(isSplit ? { variants: ['s0', 's1'].map((first) => ({ name: first, percent: 50, first })) } : { first: 's0' }),
    steps: drawn,
  }
}

type StepContext = {
  readonly id: string
  readonly subject: string
  readonly after: readonly string[]
  readonly byEvent: boolean
  readonly mayWait: boolean
}

function drawStep(chance: Random, { id, subject, after, byEvent, mayWait }: StepContext): Item {
  const [straight] = after
  const to = (member: string, step: string | undefined) => (step === undefined ? {} : { [member]: step })
  const onward = () => (chance.below(after.length + 1) === 0 ? undefined : chance.pick(after))
  const next = to('next', straight)
  const what = chance.below(8)
  if (what < 3 && mayWait) return { id, type: 'delay', for: chance.pick(waits), ...next }
  if (what === 3 && mayWait) {
    const same = byEvent && chance.below(2) === 0 ? { same: ['cart'] } : {}
    const paths = [{ name: 'turned', event: 'turn', ...same, ...next }]
    return { id, type: 'action_paths', within: chance.pick(waits), paths, ...to('otherwise', onward()) }
  }
  if (what === 4)
    return { id, type: 'decision', audience: planIs(chance), ...to('yes', straight), ...to('no', onward()) }
  if (what === 5) return { id, type: 'update_user', attributes: { did: { inc: 1 } }, ...next }
  return { id, type: 'message', channel: 'email', message: mail({ subject }), ...next }
}

function planIs(chance: Random): Item {
  const custom_attribute = { custom_attribute_name: 'plan', comparison: 'equals', value: chance.pick(plans) }
  return { AND: [{ custom_attribute }] }
}
