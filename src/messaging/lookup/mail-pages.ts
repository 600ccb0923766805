import type { Db } from '../../base/db/db.ts'
import { Failure, forbidden, notFound } from '../../base/errors.ts'
import type { Ability } from '../../base/http/abilities.ts'
import type { SignedInAccount } from '../../base/http/auth.ts'
import { escapeHtml, htmlPage, type Page, type PageReply, type PageRequest } from '../../base/http/page.ts'
import { readSingle } from '../../base/http/query.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { channelOf } from '../channels/channels.ts'
import { findInboxMail } from '../inbox/read-inbox.ts'
import { findMailOfMessage } from '../mail/inbox-store.ts'
import { inertHtml } from './inert-html.ts'
import { findMessageRow, type MessageRow } from './list-store.ts'
import type { MakeAnew } from './make-anew.ts'
import { findMessage } from './read-message.ts'

export type MailPageServices = {
  readonly db: Db
  readonly workspaces: Workspaces
  readonly publicUrl: string
  readonly makeAnew: MakeAnew
  readonly sessionAccess: { find(cookies: string): Promise<SignedInAccount | undefined> }
}

/** A mail, and the message that it is of. */
type Found = {
  readonly mail: { readonly source: Buffer; readonly channel: string }
  readonly message: MessageRow | undefined
}
/** Finds a mail. `makeAnew` is there when the mail may be made anew. */
type Find = (db: Db, workspace_id: number, id: string, makeAnew?: MakeAnew) => Promise<Found>

/**
 * Pages with the HTML of one mail, which the dashboard shows in a frame. They take the session and the ability of the screen that shows the
 * frame. Nothing in a mail runs, nothing is loaded from elsewhere, and looking at it is neither an open nor a click.
 */
export function mailPages(services: MailPageServices): Page[] {
  return [
    mailPage(services, '/dashboard/mail/messages/{id}', 'messages.read', findOfMessage),
    mailPage(services, '/dashboard/mail/inbox/{id}', 'inbox.read', findInInbox),
  ]
}

function mailPage(services: MailPageServices, path: string, ability: Ability, find: Find): Page {
  return {
    path,
    render: async (request) => {
      const workspace_id = await admit(services, request, ability)
      const anew = readSingle(request.query, 'render') === 'true' ? services.makeAnew : undefined
      const { mail, message } = await find(services.db, workspace_id, request.params.id!, anew)
      const { html, text } = await channelOf(mail.channel).show(mail.source)
      const own = { publicUrl: services.publicUrl, targets: message?.links ?? [] }
      const shown = html === null ? plainHtml(text ?? '') : await inertHtml(html, own)
      return framed(shown, readSingle(request.query, 'pictures') === 'true')
    },
    renderError: (failure) => {
      const said = failure?.message ?? 'Internal error'
      return framed(plainHtml(said), false)
    },
  }
}

async function findOfMessage(db: Db, workspace_id: number, id: string, makeAnew?: MakeAnew): Promise<Found> {
  const message = await findMessage(db, workspace_id, id)
  const mail = await findMailOfMessage(db, message, message.address)
  if (mail) return { mail, message }
  const made = await makeAnew?.(message, workspace_id)
  if (!made) throw notFound('The mail of this message is not kept')
  if ('cannot' in made) throw notFound(`The mail cannot be made anew: ${made.cannot}`)
  return { mail: { ...made, channel: message.channel }, message }
}

async function findInInbox(db: Db, workspace_id: number, id: string): Promise<Found> {
  const mail = await findInboxMail({ db }, id, workspace_id)
  const { message_id, bucket } = mail
  return {
    mail,
    message: message_id === null ? undefined : await findMessageRow(db, workspace_id, message_id, bucket),
  }
}

/** Checks the session and its ability. Returns the workspace of the query. Throws 401, 403 and 404. */
export async function admit(
  { sessionAccess, workspaces }: Pick<MailPageServices, 'sessionAccess' | 'workspaces'>,
  { headers, query }: PageRequest,
  ability: Ability,
): Promise<number> {
  const signedIn = headers.cookie === undefined ? undefined : await sessionAccess.find(headers.cookie)
  if (!signedIn) throw new Failure('unauthenticated', 'Sign in first: there is no session, or it has ended')
  const id = readSingle(query, 'workspace')
  const workspace = id === undefined ? workspaces.default() : workspaces.find(id)
  if (!signedIn.may(ability, workspace?.workspace_id))
    throw forbidden(`You do not have permission to do this: it takes ${ability}`)
  if (!workspace) throw notFound('There is no such workspace')
  return workspace.workspace_id
}

/**
 * In its sandbox the page has an origin of its own, and no scripts, forms, windows or way to the page around it. Pictures of `https:` are
 * loaded on request.
 */
export function framed(html: string, pictures: boolean): PageReply {
  const images = pictures ? 'data: https:' : 'data:'
  const policy = `sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src ${images}; frame-ancestors 'self'`
  return htmlPage(html, policy)
}

export function plainHtml(text: string): string {
  const style = 'white-space: pre-wrap; overflow-wrap: anywhere'
  return `<!doctype html><meta charset="utf-8"><pre style="${style}">${escapeHtml(text)}</pre>`
}
