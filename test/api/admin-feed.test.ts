import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { askFeed, type FeedLine, readFeed, readPage, typesOf } from '../support/feed.ts'
import { drawDatabases } from '../support/harness.ts'
import { Mailed } from '../support/mailed-people.ts'
import { groups, newEmail, newId, newPhone } from '../support/people.ts'
import { sendgridHeaders, sendgridKey } from '../support/providers.ts'
import { campaign, triggeredWorkspace } from '../support/triggers.ts'

const newsletter = { id: groups.news.id }

for (const database of drawDatabases('admin-feed')) {
  describe(`the feed (${database})`, () => {
    const people = new Mailed()
    before(async () => {
      const settings = {
        ...triggeredWorkspace.settings,
        feed: true,
        webhooks: { sendgrid: { public_key: sendgridKey } },
      }
      const campaigns = [campaign('news')]
      await people.start({ database, workspace: { ...triggeredWorkspace, settings, campaigns } })
    })
    after(() => people.stop())

    /** Reads until a person has had an event of this type. Returns the lines about the person. */
    const until = async (external_id: string, type: string): Promise<FeedLine[]> => {
      const lines = await readFeed(people.service, (found) => typesOf(found, external_id).includes(type))
      return lines.filter(({ data }) => data.person.external_id === external_id)
    }

    test('what happens to a person is in the feed, in order', async () => {
      const external_id = newId()
      const email = newEmail()
      await people.set({ external_id, email })
      await people.set({ external_id, email_subscribe: 'opted_in' })
      await people.set({ external_id, email_subscribe: 'opted_in', plan: 'gold' })
      const state = (subscription_state: string) => ({
        external_id,
        subscription_groups: [{ subscription_group_id: newsletter.id, subscription_state }],
      })
      await people.set(state('subscribed'))
      await people.set(state('subscribed'))
      await people.send('/v2/subscription/status/set', {
        subscription_groups: [
          { subscription_group_id: newsletter.id, subscription_state: 'unsubscribed', emails: [email] },
        ],
      })
      await people.send('/email/status', { email, subscription_state: 'unsubscribed' })
      await people.set({ external_id, push_subscribe: 'unsubscribed' })
      await eventually('all changes', async () => (await until(external_id, 'subscription.changed')).length >= 6)
      const all = await until(external_id, 'subscription.changed')
      assert.deepEqual(
        all.map(({ type, data: { person: _, ...data } }) => [type, data]),
        [
          ['person.created', {}],
          ['subscription.changed', { channel: 'email', state: 'opted_in' }],
          ...['subscribed', 'unsubscribed'].map((changed) => [
            'subscription.changed',
            { email, subscription_group_id: newsletter.id, channel: 'email', state: changed },
          ]),
          ['subscription.changed', { channel: 'email', state: 'unsubscribed' }],
          ['subscription.changed', { channel: 'push', state: 'unsubscribed' }],
        ],
      )
      const { service_id } = await people.person(external_id, ['service_id'])
      assert.ok(all.every(({ data }) => data.person.service_id === service_id))
      const cursors = all.map(({ cursor }) => Number(cursor))
      assert.deepEqual(
        cursors,
        cursors.toSorted((a, b) => a - b),
      )
      assert.equal(new Set(all.map(({ id }) => id)).size, all.length)
    })

    test('every end of a message is in the feed with the reason of the ledger, and what follows it', async () => {
      const [sent, refused] = [newId(), newId()]
      const email = newEmail()
      await people.set({ external_id: sent, email }, { external_id: refused })
      const recipients = [sent, refused].map((external_user_id) => ({ external_user_id }))
      await people.send('/campaigns/trigger/send', { campaign_id: 'news', recipients })
      const [line] = (await until(sent, 'message.sent')).filter(({ type }) => type === 'message.sent')
      const { person: _, message_id, ...data } = line!.data
      const { dispatch_id, ...told } = data
      assert.deepEqual(told, {
        ...{ channel: 'email', reason: 'sent', email },
        ...{ campaign_id: 'news', campaign_name: 'Campaign news' },
        ...(told.step !== undefined && { step: told.step, entry_id: told.entry_id }),
      })
      const [none] = (await until(refused, 'message.suppressed')).filter(({ type }) => type === 'message.suppressed')
      assert.equal(none!.data.reason, 'no_address')
      const target = { profile_id: await people.idOf(sent), message_id }
      await people.service.get(`/o/${people.token(target, 'open')}`, { key: null })
      const { id } = (await people.service.admin('GET', '/admin/workspace')).body.workspaces[0]
      const token = people.token(target, 'message')
      const event = { email, timestamp: 1795186800, 'smtp-id': `<m.${token}@example.com>` }
      for (const more of [
        { event: 'delivered' },
        { event: 'bounce', type: 'bounce', status: '5.1.1', reason: '550 5.1.1 no such mailbox' },
        { event: 'spamreport' },
      ]) {
        const body = JSON.stringify([{ ...event, ...more }])
        for (let i = 0; i < 2; i++)
          await people.service.post(`/webhooks/sendgrid/${id}`, body, { key: null, headers: sendgridHeaders(body) })
      }
      const own = await until(sent, 'message.complained')
      const ofMessage = own.filter(({ data: { message_id: about } }) => about === message_id)
      const types = ofMessage.map(({ type }) => type)
      assert.equal(types[0], 'message.sent')
      for (const type of ['message.delivered', 'message.bounced', 'message.complained'])
        assert.equal(types.filter((each) => each === type).length, 1, types.join())
      assert.equal(ofMessage.find(({ type }) => type === 'message.bounced')!.data.bounce, 'hard')
    })

    test('a merge names both people, and a deletion is the only event that is left of a person', async () => {
      const [kept, merged] = [newId(), newId()]
      const state = [{ subscription_group_id: newsletter.id, subscription_state: 'subscribed' }]
      await people.set({ external_id: kept }, { external_id: merged, subscription_groups: state })
      const before = await people.person(merged, ['service_id'])
      await people.merge({ external_id: merged }, { external_id: kept })
      const lines = await until(kept, 'person.merged')
      const line = lines.find(({ type }) => type === 'person.merged')!
      assert.deepEqual(line.data.merged_person, { service_id: before.service_id, external_id: merged })
      await eventually('the state of the merged person', async () => {
        const own = await until(kept, 'person.merged')
        return own.some(({ type, data }) => type === 'subscription.changed' && data.state === 'subscribed')
      })
      const { service_id } = await people.person(kept, ['service_id'])
      await people.delete({ external_ids: [kept] })
      const left = await readFeed(people.service, (found) => typesOf(found, kept).includes('person.deleted'))
      const about = left.filter(({ data }) => [service_id, before.service_id].includes(data.person.service_id))
      assert.deepEqual(
        about.map(({ type, data }) => [type, data]),
        [['person.deleted', { person: { service_id, external_id: kept } }]],
      )
    })

    test('a reader waits for the next event, reads some types, and goes on behind a cursor', async () => {
      const { next: end } = await readPage(people.service, '?cursor=end')
      const waiting = readPage(people.service, `?cursor=${end}&wait=20`)
      const external_id = newId()
      await people.set({ external_id, phone: newPhone(), email_subscribe: 'unsubscribed' })
      const found = [...(await waiting).lines]
      while (found.length < 2)
        found.push(...(await readPage(people.service, `?cursor=${found.at(-1)!.cursor}&wait=20`)).lines)
      assert.deepEqual(typesOf(found, external_id), ['person.created', 'subscription.changed'])
      const one = await readPage(people.service, `?cursor=${end}&types=subscription.changed`)
      assert.deepEqual(typesOf(one.lines, external_id), ['subscription.changed'])
      const first = await readPage(people.service, `?cursor=${end}&limit=1`)
      assert.deepEqual([first.lines.length, first.next], [1, first.lines[0]!.cursor])
      const rest = await readPage(people.service, `?cursor=${first.next}`)
      assert.equal(rest.lines[0]!.id, found[1]!.id)
      const again = await readPage(people.service, `?cursor=${end}`)
      assert.deepEqual(again.lines.slice(0, 2), found.slice(0, 2))
      assert.deepEqual((await readPage(people.service, `?cursor=${again.next}`)).lines, [])
    })

    test('a wrong query is refused', async () => {
      for (const [query, status, message] of [
        ['?cursor=x', 400, /'cursor' is not valid/],
        ['?cursor=999999999999', 400, /'cursor' is ahead of the feed/],
        ['?limit=0', 400, /'limit' must be a whole number from 1 to 1000/],
        ['?limit=1001', 400, /'limit'/],
        ['?wait=21', 400, /'wait' must be a whole number from 0 to 20/],
        ['?types=message.read', 400, /'types' must be some of message.sent, /],
      ] as const) {
        const answer = await askFeed(people.service, query)
        assert.equal(answer.status, status, query)
        assert.match(answer.body.message, message)
      }
      for (const query of ['?limit=1', '?limit=1000', '?wait=0'])
        assert.equal((await askFeed(people.service, query)).status, 200)
    })

    test('events from while the feed was off are missing, which a reader learns', async () => {
      const before = newId()
      await people.set({ external_id: before })
      await readFeed(people.service, (found) => typesOf(found, before).includes('person.created'))
      const { next } = await readPage(people.service, '?cursor=end')
      await people.service.admin('PATCH', '/admin/settings', { feed: false })
      const unseen = newId()
      await people.set({ external_id: unseen })
      await eventually('the feed is off', async () => {
        const [row] = await people.db.query<{ is_on: boolean }>({ text: 'select is_on from feed', values: [] })
        return !row!.is_on
      })
      await people.service.admin('PATCH', '/admin/settings', { feed: true })
      const { next: end } = await readPage(people.service, '?cursor=end')
      const seen = newId()
      await people.set({ external_id: seen })
      const since = await readPage(people.service, `?wait=20&cursor=${end}`)
      assert.deepEqual(typesOf(since.lines, seen), ['person.created'])
      const lines = await readFeed(people.service, (found) => typesOf(found, seen).includes('person.created'))
      assert.deepEqual(typesOf(lines, unseen), [])
      const answer = await askFeed(people.service, `?cursor=${next}`)
      assert.equal(answer.status, 410)
      assert.match(answer.body.message, /no longer kept, or were not written while the feed was off/)
    })

    test('a workspace without a feed says so', async () => {
      const { body } = await people.service.admin('POST', '/admin/workspace', { name: newId('shop') })
      const answer = await askFeed(people.service, `?workspace=${body.workspace.id}`)
      assert.equal(answer.status, 409)
      assert.match(answer.body.message, /The feed of this workspace is off/)
    })
  })
}
