import type { Call } from '../../base/call.ts'
import { readLimit } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import type { PathPersonServices } from '../../people/search/find-path-person.ts'
import type { Reason } from '../ledger/reasons.ts'
import { describeMessages, type LookupServices } from './describe-messages.ts'
import {
  countEntriesOfOrder,
  countOfOrder,
  findWalkEnd,
  listMessageRows,
  type MessageCursor,
  type MessageFilter,
  type Way,
} from './list-store.ts'
import { formatMessageCursor, readMessageCursor, readMessageFilter } from './read-filter.ts'
import { lookedAtMax, type MessagesReply, messagesDefault, messagesMax } from './schema.ts'

export type ListServices = LookupServices & PathPersonServices

/**
 * Lists a page of messages, newest first. A page ends early when it has looked at `lookedAt` messages: it then says until when, and its
 * cursor continues there. Throws 400, and 404 for a person who does not exist.
 */
export async function listMessages(
  call: Call,
  query: Query,
  workspace_id: number,
  services: ListServices,
  lookedAt = lookedAtMax,
): Promise<MessagesReply> {
  const limit = readLimit(query, messagesDefault, messagesMax)
  const after = readMessageCursor(query)
  const filter = await readMessageFilter(call, query, workspace_id, services)
  const way = await wayFor(call, filter, lookedAt)
  const rows = await listMessageRows(call.db, filter, way, after, { limit: limit + 1, lookedAt })
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1)! : undefined
  const end = last || way !== 'walk' ? undefined : await findWalkEnd(call.db, filter, after, lookedAt)
  const next: MessageCursor | undefined = last ? { us: last.planned_us, message_id: last.message_id } : end
  return {
    messages: await describeMessages(call.db, { workspace_id, nowMs: call.clock.now() }, page, services),
    searched_until: end ? new Date(Number(end.us) / 1000).toISOString() : null,
    ...(next && { cursor: formatMessageCursor(next) }),
  }
}

const uncertainReasons: ReadonlySet<Reason> = new Set(['uncertain', 'set_aside'])

/** Chooses how messages are found: by what has an index and names few enough of them, otherwise back in time. */
async function wayFor({ db }: Call, filter: MessageFilter, lookedAt: number): Promise<Way> {
  const { people, dispatch_id, states, reasons } = filter
  if (people) return 'people'
  if (dispatch_id !== undefined) {
    const entries = await countEntriesOfOrder(db, dispatch_id, lookedAt)
    if (entries > 0) return entries < lookedAt ? 'entries' : 'walk'
    return (await countOfOrder(db, filter, lookedAt)) < lookedAt ? 'order' : 'walk'
  }
  const isUncertain =
    states?.every((state) => state === 'uncertain') || reasons?.every((reason) => uncertainReasons.has(reason))
  return isUncertain ? 'uncertain' : 'walk'
}
