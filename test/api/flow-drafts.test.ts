import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from '../../src/base/db/sql.ts'
import { allDraftBytesMax, draftBytesMax, draftLevelsMax, draftsMax } from '../../src/messaging/drafts/schema.ts'
import { canvas, message } from '../support/canvases.ts'
import { drawDatabases } from '../support/harness.ts'
import type { Answer } from '../support/http-requests.ts'
import { mailedOf } from '../support/mailed-people.ts'
import { mail, sendingWorkspace } from '../support/messages.ts'
import { type Item, newId } from '../support/people.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read single members of an answer.
type Any = any

const hello = (more: Item = {}) => canvas(newId('drafted'), [message('hello')], more)
const call = (Authorization: unknown, url = 'https://hooks.example.com/a') => ({
  ...{ id: 'call', type: 'webhook', url, method: 'POST' },
  headers: { Authorization, 'X-Source': 'shop' },
})
const sealed = { sealed: true }

for (const database of drawDatabases('flow-drafts')) {
  describe(`drafts of flows (${database})`, () => {
    const people = mailedOf(database, { env: { EASEL_CLOCK: 'virtual' }, workspace: sendingWorkspace })
    const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
      people.service.send(method, path, body, { key: people.service.adminToken, headers })
    const at = (id: string, kind = 'canvases') => `/admin/${kind}/${id}/draft`
    const put = (id: string, definition: unknown, tag?: string | null, more: Item = {}) =>
      ask('PUT', at(id), { definition, ...more }, tag ? { 'If-Match': tag } : {})
    const read = async (id: string): Promise<Any> => (await ask('GET', at(id))).body
    const publish = (method: string, path: string, tag: string, body: Item, headers: Record<string, string> = {}) =>
      ask(method, `${path}?draft=${encodeURIComponent(tag)}`, body, headers)
    const make = async (more: Item = {}): Promise<string> => {
      const given = hello(more)
      const made = await ask('POST', '/admin/canvases', given)
      assert.equal(made.status, 201, made.text)
      return given.id as string
    }
    const auditOf = async (id: string): Promise<Any[]> =>
      (await ask('GET', `/admin/audit?target=canvas:${id}`)).body.audit.map(({ action, before, after }: Any) => ({
        action,
        before,
        after,
      }))
    const callsOf = async (id: string): Promise<Any> =>
      (
        await people.db.query<Any>(sql`
        select v.definition from flow join flow_version v using (flow_id, version) where flow.id = ${id}`)
      )[0].definition.steps

    test('a flow without a draft answers null, and so does one that does not exist', async () => {
      for (const id of [await make(), newId('nobody')]) {
        const { status, body, headers } = await ask('GET', at(id))
        assert.deepEqual([status, body], [200, { draft: null, tag: null, message: 'success' }])
        assert.equal(headers.etag, undefined)
      }
      assert.equal((await ask('GET', at('any'), undefined)).status, 200)
      assert.equal((await ask('GET', `${at('any')}?workspace=none`)).status, 404)
    })

    test('a draft is stored, read and replaced with its tag', async () => {
      const id = newId('new')
      const first = await put(id, { name: 'Half', steps: [{ id: 1 }, null], odd: { a: [[]] } })
      assert.equal(first.status, 200, first.text)
      assert.deepEqual(first.body.draft.definition, { name: 'Half', steps: [{ id: 1 }, null], odd: { a: [[]] } })
      assert.deepEqual([first.body.draft.base_version, first.body.draft.author.kind], [null, 'admin'])
      assert.equal(first.headers.etag, first.body.tag)
      assert.deepEqual((await read(id)).draft, first.body.draft)
      const known = await ask('GET', at(id), undefined, { 'If-None-Match': first.body.tag })
      assert.deepEqual([known.status, known.text], [304, ''])
      const second = await put(id, { name: 'Whole' }, first.body.tag, { base_version: 3 })
      assert.deepEqual([second.status, second.body.draft.base_version], [200, 3])
      assert.notEqual(second.body.tag, first.body.tag)
      assert.equal((await ask('GET', '/admin/canvases/new')).status, 404)
    })

    test('a write without the tag of the stored draft is refused with that draft, and changes nothing', async () => {
      const id = newId('mine')
      const { body: mine } = await put(id, { name: 'Mine' })
      const { body: next } = await put(id, { name: 'Next' }, mine.tag)
      for (const tag of [undefined, mine.tag, '"other"']) {
        const { status, body, headers } = await put(id, { name: 'Late' }, tag)
        assert.equal(status, 412)
        assert.match(body.message, /^admin.* saved another draft at 20\d\d-.*Z\. Nothing was changed\.$/)
        assert.deepEqual([body.draft, body.tag, headers.etag], [next.draft, next.tag, next.tag])
      }
      const refused = await ask('DELETE', at(id), undefined, { 'If-Match': mine.tag })
      assert.deepEqual([refused.status, refused.body.draft], [412, next.draft])
      assert.deepEqual((await read(id)).draft, next.draft)
      assert.equal((await ask('DELETE', at(id), undefined, { 'If-Match': next.tag })).status, 204)
      const gone = await put(id, { name: 'Late' }, next.tag)
      assert.deepEqual([gone.status, gone.body.draft, gone.body.tag], [412, null, null])
      assert.match(gone.body.message, /was published or discarded/)
      assert.equal((await ask('DELETE', at(id))).status, 404)
    })

    test('of parallel writes with one tag exactly one is stored', async () => {
      const id = newId('raced')
      let tag: string | null = null
      for (let round = 0; round < 3; round++) {
        const answers: Answer[] = await Promise.all(
          Array.from({ length: 8 }, (_, i) => put(id, { name: `Round ${round}, writer ${i}` }, tag)),
        )
        const won = answers.filter(({ status }) => status === 200)
        assert.deepEqual([won.length, answers.filter(({ status }) => status === 412).length], [1, 7])
        assert.deepEqual((await read(id)).draft, won[0]!.body.draft)
        tag = won[0]!.body.tag
      }
    })

    test('the same draft again writes nothing', async () => {
      const id = newId('same')
      const { body: first } = await put(id, { name: 'Same', steps: [call('Bearer one')] })
      await people.service.advance('PT1H')
      const again = await put(id, { name: 'Same', steps: [call(sealed)] }, first.tag)
      assert.deepEqual([again.status, again.body.tag], [200, first.tag])
      assert.equal((await auditOf(id)).length, 1)
    })

    test('a draft is at most so large, so deep and so many', async () => {
      const id = newId('large')
      const sized = (bytes: number) => ({ text: 'x'.repeat(bytes - '{"text":""}'.length) })
      assert.equal((await put(id, sized(draftBytesMax + 1))).status, 400)
      const { status, body } = await put(id, sized(draftBytesMax))
      assert.equal(status, 200)
      assert.equal(body.draft.definition.text.length, draftBytesMax - 11)
      const deep = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`)
      assert.equal((await put(newId('deep'), deep(draftLevelsMax))).status, 200)
      const tooDeep = await put(newId('deep'), deep(draftLevelsMax + 1))
      assert.deepEqual([tooDeep.status, tooDeep.body.message], [400, "'definition' must be nested at most 100 deep"])
      const abyss = `{"definition": ${'{"a":'.repeat(9_999)}{}${'}'.repeat(9_999)}}`
      assert.equal((await ask('PUT', at(newId('deep')), abyss)).status, 400)
      const fill = (count: number, bytes: number) =>
        people.db.query(sql`
          insert into flow_draft (workspace_id, kind, id, name, definition, bytes, author_kind, author_id,
            author_name, updated_at)
          select (select min(workspace_id) from workspace), 'campaign', 'filler-' || i, '', '{}', ${bytes}::int, 'admin', '', '',
            '2027-01-01'
          from generate_series(1, ${count}::int) as i`)
      const putCampaign = (id: string, definition: object) => ask('PUT', at(id, 'campaigns'), { definition })
      await fill(draftsMax - 1, 2)
      assert.equal((await putCampaign('last', {})).status, 200)
      assert.match((await putCampaign('more', {})).body.message, /has 500 drafts of this kind/)
      assert.equal((await put(newId('other'), {})).status, 200)
      await people.db.query(sql`delete from flow_draft where kind = 'campaign'`)
      await fill(1, allDraftBytesMax - 7)
      assert.match((await putCampaign('more', { a: 12 })).body.message, /at most 67108864 bytes/)
      assert.equal((await putCampaign('more', { a: 1 })).status, 200)
      await people.db.query(sql`delete from flow_draft where kind = 'campaign'`)
    })

    test('a draft may have anything that JSON can say, and comes back as it was', async () => {
      const id = newId('hostile')
      const definition =
        '{"name":"a\\u0000b","z":1,"a":{"__proto__":{"polluted":true},"constructor":{"prototype":1}},"\\u0000":"\\ud800",' +
        '"steps":[{"id":"x","headers":{"__proto__":"Bearer secret-of-proto","2":"b","1":"a"}},{"id":"x","headers":["a"]},7],' +
        '"large":12345678901234567890.123456789,"tiny":1e-400,"variants":"no","toString":[null,true]}'
      const stored = await ask('PUT', at(id), `{"definition":${definition}}`)
      assert.equal(stored.status, 200, stored.text)
      const { text } = await ask('GET', at(id))
      const shown = definition.replace('"Bearer secret-of-proto","2":"b","1":"a"', '"Bearer secret-of-proto"')
      assert.ok(text.includes(shown.slice(0, 100)), text)
      assert.ok(text.includes('"large":12345678901234567890.123456789'), text)
      assert.ok(text.includes('"variants":"no","toString":[null,true]}'), text)
      assert.equal(({} as Any).polluted, undefined)
      const [{ after }] = (await auditOf(id)) as [Any]
      assert.ok(after.changes.length > 0)
      assert.equal((await ask('GET', '/admin/heads/canvases')).body.drafts.find((one: Any) => one.id === id).name, 'ab')
      for (const bad of [[], null, 'text', 1, undefined]) {
        const { status, body } = await put(newId('bad'), bad)
        assert.deepEqual([status, body.message], [400, "'definition' must be an object"])
      }
      for (const base_version of [0, 1.5, '1', 2 ** 31]) {
        assert.equal((await put(newId('bad'), {}, null, { base_version })).status, 400)
      }
      for (const path of [
        '/admin/canvases/-bad/draft',
        `/admin/canvases/${'x'.repeat(65)}/draft`,
        '/admin/canvases/a%20b/draft',
      ]) {
        assert.equal((await ask('PUT', path, { definition: {} })).status, 400)
      }
    })

    test('secret headers are sealed, and go only to the server for which they were given', async () => {
      const id = newId('secret')
      const { body } = await put(id, { id, steps: [call('Bearer of-the-draft'), message('hello')] })
      assert.deepEqual(body.draft.definition.steps[0].headers, { Authorization: sealed, 'X-Source': 'shop' })
      const rows = await people.db.query<Any>(sql`select definition, secrets from flow_draft where id = ${id}`)
      assert.ok(!`${rows[0].definition} ${rows[0].secrets.toString('utf8')}`.includes('of-the-draft'))
      // The step moves, and keeps its text.
      const moved = await put(
        id,
        { ...hello(), id, first: 'call', steps: [message('hello'), { ...call(sealed), next: 'hello' }] },
        body.tag,
      )
      const check = await ask('POST', '/admin/canvases/check', { id, definition: moved.body.draft.definition })
      assert.deepEqual(check.body.mistakes, [])
      const other = {
        ...moved.body.draft.definition,
        steps: [message('hello'), { ...call(sealed, 'https://evil.example/'), next: 'hello' }],
      }
      const moving = await ask('POST', '/admin/canvases/check', { id, definition: other })
      assert.deepEqual(
        moving.body.mistakes.map(({ path }: Any) => path),
        ['steps[1].headers.Authorization'],
      )
      assert.equal((await publish('POST', '/admin/canvases', moved.body.tag, other)).status, 400)
      const done = await publish('POST', '/admin/canvases', moved.body.tag, moved.body.draft.definition)
      assert.equal(done.status, 201, done.text)
      assert.equal(typeof (await callsOf(id))[1].headers.Authorization.sealed, 'string')
      // A draft of the flow that exists takes the text of the flow.
      const next = await put(id, { ...moved.body.draft.definition, rate: '5/min' }, null, { base_version: 1 })
      const patched = await publish('PATCH', `/admin/canvases/${id}`, next.body.tag, next.body.draft.definition)
      assert.equal(patched.status, 200, patched.text)
      assert.deepEqual(patched.body.canvas.steps[1].headers.Authorization, sealed)
    })

    test('publishing deletes the draft, and is refused when the draft or the flow is another one', async () => {
      const id = await make()
      const judged = await ask('GET', `/admin/canvases/${id}`)
      const { body: mine } = await put(id, { ...judged.body.canvas, rate: '5/min' }, null, { base_version: 1 })
      const { body: theirs } = await put(id, { ...judged.body.canvas, rate: '6/min' }, mine.tag, { base_version: 1 })
      const path = `/admin/canvases/${id}`
      const late = await publish(
        'PATCH',
        path,
        mine.tag,
        { rate: '5/min' },
        { 'If-Match': String(judged.headers.etag) },
      )
      assert.equal(late.status, 412)
      assert.match(late.body.message, /saved another draft/)
      assert.equal((await ask('PATCH', path, { rate: '9/min' })).status, 200)
      const stale = await publish(
        'PATCH',
        path,
        theirs.tag,
        { rate: '6/min' },
        { 'If-Match': String(judged.headers.etag) },
      )
      assert.equal(stale.status, 412)
      assert.match(stale.body.message, /has changed since you read it/)
      assert.deepEqual((await read(id)).draft, theirs.draft)
      const wrong = await publish('PATCH', path, theirs.tag, { rate: 'often' })
      assert.equal(wrong.status, 400)
      assert.deepEqual((await read(id)).draft, theirs.draft)
      const now = String((await ask('GET', path)).headers.etag)
      const done = await publish('PATCH', path, theirs.tag, { rate: '6/min' }, { 'If-Match': now })
      assert.deepEqual([done.status, done.body.canvas.rate], [200, '6/min'])
      assert.equal((await read(id)).draft, null)
      assert.equal((await publish('PATCH', path, theirs.tag, { rate: '7/min' })).status, 412)
      assert.equal((await ask('PATCH', path, { rate: '7/min' })).status, 200)
    })

    test('a draft that is what runs already is published without a new version', async () => {
      const id = await make()
      const { canvas: stored } = (await ask('GET', `/admin/canvases/${id}`)).body
      const { body } = await put(id, stored, null, { base_version: 1 })
      assert.equal((await publish('PATCH', `/admin/canvases/${id}`, body.tag, stored)).status, 200)
      assert.equal((await read(id)).draft, null)
      assert.equal((await ask('GET', `/admin/canvases/${id}/versions`)).body.versions.length, 1)
    })

    test('a new flow is published from its draft', async () => {
      const given = hello()
      const id = String(given.id)
      const { body } = await put(id, given)
      const { id: _, ...nameless } = given
      assert.match((await publish('POST', '/admin/canvases', body.tag, nameless)).body.message, /'id' is required/)
      assert.equal((await publish('POST', '/admin/canvases', '"other"', given)).status, 412)
      assert.equal((await ask('GET', `/admin/canvases/${id}`)).status, 404)
      assert.equal((await publish('POST', '/admin/canvases', body.tag, given)).status, 201)
      assert.equal((await read(id)).draft, null)
      const { body: again } = await put(id, { ...given, rate: '5/min' }, null, { base_version: 1 })
      assert.equal((await publish('POST', '/admin/canvases', again.tag, given)).status, 409)
      assert.deepEqual((await read(id)).tag, again.tag)
    })

    test('lists tell of drafts, also of flows that do not exist yet', async () => {
      const [id, fresh] = [await make(), newId('fresh')]
      await put(id, { name: 'Changed' }, null, { base_version: 1 })
      await put(fresh, { name: 'Fresh' })
      const { body } = await ask('GET', '/admin/heads/canvases')
      const head = body.canvases.find((one: Any) => one.id === id)
      assert.deepEqual([head.name, head.draft.base_version, head.draft.author.kind], [id, 1, 'admin'])
      const { updated_at, author, ...rest } = body.drafts.find((one: Any) => one.id === fresh)
      assert.deepEqual([rest, author.kind, typeof updated_at], [{ id: fresh, name: 'Fresh' }, 'admin', 'string'])
      assert.ok(!body.drafts.some((one: Any) => one.id === id))
      assert.ok(!body.canvases.some((one: Any) => one.id === fresh))
      assert.deepEqual((await ask('GET', '/admin/heads/campaigns')).body.drafts, [])
      await ask('DELETE', `/admin/canvases/${id}`)
      assert.equal((await read(id)).draft, null)
    })

    test('details say whether a flow that was launched has a draft', async () => {
      const [launched, waiting] = [await make(), await make({ state: 'draft' })]
      const hasDraft = async (id: string) => {
        const { body }: Any = await people.get(`/canvas/details?canvas_id=${id}`)
        return body.has_post_launch_draft
      }
      assert.equal(await hasDraft(launched), false)
      for (const id of [launched, waiting]) await put(id, { name: 'Changed' }, null, { base_version: 1 })
      assert.deepEqual([await hasDraft(launched), await hasDraft(waiting)], [true, false])
      await ask('DELETE', at(launched))
      assert.equal(await hasDraft(launched), false)
    })

    test('the impact and a dry run of a draft need no text of a secret that only the draft has', async () => {
      const id = await make()
      const path = `/admin/canvases/${id}`
      const { canvas: stored } = (await ask('GET', path)).body
      const steps = [{ ...call('Bearer of-the-draft'), next: 'hello' }, ...stored.steps]
      const { body } = await put(id, { ...stored, first: 'call', steps }, null, { base_version: 1 })
      const { definition } = body.draft
      assert.deepEqual(definition.steps[0].headers.Authorization, sealed)
      for (const [question, given] of Object.entries({ impact: {}, dry_run: {} })) {
        const answer = await ask('POST', `${path}/${question}`, { ...given, definition })
        assert.equal(answer.status, 200, answer.text)
        assert.ok(!answer.text.includes('of-the-draft'))
      }
    })

    test('the audit says what a draft changes, who discarded and who published it', async () => {
      const id = await make()
      const { canvas: stored } = (await ask('GET', `/admin/canvases/${id}`)).body
      const changed = { ...stored, rate: '5/min', steps: [message('hello', undefined, 'Ho')] }
      const { body: one } = await put(id, changed, null, { base_version: 1 })
      const { body: two } = await put(id, { ...changed, rate: '6/min' }, one.tag, { base_version: 1 })
      await ask('DELETE', at(id))
      const { body: three } = await put(id, changed, null, { base_version: 1 })
      await publish('PATCH', `/admin/canvases/${id}`, three.tag, changed)
      const subject = 'Subject of "hello" changed from "hello" to "Ho"'
      const difference = (changes: string[]) => ({ base_version: 1, changes, has_more_changes: false })
      const rows = await auditOf(id)
      assert.deepEqual(
        rows.map(({ action }) => action),
        [
          ...['canvas.update', 'canvas.publish_draft', 'canvas.save_draft', 'canvas.discard_draft'],
          ...['canvas.save_draft', 'canvas.save_draft', 'canvas.create'],
        ],
      )
      assert.deepEqual(Object.keys(rows[0]!.after).toSorted(), ['rate', 'steps'])
      assert.deepEqual(rows[1]!.before, { base_version: 1 })
      const added = (rate: string) => difference([`Rate was added: "${rate}"`, subject])
      const sorted = (row: Any) => ({ ...row, changes: row.changes.toSorted() })
      assert.deepEqual(sorted(rows[3]!.before), added('6/min'))
      assert.deepEqual(rows[4]!.after, difference(['Rate changed from "5/min" to "6/min"']))
      assert.deepEqual(sorted(rows[5]!.after), added('5/min'))
      assert.ok(two.tag)
    })

    test('a campaign has a draft of its own, also with the id of a canvas', async () => {
      const id = await make()
      await put(id, { name: 'Of the canvas' }, null, { base_version: 1 })
      const messages = [{ email: mail({ subject: 'Hi' }) }]
      const given = { id, name: id, state: 'active', messages }
      const { body } = await ask('PUT', at(id, 'campaigns'), { definition: given })
      assert.deepEqual(body.draft.definition, given)
      assert.equal((await publish('POST', '/admin/campaigns', body.tag, given)).status, 201)
      assert.equal((await read(id)).draft.definition.name, 'Of the canvas')
    })
  })
}
