import type { Step } from '../words.ts'
import type { GivenStep } from './ways.ts'

export type StepKind = Step['kind']

/** What a step of each kind does, for those who choose one. */
export const kindHints: Readonly<Record<StepKind, string>> = {
  message: 'Sends an e-mail.',
  delay: 'Waits for a length of time, or until a time of day.',
  decision: 'Divides people in two by conditions: yes and no.',
  paths: 'Divides people by conditions: the first path that fits.',
  action_paths: 'Waits for what people do, and divides them by that.',
  experiment: 'Divides people at random, by percent.',
  update_user: 'Changes attributes of the person.',
  webhook: 'Calls a URL of another program.',
}

export const stepKinds = Object.keys(kindHints) as StepKind[]

const active = { last_used_app: { comparison: 'less_than_x_days_ago', value: 30 } }

/** Returns a step of a kind to begin with. It has no id yet. */
export function newStep(kind: StepKind): GivenStep {
  switch (kind) {
    case 'message':
      return { type: kind, message: { subject: '', body: '' } }
    case 'delay':
      return { type: kind, for: 'P1D' }
    case 'decision':
      return { type: kind, audience: { AND: [active] } }
    case 'paths':
      return { type: kind, paths: [{ name: 'Path 1', audience: { AND: [active] } }] }
    case 'action_paths':
      return { type: kind, within: 'P3D', paths: [{ name: 'Path 1', event: '' }] }
    case 'experiment':
      return {
        type: kind,
        paths: [
          { name: 'Path 1', percent: 50 },
          { name: 'Path 2', percent: 50 },
        ],
      }
    case 'update_user':
      return { type: kind, attributes: {} }
    case 'webhook':
      return { type: kind, url: '', method: 'POST', headers: { 'Content-Type': 'application/json' }, body: {} }
  }
}

/** Returns a path to begin with, as the kind of its step has them. */
export function newPath(kind: unknown, name: string): GivenStep {
  if (kind === 'paths') return { name, audience: { AND: [active] } }
  if (kind === 'experiment') return { name, percent: 0 }
  return { name, event: '' }
}
