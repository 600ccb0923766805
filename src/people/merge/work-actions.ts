import { aliasParts } from '../identity/identifier.ts'
import type { Selector, WorkKind, WorkOutcome, WorkRequest, WorkState } from './work-schema.ts'

export const workActions = ['retry', 'discard'] as const
export type WorkAction = (typeof workActions)[number]

/** Where an item stands. `hasRequest`: whether its request is still stored. */
export type WorkStanding = {
  readonly kind: WorkKind
  readonly state: WorkState
  readonly outcome: WorkOutcome | null
  readonly hasRequest: boolean
}

/** Outcomes that another try can change, because they depend on what people there are. */
const retried: ReadonlySet<WorkOutcome | null> = new Set<WorkOutcome>([
  ...(['nobody_matched', 'several_matched', 'already_identified', 'label_taken', 'discarded', 'failed'] as const),
])

/** Returns why an action makes no sense for an item; undefined when it does. Pure. */
export function refusalOfAction(action: WorkAction, { state, outcome, hasRequest }: WorkStanding): string | undefined {
  if (state === 'moving') return 'It is done, and the history is still being moved'
  if (action === 'discard') return state === 'waiting' ? undefined : 'It has ended, so there is nothing to discard'
  if (state === 'waiting') return 'It waits already, and is carried out as soon as possible'
  if (!retried.has(outcome)) return 'It has ended, and another try would change nothing'
  return hasRequest ? undefined : 'Its request is not stored any more'
}

/** Returns the actions that make sense for an item. Pure. */
export function actionsFor(standing: WorkStanding): WorkAction[] {
  return workActions.filter((action) => refusalOfAction(action, standing) === undefined)
}

const nothingChanged: Readonly<Record<Exclude<WorkOutcome, 'done' | 'discarded' | 'failed'>, string>> = {
  nobody_matched: 'Nobody has one of the identifiers',
  several_matched: 'Several people have one of the identifiers',
  same_person: 'Both identifiers are of the same person',
  already_identified: 'The person has an external id already',
  label_taken: 'The other person has an alias with this label already',
}

const done: Readonly<Record<WorkKind, string>> = {
  merge: 'The two people are one now.',
  delete: 'The person is deleted.',
  identify: 'The person is identified.',
}

/** What became of an item, in one sentence. Pure. */
export function workSentence({ kind, state, outcome }: WorkStanding): string {
  if (state === 'waiting') return 'It waits to be carried out.'
  if (outcome === 'done' || outcome === null) {
    if (state !== 'moving') return done[kind]
    return `${done[kind]} The history is still being ${kind === 'delete' ? 'deleted' : 'moved'}.`
  }
  if (outcome === 'discarded') return 'An administrator discarded it, so nothing was changed.'
  if (outcome === 'failed') return 'The database refused it, which is a defect of Easel: the log has the error.'
  return `${nothingChanged[outcome]}, so nothing was changed.`
}

const kindWords: Readonly<Record<Selector['kind'], string>> = {
  external_id: 'external id',
  alias: 'alias',
  email: 'e-mail',
  phone: 'phone',
  device: 'device',
  push_token: 'push token',
  service_id: 'id',
}

/** Says which people an item names, in words. Pure. */
export function peopleWords(kind: WorkKind, { who, into }: WorkRequest): string {
  if (kind === 'delete' || !into) return selectorWords(who)
  return `${selectorWords(who)} ${kind === 'merge' ? 'into' : 'as'} ${selectorWords(into)}`
}

function selectorWords({ kind, value }: Selector): string {
  if (kind !== 'alias') return `${kindWords[kind]} ${value}`
  const { alias_label, alias_name } = aliasParts(value)
  return `alias ${alias_label}:${alias_name}`
}

/** Returns the family of outcomes in which the dashboard shows an item. Pure. */
export function workFamily({ state, outcome }: WorkStanding): 'waiting' | 'sent' | 'failed' | 'held' {
  if (state !== 'done') return 'waiting'
  if (outcome === 'done') return 'sent'
  return outcome === 'failed' ? 'failed' : 'held'
}
