import type { Db } from '../../base/db/db.ts'
import { recordComplaint } from '../feedback/record-complaints.ts'
import { type ObservedEngagement, recordEngagements } from '../feedback/record-engagements.ts'
import { unsubscribe } from '../feedback/unsubscribe.ts'
import type { PastServices, SentMail } from './deliver.ts'
import type { Random } from './random.ts'

const shares = { opened: 0.42, clicked: 0.3, unsubscribed: 0.006, complained: 0.0015 } as const
const hourMs = 3_600_000
const dayMs = 24 * hourMs

type Reactions = PastServices & { readonly db: Db; newId(bucket: number): string }

/** Lets people open mails, click in them, unsubscribe and complain, all before `nowMs`. */
export async function reactTo(
  sent: readonly SentMail[],
  workspace_id: number,
  nowMs: number,
  random: Random,
  services: Reactions,
): Promise<void> {
  const { clock, db, hashAddress } = services
  const sentMs = clock.now()
  const seen: ObservedEngagement[] = []
  for (const { message, person, links } of sent) {
    const target = { profile_id: message.profile_id, message_id: message.message_id }
    const openedMs = sentMs + Math.floor(random.fraction() ** 3 * 2 * dayMs) + 60_000
    if (random.happens(shares.opened) && openedMs < nowMs) {
      seen.push(engagement(target, 'opened', -1, openedMs, random.whole(1, 3)))
      const clickedMs = openedMs + random.whole(5_000, 600_000)
      if (random.happens(shares.clicked) && links > 0 && clickedMs < nowMs) {
        seen.push(engagement(target, 'clicked', 0, clickedMs, 1))
      }
    }
    const laterMs = sentMs + random.whole(hourMs / 12, hourMs / 2)
    if (laterMs >= nowMs || person.email === undefined) continue
    clock.set(laterMs)
    if (random.happens(shares.unsubscribed)) await unsubscribe(db, services, target)
    else if (random.happens(shares.complained)) {
      const { bucket, message_id } = message
      const complaint = {
        address: person.email,
        detail: 'abuse (demo)',
        message: { bucket, message_id, complained: false },
      }
      await recordComplaint({ db, clock, workspace_id }, complaint, hashAddress)
    }
    clock.set(sentMs)
  }
  await recordEngagements(db, seen, { promptMs: 0, newId: services.newId })
}

function engagement(
  target: ObservedEngagement['target'],
  kind: 'opened' | 'clicked',
  link: number,
  firstMs: number,
  count: number,
): ObservedEngagement {
  return { target, kind, link, isMachine: false, firstMs, lastMs: firstMs + (count - 1) * 30_000, count }
}
