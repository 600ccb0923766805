import type { MessageLane } from '../messages/message.ts'

/** After so many ends of the process while it prepared a message, the message is set aside. */
export const crashesMax = 3

/** A message that the process had leased when it ended, and has not prepared since. */
export type Suspect = MessageLane & { readonly crashes: number }

/**
 * Chooses the suspects to prepare now, beside those that are being prepared. It must become certain which message ends the process, and
 * its neighbours must not be set aside with it: each lane prepares one suspect at a time, and a suspect with a second crash is prepared
 * while there is no other suspect. Pure.
 */
export function chooseSuspects<T extends Suspect>(due: readonly T[], preparing: readonly Suspect[]): T[] {
  const isWorse = ({ crashes }: Suspect) => crashes > 1
  if (preparing.some(isWorse)) return []
  const worst = due.find(isWorse)
  if (worst) return preparing.length === 0 ? [worst] : []
  const lanes = new Set(preparing.map(laneOf))
  return due.filter((one) => {
    const isFree = !lanes.has(laneOf(one))
    lanes.add(laneOf(one))
    return isFree
  })
}

function laneOf({ workspace_id, channel, class: kind }: MessageLane): string {
  return `${workspace_id} ${channel} ${kind}`
}
