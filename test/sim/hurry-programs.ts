import type { Random } from '../../bench/random.ts'
import { mail } from '../support/messages.ts'
import { type Item, many } from '../support/people.ts'

/** Steps with waits of seconds, in the form of the workspace file. Each leads to later steps only. */
export type HurriedStep = { readonly id: string; readonly next?: string } & (
  | { readonly type: 'message'; readonly channel: 'email'; readonly message: Item }
  | { readonly type: 'delay'; readonly for: string }
  | { readonly type: 'decision'; readonly audience: Item; readonly yes?: string; readonly no?: string }
  | {
      readonly type: 'action_paths'
      readonly within: string
      readonly paths: readonly { name: string; event: string; next?: string }[]
      readonly otherwise?: string
    }
  | { readonly type: 'experiment'; readonly paths: readonly { name: string; percent: number; next?: string }[] }
  | { readonly type: 'update_user'; readonly attributes: { readonly did: { readonly inc: 1 } } }
)

export type HurriedCanvas = {
  readonly id: string
  readonly name: string
  readonly state: 'active'
  readonly class: 'marketing' | 'transactional'
  readonly entry: {
    readonly by: readonly string[]
    readonly event?: string
    readonly again: 'never' | 'always' | { readonly after: string }
  }
  readonly exit?: { readonly events: readonly [string] }
  readonly control_percent: number
  readonly quiet_hours: 'hold' | 'skip' | 'ignore'
  readonly variants?: readonly { name: string; percent: number; first: string }[]
  readonly first?: string
  readonly steps: readonly HurriedStep[]
}

/** An action while the workers run. */
export type HurriedAct =
  | { readonly kind: 'trigger'; readonly canvas: string; readonly people: readonly string[] }
  | { readonly kind: 'broadcast' | 'pause' | 'resume' | 'stop'; readonly canvas: string }
  | { readonly kind: 'event'; readonly person: string; readonly name: string }
  | { readonly kind: 'plan'; readonly person: string; readonly plan: string }
  | { readonly kind: 'unsubscribe'; readonly person: string }
  | { readonly kind: 'publish'; readonly canvas: HurriedCanvas }

export const plans = ['gold', 'silver']
const events = ['begin', 'turn', 'leave']
const isGold = { AND: [{ custom_attribute: { custom_attribute_name: 'plan', comparison: 'equals', value: 'gold' } }] }

/** Canvases of every kind of re-entry, one control group, and both classes. */
export function drawCanvases(chance: Random, name: string): HurriedCanvas[] {
  return (['never', 'always', { after: 'PT2S' }, 'never', 'always'] as const).map((again, i) => {
    const id = `${name}-${i}`
    // An entry has the time of its event, and re-entry is decided later, so the times are compared without events.
    const byEvent = i > 0 && typeof again === 'string'
    return drawCanvas(chance, { id, again, control: i === 1 ? 30 : 0, isMarketing: i < 3, byEvent })
  })
}

type Fixed = {
  readonly id: string
  readonly again: HurriedCanvas['entry']['again']
  readonly control: number
  readonly isMarketing: boolean
  readonly byEvent: boolean
}

/** The same canvas with other steps and the same entry rules. */
export function redrawCanvas(chance: Random, { id, entry, control_percent, class: kind }: HurriedCanvas) {
  const byEvent = entry.event !== undefined
  return drawCanvas(chance, {
    id,
    again: entry.again,
    control: control_percent,
    isMarketing: kind === 'marketing',
    byEvent,
  })
}

function drawCanvas(chance: Random, { id, again, control, isMarketing, byEvent }: Fixed): HurriedCanvas {
  const ids = many(3 + chance.below(4), (i) => `s${i}`)
  const isSplit = chance.below(3) === 0
  const variants = ['s0', 's1'].map((first) => ({ name: first, percent: 50, first }))
  return {
    ...{ id, name: id, state: 'active', control_percent: control },
    class: isMarketing ? 'marketing' : 'transactional',
    entry: { by: byEvent ? ['api', 'event'] : ['api'], ...(byEvent && { event: 'begin' }), again },
    ...(chance.below(2) === 0 && { exit: { events: ['leave'] as const } }),
    quiet_hours: chance.pick(['hold', 'skip', 'ignore'] as const),
    ...(isSplit ? { variants } : { first: 's0' }),
    steps: ids.map((step, i) => drawStep(chance, `${id} ${step}`, step, ids.slice(i + 1))),
  }
}

function drawStep(chance: Random, subject: string, id: string, after: readonly string[]): HurriedStep {
  const [straight] = after
  const to = <K extends string>(member: K, step: string | undefined) =>
    (step === undefined ? {} : { [member]: step }) as { readonly [M in K]?: string }
  const onward = () => (chance.below(after.length + 1) === 0 ? undefined : chance.pick(after))
  const next = to('next', straight)
  const delay = `PT${1 + chance.below(2)}S`
  // Every canvas has a message.
  switch (straight === undefined ? -1 : chance.below(8)) {
    case 0:
    case 1:
      return { id, type: 'delay', for: delay, ...next }
    case 2:
      return { id, type: 'decision', audience: isGold, ...to('yes', straight), ...to('no', onward()) }
    case 3: {
      const paths = [{ name: 'turned', event: 'turn', ...next }]
      return { id, type: 'action_paths', within: delay, paths, ...to('otherwise', onward()) }
    }
    case 4: {
      const paths = [straight, onward()].map((step, i) => ({ name: `${i}`, percent: 50, ...to('next', step) }))
      return { id, type: 'experiment', paths }
    }
    case 5:
      return { id, type: 'update_user', attributes: { did: { inc: 1 } }, ...next }
    default:
      return { id, type: 'message', channel: 'email', message: mail({ subject }), ...next }
  }
}

export function drawAct(chance: Random, canvases: readonly HurriedCanvas[], people: readonly string[]): HurriedAct {
  const canvas = chance.pick(canvases)
  const { id } = canvas
  const person = chance.pick(people)
  const what = chance.below(100)
  if (what < 24) return { kind: 'trigger', canvas: id, people: people.filter(() => chance.below(4) === 0) }
  if (what < 30) return { kind: 'broadcast', canvas: id }
  if (what < 64) return { kind: 'event', person, name: chance.pick(events) }
  if (what < 70) return { kind: 'plan', person, plan: chance.pick(plans) }
  if (what < 75) return { kind: 'pause', canvas: id }
  if (what < 88) return { kind: 'resume', canvas: id }
  if (what < 89) return { kind: 'stop', canvas: id }
  if (what < 96) return { kind: 'unsubscribe', person }
  return { kind: 'publish', canvas: redrawCanvas(chance, canvas) }
}
