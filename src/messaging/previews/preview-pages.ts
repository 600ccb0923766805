import type { Clock } from '../../base/clock.ts'
import { notFound } from '../../base/errors.ts'
import type { Ability } from '../../base/http/abilities.ts'
import type { Page } from '../../base/http/page.ts'
import { readSingle } from '../../base/http/query.ts'
import { generateToken } from '../../base/ids.ts'
import { inertHtml } from '../lookup/inert-html.ts'
import { admit, framed, type MailPageServices, plainHtml } from '../lookup/mail-pages.ts'
import { htmlPathOf } from '../mail/mail-path.ts'
import { readParts } from '../mail/read-parts.ts'
import { pageMinutes } from './schema.ts'

/** Bytes of all previews that are kept for their pages. */
const keptBytesMax = 32 * 2 ** 20
const pageMs = pageMinutes * 60_000

/** What a page shows: a mail, or the text of a content block. */
export type ShownPreview = {
  readonly workspace_id: number
  /** What it takes to look at it. */
  readonly ability: Ability
  readonly shown: { readonly source: Buffer } | { readonly content: string; readonly isHtml: boolean }
}

type Kept = ShownPreview & { readonly untilMs: number; readonly bytes: number }

/** The previews of the last minutes, in the memory of this process. */
export class PreviewPages {
  readonly #clock: Pick<Clock, 'elapsed'>
  /** The oldest first. */
  readonly #kept = new Map<string, Kept>()
  #bytes = 0

  constructor(clock: Pick<Clock, 'elapsed'>) {
    this.#clock = clock
  }

  /** Keeps a preview. Returns the path of its page in the workspace with the id `workspace`. */
  add(preview: ShownPreview, workspace: string): string {
    const { shown } = preview
    const bytes = 'source' in shown ? shown.source.length : 2 * shown.content.length
    const id = generateToken('')
    this.#kept.set(id, { ...preview, bytes, untilMs: this.#clock.elapsed() + pageMs })
    this.#bytes += bytes
    this.#forget()
    return htmlPathOf('previews', id, workspace)
  }

  find(workspace_id: number, id: string): ShownPreview | undefined {
    this.#forget()
    const found = this.#kept.get(id)
    return found?.workspace_id === workspace_id ? found : undefined
  }

  #forget(): void {
    for (const [id, { bytes, untilMs }] of this.#kept) {
      if (untilMs > this.#clock.elapsed() && this.#bytes <= keptBytesMax) return
      this.#kept.delete(id)
      this.#bytes -= bytes
    }
  }
}

export type PreviewPageServices = Pick<MailPageServices, 'sessionAccess' | 'workspaces' | 'publicUrl'> & {
  readonly previewPages: PreviewPages
}

/** Returns the page of a preview, as `/dashboard/mail/...` shows mails. With `dark=true` as a mail program with a dark theme shows it. */
export function previewPage(services: PreviewPageServices): Page {
  return {
    path: '/dashboard/mail/previews/{id}',
    render: async (request) => {
      const workspace_id = await admit(services, request, 'messages.test')
      const preview = services.previewPages.find(workspace_id, request.params.id!)
      if (!preview) throw notFound(`There is no such preview. A preview can be looked at for ${pageMinutes} minutes`)
      await admit(services, request, preview.ability)
      const html = await htmlOf(preview, services.publicUrl)
      const is = (name: string) => readSingle(request.query, name) === 'true'
      return framed(is('dark') ? inDark(html) : html, is('pictures'))
    },
    renderError: (failure) => framed(plainHtml(failure?.message ?? 'Internal error'), false),
  }
}

async function htmlOf({ shown }: ShownPreview, publicUrl: string): Promise<string> {
  const own = { publicUrl, targets: [] }
  if ('content' in shown) return shown.isHtml ? inertHtml(shown.content, own) : plainHtml(shown.content)
  const { html, text } = await readParts(shown.source)
  return html === null ? plainHtml(text ?? '') : inertHtml(html, own)
}

const darkQuery = /\(\s*prefers-color-scheme\s*:\s*dark\s*\)/gi
const lightQuery = /\(\s*prefers-color-scheme\s*:\s*light\s*\)/gi

/** Returns the page with the styles that it has for a dark theme, whatever the theme of the browser is. */
function inDark(html: string): string {
  const styled = html.replace(darkQuery, '(min-width: 0)').replace(lightQuery, '(max-width: 0)')
  return `${styled}<style>:root { color-scheme: dark }</style>`
}
