import type { Tx } from '../../base/db/db.ts'
import type { NewPerson } from '../identity/directory.ts'
import { aliasParts } from '../identity/identifier.ts'
import { byBucketAndId, type HashAddress, type Person } from '../identity/person.ts'
import { PersonRemoved } from '../identity/retry-removed.ts'
import { type AttributeChange, isPlain } from '../profile/attributes.ts'
import { applyPlainDeltas, lockCustom, type PlainDelta, type SavedCustom, saveCustom } from '../profile/custom-store.ts'
import { blankState, type CustomState, fold, foldCustom, mergePlain, type ProfileState } from '../profile/fold.ts'
import { insertProfiles, lockStates, type NewProfile, type SavedState, saveStates } from '../profile/state-store.ts'
import type { SignalRecorder } from '../signals/record-signals.ts'
import type { AppliedItems, ProfileSteps } from './apply-items.ts'
import { RelatedRows } from './related-rows.ts'

/**
 * Writes the attribute changes of a flush, for each person in the cheapest way. Plain sets and removals take one statement that reads
 * nothing. Operators and watched attributes need the custom attributes, and fields with rules need the profile. Calls `onSent` when the
 * database has nearly all statements and this process is free for other work. Signals are only added to `recorder`.
 */
export async function writePeople(
  tx: Tx,
  { written, addressed }: Pick<AppliedItems, 'written' | 'addressed'>,
  newPeople: readonly NewPerson[],
  hashAddress: HashAddress,
  recorder: SignalRecorder,
  onSent: () => void,
): Promise<void> {
  const related = new RelatedRows(hashAddress)
  for (const state of addressed) related.addAddressState(state)
  const created = newPeople.filter((each) => each.createdUs !== undefined)
  const newIds = new Set(created.map((each) => each.person.profile_id))
  const known = [...written.values()].filter((each) => !newIds.has(each.person.profile_id)).sort(byBucketAndId)
  const plain: ProfileSteps[] = []
  const custom: ProfileSteps[] = []
  const full: ProfileSteps[] = []
  for (const each of known) {
    if (each.steps.every(({ change }) => isPlain(change) && !recorder.touchesWatched(each.workspace_id, change)))
      plain.push(each)
    else if (each.steps.every(({ change }) => touchesCustomOnly(change))) custom.push(each)
    else full.push(each)
  }
  await waitForAll([
    // These come first, because their reads can run while the other statements are built.
    rewrite(tx, custom, full, related, recorder, onSent),
    insertNewPeople(tx, created, written, related, recorder),
    writePlain(tx, plain),
  ])
  await related.write(tx, recorder)
}

/** Waits for all writes, because none may run after the end of the transaction. Then throws if one has failed. */
export async function waitForAll(writes: readonly Promise<void>[]): Promise<void> {
  for (const outcome of await Promise.allSettled(writes)) if (outcome.status === 'rejected') throw outcome.reason
}

function touchesCustomOnly(change: AttributeChange): boolean {
  return change.standard === null && change.subscriptions.length === 0 && change.push_tokens.length === 0
}

/** The addresses of a person before they are created. */
const noAddresses = { email: null, phone: null, email_subscribe_at: null } as const

async function insertNewPeople(
  tx: Tx,
  created: readonly NewPerson[],
  written: ReadonlyMap<string, ProfileSteps>,
  related: RelatedRows,
  recorder: SignalRecorder,
): Promise<void> {
  if (created.length === 0) return
  const rows = created.map((newPerson): NewProfile => {
    const { person, workspace_id, random_bucket, createdBy } = newPerson
    const steps = written.get(person.profile_id)?.steps ?? []
    const state = foldSteps(blankState(createdBy), { person, workspace_id, steps }, related, recorder)
    related.changeAddresses(person, workspace_id, noAddresses, state)
    if (createdBy.kind === 'alias') related.addAlias({ person, ...aliasParts(createdBy.value) })
    return { person, workspace_id, random_bucket, state, stampUs: steps.at(-1)?.stampUs ?? newPerson.createdUs! }
  })
  await insertProfiles(tx, rows.sort(byBucketAndId))
}

