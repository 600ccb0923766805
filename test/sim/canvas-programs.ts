import type { Random } from '../../bench/random.ts'
import { mail } from '../support/messages.ts'
import { many } from '../support/people.ts'

export type Test = { readonly comparison: 'greater_than'; readonly value: number }
export type ListenedEvent = {
  readonly event: string
  readonly properties?: { readonly n: Test }
  readonly same?: readonly ['cart']
}
type Audience = { readonly AND: readonly [{ readonly custom_attribute: { readonly value: string } }] }
type Way = { readonly next?: string }

/** Steps in the form of the workspace file. */
export type StepGiven = { readonly id: string } & (
  | (Way & { readonly type: 'message'; readonly channel: 'email'; readonly message: object })
  | (Way & { readonly type: 'delay'; readonly for: string })
  | (Way & { readonly type: 'delay'; readonly until: string; readonly weekdays?: readonly string[] })
  | { readonly type: 'decision'; readonly audience: Audience; readonly yes?: string; readonly no?: string }
  | {
      readonly type: 'paths'
      readonly paths: readonly (Way & { name: string; audience: Audience })[]
      readonly otherwise?: string
    }
  | {
      readonly type: 'action_paths'
      readonly within: string
      readonly paths: readonly (Way & ListenedEvent & { name: string })[]
      readonly otherwise?: string
    }
  | (Way & { readonly type: 'update_user'; readonly attributes: object })
  | (Way & { readonly type: 'webhook'; readonly url: string; readonly method: 'POST' })
)

export type CanvasGiven = {
  readonly id: string
  readonly name: string
  readonly state: 'active'
  readonly class: 'transactional'
  readonly segment?: Audience
  readonly entry: {
    readonly by: readonly string[]
    readonly event?: ListenedEvent
    readonly again: 'never' | 'always' | { readonly after: string }
  }
  readonly exit?: { readonly events?: readonly [string]; readonly audience?: Audience }
  readonly first: string
  readonly steps: readonly StepGiven[]
}

export type PersonGiven = {
  readonly id: string
  readonly time_zone: string
  readonly plan: string
  readonly hasEmail: boolean
}

/** An action on the service. After it the test waits until no work is left. */
export type Act =
  | { readonly kind: 'trigger'; readonly canvas: string; readonly people: readonly string[] }
  | {
      readonly kind: 'event'
      readonly person: string
      readonly name: string
      readonly properties: { cart: number; n: number }
    }
  | { readonly kind: 'plan'; readonly person: string; readonly plan: string }
  | { readonly kind: 'pass'; readonly seconds: number }
  | { readonly kind: 'pause' | 'resume' | 'stop'; readonly canvas: string }
  | { readonly kind: 'publish'; readonly canvas: CanvasGiven }

const plans = ['gold', 'silver', 'none']
const eventNames = ['cart', 'order', 'visit']
const zones = ['Europe/Paris', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'Pacific/Kiritimati']
const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const daySeconds = 86_400

/** Returns the name of an event of one program: it does not trigger canvases of other programs. */
function eventNameIn(chance: Random, canvas: string): string {
  return `${canvas.split('-')[0]}-${chance.pick(eventNames)}`
}

/** Draws canvases, people and actions. */
export function drawProgram(chance: Random, name: string, acts: number) {
  const canvases = many(6, (i) => drawCanvas(chance, `${name}-${i}`))
  const people = many(7, (i): PersonGiven => {
    return { id: `${name}-p${i}`, time_zone: chance.pick(zones), plan: chance.pick(plans), hasEmail: i > 0 }
  })
  return { canvases, people, acts: many(acts, () => drawAct(chance, canvases, people)) }
}

function drawAct(chance: Random, canvases: readonly CanvasGiven[], people: readonly PersonGiven[]): Act {
  const canvas = chance.pick(canvases).id
  const person = chance.pick(people).id
  const what = chance.below(100)
  if (what < 20) {
    const chosen = people.filter(() => chance.below(2) === 0).map(({ id }) => id)
    return { kind: 'trigger', canvas, people: [...new Set([person, ...chosen])] }
  }
  if (what < 45) {
    const properties = { cart: chance.below(2), n: chance.below(4) }
    return { kind: 'event', person, name: eventNameIn(chance, canvas), properties }
  }
  if (what < 55) return { kind: 'plan', person, plan: chance.pick(plans) }
  if (what < 87) return { kind: 'pass', seconds: 60 + chance.below(chance.pick([3600, daySeconds, 4 * daySeconds])) }
  if (what < 91) return { kind: 'pause', canvas }
  if (what < 96) return { kind: 'resume', canvas }
  if (what < 97) return { kind: 'stop', canvas }
  return { kind: 'publish', canvas: drawCanvas(chance, canvas) }
}

