import { escapeHtml, type PageReply } from '../../base/http/page.ts'
import { visitorPage } from '../../base/http/visitor-page.ts'
import type { SignUpForm } from '../../content/forms/form-store.ts'
import { defaultLanguage, type Wording, withGroup, wordingOf } from './wording.ts'

/** A field that people do not see. A program that fills in every field fills it in, too. */
export const trapField = 'website'
export const timeField = 'shown_at'

/** What the pages of a form are made from. */
export type FormView = {
  readonly form: SignUpForm
  /** The name of the workspace. */
  readonly from: string
  /** The name of the group, and its channel. */
  readonly group: string
  readonly channel: 'email' | 'sms'
}

/** What the page says above the form. `status` is that of the answer. */
export type FormNote = { readonly kind: 'wrong' | 'notice'; readonly text: string; readonly status: number }

/** Returns the language of a form. Pure. */
export function languageOf({ definition }: SignUpForm): string {
  return definition.language ?? defaultLanguage
}

/** Returns the built-in texts of the language, with those of the form in their place. Pure. */
export function formTexts({ form, group, channel }: FormView): Wording['form'] & { readonly consent?: string } {
  const wording = wordingOf(languageOf(form))
  const texts = { ...wording.form, ...(channel === 'sms' && wording.phoneForm), ...form.definition.texts }
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, withGroup(text, group)])) as typeof texts
}

/** Returns the built-in notes of the language. Pure. */
export function formNotes({ form, channel }: Pick<FormView, 'form' | 'channel'>): Wording['notes'] {
  const { notes, phoneNotes } = wordingOf(languageOf(form))
  return { ...notes, ...(channel === 'sms' && phoneNotes) }
}

/** Returns the attributes of the field, without its value. Pure. */
export function fieldAttributes({ channel }: Pick<FormView, 'channel'>): string {
  return channel === 'sms'
    ? 'type="tel" name="phone" autocomplete="tel" maxlength="64" required'
    : 'type="email" name="email" autocomplete="email" maxlength="254" required'
}

/** The page with the form. `shownAt` is the signed time of now, `address` what was typed before. Pure. */
export function formPage(view: FormView, shownAt: string, address = '', note?: FormNote): PageReply {
  const texts = formTexts(view)
  const role = note?.kind === 'wrong' ? 'alert' : 'status'
  const above = note ? `<p class="${note.kind}" role="${role}" dir="auto">${escapeHtml(note.text)}</p>\n` : ''
  const consent = texts.consent
    ? `<label class="choice"><input type="checkbox" name="consent" value="yes" required>
<span dir="auto">${escapeHtml(texts.consent)}</span></label>\n`
    : ''
  return pageOf(view, {
    heading: texts.title,
    status: note?.status ?? 200,
    content: `${above}<p dir="auto">${escapeHtml(texts.intro)}</p>
<form method="post">
<input type="hidden" name="${timeField}" value="${escapeHtml(shownAt)}">
<div class="trap" aria-hidden="true"><label>${escapeHtml(texts.trap)}
<input type="text" name="${trapField}" tabindex="-1" autocomplete="off"></label></div>
<label class="field"><span dir="auto">${escapeHtml(texts.label)}</span>
<input ${fieldAttributes(view)} value="${escapeHtml(address)}"></label>
${consent}<div class="act"><button dir="auto">${escapeHtml(texts.button)}</button></div>
</form>`,
  })
}

/** The answer to a form. It is the same for every address. Pure. */
export function donePage(view: FormView): PageReply {
  const { redirect_url } = view.form.definition
  if (redirect_url !== undefined) {
    return { status: 303, headers: { Location: redirect_url, 'X-Robots-Tag': 'noindex, nofollow' }, body: '' }
  }
  const { done_title, done_text } = formTexts(view)
  const content = `<p class="notice" role="status" dir="auto">${escapeHtml(done_text)}</p>`
  return pageOf(view, { heading: done_title, content })
}

/** The page of a form that takes no sign-ups. Pure. */
export function pausedPage(view: FormView): PageReply {
  const { paused_title, paused_text } = formTexts(view)
  return pageOf(view, { heading: paused_title, content: `<p dir="auto">${escapeHtml(paused_text)}</p>` })
}

function pageOf(
  { form, from }: FormView,
  page: { readonly heading: string; readonly content: string; readonly status?: number },
): PageReply {
  const { redirect_url, embed_origins = [] } = form.definition
  return visitorPage({
    ...page,
    from,
    language: languageOf(form),
    embedOrigins: embed_origins,
    ...(redirect_url !== undefined && { formOrigins: [new URL(redirect_url).origin] }),
  })
}