async function writePlain(tx: Tx, people: readonly ProfileSteps[]): Promise<void> {
  if (people.length === 0) return
  const applied = await applyPlainDeltas(tx, people.map(plainDelta))
  if (applied !== people.length) throw new PersonRemoved('a profile was merged away or deleted')
}

function plainDelta({ person, steps }: ProfileSteps): PlainDelta {
  let change = steps[0]!.change
  for (let i = 1; i < steps.length; i++) change = mergePlain(change, steps[i]!.change)
  const { custom, typed, removed } = change
  const untyped =
    custom === null
      ? removed
      : [...removed, ...Object.keys(custom).filter((key) => !typed || !Object.hasOwn(typed, key))]
  return {
    person,
    custom: custom === null ? '{}' : JSON.stringify(custom),
    typed: typed === null ? '{}' : JSON.stringify(typed),
    removed: arrayLiteral(removed),
    untyped: arrayLiteral(untyped),
    stampUs: steps.at(-1)!.stampUs,
  }
}

/** Returns a text array as a literal of PostgreSQL; null if it is empty, so that the statement can skip the work. */
function arrayLiteral(keys: readonly string[]): string | null {
  if (keys.length === 0) return null
  const json = JSON.stringify(keys)
  // JSON escapes quotes and backslashes like an array literal, but other characters differently.
  if (!/\\[^"\\]/.test(json)) return `{${json.slice(1, -1)}}`
  return `{${keys.map((key) => `"${key.replace(/["\\]/g, '\\$&')}"`).join(',')}}`
}

async function rewrite(
  tx: Tx,
  custom: readonly ProfileSteps[],
  full: readonly ProfileSteps[],
  related: RelatedRows,
  recorder: SignalRecorder,
  onSent: () => void,
): Promise<void> {
  const [customRows, stateRows] = await Promise.all([load(tx, custom, lockCustom), load(tx, full, lockStates)])
  const saves = [
    saveCustom(
      tx,
      custom.map((each) => savedCustom(each, customRows.get(each.person.profile_id), recorder)),
    ),
    saveStates(
      tx,
      full.map((each) => savedState(each, stateRows.get(each.person.profile_id), related, recorder)),
    ),
  ]
  onSent()
  await waitForAll(saves)
}

async function load<Row extends { profile_id: string }>(
  tx: Tx,
  people: readonly ProfileSteps[],
  lock: (tx: Tx, people: readonly Person[]) => Promise<Row[]>,
): Promise<ReadonlyMap<string, Row>> {
  if (people.length === 0) return new Map()
  const persons = people.map((each) => each.person)
  return new Map((await lock(tx, persons)).map((row) => [row.profile_id, row]))
}

function savedCustom(
  { person, workspace_id, steps }: ProfileSteps,
  before: CustomState | undefined,
  recorder: SignalRecorder,
): SavedCustom {
  if (!before) throw new PersonRemoved('a profile was merged away or deleted')
  let state = before
  for (const { change, stampUs } of steps) {
    const after = foldCustom(state, change)
    recorder.addDifferences(person, workspace_id, change, state, after, stampUs)
    state = after
  }
  const { custom, typed } = state
  return { person, custom: JSON.stringify(custom), typed: JSON.stringify(typed), stampUs: steps.at(-1)!.stampUs }
}

function savedState(
  each: ProfileSteps,
  before: ProfileState | undefined,
  related: RelatedRows,
  recorder: SignalRecorder,
): SavedState {
  if (!before) throw new PersonRemoved('a profile was merged away or deleted')
  const state = foldSteps(before, each, related, recorder)
  related.changeAddresses(each.person, each.workspace_id, before, state)
  return { person: each.person, state, stampUs: each.steps.at(-1)!.stampUs }
}

function foldSteps(
  before: ProfileState,
  { person, workspace_id, steps }: ProfileSteps,
  related: RelatedRows,
  recorder: SignalRecorder,
): ProfileState {
  let state = before
  for (const { change, stampUs } of steps) {
    const after = fold(state, change, stampUs)
    recorder.addDifferences(person, workspace_id, change, state, after, stampUs)
    state = after
    related.addStep(person, workspace_id, change, state, stampUs)
  }
  return state
}
