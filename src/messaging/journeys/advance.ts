import type { Entry, EntryEnd, EntryPosition, EntryState } from '../entries/entry.ts'
import { arrivalsOf, type TakenPath, takenPath } from '../entries/trail.ts'
import type { Graph, Step } from '../flows/flow.ts'
import { matchesTrigger } from '../flows/match-trigger.ts'
import type { Reason } from '../ledger/reasons.ts'
import type { ConditionAnswers, ConditionQuestion, EntryMove, Happening } from './happening.ts'
import { answerTo, nextStep, runStep, type StepRun, stepQuestions } from './run-step.ts'

/** An entry that arrives at one step more often than this ends. */
export const visitsMax = 100

const exitCondition = 'the exit condition of the canvas'

/** The instant of the move, epoch milliseconds of business time, and the time zone of the person, or else of the workspace. */
export type MoveTime = { readonly nowMs: number; readonly zone: string }

type Kind = Happening['kind']

/** What a move depends on. */
type Situation = {
  readonly graph: Graph
  readonly entry: Entry
  readonly answers: ConditionAnswers
  readonly when: MoveTime
}
type Situated<K extends Kind> = Situation & { readonly happening: Extract<Happening, { readonly kind: K }> }
type Move<K extends Kind> = (happened: Situated<K>) => EntryMove

/** What each happening does in one state. */
type Moves = { readonly [K in Kind]: Move<K> }

const nothing: Moves = { due: stay, signal: stay, stopped: stay }
const untilExit: Moves = { ...nothing, signal: exitOr(stay), stopped: stop }

/** What each happening does in each state. */
const moves: Readonly<Record<EntryState, Moves>> = {
  arriving: { ...untilExit, due: whenDue(arrived) },
  waiting: { ...untilExit, due: whenDue(leave) },
  listening: { ...untilExit, due: whenDue(leave), signal: exitOr(takePath) },
  // The end of the message is written by `entries/release-store.ts`.
  sending: untilExit,
  ended: nothing,
}

/** Returns the conditions that must be answered before a happening can move an entry. Pure. */
export function questionsFor(graph: Graph, entry: Entry, happening: Happening): ConditionQuestion[] {
  const runs = entry.state === 'arriving' && happening.kind === 'due'
  const isSignal = entry.state !== 'ended' && happening.kind === 'signal'
  const step = runs ? graph.steps.get(entry.step) : undefined
  return [
    ...(runs && isPending(entry) && graph.segment ? [{ key: 'segment', condition: graph.segment }] : []),
    ...((runs || isSignal) && graph.exit.condition ? [{ key: 'exit', condition: graph.exit.condition }] : []),
    ...(step ? stepQuestions(step) : []),
  ]
}

/**
 * Moves an entry by one step. `answers` has the answers to `questionsFor`. For a pending entry it may also have `audience`: whether the
 * person is in the audience of the order. Pure.
 */
export function advance(
  graph: Graph,
  entry: Entry,
  happening: Happening,
  answers: ConditionAnswers,
  when: MoveTime,
): EntryMove {
  const move = moves[entry.state][happening.kind] as Move<Kind>
  return move({ graph, entry, happening, answers, when })
}

/** Returns the position of a person who enters: at the variant's first step, which runs at `dueMs`. */
export function firstPosition(first: string, dueMs: number): EntryPosition {
  return { state: 'arriving', step: first, visit: 1, visits: { [first]: 1 }, dueMs }
}

/** Returns the position of a person who does not enter, or is in the control group. */
export function endedPosition(ended: EntryEnd): EntryPosition {
  return { state: 'ended', ended, step: '', visit: 0, visits: {}, dueMs: undefined }
}

/** Whether an order made the entry, and it begins later. The segment and the audience are checked again when it begins. */
export function isPending({ state, dispatch_id, visits, dueMs, enteredMs }: Entry): boolean {
  if (state !== 'arriving' || dispatch_id === null || dueMs === undefined || dueMs <= enteredMs) return false
  return arrivalsOf({ visits }) === 1
}

function stay({ entry }: Situation): EntryMove {
  return { position: entry, effects: [] }
}

/** Makes a move that does nothing before the entry is due. */
function whenDue(move: (situation: Situation, plannedMs: number) => EntryMove): Move<'due'> {
  return (situation) => {
    const { dueMs } = situation.entry
    return dueMs === undefined || dueMs > situation.when.nowMs ? stay(situation) : move(situation, dueMs)
  }
}

