import type { MessageState } from './states.ts'

/** A message as far as it matters when two people become one. */
export type MergingMessage = {
  readonly bucket: number
  readonly message_id: string
  readonly step: string
  readonly visit: number
  readonly state: MessageState
  /** A server may have had it before, and it is to be sent again. */
  readonly doubted: boolean
}

/** What becomes of a message: the step it has from now on, and the message because of which it ends. */
export type ResolvedMessage<M extends MergingMessage> = {
  readonly message: M
  readonly step: string
  readonly because?: M
}

/** Where a message stands that is not the one that counts; it is never sent again from there. */
export const duplicateStepPrefix = 'merged:'

/** A server has it, or may have it: it cannot be called back. */
const sent: ReadonlySet<MessageState> = new Set(['handed_over', 'accepted', 'uncertain'])
const open: ReadonlySet<MessageState> = new Set(['queued', 'held', 'leased'])

/**
 * What becomes of the messages of one cause and channel when the person of `leaving` goes up in the person of `staying`; of `staying`
 * only those that change are answered. Nobody gets two mails that can still be held back: what may have been sent comes before what
 * waits, and of that what is certain before what is sent again; otherwise the message of the person who stays counts, whatever became of
 * it. Facts are not lost: nothing is dropped.
 */
export function resolveDuplicateMessages<M extends MergingMessage>(
  leaving: readonly M[],
  staying: readonly M[],
): { leaving: ResolvedMessage<M>[]; staying: ResolvedMessage<M>[] } {
  const sentHere = staying.find(isSent) ?? staying.find(isDoubted)
  const sentAway = leaving.find(isSent) ?? (sentHere ? undefined : leaving.find(isDoubted))
  const counts = sentHere ?? staying[0]
  const taken = new Map(staying.map((message) => [visitKey(message), message]))
  const changed: ResolvedMessage<M>[] = []
  if (sentAway) {
    for (const message of staying.filter(({ state }) => open.has(state))) {
      changed.push({ message, step: duplicateStep(message), because: sentAway })
      taken.delete(visitKey(message))
    }
  }
  const moved = leaving.map((message): ResolvedMessage<M> => {
    const isResent = message === sentAway && isDoubted(message)
    if (counts && open.has(message.state) && !isResent)
      return { message, step: duplicateStep(message), because: counts }
    const double = taken.get(visitKey(message))
    if (!double) return { message, step: message.step }
    if (!isResent && (!isSent(message) || isSent(double))) return { message, step: duplicateStep(message) }
    changed.push({ message: double, step: duplicateStep(double) })
    return { message, step: message.step }
  })
  return { leaving: moved, staying: changed }
}

function isSent({ state }: MergingMessage): boolean {
  return sent.has(state)
}

function isDoubted({ state, doubted }: MergingMessage): boolean {
  return doubted && open.has(state)
}

function visitKey({ step, visit }: MergingMessage): string {
  return `${visit}/${step}`
}

function duplicateStep({ message_id }: MergingMessage): string {
  return duplicateStepPrefix + message_id
}
