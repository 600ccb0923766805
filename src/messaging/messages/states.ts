import { type EndState, endStates } from '../ledger/end-states.ts'

/**
 * The states of a message. `held`: its order or flow is paused. `leased`: a worker prepares it. `handed_over`: a server may have it. The
 * others are ends.
 */
export const messageStates = ['queued', 'held', 'leased', 'handed_over', ...endStates] as const
export type MessageState = (typeof messageStates)[number]

export function isEndState(state: MessageState): state is EndState {
  return (endStates as readonly MessageState[]).includes(state)
}
