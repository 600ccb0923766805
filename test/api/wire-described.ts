import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { differencesOf, type Shape } from '../support/described-shape.ts'
import { type Served, serve } from '../support/fetchers.ts'
import type { Database } from '../support/harness.ts'
import {
  ago,
  apps,
  dayMs,
  event,
  groups,
  type Item,
  newAlias,
  newEmail,
  newId,
  People,
  purchase,
} from '../support/people.ts'
import { campaign, canvas, triggeredWorkspace } from '../support/triggers.ts'

/**
 * A request as the contract describes it, and the shape of its answer. It was not recorded, unlike those of `requests.json`. `dialect`: how
 * the clients of a language write the query, or another deviation. `{name}` stands for something that the test creates.
 */
type Described = {
  readonly source: string
  readonly method: string
  readonly path: string
  readonly body: Item | null
  readonly dialect?: string
  readonly status: number
  readonly answer: Shape
}

const file = join(import.meta.dirname, '../wire/described-requests.json')
const described = JSON.parse(readFileSync(file, 'utf8')) as Described[]
/** `request, the difference, the rule that allows it`. A missing line and an unnecessary line both fail. */
const deviations: readonly [request: string, difference: string, rule: string][] = []
const png = Buffer.from('89504e470d0a1a0a0000', 'hex')

const workspace = {
  ...triggeredWorkspace,
  settings: { global_control_group: { ranges: [{ from: 0, to: 499 }] } },
  subscription_groups: Object.values(groups),
  canvases: [canvas('welcome')],
  campaigns: [campaign('news'), campaign('receipt', { class: 'transactional' })],
  segments: [
    { id: 'all', name: 'All', audience: { custom_attribute: { custom_attribute_name: 'plan', comparison: 'exists' } } },
  ],
}

export function replayDescribed(database: Database): void {
  describe(`requests that the contract describes (${database})`, () => {
    const people = new People()
    let files: Served
    const known: Record<string, string> = {}

    before(async () => {
      files = await serve((_, response) => response.end(png))
      await people.start({ database, workspace, env: { EASEL_FETCH_ALLOW: `127.0.0.1:${files.port}` } })
      Object.assign(known, await createAll(people, files.url))
    })
    after(async () => {
      await people.stop()
      await files?.close()
    })

    test('have answers of the described status and shape', async () => {
      const found: string[] = []
      for (const { method, path, body, status, answer } of described) {
        const fill = (text: string) =>
          filled(text, { ...known, new: newId('made'), now: ago(0), yesterday: ago(dayMs) })
        const sent = body === null ? undefined : JSON.parse(fill(JSON.stringify(body)))
        const got = await people.service.send(method, fill(path), sent)
        const differences =
          got.status === status ? differencesOf(answer, got.body) : [`status ${got.status} for ${status}: ${got.text}`]
        const line = `${method} ${path}${body === null ? '' : ` ${JSON.stringify(body)}`}`
        found.push(...differences.map((difference) => `${line}: ${difference}`))
      }
      assert.deepEqual(
        found,
        deviations.map(([line, difference]) => `${line}: ${difference}`),
      )
    })

    test('are of paths that are served', async () => {
      const paths = Object.entries<Item>((await people.service.get('/openapi.json')).body.paths)
      for (const { method, path } of described) {
        const [plain = ''] = path.split('?')
        const parts = plain.split('/')
        const isServed = paths.some(([served, methods]) => {
          const names = served.split('/')
          const fits = names.every((name, i) => name === parts[i] || (name.startsWith('{') && parts[i] !== undefined))
          return fits && names.length === parts.length && method.toLowerCase() in methods
        })
        assert.ok(isServed, `${method} ${path}`)
      }
    })
  })
}

/** Creates what requests name. Returns the ids by the names that stand for them. */
async function createAll(people: People, files: string): Promise<Readonly<Record<string, string>>> {
  const taken = async (path: string, body: Item) => {
    const { status, text, body: answer } = await people.service.post(path, body)
    assert.ok(status < 300, text)
    return answer
  }
  const [person, alias] = [newId(), newAlias('shop')]
  await people.set({ external_id: person, email: newEmail(), first_name: 'Ann', plan: 'gold' })
  await taken('/users/alias/new', { user_aliases: [{ external_id: person, ...alias }] })
  await people.accept({ events: [event({ external_id: person })], purchases: [purchase({ external_id: person })] })
  const { send_id } = await taken('/sends/id/create', { campaign_id: 'news' })
  const recipients = [{ external_user_id: person }]
  await taken('/campaigns/trigger/send', { campaign_id: 'news', send_id, recipients })
  await taken('/canvas/trigger/send', { canvas_id: 'welcome', recipients })
  await people.settled()
  const { preference_center_api_id } = await taken('/preference_center/v1', {
    name: newId('center'),
    preference_center_title: 'Mail',
    preference_center_page_html: '<p>Page</p>',
    confirmation_page_html: '<p>Saved</p>',
  })
  const fields = [{ name: 'id', type: 'string' }]
  await taken('/catalogs', { catalogs: [{ name: 'shop', description: 'A shop', fields }] })
  return {
    person,
    alias: alias.alias_name,
    files,
    app: apps.phone.id,
    group: groups.news.id,
    campaign: 'news',
    receipt: 'receipt',
    canvas: 'welcome',
    segment: 'all',
    send: send_id,
    center: preference_center_api_id,
    catalog: 'shop',
  }
}

/** Replaces `{name}` by what it stands for. Other braces stay. */
function filled(text: string, known: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => known[name] ?? whole)
}
