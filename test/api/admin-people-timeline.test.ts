import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readRows } from '../../src/messaging/timeline/read-rows.ts'
import {
  detailCharactersMax,
  personEntriesMax,
  timelineDefault,
  timelineMax,
} from '../../src/messaging/timeline/schema.ts'
import { bucketOfId, person } from '../../src/people/identity/person.ts'
import { drawDatabases } from '../support/harness.ts'
import { mailedOf } from '../support/mailed-people.ts'
import { mail, sendingWorkspace } from '../support/messages.ts'
import { type Item, many, newId } from '../support/people.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read single members of an answer.
type Any = any

const steps = [
  {
    id: 'hello',
    name: 'Hello',
    type: 'message',
    channel: 'email',
    message: mail({ subject: 'Three tips' }),
    next: 'wait',
  },
  { id: 'wait', name: 'Wait', type: 'delay', for: 'P3D' },
]

for (const database of drawDatabases('admin-people-timeline')) {
  describe(`GET /admin/people/{id}/timeline (${database})`, () => {
    const people = mailedOf(database, { env: { EASEL_CLOCK: 'virtual' }, workspace: sendingWorkspace })
    const get = (path: string) => people.service.get(`/admin/people/${path}`, { key: people.service.adminToken })
    const read = async (id: string, query: Readonly<Record<string, string>>): Promise<Any> => {
      const { status, body, text } = await get(`${id}/timeline?${new URLSearchParams(query)}`)
      assert.equal(status, 200, text)
      return body
    }
    /** Reads a page. On a slow machine one request may not find all of it in its time. */
    const timeline = async (id: string, query: Readonly<Record<string, string>> = {}): Promise<Any> => {
      const limit = Number(query.limit ?? timelineDefault)
      let page = await read(id, query)
      while (page.cursor !== null && page.items.length < limit) {
        const { items } = page
        page = await read(id, { ...query, limit: String(limit - items.length), cursor: page.cursor })
        page.items.unshift(...items)
      }
      return page
    }
    const said = async (id: string, query = {}) =>
      (await timeline(id, query)).items.map(({ sentence }: Any) => sentence)
    const now = async (): Promise<string> => (await people.service.admin('GET', '/admin/clock')).body.now
    const made = async (more: Item = {}) => {
      const external_id = newId()
      await people.set({ external_id, email: `${external_id}@example.com`, plan: 'gold', ...more })
      return { external_id, id: (await people.person(external_id)).service_id! }
    }
    const canvas = async (more: Item = {}) => {
      const given = { name: newId('canvas'), state: 'active', segment: { segment_id: 'gold' }, entry: { by: ['api'] } }
      const { body } = await people.service.admin('POST', '/admin/canvases', {
        ...given,
        first: 'hello',
        steps,
        ...more,
      })
      return body.canvas as { id: string; name: string }
    }
    const send = async (canvas_id: string, external_user_id: string) => {
      const recipients = [{ external_user_id }]
      const { status, text } = await people.service.post('/canvas/trigger/send', { canvas_id, recipients })
      assert.equal(status, 201, text)
      await people.service.advance('PT1S')
    }

    test('history, mails, decisions and flows are told newest first, with the ids that lead on', async () => {
      const { external_id, id } = await made()
      await people.happen({ external_id, name: 'signed_up', time: await now(), properties: { plan: 'trial' } })
      await people.service.advance('PT1M')
      await people.buy({ external_id, product_id: 'tea', currency: 'EUR', price: 4.5, quantity: 2, time: await now() })
      await people.service.advance('PT1M')
      const trial = await canvas()
      await send(trial.id, external_id)
      await people.service.advance('P8D')
      await people.set({ external_id, plan: 'free' })
      const gold = await canvas()
      await send(gold.id, external_id)
      const { items, searched_until, cursor, ...head } = await timeline(id)
      assert.deepEqual(head, { id, merged_from: null, time_zone: 'UTC', message: 'success' })
      assert.deepEqual([searched_until, cursor], [null, null])
      assert.deepEqual(
        items.map(({ kind, family, sentence }: Any) => [kind, family, sentence]),
        [
          ['decision', 'held', `The person did not enter the canvas "${gold.name}": the person is not in the segment.`],
          ['flow', null, `Reached the end of the canvas "${trial.name}".`],
          [
            'message',
            'sent',
            `The mail "Three tips" of the canvas "${trial.name}", step hello, was sent to ${external_id}@example.com.`,
          ],
          ['flow', null, `Entered the canvas "${trial.name}", version 1.`],
          ['purchase', null, 'Bought tea 2 times for 4.5 EUR each.'],
          ['event', null, 'Did signed_up.'],
        ],
      )
      assert.equal(items[5].detail, '{"plan":"trial"}')
      const [, , sent, entered] = items
      assert.deepEqual(
        [sent.flow, sent.step, sent.reason],
        [{ kind: 'canvas', id: trial.id, name: trial.name }, 'hello', 'sent'],
      )
      assert.ok(sent.message_id && sent.entry_id === entered.entry_id && sent.dispatch_id === entered.dispatch_id)
      assert.ok(items[0].dispatch_id && items[0].dispatch_id !== sent.dispatch_id)
      assert.deepEqual(await said(id, { kinds: 'event' }), ['Did signed_up.'])
      assert.equal((await said(id, { kinds: 'decision,purchase' })).length, 2)
      assert.equal((await said(id, { kinds: 'message', limit: '1' })).length, 1)
    })

    test('pages follow each other to the first item, also within one microsecond and across weeks', async () => {
      const { external_id, id } = await made()
      const time = await now()
      const at = (days: number) => new Date(Date.parse(time) - days * 86_400_000).toISOString()
      const old = many(4, (i) => ({ external_id, name: `old-${i}`, time: at(i * 40) }))
      const same = many(5, (i) => ({ external_id, name: `same-${i}`, time: at(3) }))
      await people.happen(...old, ...same)
      const whole = (await timeline(id)).items as Any[]
      assert.equal(whole.length, 9)
      for (const limit of ['1', '2', '3', '9']) {
        const read: Any[] = []
        let cursor: string | null = ''
        let pages = 0
        while (cursor !== null) {
          const page: Any = await timeline(id, { limit, ...(cursor && { cursor }) })
          read.push(...page.items)
          assert.equal(page.cursor === null, page.searched_until === null)
          if (page.cursor) assert.equal(page.searched_until, page.items.at(-1).at)
          cursor = page.cursor
          pages++
        }
        assert.deepEqual(read, whole, limit)
        assert.equal(pages, Math.ceil(9 / Number(limit)))
      }
    })

    test('long properties are cut', async () => {
      const { external_id, id } = await made()
      const time = await now()
      const withText = (length: number) => ({
        external_id,
        name: `e-${length}`,
        time,
        properties: { t: 'x'.repeat(length) },
      })
      // With the braces, quotes and the name of the property.
      const room = detailCharactersMax - '{"t":""}'.length
      await people.happen(withText(room - 1), withText(room), withText(room + 1))
      const { items } = await timeline(id)
      const lengths = Object.fromEntries(items.map(({ sentence, detail }: Any) => [sentence, detail.length]))
      assert.deepEqual(
        [lengths[`Did e-${room - 1}.`], lengths[`Did e-${room}.`], lengths[`Did e-${room + 1}.`]],
        [detailCharactersMax - 1, detailCharactersMax, detailCharactersMax],
      )
      assert.match(items.find(({ sentence }: Any) => sentence === `Did e-${room + 1}.`).detail, /x\.\.\.$/)
    })

    test('opens, clicks, bounces and complaints are told, and what waits', async () => {
      const { external_id, id } = await made()
      const target = await people.write(external_id, { ended_at: await now(), links: ['https://example.com/start'] })
      const token = people.token(target, 'link', 0)
      await people.service.send('GET', `/l/${token}/0`, undefined, { key: null })
      await people.db.execute(
        `update message set bounced_at = ended_at, response = '550 no such user' where message_id = ${target.message_id}`,
      )
      while ((await said(id, { kinds: 'engagement' })).length < 2)
        await new Promise((resolve) => setTimeout(resolve, 20))
      const { items } = await timeline(id, { kinds: 'engagement' })
      const bounce = items.find(({ family }: Any) => family === 'failed')
      assert.deepEqual([bounce.sentence, bounce.detail], ['The mail bounced.', '550 no such user'])
      const click = items.find(({ detail }: Any) => detail === 'https://example.com/start')
      assert.match(click.sentence, /link in the mail\.$/)
    })

    test('entries are listed with where the person stands, and why the others ended', async () => {
      const { external_id, id } = await made()
      const [trial, other] = [await canvas(), await canvas()]
      await send(trial.id, external_id)
      const open = (await get(`${id}/entries`)).body.entries[0]
      assert.deepEqual([open.is_open, open.family, open.step, open.step_name], [true, 'waiting', 'wait', 'Wait'])
      assert.equal(
        open.sentence,
        `The person is in the canvas "${trial.name}" at the step "Wait", and waits for the end of its delay.`,
      )
      await people.service.advance('P3D')
      await send(other.id, external_id)
      const { entries, has_more } = (await get(`${id}/entries`)).body
      assert.deepEqual(
        entries.map(({ flow, is_open }: Any) => [flow.name, is_open]),
        [
          [other.name, true],
          [trial.name, false],
        ],
      )
      assert.equal(entries[1].sentence, `The person reached the end of the canvas "${trial.name}".`)
      assert.equal(has_more, false)
      const read = async () => (await get(`${id}/entries`)).body
      assert.equal((await read()).sentence, 'Stands in 1 canvas. The last mail was sent less than a day ago.')
      const more = async (count: number) => {
        await people.db.execute(`
          insert into entry (bucket, profile_id, entry_id, workspace_id, flow_id, version, class, state, ended, step, visit,
            entered_at, ended_at)
          select bucket, profile_id, gen_random_uuid(), workspace_id, flow_id, version, class, 'ended', 'completed', step, 1,
            entered_at, entered_at from entry e, generate_series(1, ${count}) where e.entry_id = '${open.entry_id}'`)
        const answer = await read()
        return [answer.entries.length, answer.has_more]
      }
      assert.deepEqual(await more(personEntriesMax - 3), [personEntriesMax - 1, false])
      assert.deepEqual(await more(1), [personEntriesMax, false])
      assert.deepEqual(await more(1), [personEntriesMax, true])
    })

    test('a merge is told, and a merged person leads to the timeline of the kept one', async () => {
      const [kept, gone] = [await made(), await made()]
      await people.happen({ external_id: gone.external_id, name: 'before', time: await now() })
      await people.merge({ external_id: gone.external_id }, { external_id: kept.external_id })
      const { items, ...head } = await timeline(gone.id)
      assert.deepEqual([head.id, head.merged_from], [kept.id, gone.id])
      const work = items.find(({ kind }: Any) => kind === 'work')
      assert.equal(work.sentence, 'Another person was merged into this one.')
      assert.match(work.request_id, /^[0-9a-f-]{36}$/)
      assert.ok(items.some(({ sentence }: Any) => sentence === 'Did before.'))
      await people.delete({ external_ids: [kept.external_id] })
      for (const id of [kept.id, gone.id, 'nobody']) {
        for (const part of ['timeline', 'entries']) assert.equal((await get(`${id}/${part}`)).status, 404)
      }
    })

    test('when the time is up, the page ends where the search has come to, and the next one continues there', async () => {
      const { external_id } = await made()
      const nowUs = Date.parse(await now()) * 1000
      const time = new Date(nowUs / 1000 - 20 * 86_400_000).toISOString()
      await people.happen({ external_id, name: 'old', time })
      const profile_id = await people.idOf(external_id)
      const search = (beforeUs: number, rowsMax: number, isTimeUp: boolean) => {
        const sources = { kinds: new Set(['event'] as const), rowsMax, beforeUs, cutoffUs: 0, isTimeUp: () => isTimeUp }
        const whole = { ...sources, personHash: (id: string) => id }
        return people.db.transaction((tx) => readRows(tx, person(bucketOfId(profile_id), profile_id), whole, nowUs))
      }
      const weekUs = 7 * 86_400_000_000
      const first = await search(nowUs + 1, 2, true)
      assert.deepEqual([first.rows.length, first.searchedUs], [0, nowUs - weekUs])
      const second = await search(first.searchedUs!, 2, true)
      assert.deepEqual([second.rows.length, second.searchedUs], [0, nowUs - 2 * weekUs])
      const third = await search(second.searchedUs!, 2, false)
      assert.deepEqual([third.rows.length, third.searchedUs], [1, undefined])
    })

    test('what cannot be asked is refused by name', async () => {
      const { id } = await made()
      const messageOf = async (query: string, status = 400) => {
        const answer = await get(`${id}/timeline?${query}`)
        assert.equal(answer.status, status, query)
        return answer.body.message as string
      }
      assert.match(await messageOf('kinds=events'), /^'kinds' must be some of event, purchase/)
      assert.match(await messageOf('kinds=event,'), /^'kinds'/)
      assert.match(await messageOf('cursor=yesterday'), /^'cursor' must be/)
      assert.match(await messageOf(`limit=${timelineMax + 1}`), /^'limit' must be/)
      await messageOf(`limit=${timelineMax}`, 200)
      assert.match(await messageOf('workspace=nowhere', 404), /no workspace/)
    })
  })
}
