import { notFound } from '../../base/errors.ts'
import { networkOf } from '../../base/http/caller-ip.ts'
import { escapeHtml, type PageReply, type PageRequest } from '../../base/http/page.ts'
import { visitorPage } from '../../base/http/visitor-page.ts'
import { type ConfirmServices, confirm, findConfirmation, type LinkTarget } from '../../people/confirmations/confirm.ts'
import { type Confirmation, stateOf } from '../../people/confirmations/confirmation.ts'
import { groupOf } from '../../people/confirmations/group-of.ts'
import { type Wording, withGroup, wordingOf } from './wording.ts'

/** Shows a button that confirms. The page itself changes nothing: scanners open every link of a mail. */
export async function showConfirm(target: LinkTarget, services: ConfirmServices): Promise<PageReply> {
  const confirmation = await findConfirmation(services, target)
  if (!confirmation) throw unknownLink()
  const state = stateOf(confirmation, services.clock.now())
  if (state === 'expired') return endPage(confirmation, 'expired', 200, services)
  if (state === 'confirmed') return endPage(confirmation, 'done', 200, services)
  if (groupOf(services.workspaces.get(confirmation.workspace_id), confirmation.group_id)?.archived) {
    return endPage(confirmation, 'closed', 200, services)
  }
  const { title, text, button } = textsOf(confirmation, services)
  const content = `<p dir="auto">${escapeHtml(text)}</p>
<form method="post">
<input type="hidden" name="wish" value="confirm">
<div class="act"><button dir="auto">${escapeHtml(button)}</button></div>
</form>`
  return pageOf(confirmation, title, content, 200, services)
}

/** Confirms what the link asks. A second press changes nothing. */
export async function takeConfirm(
  target: LinkTarget,
  { form, ip }: PageRequest,
  services: ConfirmServices,
): Promise<PageReply> {
  // A mail program that posts to links on its own sends another form.
  if (form.wish?.[0] !== 'confirm') return { ...(await showConfirm(target, services)), status: 400 }
  const done = await confirm(target, networkOf(ip), services)
  if (!done) throw unknownLink()
  const { confirmation, outcome } = done
  if (outcome === 'expired') return endPage(confirmation, 'expired', 410, services)
  if (outcome === 'closed') return endPage(confirmation, 'closed', 410, services)
  return endPage(confirmation, 'done', 200, services)
}

function unknownLink() {
  return notFound('The person of this link was deleted, or it was replaced')
}

function textsOf(confirmation: Confirmation, { workspaces }: ConfirmServices): Wording['page'] {
  const group = groupOf(workspaces.get(confirmation.workspace_id), confirmation.group_id)
  const texts = { ...wordingOf(confirmation.language).page, ...group?.double_opt_in?.texts }
  const named = Object.entries(texts).map(([name, text]) => [name, withGroup(text, group?.name ?? '')])
  return Object.fromEntries(named) as typeof texts
}

function endPage(
  confirmation: Confirmation,
  end: 'done' | 'expired' | 'closed',
  status: number,
  services: ConfirmServices,
): PageReply {
  const texts = textsOf(confirmation, services)
  const look = end === 'done' ? 'notice' : 'wrong'
  const content = `<p class="${look}" role="status" dir="auto">${escapeHtml(texts[`${end}_text`])}</p>`
  return pageOf(confirmation, texts[`${end}_title`], content, status, services)
}

function pageOf(
  { workspace_id, language }: Confirmation,
  heading: string,
  content: string,
  status: number,
  { workspaces }: ConfirmServices,
): PageReply {
  return visitorPage({ from: workspaces.get(workspace_id).name, heading, content, status, language })
}
