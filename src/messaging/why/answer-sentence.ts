import type { WhyReply } from './why-schema.ts'

/** Returns the answer in one or two sentences: the latest decision, and where the person stands. Pure. */
export function answerSentence(reply: Omit<WhyReply, 'sentence'>): string {
  const { never_entered = [], entries = [], confirmations = [], decisions, open, because } = reply
  const [never] = never_entered
  const [entry] = entries
  if (never) return never.sentence
  const [waiting] = open
  const [decision] = decisions
  const told = waiting?.sentence ?? decision?.sentence
  const [asked] = confirmations
  if (!entry)
    return [told ?? (asked ? undefined : (because ?? nothingDecided)), asked?.sentence].filter(Boolean).join(' ')
  // A decision about an entry says what the entry says.
  return told === undefined || decision?.channel === null ? entry.sentence : `${told} ${entry.sentence}`
}

const nothingDecided = 'Nothing was decided about this person yet.'
