import type { Db } from '../../base/db/db.ts'
import { openPreviews } from '../../content/rendering/open-previews.ts'
import type { PreviewServices } from '../channels/channel.ts'
import { allChannels, findChannel } from '../channels/channels.ts'
import { listSendings } from '../delivery/eligibility-store.ts'
import { liquidContext, stepSending } from '../delivery/entry-eligibility.ts'
import { listEntryEligibility } from '../delivery/entry-eligibility-store.ts'
import { type Graphs, graphKey } from '../flows/graphs.ts'
import type { MessageToPrepare } from '../messages/prepared-message.ts'
import { contentSending } from '../orders/sending.ts'
import type { MessageRow } from './list-store.ts'

export type MakeAnewServices = PreviewServices & { readonly graphs: Graphs }

/** A mail that is made anew, or why it cannot be made. */
export type MadeAnew =
  | { readonly address: string; readonly subject: string; readonly source: Buffer }
  | { readonly cannot: string }

/** Makes the mail of a message of this workspace again. Throws 429 while the workspace has too many previews. */
export type MakeAnew = (row: MessageRow, workspace_id: number) => Promise<MadeAnew>

/**
 * Returns a function that makes the mail of a message again, from the version of its flow or the content of its order. The person,
 * templates, blocks and catalogs are those of now. Nothing is sent or written. No server is asked: a mail with content of another server
 * cannot be made, and attached files are left out. The mail has no pixel, no tracked links and no signature.
 */
export function openMakeAnew(services: MakeAnewServices): MakeAnew {
  const previews = openPreviews()
  const made = new Map(allChannels().map(({ name, openPreview }) => [name, openPreview?.(services)]))
  return (row, workspace_id) =>
    previews.run(workspace_id, async () => {
      const address = row.address ?? row.email
      const make = made.get(row.channel)
      if (!make || !row.has_profile || address === null) return { cannot: 'its person has no address, or was deleted' }
      const content = await contentOf(services.db, row, services.graphs)
      if (!content) return { cannot: 'its order, or the way of the person through the flow, is no longer kept' }
      const { message_id, profile_id, bucket, cause } = row
      const tracking = { opens: false, clicks: false }
      const message = { message_id, profile_id, bucket, workspace_id, address, tracking, class: row.class }
      const result = await make({ ...message, dispatch_id: cause, ...content })
      if ('reason' in result) return { cannot: result.rule }
      return { address, subject: result.subject, source: result.source }
    })
}

/** Whether the mail of a message can be made for a person. Pure. */
export function mayBeMadeAnew({ channel, has_profile }: Pick<MessageRow, 'channel' | 'has_profile'>): boolean {
  return has_profile && findChannel(channel)?.openPreview !== undefined
}

/** Returns the content of a message as it was accepted or published; undefined when it was deleted. */
async function contentOf(
  db: Db,
  row: MessageRow,
  graphs: Graphs,
): Promise<Pick<MessageToPrepare, 'content' | 'about'> | undefined> {
  const { cause, flow_id, flow_version: version } = row
  if (flow_id === null || version === null) {
    const order = (await listSendings(db, [cause])).get(cause)
    const sending = order && contentSending(order, row.channel)
    return sending && { content: sending.content }
  }
  const flow = { flow_id, version }
  const graph = (await graphs.getReadable(db, [flow])).found.get(graphKey(flow))
  const [entry] = graph ? await listEntryEligibility(db, [{ ...row, flow_id }], true) : []
  if (!graph || !entry?.entry_state) return undefined
  const sending = stepSending(row, { ...entry, graph })
  return sending && { content: sending.content, about: liquidContext(row, { ...entry, graph }) }
}