function arrived({ graph, entry, answers, when }: Situation, plannedMs: number): EntryMove {
  if (isPending(entry)) {
    if (graph.segment && !answerTo(answers, 'segment')) {
      return end(entry, 'not_in_segment', 'the segment of the canvas, checked when the entry was to begin')
    }
    if (answers.get('audience') === false) {
      return end(entry, 'not_in_audience', 'the audience of the order, checked when the entry was to begin')
    }
  }
  if (graph.exit.condition && answerTo(answers, 'exit')) return end(entry, 'exited', exitCondition)
  return follow(entry, plannedMs, runStep(stepOf(graph, entry), entry, plannedMs, answers, when.zone))
}

/** Leaves a step that is due. The next step is due at the planned time, not at the time of the move. */
function leave({ graph, entry }: Situation, plannedMs: number): EntryMove {
  return arrive(entry, nextStep(stepOf(graph, entry)), plannedMs)
}

/**
 * Ends an entry by an exit criterion, at any step. Signals from before the entry began count too: one message too few is better than one
 * too many. The signal may be the reason why the exit condition holds now.
 */
function exitOr(otherwise: Move<'signal'>): Move<'signal'> {
  return (situation) => {
    const { graph, entry, happening, answers } = situation
    const { kind, name, timeMs } = happening.signal
    if (graph.exit.on.some((trigger) => matchesTrigger(trigger, happening.signal, entry.event))) {
      const time = new Date(timeMs).toISOString()
      return interrupt(entry, 'exited', 'an exit event of the canvas', { kind, name, time })
    }
    if (graph.exit.condition && answerTo(answers, 'exit')) return interrupt(entry, 'exited', exitCondition)
    return otherwise(situation)
  }
}

/** Takes the path of a signal that happened in time, even if it is handled later. The clock of its sender may be ahead. */
function takePath(situation: Situated<'signal'>): EntryMove {
  const { graph, entry, happening, when } = situation
  const { signal } = happening
  const step = stepOf(graph, entry)
  if (step.type !== 'action_paths' || entry.dueMs === undefined) return stay(situation)
  const atMs = Math.max(signal.atMs ?? when.nowMs, entry.dueMs - step.withinMs)
  if (signal.timeMs < entry.enteredMs || Math.min(signal.timeMs, atMs) > entry.dueMs) return stay(situation)
  const path = step.paths.find(({ on }) => matchesTrigger(on, signal, entry.event))
  return path ? arrive(entry, takenPath(step.paths, path), Math.min(atMs, entry.dueMs)) : stay(situation)
}

function stop({ entry }: Situation): EntryMove {
  return interrupt(entry, 'cancelled', 'the canvas was stopped')
}

function follow(entry: Entry, fromMs: number, stepRun: StepRun): EntryMove {
  if (!('rests' in stepRun)) {
    const moved = arrive(entry, stepRun, fromMs)
    return { ...moved, effects: [...stepRun.effects, ...moved.effects] }
  }
  const { step, visit, visits } = entry
  return { position: { state: stepRun.rests, step, visit, visits, dueMs: stepRun.dueMs }, effects: stepRun.effects }
}

/** The step to which an entry goes, and the path to it. `to` undefined: the end. */
type Way = { readonly to: string | undefined; readonly path?: TakenPath }

function arrive(entry: Entry, { to, path }: Way, dueMs: number): EntryMove {
  const taken = path === undefined ? {} : { path }
  if (to === undefined) return { position: endedAt(entry, 'completed'), ...taken, effects: [] }
  const visit = (Object.hasOwn(entry.visits, to) ? entry.visits[to]! : 0) + 1
  if (visit > visitsMax)
    return end(entry, 'exited', `an entry arrives at a step at most ${visitsMax} times`, { step: to })
  return {
    position: { state: 'arriving', step: to, visit, visits: { ...entry.visits, [to]: visit }, dueMs },
    ...taken,
    effects: [],
  }
}

/** Ends an entry from outside, and cancels the message that it waits for. */
function interrupt(entry: Entry, reason: Extract<EntryEnd, Reason>, rule: string, inputs?: unknown): EntryMove {
  const moved = end(entry, reason, rule, inputs)
  return entry.state === 'sending' ? { ...moved, effects: [{ kind: 'cancel_messages', reason }] } : moved
}

function end(entry: Entry, reason: Extract<EntryEnd, Reason>, rule: string, inputs?: unknown): EntryMove {
  const why = { reason, rule, ...(inputs !== undefined && { inputs }) }
  return { position: endedAt(entry, reason), effects: [], why }
}

function endedAt({ step, visit, visits }: Entry, ended: EntryEnd): EntryPosition {
  return { state: 'ended', ended, step, visit, visits, dueMs: undefined }
}

function stepOf(graph: Graph, { step: id }: Entry): Step {
  const step = graph.steps.get(id)
  if (!step) throw new Error(`there is no step ${id}`)
  return step
}
