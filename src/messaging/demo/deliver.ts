import type { Tx } from '../../base/db/db.ts'
import { newHiddenId } from '../../base/ids.ts'
import { email } from '../channels/email/channel.ts'
import type { EmailConsentRow } from '../channels/email/consent.ts'
import { applyCaps } from '../delivery/caps.ts'
import type { DeliveryItem } from '../delivery/delivery-item.ts'
import { decideEligibility, readEligibility } from '../delivery/eligibility.ts'
import { stepSending } from '../delivery/entry-eligibility.ts'
import { outcomeOfSend } from '../delivery/send-outcome.ts'
import { type DeliveryResult, type ResultServices, writeResults } from '../delivery/write-results.ts'
import type { EmailObject } from '../mail/email-object.ts'
import { claimMessages } from '../messages/claim-store.ts'
import { isEntryMessage, type LeasedMessage, messageClasses } from '../messages/message.ts'
import { endFor } from '../messages/outcome.ts'
import { writeHandOvers } from '../messages/outcome-store.ts'
import type { TransportOutcome } from '../messages/transport-outcome.ts'
import type { PastClock } from './past.ts'
import type { DemoPerson } from './people.ts'
import type { Random } from './random.ts'

export type PastServices = ResultServices & { readonly clock: PastClock }

/** A mail that the demo says was sent, and how many links it has. */
export type SentMail = { readonly message: LeasedMessage; readonly person: DemoPerson; readonly links: number }

/** Messages of one instant. */
const claimedMax = 1_000
const leaseMs = 60_000
const accepted: TransportOutcome = { kind: 'accepted', response: '250 2.0.0 Ok (a mail of the demo: nothing was sent)' }
/** What mail servers answer in the demo, with the share of the mails. All others are accepted. */
const answers: readonly (readonly [number, TransportOutcome])[] = [
  [
    0.006,
    { kind: 'refused', code: 550, enhanced: '5.1.1', bounce: 'hard', response: '550 5.1.1 No such mailbox (demo)' },
  ],
  [0.004, { kind: 'refused', code: 552, enhanced: '5.2.2', bounce: 'soft', response: '552 5.2.2 Mailbox full (demo)' }],
  [
    0.002,
    { kind: 'refused', code: 550, enhanced: '5.7.1', bounce: 'policy', response: '550 5.7.1 Refused by policy (demo)' },
  ],
  [0.002, { kind: 'uncertain', message: 'the connection was lost after the mail was sent (demo)' }],
]
const brokenShare = 0.002
const broken = { reason: 'template_error', rule: "undefined filter: 'currencey', line 2 (demo)" } as const

/**
 * Delivers the messages that are due at the instant of the clock, as far as delivery decides: consent, suppressions and frequency caps are
 * checked, and every outcome is written with its decision. No mail is made: an answer is invented for each.
 */
export async function deliverDue(
  tx: Tx,
  workspace_id: number,
  people: ReadonlyMap<string, DemoPerson>,
  random: Random,
  services: PastServices,
): Promise<SentMail[]> {
  const { clock } = services
  const nowMs = clock.now()
  const untilMs = clock.elapsed() + leaseMs
  const shares = messageClasses.map((kind) => ({ workspace_id, channel: email.name, class: kind, count: claimedMax }))
  const messages = await claimMessages(tx, shares, { lease: newHiddenId(), nowMs, untilMs })
  if (messages.length === 0) return []
  const eligibility = await readEligibility(tx, messages, services, false)
  const stopped: DeliveryResult[] = []
  const items: DeliveryItem[] = []
  for (const message of messages) {
    const flow = isEntryMessage(message) ? eligibility.flows.get(message.message_id) : undefined
    const sending = flow && isEntryMessage(message) ? stepSending(message, flow) : undefined
    if (!sending) throw new Error('a message of the demo has no step')
    const row = eligibility.rows.get(message.message_id) as EmailConsentRow | undefined
    const address = row?.email ?? ''
    const tracking = { opens: true, clicks: true }
    const item = { message, address, domain: email.domainOf(address), tracking, sending, contentKey: message.step }
    const outcome = decideEligibility(item, eligibility, nowMs, services)
    if (outcome) stopped.push({ message, outcome })
    else items.push(item)
  }
  const { left, capped } = await applyCaps(tx, items, nowMs, services)
  const mails = left.map((item) => ({ ...item, ...textsOf(item, people) }))
  const ended = mails.map((mail) => resultOf(mail, nowMs, random))
  const handed = mails.filter((_, i) => ended[i]!.delivery !== undefined)
  await writeHandOvers(tx, handed, 'leased', untilMs)
  await writeResults(tx, [...stopped, ...capped, ...ended], services)
  return mails.flatMap((mail, i) => {
    const { outcome } = ended[i]!
    const person = people.get(mail.message.profile_id)
    const isSent = outcome.ends && outcome.reason === 'sent'
    return isSent && person ? [{ message: mail.message, person, links: mail.links.length }] : []
  })
}

function resultOf({ message, address, domain }: DeliveryItem, nowMs: number, random: Random): DeliveryResult {
  if (random.happens(brokenShare)) return { message, outcome: endFor(broken) }
  const share = random.fraction()
  let sum = 0
  const other = answers.find(([part]) => {
    sum += part
    return share < sum
  })
  const sent = other?.[1] ?? accepted
  const outcome = outcomeOfSend(message, sent, domain, nowMs)
  return { message, outcome, delivery: { sent, address, domain } }
}

/** Returns what is stored of a mail. The flows of the demo use one variable of Liquid. */
function textsOf({ message, sending }: DeliveryItem, people: ReadonlyMap<string, DemoPerson>) {
  const content = sending.content as EmailObject
  const name = people.get(message.profile_id)?.first_name ?? 'there'
  const subject = (content.subject ?? '').replaceAll(/\{\{\$\{first_name\}[^}]*\}\}/g, () => name)
  const links = [...(content.body ?? '').matchAll(/href="([^"]+)"/g)].map(([, link]) => link!)
  return { subject, links, warnings: [] }
}
