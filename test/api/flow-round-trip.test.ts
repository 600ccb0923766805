import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { parse } from 'yaml'
import { seed } from '../sizes.ts'
import { canvases } from '../support/canvases.ts'
import { drawDatabases } from '../support/harness.ts'
import { mailedOf } from '../support/mailed-people.ts'
import { mail, sendingWorkspace } from '../support/messages.ts'
import { type Item, newId } from '../support/people.ts'
import { randomCampaigns, randomCanvases } from '../support/random-flows.ts'

const root = join(import.meta.dirname, '../..')
const documents = ['docs/canvases.md', 'docs/workspace-file.md', 'examples/workspace.yaml']
/** Random canvases of one run, and random campaigns. Each takes seven requests. */
const runs = 12

type File = { readonly canvases?: readonly Item[]; readonly campaigns?: readonly Item[] }

/** Every canvas and campaign in the documents, with the app and without the segment of each document. */
const documented = documents.flatMap((path) => {
  const text = readFileSync(join(root, path), 'utf8')
  const blocks = path.endsWith('.md') ? [...text.matchAll(/^```yaml\n(.*?)^```$/gms)].map((match) => match[1]!) : [text]
  return blocks.flatMap((block) => {
    const { canvases: ofCanvases = [], campaigns = [] } = (parse(block) ?? {}) as File
    return [
      ...ofCanvases.map((flow) => ['canvases', flow] as const),
      ...campaigns.map((flow) => ['campaigns', flow] as const),
    ]
  })
})

/** Replaces what a workspace must have by what this one has. */
function here(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(here)
  if (typeof value !== 'object' || value === null) return value
  const { app_id } = mail()
  const members = Object.entries(value).map(([name, one]) => {
    if (name === 'app_id') return [name, app_id]
    if (name === 'segment' && typeof one === 'object' && one !== null && 'segment_id' in one)
      return ['control_percent', 0]
    return [name, here(one)]
  })
  return Object.fromEntries(members)
}

for (const database of drawDatabases('flow-round-trip')) {
  describe(`a flow that is read and saved unchanged (${database})`, () => {
    const people = mailedOf(database, { env: { EASEL_CLOCK: 'virtual' }, workspace: sendingWorkspace })
    const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
      people.service.send(method, path, body, { key: people.service.adminToken, headers })

    /** Stores a flow, opens it in a draft, publishes the draft, and finds that nothing has changed. */
    async function travel(kind: string, given: Item): Promise<void> {
      const id = newId('round')
      const one = kind === 'canvases' ? 'canvas' : 'campaign'
      const path = `/admin/${kind}/${id}`
      const made = await ask('POST', `/admin/${kind}`, { ...given, id, name: id })
      assert.equal(made.status, 201, `${made.text} ${JSON.stringify(given)}`)
      const read = await ask('GET', path)
      const stored = read.body[one]
      const drafted = await ask('PUT', `${path}/draft`, { definition: stored, base_version: 1 })
      assert.equal(drafted.status, 200, drafted.text)
      assert.equal(JSON.stringify(drafted.body.draft.definition), JSON.stringify(stored))
      const checked = await ask('POST', `/admin/${kind}/check`, { id, definition: drafted.body.draft.definition })
      assert.deepEqual(checked.body.mistakes, [], JSON.stringify(given))
      const published = await ask(
        'PATCH',
        `${path}?draft=${encodeURIComponent(drafted.body.tag)}`,
        drafted.body.draft.definition,
        {
          'If-Match': String(read.headers.etag),
        },
      )
      assert.equal(published.status, 200, published.text)
      assert.equal(JSON.stringify(published.body[one]), JSON.stringify(stored))
      const { versions } = (await ask('GET', `${path}/versions`)).body
      assert.deepEqual(
        versions.map(({ version }: Item) => version),
        [1],
      )
      const { audit } = (await ask('GET', `/admin/audit?target=${one}:${id}&action=${one}.update`)).body
      assert.deepEqual(audit, [])
    }

    test('each one in the documents and the examples stays the same', async () => {
      assert.ok(documented.length >= 3, `${documented.length} flows were found`)
      for (const [kind, flow] of documented) await travel(kind, here(flow) as Item)
    })

    test('one with each kind of step stays the same', async () => {
      for (const flow of canvases) await travel('canvases', flow)
    })

    test('random valid ones stay the same', async () => {
      await fc.assert(
        fc.asyncProperty(randomCanvases, (given) => travel('canvases', { state: 'active', ...given })),
        { seed, numRuns: runs },
      )
      await fc.assert(
        fc.asyncProperty(randomCampaigns, (given) => travel('campaigns', { state: 'active', ...given })),
        { seed, numRuns: runs },
      )
    })
  })
}
