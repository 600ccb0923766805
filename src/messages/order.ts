import type { Call } from '../base/call.ts'
import type { Tx } from '../base/db/db.ts'
import { type Accepted, acceptDispatch } from '../dispatch/accept.ts'
import type { Schedule } from '../dispatch/schedule.ts'
import type { Sending } from '../dispatch/sending.ts'
import { checkEmail } from '../mail/object-read.ts'
import { getSegment } from '../segments/find.ts'
import type { Workspaces } from '../workspace/cache.ts'
import { type Asked, type Known, noticeOf } from './read.ts'

export type SendParts = {
  workspaces: Workspaces
  /** Something is due, or may be sooner than before. */
  pokeExpander(): void
}

/** The answer to an order. */
export type Ordered = Accepted & { readonly send_id?: string; readonly notice?: string }

export function knownTo({ workspaces }: SendParts, { workspace_id }: Call): Known {
  const { settings, apps } = workspaces.get(workspace_id)
  // There are no campaigns yet.
  return { settings, apps, findCampaign: () => undefined }
}

/** Writes down what is to be sent, when all that it names is there. Throws 400. */
export async function placeOrder(tx: Tx, call: Call, asked: Asked, schedule?: Schedule): Promise<Ordered> {
  const { meant, class: kind, send_id, content } = asked
  if (meant.segment_id !== undefined) await getSegment(tx, call.workspace_id, meant.segment_id)
  if (content.email) await checkEmail(tx, call.workspace_id, content.email)
  const accepted = await acceptDispatch(tx, call, {
    sending: sendingOf(meant, content),
    class: kind,
    schedule,
    send_id,
  })
  const notice = noticeOf(content)
  return { ...accepted, ...(send_id !== undefined && { send_id }), ...(notice !== undefined && { notice }) }
}

export function sendingOf(meant: Asked['meant'], { email }: Asked['content']): Sending {
  return { ...meant, ...(email && { email }) }
}
