import type { Tx } from '../../base/db/db.ts'
import { notFound } from '../../base/errors.ts'
import { escapeHtml } from '../../base/http/page.ts'
import { findForm, type SignUpForm } from '../../content/forms/form-store.ts'
import type { Workspace } from '../../workspace/settings/workspaces.ts'
import { fieldAttributes, formTexts, trapField } from './form-page.ts'

export type EmbedSettings = { readonly publicUrl: string }

/** The address of a form, and HTML by which other pages show it. */
export type Embed = { readonly url: string; readonly snippet: string; readonly iframe: string | null }

/** Returns how a form is put on a page. Throws 404. */
export async function describeEmbed(tx: Tx, workspace: Workspace, id: string, settings: EmbedSettings): Promise<Embed> {
  const form = await findForm(tx, workspace.workspace_id, id)
  if (!form) throw notFound(`There is no sign_up_form ${JSON.stringify(id)}`)
  return embedOf(form, workspace, settings)
}

/** A frame is only shown by the sites that the form lists. Pure. */
export function embedOf(form: SignUpForm, workspace: Workspace, { publicUrl }: EmbedSettings): Embed {
  const url = `${publicUrl}/forms/${encodeURIComponent(workspace.id)}/${encodeURIComponent(form.id)}`
  const { name: group = '', channel = 'email' } = workspace.groups.get(form.subscription_group_id) ?? {}
  const view = { form, from: workspace.name, group, channel }
  const texts = formTexts(view)
  const consent = texts.consent
    ? `  <label><input type="checkbox" name="consent" value="yes" required> ${escapeHtml(texts.consent)}</label>\n`
    : ''
  const snippet = `<form action="${escapeHtml(url)}" method="post">
  <label>${escapeHtml(texts.label)} <input ${fieldAttributes(view)}></label>
  <div style="position:absolute;left:-10000px" aria-hidden="true">
    <label>${escapeHtml(texts.trap)} <input type="text" name="${trapField}" tabindex="-1" autocomplete="off"></label>
  </div>
${consent}  <button>${escapeHtml(texts.button)}</button>
</form>
`
  const mayFrame = (form.definition.embed_origins ?? []).length > 0
  const iframe = mayFrame
    ? `<iframe src="${escapeHtml(url)}" title="${escapeHtml(texts.title)}" style="width:100%;height:32rem;border:0"></iframe>\n`
    : null
  return { url, snippet, iframe }
}
