import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, describe, test } from 'node:test'
import { sql } from '../../src/base/db/sql.ts'
import { parseQuery } from '../../src/base/http/query.ts'
import { Graphs } from '../../src/messaging/flows/graphs.ts'
import { listEntries } from '../../src/messaging/inspect/list-entries.ts'
import { entriesPage, stepCharactersMax } from '../../src/messaging/inspect/schema.ts'
import { canvas, isPlan, message } from '../support/canvases.ts'
import { drawDatabases } from '../support/harness.ts'
import { mailedOf } from '../support/mailed-people.ts'
import { sendingWorkspace } from '../support/messages.ts'
import { type Item, newId } from '../support/people.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read single members of an answer.
type Any = any

const walk = canvas(
  'walk',
  [
    { id: 'gold', name: 'Is gold', type: 'decision', audience: isPlan('gold'), yes: 'hello', no: 'act' },
    message('hello', 'wait'),
    { id: 'wait', name: 'A while', type: 'delay', for: 'P3D' },
    {
      ...{ id: 'act', name: 'Buys', type: 'action_paths', within: 'P2D', otherwise: 'wait' },
      paths: [{ name: 'Bought', event: 'bought_it', next: 'hello' }],
    },
  ],
  { class: 'marketing', exit: { events: ['left_it'] } },
)
const crowded = canvas('crowded', [{ id: 'wait', type: 'delay', for: 'P3D' }])
const workspace = { ...sendingWorkspace, canvases: [walk, crowded, canvas('other', [message('hello')])] }