function drawCanvas(chance: Random, id: string): CanvasGiven {
  const steps = many(3 + chance.below(4), (i) => `s${i}`)
  const byEvent = chance.below(2) === 0
  const entry = {
    by: byEvent ? ['api', 'event'] : ['api'],
    ...(byEvent && { event: { event: eventNameIn(chance, id) } }),
    again: chance.pick(['never', 'always', 'always', { after: 'P2D' }] as const),
  }
  const exit = chance.pick([undefined, { events: [eventNameIn(chance, id)] as const }, { audience: planIs(chance) }])
  return {
    id,
    name: id,
    state: 'active',
    class: 'transactional',
    ...(chance.below(4) === 0 && { segment: planIs(chance) }),
    entry,
    ...(exit && { exit }),
    first: 's0',
    steps: steps.map((step, i) =>
      drawStep(chance, { canvas: id, byEvent, id: step, after: steps.slice(i + 1), all: steps }),
    ),
  }
}

type StepContext = {
  readonly canvas: string
  readonly byEvent: boolean
  readonly id: string
  readonly after: readonly string[]
  readonly all: readonly string[]
}

/** One path leads to the next step, so that each step can be reached. Only a long delay leads back. */
function drawStep(chance: Random, { canvas, byEvent, id, after, all }: StepContext): StepGiven {
  const [straight] = after
  const onward = () => (chance.below(after.length + 1) === 0 ? undefined : chance.pick(after))
  const to = <K extends string>(member: K, step: string | undefined) =>
    (step === undefined ? {} : { [member]: step }) as { readonly [M in K]?: string }
  const next = to('next', straight)
  switch (chance.below(9)) {
    case 0:
      return { id, type: 'delay', for: `PT${1 + chance.below(300_000)}S`, ...next }
    case 1: {
      const days = many(1 + chance.below(3), () => chance.pick(weekdays))
      const until = `${`${chance.below(24)}`.padStart(2, '0')}:${`${chance.below(60)}`.padStart(2, '0')}`
      return { id, type: 'delay', until, ...(chance.below(2) === 0 && { weekdays: [...new Set(days)] }), ...next }
    }
    case 2:
      return { id, type: 'decision', audience: planIs(chance), ...to('yes', straight), ...to('no', onward()) }
    case 3: {
      const ways = [straight, onward()].map((step, i) => ({
        name: `${i}`,
        audience: planIs(chance),
        ...to('next', step),
      }))
      return { id, type: 'paths', paths: ways, ...to('otherwise', onward()) }
    }
    case 4: {
      const ways = [straight, onward()].map((step, i) => ({
        name: `${i}`,
        ...drawListenedEvent(chance, canvas, byEvent),
        ...to('next', step),
      }))
      return {
        id,
        type: 'action_paths',
        within: `PT${60 + chance.below(2 * daySeconds)}S`,
        paths: ways,
        ...to('otherwise', onward()),
      }
    }
    case 5:
      return { id, type: 'update_user', attributes: { [`tag_${canvas}`]: id }, ...next }
    case 6:
      return {
        id,
        type: 'webhook',
        url: `https://hooks.example.com/${canvas}/${id}/{{\${user_id}}}`,
        method: 'POST',
        ...next,
      }
    default:
      if (straight === undefined && chance.below(3) === 0)
        return { id, type: 'delay', for: 'P3D', next: chance.pick(all) }
      return { id, type: 'message', channel: 'email', message: mail({ subject: `${canvas} ${id}` }), ...next }
  }
}

function drawListenedEvent(chance: Random, canvas: string, byEvent: boolean): ListenedEvent {
  const value = chance.below(3)
  return {
    event: eventNameIn(chance, canvas),
    ...(chance.below(3) === 0 && { properties: { n: { comparison: 'greater_than' as const, value } } }),
    ...(byEvent && chance.below(3) === 0 && { same: ['cart'] as const }),
  }
}

function planIs(chance: Random): Audience {
  const custom_attribute = { custom_attribute_name: 'plan', comparison: 'equals', value: chance.pick(plans) }
  return { AND: [{ custom_attribute }] }
}
