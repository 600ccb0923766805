import type { CatalogItem, ContentRequest, ContentResponse } from '../../src/content/liquid/source-query.ts'
import type { TemplateVariables } from '../../src/content/liquid/variables.ts'
import type { RenderingSources } from '../../src/content/rendering/answer-queries.ts'
import type { Rendered } from '../../src/content/rendering/rendered.ts'
import { openRenderer, type Renderer } from '../../src/content/rendering/renderer.ts'

/** A Tuesday. */
export const nowMs = Date.UTC(2026, 2, 3, 10, 5, 7)

export const ann: TemplateVariables = {
  standard: {
    external_id: 'u-1',
    service_id: '0123456789abcdef01234567',
    first_name: 'Ann',
    last_name: 'Ümlaut',
    email: 'ann@example.com',
    phone: '+4712345678',
    home_city: 'Oslo',
    country: 'NO',
    dob: '1990-05-17',
    language: 'nb',
    time_zone: 'Europe/Oslo',
    random_bucket: 77,
    date_of_last_session: new Date(Date.UTC(2026, 1, 28, 8, 43, 50, 123)),
    gender: null,
  },
  custom: {
    plan: 'gold',
    points: 1_234_567.5,
    'zip code': '0150',
    'a.b': 'dotted',
    'say "hi"\\': 'quoted',
    empty: '',
    no: false,
    missing: null,
    brands: ['Nike', 'Puma', 'Converse'],
    songs: [{ title: 'One', artist: { name: 'U2' } }, { title: 'Two' }],
    fav: 'b',
    ids: ['a', 'b'],
    odd: { valueOf: 1 },
    since: '2026-03-01T22:30:00Z',
    html: '<b>"x" & \'y\'</b>',
  },
  canvas_entry_properties: { product: { name: 'Shoe', sizes: [41, 42] } },
  event_properties: {
    items: [
      { name: 'Tea', price: 2.5 },
      { name: 'Jam', price: 4 },
    ],
    'item count': 2,
  },
  api_trigger_properties: { code: 'X1' },
  subscribed_state: { email_global: 'opted_in' },
  campaign: { name: 'Spring' },
}

const items: Readonly<Record<string, CatalogItem>> = {
  a: { id: 'a', name: 'Apple', price: 3, hello: 'Hi {{${first_name}}}' },
  b: { id: 'b', name: 'Berry', price: 5 },
}

const blocks: Readonly<Record<string, string>> = {
  footer: 'Bye {{${first_name}}}{% assign set_inside = 1 %}',
  outer: '[{{content_blocks.${footer}}}]',
  deep1: '1{{content_blocks.${deep2}}}',
  deep2: '2{{content_blocks.${deep3}}}',
  deep3: '3',
  deep0: '0{{content_blocks.${deep1}}}',
  selfish: '{{content_blocks.${selfish}}}',
  ping: '{{content_blocks.${pong}}}',
  pong: '{{content_blocks.${ping}}}',
  broken: 'fine\n {{ x | nothing }}',
  stops: '{% abort_message("from a block") %}',
  asks: '{% catalog_items shop a %}{{items[0].name}}',
}

/** A server that answers by the path of the URL. `asked` has the requests it got. */
export type Watched = RenderingSources & { readonly wishes: ContentRequest[]; readonly calls: string[] }

export function watchedSources(answers: Readonly<Record<string, ContentResponse>> = {}): Watched {
  const wishes: ContentRequest[] = []
  const calls: string[] = []
  return {
    wishes,
    calls,
    async catalogItems(_workspace, catalog, ids) {
      calls.push(`${catalog}: ${ids.join(' ')}`)
      return catalog === 'shop' ? ids.map((id) => items[id]) : undefined
    },
    async catalogSelection(_workspace, catalog, selection) {
      return catalog === 'shop' && selection === 'cheap' ? [items.a!] : undefined
    },
    async contentBlocks(_workspace, names) {
      return names.map((name) => blocks[name])
    },
    async fetch(_workspace, wish) {
      wishes.push(wish)
      return answers[URL.parse(wish.url)?.pathname ?? '']
    },
  }
}

export async function withRenderer<T>(sources: RenderingSources, work: (renderer: Renderer) => Promise<T>): Promise<T> {
  const renderer = openRenderer({ sources, processes: 1 })
  try {
    return await work(renderer)
  } finally {
    await renderer.close()
  }
}

export async function renderText(renderer: Renderer, text: string, personal = ann): Promise<Rendered | string> {
  const rendered = await renderer.render({ text }, personal, { workspace_id: 1, nowMs })
  return rendered.outcome === 'rendered' ? rendered.texts.text! : rendered
}
