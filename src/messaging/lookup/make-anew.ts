import type { Db } from '../../base/db/db.ts'
import { openPreviews } from '../../content/rendering/open-previews.ts'
import { listSendings } from '../delivery/eligibility-store.ts'
import { liquidContext, stepSending } from '../delivery/entry-eligibility.ts'
import { listEntryEligibility } from '../delivery/entry-eligibility-store.ts'
import { type Graphs, graphKey } from '../flows/graphs.ts'
import { DecoratedBodies } from '../mail/decorated-bodies.ts'
import { type PrepareServices, prepareEmails } from '../mail/prepare-emails.ts'
import type { MessageToPrepare } from '../mail/prepared-mail.ts'
import { emailChannel } from '../messages/message.ts'
import type { MessageRow } from './list-store.ts'

export type MakeAnewServices = Omit<PrepareServices, 'fetchAttachments' | 'decoratedBodies'> & {
  readonly graphs: Graphs
}

/** A mail that is made anew, or why it cannot be made. */
export type MadeAnew =
  | { readonly address: string; readonly subject: string; readonly source: Buffer }
  | { readonly cannot: string }

/** Makes the mail of a message of this workspace again. Throws 429 while the workspace has too many previews. */
export type MakeAnew = (row: MessageRow, workspace_id: number) => Promise<MadeAnew>

/** What all mails made anew have together. Each has a body of its own, so none is kept. */
const decoratedCharactersMax = 0

/**
 * Returns a function that makes the mail of a message again, from the version of its flow or the content of its order. The person,
 * templates, blocks and catalogs are those of now. Nothing is sent or written. No server is asked: a mail with content of another server
 * cannot be made, and attached files are left out. The mail has no pixel, no tracked links and no signature.
 */
export function openMakeAnew(services: MakeAnewServices): MakeAnew {
  const previews = openPreviews()
  const prepareServices: PrepareServices = {
    ...services,
    decoratedBodies: new DecoratedBodies(decoratedCharactersMax),
    fetchAttachments: async () => ({ files: [], warnings: [] }),
    isPreview: true,
  }
  return (row, workspace_id) =>
    previews.run(workspace_id, async () => {
      const address = row.address ?? row.email
      if (!mayBeMadeAnew(row) || address === null) return { cannot: 'its person has no address, or was deleted' }
      const content = await contentOf(services.db, row, services.graphs)
      if (!content) return { cannot: 'its order, or the way of the person through the flow, is no longer kept' }
      const { message_id, profile_id, bucket, cause } = row
      const tracking = { opens: false, clicks: false }
      const message = { message_id, profile_id, bucket, workspace_id, address, tracking, class: row.class }
      const [made] = await prepareEmails(prepareServices, [{ ...message, dispatch_id: cause, ...content }])
      if (!made || 'reason' in made) return { cannot: made?.rule ?? 'it is too large' }
      return { address, subject: made.subject, source: made.raw }
    })
}

/** Whether the mail of a message can be made for a person. Pure. */
export function mayBeMadeAnew({ channel, has_profile }: Pick<MessageRow, 'channel' | 'has_profile'>): boolean {
  return channel === emailChannel && has_profile
}

/** Returns the content of a message as it was accepted or published; undefined when it was deleted. */
async function contentOf(
  db: Db,
  row: MessageRow,
  graphs: Graphs,
): Promise<Pick<MessageToPrepare, 'sending' | 'about'> | undefined> {
  const { cause, flow_id, flow_version: version } = row
  if (flow_id === null || version === null) {
    const sending = (await listSendings(db, [cause])).get(cause)
    return sending?.email && { sending }
  }
  const flow = { flow_id, version }
  const graph = (await graphs.getReadable(db, [flow])).found.get(graphKey(flow))
  const [entry] = graph ? await listEntryEligibility(db, [{ ...row, flow_id }], true) : []
  if (!graph || !entry?.entry_state) return undefined
  const sending = stepSending(row, { ...entry, graph })
  return sending && { sending, about: liquidContext(row, { ...entry, graph }) }
}
