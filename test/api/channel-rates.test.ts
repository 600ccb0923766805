import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { drawDatabases, type Service } from '../support/harness.ts'
import type { Item } from '../support/people.ts'
import { type PushService, startPushService } from '../support/push-service.ts'
import { onSite, pushActions, startPushing } from '../support/pushes.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read single members of an answer.
type Any = any

for (const database of drawDatabases('channel-rates')) {
  describe(`what followed messages, by channel (${database})`, () => {
    let web: PushService
    let service: Service
    const { person, trigger } = pushActions(() => service)
    before(async () => {
      web = await startPushService()
      service = await startPushing(database, web.env)
      const [reached, refused, gone, left, kept, lost, busy] = Array.from({ length: 7 }, () => web.subscribe())
      const people = {
        reached: await person([onSite(reached!)]),
        refused: await person([onSite(refused!)]),
        gone: await person([onSite(gone!)]),
        part: await person([onSite(left!), onSite(kept!)]),
        none: await person([]),
        later: await person([onSite(lost!), onSite(busy!)]),
      }
      gone!.leave()
      left!.leave(404)
      lost!.leave()
      for (const [name, id] of Object.entries(people)) {
        if (name === 'refused') web.next.push({ status: 400 })
        // Its other token is removed by an attempt that is repeated.
        if (name === 'later') web.next.push({ status: 429, headers: { 'retry-after': '60' } })
        await trigger('campaigns', 'sale', id)
      }
      await service.advance('PT10M')
      await trigger('canvas', 'greet', people.reached)
    })
    after(async () => {
      await service?.[Symbol.asyncDispose]()
      await web?.close()
    })
    const series = async (path: string): Promise<Any> => {
      const answer = await service.get(path)
      assert.equal(answer.status, 200, answer.text)
      return (answer.body as Any).data
    }
    /** Tallies are added up a little later. */
    const counted = async (what: string, read: () => Promise<Any>, isThere: (found: Any) => boolean): Promise<Any> => {
      let found: Any
      await eventually(
        () => `${what}: ${JSON.stringify(found)}`,
        async () => {
          found = await read()
          return isThere(found)
        },
      )
      return found
    }

    test('a series counts pushes under their channel, with the tokens that were removed and without opens', async () => {
      // A day may end meanwhile.
      const read = () => series('/campaigns/data_series?campaign_id=sale&length=2')
      const sum = (days: Any, name: string) =>
        days.reduce((all: number, { messages }: Any) => all + messages.web_push[0][name], 0)
      const days = await counted('the campaign', read, (each) => sum(each, 'sent') === 3)
      for (const { messages } of days) {
        assert.deepEqual(Object.keys(messages).sort(), ['email', 'web_push'])
        assert.deepEqual(messages.email, [])
        const [one, ...others] = messages.web_push
        assert.deepEqual([one.variation_api_id, others], ['one', []])
        for (const name of ['opens', 'unique_opens', 'clicks', 'delivered']) assert.equal(name in one, false, name)
      }
      assert.deepEqual(
        ['bounces', 'push_tokens_removed', 'unique_recipients'].map((name) => sum(days, name)),
        [2, 3, 3],
      )
    })

    test('a step of a canvas is counted under its channel', async () => {
      const read = async () =>
        (await series('/canvas/data_summary?canvas_id=greet&length=2&include_step_breakdown=true')).step_stats
      const { say } = await counted('the step', read, (steps) => steps.say.messages.web_push[0].sent === 1)
      assert.deepEqual(say.messages, { email: [], web_push: [{ sent: 1, bounces: 0, push_tokens_removed: 0 }] })
    })

    test('pages get the counts in words with their shares, and what is not known as a sentence', async () => {
      const read = async () => (await service.admin('GET', '/admin/campaigns/sale/standing')).body.steps.one
      const { rates, sent } = await counted('the standing', read, (step) => step.rates.sent === 3 && step.sent === 3)
      assert.deepEqual(rates, {
        ...{ channel: 'web_push', sent },
        counts: [
          { measure: 'bounces', words: 'Refused, or no device was left', count: 2, of: 5 },
          { measure: 'push_tokens_removed', words: 'Push tokens removed: their device is gone', count: 3, of: null },
        ],
        unknown: 'Opens and clicks of pushes are not known: no push service reports them.',
      })
    })

    test('the overview counts messages by channel', async () => {
      let hours = 3
      const read = async () => (await service.admin('GET', `/admin/overview?hours=${++hours}`)).body.outcomes
      const outcomes = await counted('the overview', read, ({ sent }) => sent === 4)
      const [web_push, ...others] = outcomes.channels as Item[]
      assert.deepEqual(others, [])
      const { channel, words, sent, failed, tried } = web_push!
      assert.deepEqual([channel, words, sent, failed, tried], ['web_push', 'pushes to browsers', 4, 3, 7])
    })
  })
}
