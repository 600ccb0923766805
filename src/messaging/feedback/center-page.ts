import { randomUUID } from 'node:crypto'
import { invalid, notFound, unavailable } from '../../base/errors.ts'
import { escapeHtml, htmlPage, type PageReply, type PageRequest } from '../../base/http/page.ts'
import type { Log } from '../../base/log.ts'
import { type Center, findCenter } from '../../content/centers/center-store.ts'
import { OpenRenderings } from '../../content/rendering/open-renderings.ts'
import type { Renderer } from '../../content/rendering/renderer.ts'
import { loadVariables, optionalVariablesIn } from '../../content/rendering/variables-store.ts'
import type { TokenTarget } from '../../people/addresses/message-token.ts'
import { fieldNamesOf, readCenterForm, shownIn } from './center-form.ts'
import { loadPreferences, type Preferences, savePreferences } from './preferences.ts'
import { changePreferences, type PreferencesPageServices, preferencesPage, savedPage } from './preferences-page.ts'

/** Pages of one workspace that are rendered at the same time. Strangers ask for them, and each could take a second. */
export const centerPagesMax = 20
/** Characters of a rendered page. */
export const centerPageCharactersMax = 500_000

export type CenterPageServices = PreferencesPageServices & { readonly renderer: Renderer; readonly log: Log }

/** The pages of preference centers. Where one cannot be rendered, a person gets the preferences page of Easel in its place. */
export class CenterPages {
  readonly #services: CenterPageServices
  readonly #open = new OpenRenderings(centerPagesMax, () => unavailable('Too many pages are being rendered'))

  constructor(services: CenterPageServices) {
    this.#services = services
  }

  /** Shows the page with the form. */
  async show(target: TokenTarget, center_id: string): Promise<PageReply> {
    const preferences = await loadPreferences(target, this.#services)
    if (!preferences) throw unknownPerson()
    const center = await findCenter(this.#services.db, preferences.recipient.workspace_id, center_id)
    const html = center && (await this.#render(center, 'page_html', preferences))
    return html === undefined ? preferencesPage(preferences, '', this.#services) : pageOf(center!, html)
  }

  /** Saves what the form says, and shows the confirmation. */
  async save(target: TokenTarget, center_id: string, { form, query }: PageRequest): Promise<PageReply> {
    // The form of the page in place of one that cannot be rendered.
    if (form.shown) return changePreferences(target, form, this.#services)
    const wanted = readCenterForm(form, query.shown?.at(-1))
    if (!wanted) throw invalid('The form has a value that is not known')
    const preferences = await savePreferences(target, wanted, this.#services)
    if (!preferences) throw unknownPerson()
    const center = await findCenter(this.#services.db, preferences.recipient.workspace_id, center_id)
    const html = center && (await this.#render(center, 'confirmation_html', preferences))
    return html === undefined ? savedPage(preferences, this.#services) : pageOf(center!, html)
  }

  /** Renders a page for a person; undefined if that fails. */
  async #render(
    center: Center,
    name: 'page_html' | 'confirmation_html',
    preferences: Preferences,
  ): Promise<string | undefined> {
    const { renderer, clock, log } = this.#services
    const { workspace_id } = preferences.recipient
    // The fields are known only when the page is rendered.
    const shown = randomUUID().replaceAll('-', '')
    const submit_url = `?shown=${shown}`
    const rendered = await this.#open.run(workspace_id, async () =>
      renderer.render(
        { [name]: center[name] },
        { ...(await this.#variables(center[name], preferences)), submit_url, preference_center_submit_url: submit_url },
        {
          workspace_id,
          nowMs: clock.now(),
          kind: 'preview',
          limits: { [name]: { charactersMax: centerPageCharactersMax } },
          asksNobody: true,
        },
      ),
    )
    if (rendered.outcome === 'rendered') {
      const html = rendered.texts[name]!
      return html.replaceAll(shown, shownIn(html))
    }
    const reason = rendered.outcome === 'aborted' ? rendered.reason : rendered.message
    const { content_block, line, column } = {
      content_block: undefined,
      line: undefined,
      column: undefined,
      ...rendered,
    }
    log.warn(
      { preference_center_api_id: center.id, page: name, reason, content_block, line, column },
      'A page of a preference center was not rendered',
    )
    return undefined
  }

  async #variables(html: string, preferences: Preferences) {
    const { recipient, wantsMail, choices } = preferences
    const { workspace_id, person } = recipient
    const { groups } = this.#services.workspaces.get(workspace_id)
    const optional = { ...optionalVariablesIn([html]), subscribed_state: true }
    const loaded = await loadVariables(this.#services.db, workspace_id, [person], optional, {
      ...this.#services,
      groups,
    })
    const variables = loaded.get(person.profile_id)
    if (!variables) throw unknownPerson()
    const states = choices.map(({ id, isIn }) => [id, isIn ? 'subscribed' : 'unsubscribed'])
    return {
      ...variables,
      subscribed_state: {
        ...variables.subscribed_state,
        ...Object.fromEntries(states),
        ...(!wantsMail && { email_global: 'unsubscribed' }),
      },
      form_field_name: fieldNamesOf(preferences),
    }
  }
}

function unknownPerson() {
  return notFound('The person of this token was deleted')
}

/**
 * An administrator has written the page, and it is served from the origin of the dashboard: it runs in a sandbox without an origin and
 * without scripts. Its pictures may come from elsewhere, its form comes back here.
 */
const policy = [
  'sandbox allow-forms allow-popups allow-popups-to-escape-sandbox',
  "default-src 'none'",
  'img-src https: data:',
  "style-src 'unsafe-inline'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

function pageOf({ title, options }: Center, html: string): PageReply {
  const viewport = options['meta-viewport-content'] ?? 'width=device-width, initial-scale=1'
  const links = (options['link-tags'] ?? []).map((tag) => {
    const attributes = Object.entries(tag).map(([name, value]) => `${name}="${escapeHtml(value)}"`)
    return `<link ${attributes.join(' ')}>\n`
  })
  const body = `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="${escapeHtml(viewport)}">
<meta name="robots" content="noindex, nofollow">
<title>${escapeHtml(title)}</title>
${links.join('')}</head>
<body>
${html}
</body>
</html>
`
  const page = htmlPage(body, policy)
  return { ...page, headers: { ...page.headers, 'X-Robots-Tag': 'noindex, nofollow' } }
}
