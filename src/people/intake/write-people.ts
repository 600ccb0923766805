import type { Tx } from '../../base/db/db.ts'
import { strictRefusal } from '../../base/http/notices.ts'
import type { NewPerson } from '../identity/directory.ts'
import { aliasParts } from '../identity/identifier.ts'
import { byBucketAndId, type HashAddress, type Person } from '../identity/person.ts'
import { PersonRemoved } from '../identity/retry-removed.ts'
import { type AttributeChange, isPlain } from '../profile/attributes.ts'
import { applyPlainDeltas, lockCustom, type PlainDelta, type SavedCustom, saveCustom } from '../profile/custom-store.ts'
import {
  blankState,
  type CustomState,
  fold,
  foldCustom,
  type Lose,
  mergePlain,
  type ProfileState,
} from '../profile/fold.ts'
import { isTooLarge, profileTooLarge, refusedChanges } from '../profile/size-limit.ts'
import { insertProfiles, lockStates, type NewProfile, type SavedState, saveStates } from '../profile/state-store.ts'
import type { SignalRecorder } from '../signals/record-signals.ts'
import type { AppliedItems, AttributeStep, ProfileSteps } from './apply-items.ts'
import type { FlushOutcome, Loss } from './flush-outcome.ts'
import { RelatedRows } from './related-rows.ts'

/**
 * Writes the attribute changes of a flush, for each person in the cheapest way. Plain sets and removals take one statement that reads
 * nothing. Operators and watched attributes need the custom attributes, and fields with rules need the profile. Calls `onSent` when the
 * database has nearly all statements and this process is free for other work. Signals are only added to `recorder`. Changes that would
 * make a profile too large, or of which strict callers would lose something, are left out. `outcome` gets them, and what else is lost.
 */
export async function writePeople(
  tx: Tx,
  { written, addressed }: Pick<AppliedItems, 'written' | 'addressed'>,
  newPeople: readonly NewPerson[],
  hashAddress: HashAddress,
  recorder: SignalRecorder,
  onSent: () => void,
  outcome: FlushOutcome,
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
    rewrite(tx, custom, full, related, recorder, onSent, outcome),
    insertNewPeople(tx, created, written, related, recorder, outcome),
    writePlain(tx, plain, recorder, outcome),
  ])
  await related.write(tx, recorder)
}

/**
 * Waits for all writes, because none may run after the end of the transaction. Then throws if one has failed. The writes must be async
 * functions: when one throws while the list is built, the failure of another is never handled and ends the process.
 */
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
  outcome: FlushOutcome,
): Promise<void> {
  if (created.length === 0) return
  const rows = created.map((newPerson): NewProfile => {
    const { person, workspace_id, random_bucket, createdBy } = newPerson
    const steps = written.get(person.profile_id)?.steps ?? []
    const state = foldSteps(blankState(createdBy), { person, workspace_id, steps }, related, recorder, outcome, true)
    related.changeAddresses(person, workspace_id, noAddresses, state)
    if (createdBy.kind === 'alias') related.addAlias({ person, ...aliasParts(createdBy.value) })
    const stampUs = newPerson.createdUs!
    recorder.addEvent({ type: 'person.created', workspace_id, person, key: person.profile_id, stampUs })
    return { person, workspace_id, random_bucket, state, stampUs: steps.at(-1)?.stampUs ?? newPerson.createdUs! }
  })
  await insertProfiles(tx, rows.sort(byBucketAndId))
}