for (const database of drawDatabases('flow-entries')) {
  describe(`who is in a canvas (${database})`, () => {
    const people = mailedOf(database, { env: { EASEL_CLOCK: 'virtual' }, workspace })
    const ask = (path: string) => people.service.get(path, { key: people.service.adminToken })
    const read = async (path: string): Promise<Any> =>
      (await people.service.admin('GET', `/admin/canvases/${path}`)).body
    const now = async () => (await people.service.admin('GET', '/admin/clock')).body.now
    let [buyer, leaver, rich, away]: string[] = []

    async function newPerson(more: Item = {}): Promise<string> {
      const external_id = newId()
      await people.set({ external_id, email: `${external_id}@example.com`, ...more })
      return external_id
    }

    async function trigger(id: string, ...ids: string[]): Promise<void> {
      const recipients = ids.map((external_user_id) => ({ external_user_id }))
      const answer = await people.send('/canvas/trigger/send', { canvas_id: id, recipients })
      assert.equal(answer.status, 201, answer.text)
      await people.service.advance('PT1S')
    }

    async function act(name: string, external_id: string): Promise<void> {
      await people.accept({ events: [{ external_id, name, time: await now() }] })
      await people.service.advance('PT1S')
    }

    const namesOf = ({ entries }: Any): string[] => entries.map(({ person }: Any) => person.external_id)

    before(async () => {
      buyer = await newPerson({ first_name: 'Ann' })
      leaver = await newPerson()
      rich = await newPerson({ plan: 'gold' })
      away = await newPerson({ plan: 'gold', email_subscribe: 'unsubscribed' })
      for (const each of [buyer, leaver, rich, away]) await trigger('walk', each)
      await people.service.advance('P1D')
      await act('bought_it', buyer)
      await act('left_it', leaver)
    })

    test('the people of a canvas are listed, newest first', async () => {
      const all = await read('walk/entries')
      assert.deepEqual(namesOf(all), [away, rich, leaver, buyer])
      assert.deepEqual([all.searched_until, all.cursor], [null, undefined])
      const [, , left, bought] = all.entries
      assert.equal(bought.person.first_name, 'Ann')
      assert.deepEqual(
        [bought.state, bought.is_open, bought.step_name, bought.waits_for],
        [...['waiting', true, 'A while'], 'the end of its delay'],
      )
      assert.ok(bought.arrived_at < bought.until)
      assert.deepEqual([left.state, left.is_open, left.reason, left.arrived_at], ['ended', false, 'exited', null])
    })

    for (const [query, who] of [
      ['step=wait', () => [away, rich, buyer]],
      ['step=wait&state=open', () => [away, rich, buyer]],
      ['step=act', () => [leaver]],
      ['step=act&state=open', () => []],
      ['step=hello&state=sending&version=1', () => []],
      ['state=ended', () => [leaver]],
      ['state=waiting&version=1', () => [away, rich, buyer]],
      ['step=nowhere', () => []],
    ] as const) {
      test(`the list has those with ${query}`, async () => {
        assert.deepEqual(namesOf(await read(`walk/entries?${query}`)), who())
      })
    }

    test('the list has one person, also by the id before a merge', async () => {
      const [gone, kept] = [await newPerson(), await newPerson()]
      await trigger('other', gone)
      const { entries } = await read('other/entries')
      assert.deepEqual(namesOf({ entries }), [gone])
      await people.merge({ external_id: gone }, { external_id: kept })
      assert.deepEqual(namesOf(await read(`other/entries?person=${entries[0].person.id}`)), [kept])
      assert.deepEqual(namesOf(await read('other/entries')), [kept])
      await people.delete({ external_ids: [kept] })
      assert.deepEqual(namesOf(await read('other/entries')), [])
    })

    test('an entry tells how the person went', async () => {
      const { entries } = await read('walk/entries')
      const { entry, messages, has_more_messages } = await read(`walk/entries/${entries[3].entry_id}`)
      assert.deepEqual(
        entry.trail.map(({ step, step_name, path }: Any) => [step, step_name, path]),
        [
          ['gold', 'Is gold', null],
          ['act', 'Buys', 'no'],
          ['hello', 'hello', 'Bought'],
          ['wait', 'A while', null],
        ],
      )
      const times = entry.trail.map(({ at }: Any) => at)
      assert.deepEqual(times, times.toSorted())
      assert.deepEqual([entry.trail_is_whole, entry.because, entry.person.external_id], [true, null, buyer])
      assert.match(entry.sentence, /^The person is in the canvas "walk" at the step "A while", and waits for/)
      assert.deepEqual([has_more_messages, messages.length], [false, 1])
      assert.deepEqual([messages[0].reason, messages[0].step.id], ['sent', 'hello'])
      const suppressed = await read(`walk/entries/${entries[0].entry_id}`)
      assert.equal(suppressed.messages[0].reason, 'unsubscribed')
      const ended = await read(`walk/entries/${entries[2].entry_id}`)
      assert.deepEqual([ended.entry.reason, ended.entry.until, ended.messages], ['exited', null, []])
      assert.equal(typeof ended.entry.because, 'string')
    })

    for (const count of [entriesPage - 1, entriesPage, entriesPage + 1]) {
      test(`pages of ${count} entries have each once`, async () => {
        const id = newId('pages')
        await people.service.admin('POST', '/admin/canvases', { ...crowded, id, name: id })
        const flow = (await people.db.query<{ flow_id: number }>(sql`select flow_id from flow where id = ${id}`))[0]!
        await people.db.query(sql`
          insert into entry (bucket, profile_id, entry_id, workspace_id, flow_id, version, class, state, step, visit, due_at, entered_at)
          select n, n, gen_random_uuid(), 1, ${flow.flow_id}, 1, 'marketing', 'waiting', 'wait', 1, '2100-01-01',
            '2027-01-01Z'::timestamptz + (n / 4) * interval '1 microsecond'
          from generate_series(1, ${count}::int4) n`)
        for (const query of ['', 'step=wait&state=open&']) {
          const seen: string[] = []
          let cursor: string | undefined
          let pages = 0
          do {
            const page = await read(`${id}/entries?${query}${cursor ? `cursor=${cursor}` : ''}`)
            assert.ok(page.entries.length <= entriesPage)
            seen.push(...page.entries.map(({ entry_id }: Any) => entry_id))
            cursor = page.cursor
            pages++
          } while (cursor)
          assert.deepEqual([seen.length, new Set(seen).size, pages], [count, count, count > entriesPage ? 2 : 1])
        }
      })
    }

    test('a page ends early when it has looked at many entries, and its cursor continues there', async () => {
      const path = { workspace_id: 1, kind: 'canvas', id: 'walk' } as const
      const call = { db: people.db, clock: { now: () => Date.parse('2030-01-01') } } as Any
      const parts = { graphs: new Graphs(), formatServiceId: String, parseServiceId: String }
      const seen: (string | null)[] = []
      let cursor: string | undefined
      for (let i = 0; i < 5; i++) {
        const query = parseQuery(`step=act${cursor ? `&cursor=${cursor}` : ''}`)
        const page = await listEntries(call, path, query, parts, 1)
        seen.push(...page.entries.map(({ person }) => person!.external_id))
        cursor = page.cursor
        if (!cursor) break
        assert.ok(page.searched_until)
      }
      assert.deepEqual(seen, [leaver])
    })

    for (const [query, what] of [
      ['state=gone', 'state'],
      ['cursor=x', 'cursor'],
      ['version=0', 'version'],
      ['version=9', 'version'],
      [`step=${'x'.repeat(stepCharactersMax + 1)}`, 'step'],
    ] as const) {
      test(`the query ${query.slice(0, 20)} is refused`, async () => {
        const { status, body } = await ask(`/admin/canvases/walk/entries?${query}`)
        assert.equal(status, 400)
        assert.match(body.message, new RegExp(`^'${what}' `))
      })
    }

    test('what does not exist is not found', async () => {
      const [{ entry_id }] = (await read('walk/entries')).entries
      for (const path of [
        'canvases/nowhere/entries',
        'campaigns/walk/entries',
        `canvases/crowded/entries/${entry_id}`,
        `canvases/walk/entries/${randomUUID()}`,
        'canvases/walk/entries/x',
        'canvases/walk/entries?person=x',
      ]) {
        assert.equal((await ask(`/admin/${path}`)).status, 404, path)
      }
    })
  })
}
