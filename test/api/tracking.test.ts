import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { sql } from '../../src/base/db/sql.ts'
import { openEngagementQueue, waitingEngagementsMax } from '../../src/messaging/feedback/engagement-queue.ts'
import type { TokenTarget } from '../../src/people/addresses/message-token.ts'
import { quiet } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { drawDatabases } from '../support/harness.ts'
import { mailedOf, type Written } from '../support/mailed-people.ts'
import { many, newEmail, newId } from '../support/people.ts'

/** The clocks of a test and of the service may differ this much, and stored times are rounded. */
const clockMs = 1_000
const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0' }
const apple = { 'user-agent': 'Mozilla/5.0' }
const links = [
  'https://shop.example.com/tea?cup=1#top',
  'http://example.org/',
  'javascript:alert(1)',
  'https://bücher.example/ä b',
]

for (const database of drawDatabases('tracking')) {
  describe(`/o and /l (${database})`, () => {
    const people = mailedOf(database)

    const mailed = async (more: Written = {}) => {
      const external_id = newId()
      await people.set({ external_id, email: newEmail() })
      return { external_id, named: await people.write(external_id, { links, ...more }) }
    }
    const linkOf = (named: TokenTarget, index: number) => `/l/${people.token(named, 'link', index)}/${index}`
    const pixelOf = (named: TokenTarget) => `/o/${people.token(named, 'open')}`
    /** Waits until this many were recorded. Clicks are written before the answer, opens a little later. */
    const seen = async (named: TokenTarget, times: number) => {
      let rows = await people.engaged(named)
      await eventually(`${times} are seen`, async () => {
        rows = await people.engaged(named)
        return rows.reduce((sum, { count }) => sum + count, 0) >= times
      })
      return rows.map(({ kind, link, count }) => `${kind} ${link} ${count}`)
    }
    const lastOf = async (external_id: string) => {
      const id = await people.idOf(external_id)
      const rows = await people.db.query<{ channel: string; kind: string; at: Date }>(sql`
        select channel, kind, at from last_engaged where profile_id = ${id}::int8 order by kind`)
      return rows
    }

    test('a link redirects to the target of when the mail was written, and the click is recorded before the answer', async () => {
      const { external_id, named } = await mailed()
      const fromMs = Date.now() - clockMs
      const { status, headers, text } = await people.page(linkOf(named, 0), browser)
      assert.deepEqual([status, headers.location, text], [302, links[0], ''])
      assert.equal(headers['cache-control'], 'no-store')
      assert.equal(headers['set-cookie'], undefined)
      assert.deepEqual(
        (await people.engaged(named)).map(({ kind, link, count }) => [kind, link, count]),
        [['clicked', 0, 1]],
      )
      const [last, ...more] = await lastOf(external_id)
      assert.deepEqual([last!.channel, last!.kind, more], ['email', 'clicked', []])
      const atMs = last!.at.getTime()
      assert.ok(atMs >= fromMs && atMs <= Date.now() + clockMs, `${atMs}`)
    })

    test('clicks are counted by link, with the times of the first and the last', async () => {
      const { named } = await mailed()
      for (const index of [0, 1, 0, 3, 0]) assert.equal((await people.page(linkOf(named, index), browser)).status, 302)
      assert.deepEqual(await seen(named, 5), ['clicked 0 3', 'clicked 1 1', 'clicked 3 1'])
      const [first] = await people.engaged(named)
      assert.ok(first!.first_at < first!.last_at)
      assert.equal(
        (await people.page(linkOf(named, 3), browser)).headers.location,
        'https://xn--bcher-kva.example/%C3%A4%20b',
      )
    })

    test('nothing else redirects: unknown links, other indexes, other messages, other protocols', async () => {
      const [one, other] = [await mailed(), await mailed({ links: ['https://other.example.com/'] })]
      const token = people.token(one.named, 'link', 0)
      const paths = [
        linkOf(one.named, 2),
        linkOf(one.named, 4),
        linkOf(one.named, 999_999),
        linkOf(other.named, 1),
        `/l/${token}/1`,
        `/l/${token}/00`,
        `/l/${token}/-1`,
        `/l/${token}/0x0`,
        `/l/${token}/99999999999999999999`,
        `/l/${token}/%00`,
        `/l/${people.token(one.named, 'open')}/0`,
        '/l/x/0',
        `/l/${'v'.repeat(52)}/0`,
      ]
      for (const path of paths) {
        const { status, headers, text } = await people.page(path, browser)
        assert.equal(status, 404, path)
        assert.equal(headers.location, undefined)
        assert.match(text, /<h1>This link does not work<\/h1>/)
      }
      assert.deepEqual(await people.engaged(one.named), [])
      assert.equal(
        (await people.page(`${linkOf(one.named, 0)}?to=https://evil.example/`, browser)).headers.location,
        links[0],
      )
    })

    test('the image is the same small one for every token, and opens are written within a second', async () => {
      const { external_id, named } = await mailed()
      const answers = []
      for (const path of [pixelOf(named), `${pixelOf(named)}.gif`, '/o/x', `/o/${people.token(named, 'link')}`]) {
        answers.push(await people.page(path, browser))
      }
      for (const { status, headers, text } of answers) {
        assert.deepEqual([status, headers['content-type'], headers['cache-control']], [200, 'image/gif', 'no-store'])
        assert.equal(headers['content-length'], '42')
        assert.match(text, /^GIF89a/)
      }
      assert.deepEqual(await seen(named, 2), ['opened -1 2'])
      assert.deepEqual(
        (await lastOf(external_id)).map(({ kind }) => kind),
        ['opened'],
      )
    })

    test('opens and clicks by machines are counted separately, and do not change the last engagement', async () => {
      const { external_id, named } = await mailed()
      await people.page(pixelOf(named), apple)
      await people.page(pixelOf(named))
      await people.page(linkOf(named, 0), apple)
      const head = await people.service.send('HEAD', linkOf(named, 0), undefined, { key: null, headers: browser })
      assert.deepEqual([head.status, head.headers.location], [302, links[0]])
      assert.deepEqual(await seen(named, 4), ['machine_clicked 0 2', 'machine_opened -1 2'])
      assert.deepEqual(await lastOf(external_id), [])
      const fresh = await mailed({ ended_at: new Date().toISOString() })
      await people.page(linkOf(fresh.named, 0), browser)
      assert.deepEqual(await seen(fresh.named, 1), ['machine_clicked 0 1'])
    })

    test('a person who refuses tracking is not tracked, not even by earlier mails', async () => {
      const [quiet, half] = [await mailed(), await mailed()]
      await people.set({
        external_id: quiet.external_id,
        email_open_tracking_disabled: true,
        email_click_tracking_disabled: true,
      })
      await people.set({ external_id: half.external_id, email_open_tracking_disabled: true })
      for (const { named } of [quiet, half]) {
        await people.page(pixelOf(named), browser)
        assert.equal((await people.page(linkOf(named, 0), browser)).headers.location, links[0])
      }
      assert.deepEqual(await seen(half.named, 1), ['clicked 0 1'])
      assert.deepEqual(await people.engaged(quiet.named), [])
    })

    test('a workspace without click tracking records no clicks', async () => {
      const { named } = await mailed()
      await people.service.admin('POST', '/admin/apply', { settings: { track_clicks: false } })
      await people.page(pixelOf(named), browser)
      assert.equal((await people.page(linkOf(named, 0), browser)).status, 302)
      await people.service.admin('POST', '/admin/apply', { settings: { track_clicks: null } })
      assert.deepEqual(await seen(named, 1), ['opened -1 1'])
    })

    test('engagement of a merged person counts for the kept one, and none is recorded for a deleted person', async () => {
      const [before, kept] = [await mailed(), newId()]
      await people.page(linkOf(before.named, 0), browser)
      await people.set({ external_id: kept, email: newEmail() })
      await people.merge({ external_id: before.external_id }, { external_id: kept })
      assert.equal((await people.page(linkOf(before.named, 0), browser)).status, 302)
      assert.deepEqual(await seen(before.named, 2), ['clicked 0 2'])
      assert.deepEqual(
        (await lastOf(kept)).map(({ kind }) => kind),
        ['clicked'],
      )
      await people.delete({ external_ids: [kept] })
      assert.equal((await people.page(linkOf(before.named, 0), browser)).status, 404)
      assert.equal((await people.page(pixelOf(before.named), browser)).status, 200)
      await new Promise((resume) => setTimeout(resume, 600))
      assert.deepEqual(await people.engaged(before.named), [])
    })

    test('concurrent opens and clicks are all counted', async () => {
      const { named } = await mailed()
      const clicks = many(200, (i) => people.page(linkOf(named, i % 2), browser))
      const opens = many(200, () => people.page(pixelOf(named), browser))
      assert.ok((await Promise.all(clicks)).every(({ status }) => status === 302))
      await Promise.all(opens)
      assert.deepEqual(await seen(named, 400), ['clicked 0 100', 'clicked 1 100', 'opened -1 200'])
    })

    test('a merge during clicks loses none of them', async () => {
      const all = []
      for (const _ of many(8, () => 0)) all.push({ ...(await mailed()), kept: newId() })
      await people.set(...all.map(({ kept }) => ({ external_id: kept, email: newEmail() })))
      await Promise.all(
        all.flatMap(({ external_id, kept, named }) => [
          people.merge({ external_id }, { external_id: kept }),
          ...many(5, () => people.page(linkOf(named, 0), browser)),
        ]),
      )
      for (const { named } of all) assert.deepEqual(await seen(named, 5), ['clicked 0 5'])
    })

    test('memory holds a limited number of opens, and a click does not wait for a locked table', async () => {
      const { named } = await mailed()
      let lost = 0
      const onLost = () => lost++
      const engagements = openEngagementQueue({ db: people.db, clock: systemClock(), log: quiet, onLost })
      const seenOnce = { method: 'GET', agent: browser['user-agent'], purpose: undefined, ip: '' }
      for (let i = 1; i < waitingEngagementsMax; i++)
        engagements.addOpen({ profile_id: '1', message_id: String(i) }, seenOnce)
      for (const _ of [1, 2]) engagements.addOpen(named, seenOnce)
      assert.equal(lost, 0)
      engagements.addOpen({ profile_id: '1', message_id: '0' }, seenOnce)
      assert.equal(lost, 1)
      await engagements.close()
      assert.deepEqual(await seen(named, 2), ['opened -1 2'])
      if (database === 'pglite') return
      const [locked, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const held = people.db.transaction(async (tx) => {
        await tx.query(sql`lock table engagement in exclusive mode`)
        locked.resolve()
        await free.promise
      })
      await locked.promise
      assert.equal((await people.page(linkOf(named, 0), browser)).status, 302)
      free.resolve()
      await held
      assert.deepEqual(await seen(named, 3), ['clicked 0 1', 'opened -1 2'])
    })
  })
}
