import type { MessageState } from './states.ts'

/** What the merge of two people reads of a message. */
export type MergingMessage = {
  readonly bucket: number
  readonly message_id: string
  readonly step: string
  readonly visit: number
  readonly state: MessageState
  /** A server may have taken an earlier attempt; the message is to be sent again. */
  readonly maybe_sent: boolean
}

/** What becomes of a message in a merge: its step from now on, and the message for which it ends, if it does. */
export type ResolvedMessage<M extends MergingMessage> = {
  readonly message: M
  readonly step: string
  readonly because?: M
}

/** The prefix of the step of a duplicate, a message that does not count. It is never sent again from there. */
export const duplicateStepPrefix = 'merged:'

/** The states of messages that a server has taken or may have taken. They cannot be stopped any more. */
const sent: ReadonlySet<MessageState> = new Set(['handed_over', 'accepted', 'uncertain'])
const open: ReadonlySet<MessageState> = new Set(['queued', 'held', 'leased'])

/**
 * Decides what becomes of the messages of one cause and channel when two people are merged. Of `kept`, only messages that change are
 * returned. No person gets two mails if one can still be stopped. A message that was sent counts before one that waits; a certain one
 * before one that would be sent again. Otherwise the message of the kept profile counts, whatever its state. No message is dropped. Pure.
 */
export function resolveDuplicateMessages<M extends MergingMessage>(
  merged: readonly M[],
  kept: readonly M[],
): { merged: ResolvedMessage<M>[]; kept: ResolvedMessage<M>[] } {
  const sentKept = kept.find(isSent) ?? kept.find(maybeSent)
  const sentMerged = merged.find(isSent) ?? (sentKept ? undefined : merged.find(maybeSent))
  const counting = sentKept ?? kept[0]
  const byVisit = new Map(kept.map((message) => [visitKey(message), message]))
  const changed: ResolvedMessage<M>[] = []
  if (sentMerged) {
    for (const message of kept.filter(({ state }) => open.has(state))) {
      changed.push({ message, step: duplicateStep(message), because: sentMerged })
      byVisit.delete(visitKey(message))
    }
  }
  const moved = merged.map((message): ResolvedMessage<M> => {
    const isResent = message === sentMerged && maybeSent(message)
    if (counting && open.has(message.state) && !isResent)
      return { message, step: duplicateStep(message), because: counting }
    const duplicate = byVisit.get(visitKey(message))
    if (!duplicate) return { message, step: message.step }
    if (!isResent && (!isSent(message) || isSent(duplicate))) return { message, step: duplicateStep(message) }
    changed.push({ message: duplicate, step: duplicateStep(duplicate) })
    return { message, step: message.step }
  })
  return { merged: moved, kept: changed }
}

function isSent({ state }: MergingMessage): boolean {
  return sent.has(state)
}

function maybeSent({ state, maybe_sent }: MergingMessage): boolean {
  return maybe_sent && open.has(state)
}

function visitKey({ step, visit }: MergingMessage): string {
  return `${visit}/${step}`
}

function duplicateStep({ message_id }: MergingMessage): string {
  return duplicateStepPrefix + message_id
}