async function writePlain(
  tx: Tx,
  people: readonly ProfileSteps[],
  recorder: SignalRecorder,
  outcome: FlushOutcome,
): Promise<void> {
  if (people.length === 0) return
  const applied = await applyPlainDeltas(tx, people.map(plainDelta))
  if (applied === undefined) return
  const large = people.filter(({ person }) => !applied.has(person.profile_id))
  await writeCustom(tx, large, await load(tx, large, lockCustom), recorder, outcome)
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
  outcome: FlushOutcome,
): Promise<void> {
  const [customRows, stateRows] = await Promise.all([load(tx, custom, lockCustom), load(tx, full, lockStates)])
  const saves = [
    writeCustom(tx, custom, customRows, recorder, outcome),
    writeStates(tx, full, stateRows, related, recorder, outcome),
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

async function writeCustom(
  tx: Tx,
  people: readonly ProfileSteps[],
  rows: ReadonlyMap<string, CustomState>,
  recorder: SignalRecorder,
  outcome: FlushOutcome,
): Promise<void> {
  const saved = people.map((each) => savedCustom(each, rows.get(each.person.profile_id), recorder, outcome))
  await saveCustom(
    tx,
    saved.filter((each) => each !== undefined),
  )
}

async function writeStates(
  tx: Tx,
  people: readonly ProfileSteps[],
  rows: ReadonlyMap<string, ProfileState>,
  related: RelatedRows,
  recorder: SignalRecorder,
  outcome: FlushOutcome,
): Promise<void> {
  await saveStates(
    tx,
    people.map((each) => savedState(each, rows.get(each.person.profile_id), related, recorder, outcome)),
  )
}

/** Returns undefined when every change is refused. */
function savedCustom(
  each: ProfileSteps,
  before: CustomState | undefined,
  recorder: SignalRecorder,
  outcome: FlushOutcome,
): SavedCustom | undefined {
  if (!before) throw new PersonRemoved('a profile was merged away or deleted')
  const { person, workspace_id } = each
  const steps = acceptedSteps(before, each, foldCustomStep, outcome, false)
  for (const { change, stampUs, before, after } of steps) {
    recorder.addDifferences(person, workspace_id, change, before, after, stampUs)
  }
  const last = steps.at(-1)
  if (!last) return undefined
  const { custom, typed } = last.after
  return { person, custom: JSON.stringify(custom), typed: JSON.stringify(typed), stampUs: last.stampUs }
}

function savedState(
  each: ProfileSteps,
  before: ProfileState | undefined,
  related: RelatedRows,
  recorder: SignalRecorder,
  outcome: FlushOutcome,
): SavedState {
  if (!before) throw new PersonRemoved('a profile was merged away or deleted')
  const state = foldSteps(before, each, related, recorder, outcome, false)
  related.changeAddresses(each.person, each.workspace_id, before, state)
  return { person: each.person, state, stampUs: each.steps.at(-1)!.stampUs }
}

function foldSteps(
  blank: ProfileState,
  each: ProfileSteps,
  related: RelatedRows,
  recorder: SignalRecorder,
  outcome: FlushOutcome,
  isNew: boolean,
): ProfileState {
  const { person, workspace_id } = each
  const steps = acceptedSteps(blank, each, fold, outcome, isNew)
  for (const { change, stampUs, before, after } of steps) {
    recorder.addDifferences(person, workspace_id, change, before, after, stampUs)
    related.addStep(person, workspace_id, change, after, stampUs)
  }
  return steps.at(-1)?.after ?? blank
}

type Folded<State> = AttributeStep & { readonly before: State; readonly after: State }

/** Folds the changes of one person. Leaves out those that would make it too large, and those of strict callers that lose something. */
function acceptedSteps<State extends CustomState>(
  before: State,
  { steps }: ProfileSteps,
  foldOne: FoldOne<State>,
  outcome: FlushOutcome,
  isNew: boolean,
): Folded<State>[] {
  const folded = foldAll(before, steps, foldOne, outcome, isNew)
  const last = folded.at(-1)
  if (!last || last.after.custom === before.custom || !isTooLarge(last.after)) return folded
  const changes = folded.map(({ change }) => change)
  for (const change of refusedChanges(before, changes)) outcome.refuse(change, profileTooLarge, isNew)
  const left = steps.filter(({ change }) => !outcome.refused.has(change))
  return foldAll(before, left, foldOne, outcome, isNew)
}

type FoldOne<State> = (state: State, change: AttributeChange, stampUs: number, lose?: Lose) => State

function foldAll<State>(
  before: State,
  steps: readonly AttributeStep[],
  foldOne: FoldOne<State>,
  outcome: FlushOutcome,
  isNew: boolean,
): Folded<State>[] {
  let state = before
  const folded: Folded<State>[] = []
  for (const { change, stampUs } of steps) {
    const losses: Loss[] = []
    // Only operations depend on what is stored.
    const lose =
      change.operations.length === 0 ? undefined : (key: string, reason: string) => losses.push({ key, reason })
    const after = foldOne(state, change, stampUs, lose)
    if (losses.length > 0) outcome.losses.set(change, losses)
    if (losses.length > 0 && change.strict) outcome.refuse(change, refusalOf(losses), isNew)
    else {
      folded.push({ change, stampUs, before: state, after })
      state = after
    }
  }
  return folded
}

function foldCustomStep(state: CustomState, change: AttributeChange, _stampUs: number, lose?: Lose): CustomState {
  return foldCustom(state, change, lose)
}

function refusalOf(losses: readonly Loss[]): string {
  return strictRefusal(losses.map(({ key, reason }) => ({ member: key, reason })))
}
