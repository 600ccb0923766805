/** What can be counted of messages after they were sent. `delivered`: accepted ones that have not bounced since. */
export type CountedMeasure =
  | 'delivered'
  | 'opens'
  | 'unique_opens'
  | 'clicks'
  | 'unique_clicks'
  | 'unsubscribes'
  | 'bounces'
  | 'reported_spam'
  | 'push_tokens_removed'

/** A count of the messages of a channel. */
export type ChannelCount = {
  readonly measure: CountedMeasure
  /** The member of data series; the measure when absent. */
  readonly member?: string
  /** What pages call it. Absent: only data series have it. */
  readonly words?: string
  /** What its share is taken of: messages that were sent, or all that were tried. Absent: it has no share. */
  readonly of?: 'sent' | 'tried'
}

/** The counts of a channel, in the order of pages. `unknown` says what nobody can count, so that it is not taken for 0. */
export type ChannelCounts = { readonly counts: readonly ChannelCount[]; readonly unknown?: string }
