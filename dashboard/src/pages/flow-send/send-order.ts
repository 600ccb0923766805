import { flowShapes } from '../../api/flow-shapes.ts'
import type { PostAdminCampaignsIdSendBody } from '../../api/generated.ts'
import { instantIn } from '../../words/times.ts'

export type RecipientChoice = 'everybody' | 'segment' | 'listed'
export type When = 'now' | 'at' | 'local' | 'optimal'

/** What is chosen in the dialog that sends a flow. */
export type SendChoice = {
  readonly recipients: RecipientChoice
  readonly segment: string
  /** External ids or addresses, a line each. */
  readonly listed: string
  readonly when: When
  /** `2030-01-31T09:00`, as the browser's field writes it. */
  readonly time: string
  /** `2030-01-31`. */
  readonly day: string
}

export const begin: SendChoice = { recipients: 'everybody', segment: '', listed: '', when: 'now', time: '', day: '' }

/** The most people of one order that are named. */
export const listedMax = flowShapes.send_order.recipients.maxItems

export type Order = PostAdminCampaignsIdSendBody
export type Recipients = Pick<Order, 'recipients' | 'segment_id'>

/** Returns the lines that name people. Pure. */
export function linesOf(listed: string): string[] {
  return [...new Set(listed.split(/[\n,;]/).map((line) => line.trim()))].filter((line) => line !== '')
}

/** Returns why it is not clear who gets it; undefined when it is. Pure. */
export function recipientsReason({ recipients, segment, listed }: SendChoice): string | undefined {
  if (recipients === 'segment' && segment === '') return 'Choose a segment.'
  if (recipients !== 'listed') return undefined
  const count = linesOf(listed).length
  if (count === 0) return 'Name somebody.'
  return count > listedMax ? `At most ${listedMax} people can be named. Make a segment for more.` : undefined
}

/** Returns why it is not clear when; undefined when it is. Pure. */
export function whenReason({ when, time, day }: SendChoice): string | undefined {
  if ((when === 'at' || when === 'local') && time === '') return 'Choose a day and a time.'
  return when === 'optimal' && day === '' ? 'Choose a day.' : undefined
}

/** Returns the recipients as the API takes them. A line with an @ is an address. Pure. */
export function recipientsOf({ recipients, segment, listed }: SendChoice): Recipients {
  if (recipients === 'segment') return { segment_id: segment }
  if (recipients === 'everybody') return {}
  return {
    recipients: linesOf(listed).map((line) => (line.includes('@') ? { email: line } : { external_user_id: line })),
  }
}

/** Returns the whole order. `zone`: the zone of the time, unless it is everybody's own. Pure. */
export function orderOf(choice: SendChoice, zone: string): Order {
  const { when, time, day } = choice
  const recipients = recipientsOf(choice)
  if (when === 'now') return recipients
  if (when === 'at') return { ...recipients, schedule: { time: instantIn(zone, time) } }
  if (when === 'local') return { ...recipients, schedule: { time: `${time}:00`, in_local_time: true } }
  return { ...recipients, schedule: { time: `${day}T00:00:00`, at_optimal_time: true } }
}
