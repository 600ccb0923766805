import { findChannel } from '../channels/channels.ts'
import { type FlowKind, type Step, sentBy } from '../flows/flow.ts'
import type { FlowCounts } from '../series/flow-counts.ts'
import type { MessageRates } from './schema.ts'

/**
 * Returns what followed the messages of a step, or of a message of a campaign, in all versions of the flow; null for a step without a
 * message. `counts` are those of the flow. Pure.
 */
export function ratesOfStep(step: Step | undefined, kind: FlowKind, counts: FlowCounts): MessageRates | null {
  const sends = sentBy(step)
  if (step === undefined || sends === undefined) return null
  const { id } = step
  const { channel } = sends
  // The messages of a campaign are its variants, and are counted by them.
  const own = counts.of({ ...(kind === 'campaign' ? { variant: id } : { step: id }), channel })
  const sent = own.count('sent')
  // What was returned later was sent before.
  const shareOf = { sent, tried: sent + own.count('bounces') - own.count('returned') }
  const { counts: all = [], unknown = null } = findChannel(channel)?.counted ?? {}
  return {
    ...{ channel, sent },
    counts: all.flatMap(({ measure, words, of }) => {
      return words === undefined
        ? []
        : [{ measure, words, count: own.measured(measure), of: of === undefined ? null : shareOf[of] }]
    }),
    unknown,
  }
}
