import { isSame } from '../../draft/rebased.ts'
import { kindWords } from '../words.ts'
import { type Definition, type GivenStep, stepsIn } from './ways.ts'

const memberWords: Readonly<Record<string, string>> = {
  name: 'The name',
  description: 'The description',
  tags: 'The tags',
  state: 'The state',
  class: 'The class',
  segment: 'The audience',
  audience: 'The audience',
  entry: 'How people enter',
  exit: 'How people leave early',
  conversions: 'The conversions',
  control_percent: 'The control group',
  recipient_subscription_state: 'Who may get it',
  quiet_hours: 'The quiet hours',
  rate: 'The rate',
  variants: 'The variants',
  first: 'The first step',
  steps: 'The steps',
}

/** Returns in words what differs between two states of a draft, for its editors. Pure. */
export function differences(from: Definition, to: Definition): string[] {
  const names = new Set([...Object.keys(from), ...Object.keys(to)])
  const members = [...names].filter((name) => name !== 'steps' && !isSame(from[name], to[name]))
  const [before, after] = [from, to].map((each) => new Map(stepsIn(each).map(({ id, step }) => [id, step] as const)))
  const ids = new Set([...before!.keys(), ...after!.keys()])
  const steps = [...ids].flatMap((id): string[] => {
    const [old, now] = [before!.get(id), after!.get(id)]
    if (!old) return [`The step ${nameOf(id, now!)} was added.`]
    if (!now) return [`The step ${nameOf(id, old)} was removed.`]
    if (isSame(old, now)) return []
    const changed = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter(
      (name) => !isSame(old[name], now[name]),
    )
    return [`The step ${nameOf(id, now)} was changed: ${changed.join(', ')}.`]
  })
  const isReordered = steps.length === 0 && !isSame(from.steps, to.steps)
  return [
    ...members.map((name) => `${Object.hasOwn(memberWords, name) ? memberWords[name] : `"${name}"`} was changed.`),
    ...steps,
    ...(isReordered ? ['The order of the steps was changed.'] : []),
  ]
}

function nameOf(id: string, step: GivenStep): string {
  const name = typeof step.name === 'string' && step.name !== '' ? step.name : id
  const kind = typeof step.type === 'string' && Object.hasOwn(kindWords, step.type) ? step.type : undefined
  const kindWord = kind === undefined ? '' : ` (${kindWords[kind as keyof typeof kindWords].toLowerCase()})`
  return `"${name}"${kindWord}`
}
