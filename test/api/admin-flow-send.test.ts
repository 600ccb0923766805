import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import { type Item, newEmail, newId, peopleOf } from '../support/people.ts'
import { audience, campaign, canvas, triggeredWorkspace } from '../support/triggers.ts'

const dayMs = 86_400_000
const flows = [
  ['canvases', canvas, 'canvas'],
  ['campaigns', campaign, 'campaign'],
] as const

for (const database of drawDatabases('admin-flow-send')) {
  describe(`/admin/{canvases|campaigns}/{id}/send (${database})`, () => {
    const people = peopleOf(database, { workspace: triggeredWorkspace, env: { EASEL_CLOCK: 'virtual' } })
    const ask = (method: 'GET' | 'POST', path: string, body?: object) => people.service.admin(method, path, body)
    const track = (attributes: readonly Item[]) => people.service.post('/users/track', { attributes })
    const mailsTo = async (email: string): Promise<number> => {
      const { messages } = (await ask('GET', '/admin/inbox?limit=100')).body
      return messages.filter(({ to }: Item) => [to].flat().includes(email)).length
    }
    const segmentOf = async (plan: string): Promise<string> => {
      const audience = { custom_attribute: { custom_attribute_name: 'plan', comparison: 'equals', value: plan } }
      return (await ask('POST', '/admin/segments', { name: plan, audience })).body.segment.id as string
    }
    const person = async (more: Item = {}) => {
      const [external_id, email] = [newId(), newEmail()]
      const { status, text } = await track([{ external_id, email, ...more }])
      assert.equal(status, 201, text)
      return { external_id, email }
    }

    for (const [path, flow, kind] of flows) {
      const make = async (more: Item = {}): Promise<string> => {
        const id = newId('flow')
        const { status, text } = await ask('POST', `/admin/${path}`, flow(id, more))
        assert.equal(status, 201, text)
        return id
      }
      const send = (id: string, body: object) => {
        const key = people.service.adminToken
        return people.service.send('POST', `/admin/${path}/${id}/send`, body, { key })
      }
      const sent = async (id: string, body: object): Promise<string> => {
        const answer = await send(id, body)
        assert.equal(answer.status, 201, answer.text)
        return answer.body.dispatch_id as string
      }

      test(`a ${kind} is sent to a segment at a time, and found in the sends and the audit`, async () => {
        const plan = newId('plan')
        const [gold, free] = [await person({ plan }), await person({ plan: `${plan} free` })]
        const segment_id = await segmentOf(plan)
        const id = await make()
        const now = (await ask('GET', '/admin/clock')).body.now as string
        const time = new Date(Date.parse(now) + 10 * dayMs).toISOString()
        const dispatch_id = await sent(id, { segment_id, schedule: { time } })
        await people.service.advance('P1D')
        assert.equal(await mailsTo(gold.email), 0)
        const { dispatch } = (await ask('GET', `/admin/dispatches/${dispatch_id}`)).body
        assert.deepEqual([dispatch.state, dispatch.recipient_words], ['waiting', `Everybody in the segment "${plan}"`])
        await people.service.advance('P11D')
        assert.deepEqual([await mailsTo(gold.email), await mailsTo(free.email)], [1, 0])
        const { audit } = (await ask('GET', `/admin/audit?target=${kind}:${id}&limit=1`)).body
        assert.equal(audit[0].action, `${kind}.send`)
        assert.deepEqual(audit[0].after, { segment_id, schedule: { time }, dispatch_id })
      })

      test(`a ${kind} is sent at once to listed people, to an audience, or to everybody it is for`, async () => {
        const plan = newId('plan')
        const [one, two] = [await person({ plan }), await person({ plan: `${plan} free` })]
        const id = await make({ segment: { segment_id: await segmentOf(plan) } })
        await sent(id, { recipients: [{ external_user_id: one.external_id }, { external_user_id: two.external_id }] })
        await people.service.advance('PT1M')
        assert.deepEqual([await mailsTo(one.email), await mailsTo(two.email)], [1, 0])
        await sent(id, { audience: { custom_attribute: { custom_attribute_name: 'plan', comparison: 'exists' } } })
        await sent(id, {})
        await people.service.advance('PT1M')
        assert.deepEqual([await mailsTo(one.email), await mailsTo(two.email)], [3, 0])
      })

      test(`a segment narrows what a ${kind} is for, in the send as in its dry run`, async () => {
        const [plan, tier] = [newId('plan'), newId('tier')]
        const both = await person({ plan, tier })
        const [planOnly, tierOnly] = [await person({ plan }), await person({ tier })]
        const segment_id = await segmentOf(plan)
        const id = await make({
          audience: { custom_attribute: { custom_attribute_name: 'tier', comparison: 'equals', value: tier } },
        })
        const recipients = [both, planOnly, tierOnly].map(({ external_id }) => ({ external_user_id: external_id }))
        const dry = (await ask('POST', `/admin/${path}/${id}/dry_run`, { segment_id })).body
        const named = (await ask('POST', `/admin/${path}/${id}/dry_run`, { recipients, segment_id })).body
        assert.equal(dry.counts.would_enter, 1)
        assert.deepEqual(named.counts, { would_enter: 1, not_in_segment: 2 })
        await sent(id, { segment_id })
        await people.service.advance('PT1M')
        const mails = await Promise.all([both, planOnly, tierOnly].map(({ email }) => mailsTo(email)))
        assert.deepEqual(mails, [1, 0, 0])
      })

      test(`an order of a ${kind} that cannot be carried out is refused, and nothing is written`, async () => {
        const id = await make()
        const external_user_id = 'ann'
        for (const [body, status, message] of [
          [
            { segment_id: 'gold', audience },
            400,
            "at most one of 'recipients', 'audience' and 'segment_id' may be given",
          ],
          [{ segment_id: 'nowhere' }, 400, 'segment_id'],
          [{ segment_id: '' }, 400, 'segment_id'],
          [{ recipients: [{ external_user_id, attributes: { plan: 'gold' } }] }, 400, 'recipients[0].attributes'],
          [
            { recipients: [{ external_user_id, send_to_existing_only: false }] },
            400,
            'recipients[0].send_to_existing_only',
          ],
          [{ recipients: [] }, 400, 'Recipients'],
          [{ schedule: { time: 'soon' } }, 400, 'Bad Request'],
          [{ segment: 'gold' }, 400, "'segment' is not known here, and nothing was sent"],
        ] as const) {
          const answer = await send(id, body)
          assert.equal(answer.status, status, answer.text)
          assert.ok(answer.text.includes(message), answer.text)
        }
        assert.equal((await send('none', {})).status, 404)
        for (const state of ['draft', 'paused', 'archived']) {
          const { status, body } = await send(await make({ state }), {})
          const word = state === 'draft' ? 'a draft' : state
          assert.deepEqual([status, body.message], [409, `The ${kind} is ${word}, so nobody enters it`])
        }
        const byEvent = await send(await make({ entry: { event: 'bought' } }), {})
        assert.match(byEvent.text, /is not triggered by the API/)
        const { dispatches } = (await ask('GET', '/admin/dispatches?limit=100')).body
        assert.equal(dispatches.filter(({ flow }: Item) => (flow as Item | null)?.id === id).length, 0)
      })
    }
  })
}
